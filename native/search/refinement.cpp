#include "refinement.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "../entropy.hpp"

namespace puretree {
namespace {

constexpr std::size_t kMaxCompared = 16;                        // misclassified examples of a leaf
constexpr std::size_t kMaxComparisons = std::size_t{1} << 22;  // of words, to count the conflicts of one example

std::size_t distance(SetView one, SetView other) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < one.size(); ++w) n += static_cast<std::size_t>(std::popcount(one[w] ^ other[w]));
    return n;
}

// An exact bound has a tree of that value; otherwise the lower bound would exceed what was proved.
void require_within(const SampleTree& tree, const Bound& bound) {
    if (tree.value <= bound.lower) return;
    throw std::logic_error("the tree exceeds the exact value of its set; please report this bug");
}

}  // namespace

Refinement::Refinement(const Examples& all, const Constraints& constraints, std::size_t max_bytes,
                       std::function<void()> tick)
    : all_(all), constraints_(constraints), tick_(tick), sample_(all), solver_(sample_, constraints, max_bytes, tick),
      n_log_n_(n_log_n_table(all.size())) {
    std::vector<std::uint32_t> initial;
    if (constraints.is_monotone()) {
        for (std::size_t c = 0; c < all.n_classes(); ++c) {
            const SetView members = all.class_members(c);
            if (!is_empty(members)) initial.push_back(static_cast<std::uint32_t>(first_member(members)));
        }
    } else {
        initial.resize(all.size());
        std::iota(initial.begin(), initial.end(), 0u);
    }
    add_to_sample(initial);
    add_to_sample(examples_split_by_roots());
}

// Examples such that every feature that the root may test splits the sample.
std::vector<std::uint32_t> Refinement::examples_split_by_roots() const {
    std::vector<std::uint32_t> added;
    if (!constraints_.root_features) return added;
    for (std::uint32_t feature = 0; feature < all_.n_features(); ++feature) {
        if (!constraints_.may_be_root(feature)) continue;
        const bool first_is_yes = all_.rows().bit(sample_.example(0), feature);
        const auto differs = [&](std::uint32_t example) { return all_.rows().bit(example, feature) != first_is_yes; };
        bool is_split = std::ranges::any_of(added, differs);
        for (std::size_t i = 1; i < sample_.size() && !is_split; ++i) is_split = differs(sample_.example(i));
        for (std::uint32_t example = 0; example < all_.size() && !is_split; ++example) {
            is_split = differs(example);
            if (is_split) added.push_back(example);
        }
    }
    return added;
}

void Refinement::add_to_sample(const std::vector<std::uint32_t>& examples) {
    if (examples.empty()) return;
    for (const std::uint32_t example : examples) sample_.add(example);
    solver_.extend();
}

void Refinement::restrict_to_sample(SetView set) {
    sample_set_.assign(sample_.n_words(), 0);
    for (std::size_t position = 0; position < sample_.size(); ++position) {
        const Word bit = contains(set, sample_.example(position));
        sample_set_[position / kWordBits] |= bit << (position % kWordBits);
    }
}

Value Refinement::lower_bound(SetView set, Depth depth, Value target) {
    restrict_to_sample(set);
    return is_empty(sample_set_) ? 0 : solver_.bound(sample_set_, depth, target).lower;
}

Bound Refinement::solve(SetView set, Depth depth, Value budget) {
    for (;;) {
        restrict_to_sample(set);
        if (is_empty(sample_set_)) {
            add_to_sample({static_cast<std::uint32_t>(first_member(set))});
            continue;
        }
        const Bound bound = solver_.solve(sample_set_, depth, budget);
        if (!bound.is_exact || bound.lower > budget) return {bound.lower, false};
        SampleTree tree;
        if (refine(set, tree, depth, false)) continue;
        require_within(tree, bound);
        return bound;
    }
}

Refinement::Round Refinement::next_round(Value budget) {
    restrict_to_sample(all_.full_set());
    Round round{solver_.solve_root(sample_set_, budget), std::nullopt};
    if (!round.bound.is_exact || round.bound.lower > budget) {
        round.bound.is_exact = false;
        return round;
    }
    round.tree.emplace();
    const bool is_refined = refine(all_.full_set(), *round.tree, constraints_.max_depth, true);
    round.bound.is_exact = !is_refined;
    if (round.bound.is_exact) require_within(*round.tree, round.bound);
    return round;
}

// Builds a best tree of the sample's part of a set, and adds examples that it misclassifies to the sample; false if
// there are none.
bool Refinement::refine(SetView set, SampleTree& tree, Depth depth, bool is_root) {
    counterexamples_.clear();
    add_node(tree, sample_set_, set, depth, is_root);
    if (counterexamples_.empty()) return false;
    add_to_sample(counterexamples_);
    return true;
}

std::uint32_t Refinement::add_node(SampleTree& tree, SetView set, SetView all_members, Depth depth, bool is_root) {
    const auto node = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.emplace_back();
    if (solver_.is_leaf(set)) {
        std::size_t label = 0;
        while (!intersects(set, sample_.class_members(label))) ++label;
        tree.nodes[node].label = static_cast<std::int32_t>(label);
        std::vector<Word> misclassified(all_members.begin(), all_members.end());
        for (std::size_t w = 0; w < misclassified.size(); ++w) misclassified[w] &= ~all_.class_members(label)[w];
        if (!is_empty(misclassified)) {
            counterexamples_.push_back(choose_counterexample(misclassified, set));
            tree.nodes[node].members.assign(all_members.begin(), all_members.end());
        }
        return node;
    }
    const bool is_constrained_root = is_root && constraints_.root_features;
    std::uint32_t feature = is_constrained_root ? solver_.best_root() : solver_.best_feature(set, depth);
    if (!is_constrained_root) feature = best_equivalent(feature, set, all_members);
    std::vector<Word> no(set.size()), yes(set.size()), all_no(all_members.size()), all_yes(all_members.size());
    split(set, sample_.column(feature), no, yes);
    split(all_members, all_.column(feature), all_no, all_yes);
    tree.value += constraints_.cost(feature);
    tree.nodes[node].feature = feature;
    const std::uint32_t no_node = add_node(tree, no, all_no, depth_below(depth), false);
    const std::uint32_t yes_node = add_node(tree, yes, all_yes, depth_below(depth), false);
    tree.nodes[node].no = no_node;
    tree.nodes[node].yes = yes_node;
    return node;
}

// Of the features that split the sample's part in the same way, the one that splits all members best.
std::uint32_t Refinement::best_equivalent(std::uint32_t feature, SetView set, SetView all_members) const {
    std::uint32_t best = feature;
    double best_impurity = impurity(feature, all_members);
    const SetView column = sample_.column(feature);
    for (std::uint32_t other = 0; other < all_.n_features(); ++other) {
        if (other == feature || constraints_.cost(other) > constraints_.cost(feature)) continue;
        const SetView other_column = sample_.column(other);
        Word differs = 0, agrees = 0;
        for (std::size_t w = 0; w < set.size(); ++w) {
            const Word difference = column[w] ^ other_column[w];
            differs |= set[w] & difference;
            agrees |= set[w] & ~difference;
        }
        if (differs && agrees) continue;
        if (const double value = impurity(other, all_members); value < best_impurity) {
            best = other;
            best_impurity = value;
        }
    }
    return best;
}

double Refinement::impurity(std::uint32_t feature, SetView all_members) const {
    double sum = 0;
    std::size_t n_no = 0, n_yes = 0;
    const SetView column = all_.column(feature);
    for (std::size_t c = 0; c < all_.n_classes(); ++c) {
        const SetView class_members = all_.class_members(c);
        std::size_t no = 0, yes = 0;
        for (std::size_t w = 0; w < all_members.size(); ++w) {
            const Word members = all_members[w] & class_members[w];
            yes += static_cast<std::size_t>(std::popcount(members & column[w]));
            no += static_cast<std::size_t>(std::popcount(members & ~column[w]));
        }
        sum -= n_log_n_[no] + n_log_n_[yes];
        n_no += no;
        n_yes += yes;
    }
    return sum + n_log_n_[n_no] + n_log_n_[n_yes];
}

// The misclassified example that conflicts with most of the sample, and of equal ones the nearest to the members of the
// leaf: the fewest features separate it from them. With arbitrary counterexamples, the search took up to three times as
// long.
std::uint32_t Refinement::choose_counterexample(SetView misclassified, SetView leaf) const {
    std::vector<std::uint32_t> examples;
    for_each(misclassified, [&](std::size_t i) { examples.push_back(static_cast<std::uint32_t>(i)); });
    const std::size_t step = (examples.size() + kMaxCompared - 1) / kMaxCompared;
    const bool compares_conflicts = sample_.size() * all_.size() * all_.rows().n_words() < kMaxComparisons;
    std::uint32_t best = examples.front();
    std::pair<std::size_t, std::size_t> best_score;
    for (std::size_t i = 0; i < examples.size(); i += step) {
        tick_();
        const SetView row = all_.rows().row(examples[i]);
        std::size_t nearest = all_.n_features();
        for_each(leaf, [&](std::size_t position) { nearest = std::min(nearest, distance(sample_.row(position), row)); });
        const std::size_t n_conflicts = compares_conflicts ? solver_.conflicts().n_conflicts_of(examples[i]) : 0;
        const std::pair score{n_conflicts, all_.n_features() - nearest};
        if (i > 0 && score <= best_score) continue;
        best = examples[i];
        best_score = score;
    }
    return best;
}

}  // namespace puretree
