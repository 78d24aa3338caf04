// Are one, two or three tests enough for a set? Exactly, without recursion and without looking at every split: most
// sets that the search meets are this small.
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

    // Of one class and without a conflict.
    bool is_leaf(const Word* set) const { return sample_.n_classes_in(set) == 1 && !conflicts_.any_in(set); }

    // A feature that splits the set into two leaves.
    std::optional<std::uint32_t> one(const Word* set);

    // Whether two tests are enough where one is not. A set of one class with conflicts hides an example of another
    // class between them: it needs two tests if one feature tells all conflicts apart, and more if none does.
    bool two(const Word* set);

    // That feature.
    std::optional<std::uint32_t> telling(const Word* set);

    // The first of three tests that are enough where two are not.
    std::optional<std::uint32_t> three(const Word* set, std::span<const std::uint32_t> features);

private:
    // What all examples of a class in the set answer yes, and what any of them does.
    struct Answers {
        std::size_t of_class;
        std::vector<Word> all;
        std::vector<Word> any;
        std::vector<std::uint32_t> members;
    };

    bool tell_apart(const Word* set, std::optional<std::size_t> of_class = std::nullopt);
    void read_answers(const Word* set);
    bool two_for_two_classes(const Word* set);
    bool two_for_three_classes(const Word* set);
    bool are_covered_by_two(const Answers& covered, const Answers& others, const Word* set);
    bool leaves_hold(std::size_t feature, bool is_yes, const Answers& others, const Word* set);

    const Sample& sample_;
    const Conflicts& conflicts_;

    // Scratch, kept for its memory.
    std::vector<Word> features_;
    std::vector<Answers> answers_;
    std::vector<Word> pure_yes_, pure_no_, common_yes_, common_no_;  // literals
    std::vector<Word> leaf_, rest_, no_, yes_;
};

}  // namespace puretree
