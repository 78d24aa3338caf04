// Smaller trees while the proof is far away: the parts of a pure tree are searched exactly, each for the examples that
// come to it, and replaced where a smaller part exists. The proof does not need it; people who stop early do.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_set>
#include <vector>

#include "../grown_tree.hpp"
#include "examples.hpp"
#include "wishes.hpp"

namespace puretree {

class Improvement {
public:
    Improvement(const Examples& all, const Wishes& wishes, std::size_t max_bytes)
        : all_(all), wishes_(wishes), max_bytes_(max_bytes) {}

    // Hands over better and better trees, for about so many ticks. Calls `tick` all the while.
    void improve(GrownTree tree, std::size_t n_ticks, const std::function<void()>& tick,
                 const std::function<void(const GrownTree&)>& on_better);

private:
    struct Part {
        std::int32_t feature, left, label;
        std::vector<Word> examples;
        std::size_t n_tests;
    };
    struct HashSet {
        std::size_t operator()(const std::vector<Word>& set) const { return hash_set(set.data(), set.size(), 0); }
    };

    std::vector<Part> parts_of(const GrownTree& tree) const;
    bool improve_part(GrownTree& tree, const std::vector<Part>& parts, std::size_t at, const std::function<void()>& tick);

    const Examples& all_;
    const Wishes& wishes_;
    std::size_t max_bytes_;
    std::unordered_set<std::vector<Word>, HashSet> settled_;  // sets whose part is a best one
};

}  // namespace puretree
