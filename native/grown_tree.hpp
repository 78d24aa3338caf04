// What every grower hands back: nodes breadth first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace puretree {

// Feature and left child of inner nodes, label of leaves, -1 where there is none.
struct GrownTree {
    std::vector<std::int32_t> feature;
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> label;

    // Breadth first, the children of the k-th inner node are nodes 2k + 1 and 2k + 2.
    void add_inner(std::size_t tested) { add(static_cast<std::int32_t>(tested), 2 * n_inner_++ + 1, -1); }
    void add_leaf(std::int32_t of_class) { add(-1, -1, of_class); }

private:
    void add(std::int32_t tested, std::int32_t first_child, std::int32_t of_class) {
        feature.push_back(tested);
        left.push_back(first_child);
        label.push_back(of_class);
    }

    std::int32_t n_inner_ = 0;
};

}  // namespace puretree
