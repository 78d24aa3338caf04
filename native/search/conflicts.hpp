// Conflicts: two examples of one class that no leaf of a pure tree can hold together, because an example of another
// class agrees with both wherever they agree. That example lies in their hull, and a leaf is a subcube.
//
// The conflicts of the sample are computed from all examples, not from the sample alone: a few examples then represent
// many, and a leaf of the sample is closer to a leaf of the whole problem. This took kr-vs-kp from 6 s to 2.
//
// Pairwise conflicting examples need a leaf each, so a clique in every class bounds the number of leaves. The sets of
// the search are subcubes, which contain the hull of any two members: the conflicts in a set are those of the sample.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sample.hpp"

namespace puretree {

class Conflicts {
public:
    explicit Conflicts(const Sample& sample);

    // Adds the conflicts of new examples of the sample. `tick` may throw; the next call continues then.
    void extend(const std::function<void()>& tick);

    // Whether two members of a set conflict.
    bool has_conflict(SetView set) const;

    // Computes the features that separate all conflicting pairs of a set; false if there are none.
    bool separate_all(SetView set, MutableSetView features) const;

    // A lower bound of the number of leaves of a set; may stop at `target`, and as soon as it stays below `useful`.
    std::size_t least_leaves(SetView set, std::size_t target, std::size_t useful = 0);

    // With how many examples of the sample an example of the problem conflicts.
    std::size_t n_conflicts_of(std::uint32_t example) const;

    // An example of another class in the hull of two rows of a class: they conflict if there is one.
    std::optional<std::uint32_t> witness(SetView one, SetView other, std::int32_t label) const;

    // The positions that a position conflicts with. Only the first `n_positions` of the sample are covered.
    SetView conflicts_of(std::size_t position) const { return {conflict_sets_.data() + position * n_words_, n_words_}; }
    std::size_t n_words() const { return n_words_; }
    std::size_t n_positions() const { return n_positions_; }

private:
    std::size_t greedy_clique(SetView set, SetView class_members, std::size_t target, std::size_t useful);
    template <std::size_t width>
    std::size_t clique_of_candidates(std::size_t target, std::size_t useful);

    const Sample& sample_;
    std::size_t max_positions_;
    std::size_t n_positions_ = 0;  // of the sample, covered so far
    std::size_t n_words_ = 0;
    std::vector<Word> conflict_sets_;  // a set for each position
    std::vector<Word> candidates_;   // scratch of greedy_clique
};

}  // namespace puretree
