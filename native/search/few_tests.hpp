// Decides exactly whether one, two or three tests are sufficient for a set, without recursion and without trying every
// split: most sets of the search are this small.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "conflicts.hpp"
#include "sample.hpp"

namespace puretree {

class FewTests {
public:
    FewTests(const Sample& sample, const Conflicts& conflicts) : sample_(sample), conflicts_(conflicts) {}

    // Whether a set has one class and no conflict.
    bool is_leaf(SetView set) const { return sample_.n_classes_in(set) == 1 && !conflicts_.has_conflict(set); }

    // A feature that splits the set into two leaves.
    std::optional<std::uint32_t> find_one_test(SetView set);

    // Whether two tests are sufficient where one is not. A set of one class with conflicts hides an example of another
    // class: it needs two tests if one feature separates all conflicts, and more otherwise.
    bool two_tests_suffice(SetView set);

    // A feature that separates all conflicts of a set.
    std::optional<std::uint32_t> find_separating_feature(SetView set);

    // The first of three tests that are sufficient where two are not.
    std::optional<std::uint32_t> find_three_tests(SetView set, std::span<const std::uint32_t> features);

private:
    // The features that are true for all members of a class in the set, and for any of them.
    struct ClassFeatures {
        std::size_t label;
        std::vector<Word> all;
        std::vector<Word> any;
        std::vector<std::uint32_t> members;
    };

    bool separate_class(SetView set, std::optional<std::size_t> label = std::nullopt);
    void collect_class_features(SetView set);
    bool two_tests_for_two_classes(SetView set);
    bool two_tests_for_three_classes(SetView set);
    bool two_sides_cover(const ClassFeatures& covered, const ClassFeatures& others, SetView set);
    bool has_conflict_free_leaves(std::size_t feature, bool is_yes, const ClassFeatures& others, SetView set);

    const Sample& sample_;
    const Conflicts& conflicts_;

    // Scratch, kept to avoid allocations.
    std::vector<Word> features_;
    std::vector<ClassFeatures> class_features_;
    std::vector<Word> pure_yes_, pure_no_, common_yes_, common_no_;  // literals
    std::vector<Word> leaf_, rest_, no_, yes_;
};

}  // namespace puretree
