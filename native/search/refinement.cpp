#include "refinement.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "../entropy.hpp"

namespace puretree {
namespace {

constexpr std::size_t kMostCompared = 16;                        // wrong examples of a leaf
constexpr std::size_t kMostComparisons = std::size_t{1} << 22;  // of words, to count the conflicts of one

std::size_t distance(const Word* one, const Word* other, std::size_t n_words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words; ++w) n += static_cast<std::size_t>(std::popcount(one[w] ^ other[w]));
    return n;
}

// What is called exact comes with a tree; without one that good, the search would claim more than it proved.
void require_within(const SampleTree& tree, const Bound& bound) {
    if (tree.value > bound.lower) throw std::logic_error("a tree is worse than its exact value: this is a bug");
}

}  // namespace

Refinement::Refinement(const Examples& all, const Wishes& wishes, std::size_t max_bytes, std::function<void()> tick)
    : all_(all), wishes_(wishes), tick_(tick), sample_(all), solver_(sample_, wishes, max_bytes, tick),
      n_log_n_(n_log_n_table(all.size())) {
    std::vector<std::uint32_t> first;
    if (wishes.is_monotone()) {
        for (std::size_t c = 0; c < all.n_classes(); ++c) {
            for_each_while(all.of_class(c), all.n_words(), [&](std::size_t example) {
                first.push_back(static_cast<std::uint32_t>(example));
                return false;
            });
        }
    } else {
        first.resize(all.size());
        std::iota(first.begin(), first.end(), 0u);
    }
    take(first);
    take(telling_roots_apart());
}

// Examples on the missing side of every feature that is to be the root and does not split the sample yet.
std::vector<std::uint32_t> Refinement::telling_roots_apart() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t feature = 0; feature < wishes_.is_root.size(); ++feature) {
        if (!wishes_.is_root[feature]) continue;
        const bool says_yes = all_.rows().bit(sample_.example(0), feature);
        const auto is_other = [&](std::uint32_t example) { return all_.rows().bit(example, feature) != says_yes; };
        bool is_split = std::ranges::any_of(found, is_other);
        for (std::size_t place = 1; place < sample_.size() && !is_split; ++place) is_split = is_other(sample_.example(place));
        for (std::uint32_t example = 0; example < all_.size() && !is_split; ++example) {
            is_split = is_other(example);
            if (is_split) found.push_back(example);
        }
    }
    return found;
}

void Refinement::take(const std::vector<std::uint32_t>& examples) {
    if (examples.empty()) return;
    for (const std::uint32_t example : examples) sample_.take(example);
    solver_.extend();
}

void Refinement::restrict_to_sample(const Word* set) {
    restricted_.assign(sample_.n_words(), 0);
    for (std::size_t place = 0; place < sample_.size(); ++place) {
        const std::size_t example = sample_.example(place);
        const Word bit = (set[example / kWordBits] >> (example % kWordBits)) & 1;
        restricted_[place / kWordBits] |= bit << (place % kWordBits);
    }
}

Value Refinement::lower_bound(const Word* set, Depth depth, Value enough) {
    restrict_to_sample(set);
    return is_empty(restricted_.data(), restricted_.size()) ? 0 : solver_.bound(restricted_.data(), depth, enough).lower;
}

Bound Refinement::solve(const Word* set, Depth depth, Value budget) {
    for (;;) {
        restrict_to_sample(set);
        if (is_empty(restricted_.data(), restricted_.size())) {
            std::uint32_t first = 0;
            for_each_while(set, all_.n_words(), [&](std::size_t example) {
                first = static_cast<std::uint32_t>(example);
                return false;
            });
            take({first});
            continue;
        }
        const Bound bound = solver_.solve(restricted_.data(), depth, budget);
        if (!bound.is_exact || bound.lower > budget) return {bound.lower, false};
        SampleTree tree;
        if (refine(set, tree, depth, false)) continue;
        require_within(tree, bound);
        return bound;
    }
}

Refinement::Round Refinement::next_round(Value budget) {
    restrict_to_sample(all_.everything());
    Round round{solver_.solve_root(restricted_.data(), budget), {}};
    if (!round.bound.is_exact || round.bound.lower > budget) {
        round.bound.is_exact = false;
        return round;
    }
    const bool is_wrong = refine(all_.everything(), round.tree, wishes_.max_depth, true);
    round.bound.is_exact = !is_wrong;
    if (round.bound.is_exact) require_within(round.tree, round.bound);
    return round;
}

// Writes a best tree of the sample's part of a set, and takes in what it gets wrong; false if that is nothing.
bool Refinement::refine(const Word* set, SampleTree& tree, Depth depth, bool is_root) {
    wrong_.clear();
    add_node(tree, restricted_, {set, set + all_.n_words()}, depth, is_root);
    if (wrong_.empty()) return false;
    take(wrong_);
    return true;
}

std::uint32_t Refinement::add_node(SampleTree& tree, const std::vector<Word>& set, const std::vector<Word>& everything,
                                   Depth depth, bool is_root) {
    const auto node = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.emplace_back();
    if (solver_.is_leaf(set.data())) {
        std::size_t label = 0;
        while (!meets(set.data(), sample_.of_class(label), set.size())) ++label;
        tree.nodes[node].label = static_cast<std::int32_t>(label);
        std::vector<Word> wrong(everything);
        for (std::size_t w = 0; w < wrong.size(); ++w) wrong[w] &= ~all_.of_class(label)[w];
        if (!is_empty(wrong.data(), wrong.size())) {
            wrong_.push_back(most_telling(wrong.data(), set.data()));
            tree.nodes[node].members = everything;
        }
        return node;
    }
    const bool has_asked_root = is_root && !wishes_.is_root.empty();
    std::uint32_t feature = has_asked_root ? solver_.best_root() : solver_.best_feature(set.data(), depth);
    if (!has_asked_root) feature = best_alike(feature, set.data(), everything.data());
    std::vector<Word> no(set.size()), yes(set.size()), all_no(everything.size()), all_yes(everything.size());
    split(set.data(), sample_.column(feature), no.data(), yes.data(), set.size());
    split(everything.data(), all_.column(feature), all_no.data(), all_yes.data(), everything.size());
    tree.value += wishes_.weight(feature);
    tree.nodes[node].feature = feature;
    const std::uint32_t no_node = add_node(tree, no, all_no, below(depth), false);
    const std::uint32_t yes_node = add_node(tree, yes, all_yes, below(depth), false);
    tree.nodes[node].no = no_node;
    tree.nodes[node].yes = yes_node;
    return node;
}

// Of the features that split the sample's part alike, the one that splits everything best.
std::uint32_t Refinement::best_alike(std::uint32_t feature, const Word* set, const Word* everything) const {
    std::uint32_t best = feature;
    double best_impurity = impurity(feature, everything);
    const Word* column = sample_.column(feature);
    for (std::uint32_t other = 0; other < all_.n_features(); ++other) {
        if (other == feature || wishes_.weight(other) > wishes_.weight(feature)) continue;
        Word differs = 0, agrees = 0;
        for (std::size_t w = 0; w < sample_.n_words(); ++w) {
            const Word difference = column[w] ^ sample_.column(other)[w];
            differs |= set[w] & difference;
            agrees |= set[w] & ~difference;
        }
        if (differs && agrees) continue;
        if (const double value = impurity(other, everything); value < best_impurity) {
            best = other;
            best_impurity = value;
        }
    }
    return best;
}

double Refinement::impurity(std::uint32_t feature, const Word* everything) const {
    double sum = 0;
    std::size_t n_no = 0, n_yes = 0;
    for (std::size_t c = 0; c < all_.n_classes(); ++c) {
        std::size_t no = 0, yes = 0;
        for (std::size_t w = 0; w < all_.n_words(); ++w) {
            const Word members = everything[w] & all_.of_class(c)[w];
            yes += static_cast<std::size_t>(std::popcount(members & all_.column(feature)[w]));
            no += static_cast<std::size_t>(std::popcount(members & ~all_.column(feature)[w]));
        }
        sum -= n_log_n_[no] + n_log_n_[yes];
        n_no += no;
        n_yes += yes;
    }
    return sum + n_log_n_[n_no] + n_log_n_[n_yes];
}

// The wrong example that conflicts with most of the sample, and of equal ones the nearest to the leaf's members: it
// leaves the fewest ways to tell it from them. With any wrong example instead, the search took up to three times as long.
std::uint32_t Refinement::most_telling(const Word* wrong, const Word* leaf) const {
    std::vector<std::uint32_t> examples;
    for_each(wrong, all_.n_words(), [&](std::size_t i) { examples.push_back(static_cast<std::uint32_t>(i)); });
    const std::size_t n_words = all_.rows().n_words(), step = (examples.size() + kMostCompared - 1) / kMostCompared;
    const bool compares_conflicts = sample_.size() * all_.size() * n_words < kMostComparisons;
    std::uint32_t best = examples.front();
    std::pair<std::size_t, std::size_t> best_score;
    for (std::size_t i = 0; i < examples.size(); i += step) {
        tick_();
        const Word* row = all_.rows().row(examples[i]).data();
        std::size_t nearest = all_.n_features();
        for_each(leaf, sample_.n_words(), [&](std::size_t place) {
            nearest = std::min(nearest, distance(sample_.row(place), row, n_words));
        });
        const std::size_t n_conflicts = compares_conflicts ? solver_.conflicts().n_conflicts_of(examples[i]) : 0;
        const std::pair score{n_conflicts, all_.n_features() - nearest};
        if (i > 0 && score <= best_score) continue;
        best = examples[i];
        best_score = score;
    }
    return best;
}

}  // namespace puretree
