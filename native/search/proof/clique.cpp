#include "clique.hpp"

#include <algorithm>
#include <utility>

namespace puretree {
namespace {

bool is_of_one_class(const Clique& clique, const Sample& sample) {
    return std::ranges::all_of(clique, [&](std::size_t place) { return sample.label(place) == sample.label(clique[0]); });
}

// Next always the member that conflicts with most of those left.
void add_of_class(Clique& clique, const Conflicts& conflicts, std::vector<Word> open) {
    for (;;) {
        std::size_t most = 0, best = 0;
        for_each(open.data(), open.size(), [&](std::size_t place) {
            const std::size_t degree = 1 + count_common(open.data(), conflicts.with(place), open.size());
            if (degree > most) {
                most = degree;
                best = place;
            }
        });
        if (most == 0) return;
        clique.push_back(best);
        for (std::size_t w = 0; w < open.size(); ++w) open[w] &= conflicts.with(best)[w];
    }
}

// A class whose members joined the sample too late to have conflicts needs a leaf as well.
void add_any_of_class(Clique& clique, const Sample& sample, const Word* set, std::size_t of_class) {
    for_each_while(set, sample.n_words(), [&](std::size_t place) {
        if (static_cast<std::size_t>(sample.label(place)) != of_class) return true;
        clique.push_back(place);
        return false;
    });
}

}  // namespace

Clique find_clique(const Sample& sample, const Conflicts& conflicts, const Word* set, Value enough) {
    Clique clique;
    for (std::size_t c = 0; c < sample.n_classes(); ++c) {
        std::vector<Word> open(set, set + conflicts.n_words());
        for (std::size_t w = 0; w < open.size(); ++w) open[w] &= sample.of_class(c)[w];
        open.back() &= tail_mask(conflicts.n_places());
        if (is_empty(open.data(), open.size())) {
            add_any_of_class(clique, sample, set, c);
        } else {
            add_of_class(clique, conflicts, std::move(open));
        }
    }
    while (clique.size() > 1) {
        Clique smaller(clique.begin(), clique.end() - 1);
        if (tests_of(smaller, sample) < enough) break;
        clique.swap(smaller);
    }
    return clique;
}

Value tests_of(const Clique& clique, const Sample& sample) {
    const auto n_leaves = static_cast<Value>(clique.size());
    return n_leaves > 1 && is_of_one_class(clique, sample) ? n_leaves : std::max<Value>(n_leaves - 1, 0);
}

}  // namespace puretree
