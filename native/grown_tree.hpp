// A decision tree, nodes breadth first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace puretree {

// Feature and left child of inner nodes, label of leaves; -1 where a node has none.
struct GrownTree {
    std::vector<std::int32_t> feature;
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> label;

    // In breadth-first order, the children of the k-th inner node are nodes 2k + 1 and 2k + 2.
    void add_inner(std::size_t test) { add(static_cast<std::int32_t>(test), 2 * n_inner_++ + 1, -1); }
    void add_leaf(std::int32_t leaf_label) { add(-1, -1, leaf_label); }

private:
    void add(std::int32_t test, std::int32_t first_child, std::int32_t leaf_label) {
        feature.push_back(test);
        left.push_back(first_child);
        label.push_back(leaf_label);
    }

    std::int32_t n_inner_ = 0;
};

}  // namespace puretree
