// The ways to split a set that are worth trying, each once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conflicts.hpp"
#include "few_tests.hpp"
#include "nested_features.hpp"
#include "sample.hpp"
#include "value.hpp"
#include "wishes.hpp"

namespace puretree {

// One side of a split: what is known of it, and how closely it was looked at.
struct Side {
    Value lower = 0;
    bool is_exact = false;
    std::uint8_t n_looks = 0;

    bool is_leaf() const { return is_exact && lower == 0; }
};

struct Split {
    std::uint32_t feature;
    float impurity;
    Side no, yes;
};

// The splits of one set: those of a chain side by side, and `order`, the purest first.
struct Splits {
    std::vector<std::uint32_t> features;  // one for each different way to split the set: enough for its subsets
    std::vector<Split> all;
    std::vector<std::uint32_t> order;
    std::vector<Word> no, yes;  // the sides of the split at hand
};

class Splitter {
public:
    Splitter(const Sample& sample, const FewTests& few_tests, const Wishes& wishes)
        : sample_(sample), few_tests_(few_tests), wishes_(wishes), least_weight_(wishes.least_weight()) {}

    // Reads the examples that joined the sample.
    void extend();

    void find_splits(const Word* set, std::span<const std::uint32_t> features, Splits& splits);

    // What a glance at a set tells.
    Side glance(const Word* set, std::size_t n_classes) const;

private:
    bool is_new(const Word* side, std::size_t n_kept);
    bool is_large_enough(const Word* set) const;
    void drop_dominated(const Word* set, Splits& splits);

    const Sample& sample_;
    const FewTests& few_tests_;
    const Wishes& wishes_;
    Value least_weight_;
    std::vector<double> n_log_n_;

    // Scratch, kept for its memory.
    std::vector<std::uint32_t> seen_;      // a hash table of the splits kept, by their number from one
    std::vector<Word> kept_sides_;         // of each split kept, the side without the set's first example
    std::vector<std::size_t> class_sizes_;
    std::vector<Word> leaf_sides_;
};

}  // namespace puretree
