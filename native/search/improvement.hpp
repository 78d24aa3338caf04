// Smaller trees while the proof is far away: the parts of a pure tree are searched exactly, each for the examples that
// come to it, and replaced where a smaller part exists. The proof does not need it; people who stop early do.
//
// The examples of a part are listed, not marked: a tree of n nodes lists every example once for each level, where marks
// would take n times as many bits as there are examples. 79,091 nodes of 65,536 examples took 650 MB by marks.
#pragma once

#include <cstddef>
#include <cstdint>
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
        : all_(all), wishes_(wishes), max_bytes_(max_bytes / 2) {}

    // Hands over better and better trees, for about so many ticks. Calls `tick` all the while.
    void improve(GrownTree tree, std::size_t n_ticks, const std::function<void()>& tick,
                 const std::function<void(const GrownTree&)>& on_better);

private:
    using Members = std::vector<std::uint32_t>;  // examples, ascending

    struct Part {
        std::int32_t feature, left, label;
        Members examples;
        std::size_t n_tests;
    };
    struct HashMembers {
        std::size_t operator()(const Members& members) const;
    };
    using Sets = std::unordered_set<Members, HashMembers>;

    std::vector<Part> parts_of(const GrownTree& tree) const;
    void settle(const Members& members);
    bool improve_part(GrownTree& tree, const std::vector<Part>& parts, std::size_t at, const std::function<void()>& tick);

    const Examples& all_;
    const Wishes& wishes_;
    std::size_t max_bytes_;           // for the search of a part, and as many for the sets that are known
    Sets settled_;                    // sets whose part is a best one
    std::size_t n_settled_bytes_ = 0;
};

}  // namespace puretree
