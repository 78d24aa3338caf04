#include "clique.hpp"

#include <algorithm>
#include <utility>

namespace puretree {
namespace {

bool has_one_class(const Clique& clique, const Sample& sample) {
    return std::ranges::all_of(clique, [&](std::size_t i) { return sample.label(i) == sample.label(clique[0]); });
}

// Always adds the candidate that conflicts with the most remaining candidates.
void add_conflicting(Clique& clique, const Conflicts& conflicts, std::vector<Word> candidates) {
    for (;;) {
        std::size_t most = 0, best = 0;
        for_each(candidates, [&](std::size_t position) {
            const std::size_t degree = 1 + count_common(candidates, conflicts.conflicts_of(position));
            if (degree > most) {
                most = degree;
                best = position;
            }
        });
        if (most == 0) return;
        clique.push_back(best);
        for (std::size_t w = 0; w < candidates.size(); ++w) candidates[w] &= conflicts.conflicts_of(best)[w];
    }
}

// A class whose members joined the sample too late to have conflicts needs a leaf as well.
void add_any_of_class(Clique& clique, const Sample& sample, SetView set, std::size_t label) {
    for_each_while(set, [&](std::size_t position) {
        if (static_cast<std::size_t>(sample.label(position)) != label) return true;
        clique.push_back(position);
        return false;
    });
}

}  // namespace

Clique find_clique(const Sample& sample, const Conflicts& conflicts, SetView set, Value target) {
    Clique clique;
    const SetView covered = set.first(conflicts.n_words());
    for (std::size_t c = 0; c < sample.n_classes(); ++c) {
        std::vector<Word> candidates(covered.begin(), covered.end());
        for (std::size_t w = 0; w < candidates.size(); ++w) candidates[w] &= sample.class_members(c)[w];
        candidates.back() &= tail_mask(conflicts.n_positions());
        if (is_empty(candidates)) {
            add_any_of_class(clique, sample, set, c);
        } else {
            add_conflicting(clique, conflicts, std::move(candidates));
        }
    }
    while (clique.size() > 1) {
        Clique smaller(clique.begin(), clique.end() - 1);
        if (tests_of(smaller, sample) < target) break;
        clique.swap(smaller);
    }
    return clique;
}

Value tests_of(const Clique& clique, const Sample& sample) {
    const auto n_leaves = static_cast<Value>(clique.size());
    return n_leaves > 1 && has_one_class(clique, sample) ? n_leaves : std::max<Value>(n_leaves - 1, 0);
}

}  // namespace puretree
