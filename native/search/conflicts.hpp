// Conflicts: two examples of a class that no leaf of a pure tree can hold together, because an example of another class
// agrees with both wherever they agree. It lies in their hull, and a leaf is a subcube.
//
// The search knows the conflicts of its sample from all examples, not from the sample alone: so a few examples stand
// for many, and what is a leaf of the sample is nearer to what is a leaf of everything. It took kr-vs-kp from 6 s to 2.
//
// Examples that conflict pairwise need a leaf each, so a clique in every class bounds the number of leaves. The sets of
// a search are subcubes, which hold the hull of any two members: the conflicts in a set are those of the sample.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sample.hpp"

namespace puretree {

class Conflicts {
public:
    explicit Conflicts(const Sample& sample);

    // Reads the examples that joined the sample. Calls `tick`, which may throw: what is missing then is read the next
    // time.
    void extend(const std::function<void()>& tick);

    // Whether two members of a set conflict.
    bool any_in(const Word* set) const;

    // The features that tell every two conflicting members apart, into `features`; false if there are none.
    bool telling(const Word* set, Word* features) const;

    // The leaves that a set needs at least; stops counting at `enough`.
    std::size_t least_leaves(const Word* set, std::size_t enough);

    // With how many of the sample's examples an example of the problem conflicts.
    std::size_t n_conflicts_of(std::uint32_t example) const;

    // An example of another class in the hull of two rows of a class: they conflict if there is one.
    std::optional<std::uint32_t> between(const Word* one, const Word* other, std::int32_t label) const;

    // The members that one conflicts with, by place: the first `n_places` of the sample are known here.
    const Word* with(std::size_t place) const { return conflicting_.data() + place * n_words_; }
    std::size_t n_words() const { return n_words_; }
    std::size_t n_places() const { return n_places_; }

private:
    std::size_t greedy_clique(const Word* set, const Word* of_class, std::size_t enough);
    template <std::size_t width>
    std::size_t clique_in_open(std::size_t enough);

    const Sample& sample_;
    std::size_t most_places_;
    std::size_t n_places_ = 0;  // of the sample, known here
    std::size_t n_words_ = 0;
    std::vector<Word> conflicting_;  // a set for each place
    std::vector<Word> open_;         // scratch of greedy_clique
};

}  // namespace puretree
