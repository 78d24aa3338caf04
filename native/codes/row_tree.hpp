// A pure tree with the rows of each node, of which parts can be replaced: what local improvement works on.
//
// The rows are kept in an order in which those of every subtree are consecutive, so that replacing a subtree moves only
// its own rows. A part is a subtree, or a subtree without some of its branches: these are kept, and hung back on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codes.hpp"

namespace puretree {

class RowTree {
public:
    // Throws std::invalid_argument unless the tree is pure on the rows of `codes`, which must outlive it. Tests below
    // the root that all rows answer alike are dropped, so every inner node has rows.
    RowTree(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, const CodeTree& tree);

    struct Node {
        Test test;
        std::int32_t no = -1, yes = -1;  // -1: a leaf
        std::int32_t parent = -1;
        std::int32_t label = -1;         // of a leaf
        std::uint32_t begin = 0, end = 0;  // its rows, in the order of the rows
        std::uint32_t n_tests = 0;
        std::uint32_t depth = 0;
        std::uint64_t hash = 0;          // of the set of its rows

        bool is_leaf() const { return no < 0; }
    };

    std::size_t n_tests() const { return nodes_[root_].n_tests; }
    std::size_t n_slots() const { return nodes_.size(); }  // nodes and free slots
    bool is_node(std::size_t slot) const { return is_used_[slot] != 0; }
    const Node& node(std::size_t slot) const { return nodes_[slot]; }
    std::size_t root() const { return root_; }

    // The branches to cut off below a node so that at most `max_tests` tests remain, of which as many as possible belong
    // to complete subtrees. Empty if the subtree is small enough.
    std::vector<std::int32_t> branches_below(std::size_t node, std::size_t max_tests) const;

    // The largest subtrees with at most `max_tests` tests, at least one, in the order of their rows.
    std::vector<std::int32_t> largest_subtrees(std::size_t max_tests) const;

    // The rows of a part; the label of rows in a cut-off branch is the number of classes plus its index.
    CodeTable copy_part(std::size_t node, std::span<const std::int32_t> branches) const;

    // Replaces a part by a tree of its rows with the labels of copy_part; branches that the tree has several times are
    // copied for the rows that reach them. Returns false, and changes nothing, unless the number of tests decreases.
    // Throws std::invalid_argument, and changes nothing, if the tree is not pure on the rows of the part.
    bool replace(std::size_t node, std::span<const std::int32_t> branches, const CodeTree& tree);

    CodeTree to_tree() const;

private:
    std::int32_t allocate();
    void release_below(std::int32_t node);
    bool is_pure_below(std::int32_t node) const;
    std::int32_t attach(const CodeTree& tree, std::span<const std::int32_t> branches, std::uint32_t begin,
                        std::uint32_t end, std::int32_t parent, std::uint32_t depth);
    std::int32_t copy_for_rows(std::int32_t branch, std::uint32_t begin, std::uint32_t end, std::int32_t parent,
                               std::uint32_t depth);
    std::uint32_t divide(const Test& test, std::uint32_t begin, std::uint32_t end);
    std::uint64_t hash_rows(std::uint32_t begin, std::uint32_t end) const;
    void update_above(std::int32_t node);

    Codes codes_;
    std::vector<std::int32_t> labels_;
    std::size_t n_classes_;
    std::vector<Node> nodes_;
    std::vector<std::uint8_t> is_used_;
    std::vector<std::int32_t> free_;
    std::size_t root_ = 0;
    std::vector<std::uint32_t> order_;  // the rows
    std::vector<std::uint32_t> buffer_;
};

}  // namespace puretree
