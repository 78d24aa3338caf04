// Random tables of codes, and checks of what the kernels make of them, for the unit tests and the fuzzers. A check
// returns the violated property, or nullptr.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "../bits.hpp"
#include "../codes/binarised.hpp"
#include "../codes/codes.hpp"
#include "../codes/row_tree.hpp"
#include "../search/search.hpp"

namespace puretree::testing {

struct CodeProblem {
    std::size_t n_columns = 0;
    std::size_t n_classes = 1;
    std::vector<std::uint8_t> is_ordered;
    std::vector<std::int32_t> data;  // column by column
    std::vector<std::int32_t> labels;

    Codes codes() const { return {data.data(), n_columns, labels.size(), is_ordered}; }
    std::vector<std::int32_t> row(std::size_t i) const {
        std::vector<std::int32_t> codes_of_row;
        for (std::size_t c = 0; c < n_columns; ++c) codes_of_row.push_back(data[c * labels.size() + i]);
        return codes_of_row;
    }
};

inline CodeProblem make_problem(const std::vector<std::vector<std::int32_t>>& rows, std::vector<std::int32_t> labels,
                                std::size_t n_classes, std::vector<std::uint8_t> is_ordered) {
    CodeProblem problem{is_ordered.size(), n_classes, std::move(is_ordered), {}, std::move(labels)};
    for (std::size_t c = 0; c < problem.n_columns; ++c) {
        for (const auto& row : rows) problem.data.push_back(row[c]);
    }
    return problem;
}

struct ProblemSize {
    std::size_t n_rows, n_columns, n_codes, n_classes;
    std::size_t noise = 4;  // one of so many labels is random
};

// Labels depend on two columns, so that small trees exist, with some noise. Rows are distinct. Some columns have large
// codes, some vary in few rows or not at all. `below(n)` draws a number below n.
template <class Below>
CodeProblem draw_code_problem(Below&& below, const ProblemSize& size) {
    std::vector<std::uint8_t> is_ordered(size.n_columns), is_rare(size.n_columns), is_large(size.n_columns);
    for (std::size_t c = 0; c < size.n_columns; ++c) {
        is_ordered[c] = below(3) > 0;
        is_rare[c] = below(5) == 0;
        is_large[c] = below(6) == 0;
    }
    const std::size_t one = below(size.n_columns), other = below(size.n_columns);
    const auto limit = static_cast<std::int32_t>(below(size.n_codes));
    const auto level = static_cast<std::int32_t>(below(size.n_codes));
    std::vector<std::vector<std::int32_t>> rows;
    std::vector<std::int32_t> labels;
    std::set<std::vector<std::int32_t>> distinct;
    for (std::size_t i = 0; i < size.n_rows; ++i) {
        std::vector<std::int32_t> row(size.n_columns);
        for (std::size_t c = 0; c < size.n_columns; ++c) {
            row[c] = is_rare[c] && below(64) > 0 ? 0 : static_cast<std::int32_t>(below(size.n_codes));
        }
        std::size_t label = 2u * (row[one] <= limit) + (row[other] == level);
        if (size.noise > 0 && below(size.noise) == 0) label = below(size.n_classes);
        for (std::size_t c = 0; c < size.n_columns; ++c) {
            if (is_large[c]) row[c] = INT32_MAX - row[c];
        }
        if (!distinct.insert(row).second) continue;
        rows.push_back(row);
        labels.push_back(static_cast<std::int32_t>(label % size.n_classes));
    }
    return make_problem(rows, std::move(labels), size.n_classes, std::move(is_ordered));
}

inline std::int32_t predict(const CodeTree& tree, const Codes& codes, std::size_t row) {
    std::size_t node = 0;
    while (!tree.is_leaf(node)) {
        node = static_cast<std::size_t>(tree.left[node]) + codes.is_yes(tree.test(node), row);
    }
    return tree.label[node];
}

// Breadth-first numbers, existing columns, and pure leaves.
inline const char* check_code_tree(const CodeTree& tree, const Codes& codes, const std::vector<std::int32_t>& labels) {
    const std::size_t n = tree.size();
    if (n % 2 == 0 || tree.code.size() != n || tree.left.size() != n || tree.label.size() != n) {
        return "the arrays of a tree have an odd and equal size";
    }
    std::size_t next = 1;
    for (std::size_t node = 0; node < n; ++node) {
        const bool is_leaf = tree.is_leaf(node);
        if (is_leaf != (tree.column[node] < 0) || is_leaf != (tree.label[node] >= 0)) {
            return "a node has either a test or a label";
        }
        if (is_leaf) continue;
        if (static_cast<std::size_t>(tree.left[node]) != next || next <= node) {
            return "nodes are numbered breadth first";
        }
        if (static_cast<std::size_t>(tree.column[node]) >= codes.n_columns) return "the column of a test exists";
        next += 2;
    }
    if (next != n) return "every node has a parent";
    for (std::size_t row = 0; row < codes.n_rows; ++row) {
        if (predict(tree, codes, row) != labels[row]) return "a tree is pure";
    }
    return nullptr;
}

// The rows that a test answers otherwise than the first one: equal for tests with the same two sides.
using Partition = std::vector<bool>;

inline Partition partition_of(const Codes& codes, const std::vector<std::uint32_t>& rows, const Test& test) {
    Partition partition;
    for (const std::uint32_t row : rows) partition.push_back(codes.is_yes(test, row) != codes.is_yes(test, rows[0]));
    return partition;
}

// All partitions that a test makes of some rows, and whether the root may have such a test.
inline std::map<Partition, bool> all_partitions(const Codes& codes, const std::vector<std::uint32_t>& rows,
                                                const std::vector<std::uint8_t>& may_be_root) {
    std::map<Partition, bool> partitions;
    for (std::uint32_t c = 0; c < codes.n_columns; ++c) {
        for (const std::uint32_t row : rows) {
            Partition partition = partition_of(codes, rows, {c, codes.column(c)[row]});
            if (std::ranges::none_of(partition, [](bool differs) { return differs; })) continue;
            partitions[std::move(partition)] |= may_be_root.empty() || may_be_root[c] != 0;
        }
    }
    return partitions;
}

inline const char* check_binarised(const BinarisedRows& binarised, const Codes& codes,
                                   const std::vector<std::uint32_t>& rows,
                                   const std::vector<std::uint8_t>& may_be_root) {
    const auto expected = all_partitions(codes, rows, may_be_root);
    if (binarised.n_features() != expected.size()) return "there is a feature for every partition";
    const BitRows<const Word> bits{binarised.words.data(), rows.size(), binarised.n_features()};
    std::set<Partition> seen;
    for (std::size_t f = 0; f < binarised.n_features(); ++f) {
        const Test& test = binarised.tests[f];
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (bits.bit(i, f) != codes.is_yes(test, rows[i])) return "a bit is the answer of the test";
        }
        const Partition partition = partition_of(codes, rows, test);
        const bool is_new = expected.contains(partition) && seen.insert(partition).second;
        if (!is_new) return "a feature has a partition of its own";
        const bool is_root_test = may_be_root.empty() || may_be_root[test.column] != 0;
        if (is_root_test != expected.at(partition)) return "a test that the root may have is preferred";
    }
    return nullptr;
}

// The explicit problem of all rows, made without the kernels for codes: a feature for every partition.
inline Search make_explicit_search(const CodeProblem& problem, Depth max_depth,
                                   const std::vector<std::uint8_t>& may_be_root) {
    std::vector<std::uint32_t> rows(problem.labels.size());
    std::iota(rows.begin(), rows.end(), 0u);
    const auto partitions = all_partitions(problem.codes(), rows, may_be_root);
    const std::size_t n_words = words_for(partitions.size());
    std::vector<Word> words(rows.size() * n_words);
    Constraints constraints;
    constraints.max_depth = max_depth;
    constraints.n_rows.assign(rows.size(), 1);
    if (!may_be_root.empty()) constraints.root_features.emplace();
    std::size_t feature = 0;
    for (const auto& [partition, is_root_test] : partitions) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (partition[i]) insert({words.data() + i * n_words, n_words}, feature);
        }
        if (constraints.root_features) constraints.root_features->push_back(is_root_test);
        ++feature;
    }
    return Search(std::move(words), partitions.size(), problem.labels, problem.n_classes, std::move(constraints),
                  std::size_t{1} << 24);
}

// Links, depths, numbers of tests, ranges of rows, hashes and labels of all nodes, compared with recomputed ones.
inline const char* check_row_tree(const RowTree& tree, const CodeProblem& problem) {
    const Codes codes = problem.codes();
    const RowTree fresh(codes, problem.labels, problem.n_classes, tree.to_tree());
    struct Pending {
        std::int32_t node, same;  // in the tree, and in the fresh one
        std::int32_t parent;
        std::uint32_t depth;
        std::vector<std::uint32_t> rows;
    };
    std::vector<std::uint32_t> all(codes.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Pending> stack;
    stack.push_back({static_cast<std::int32_t>(tree.root()), static_cast<std::int32_t>(fresh.root()), -1, 0, all});
    std::vector<std::size_t> visited;
    while (!stack.empty()) {
        const Pending at = std::move(stack.back());
        stack.pop_back();
        const auto slot = static_cast<std::size_t>(at.node);
        if (slot >= tree.n_slots() || !tree.is_node(slot)) return "a child is a node";
        const RowTree::Node& node = tree.node(slot);
        const RowTree::Node& same = fresh.node(static_cast<std::size_t>(at.same));
        visited.push_back(slot);
        if (node.parent != at.parent || node.depth != at.depth) return "a node has its parent and depth";
        if (node.hash != same.hash || node.n_tests != same.n_tests) return "a node has its hash and number of tests";
        if (node.end - node.begin != at.rows.size() || node.begin != same.begin) {
            return "a node has a range of its rows";
        }
        const CodeTable copy = tree.copy_part(slot, {});
        std::multiset<std::vector<std::int32_t>> copied, expected;
        for (std::size_t i = 0; i < copy.labels.size(); ++i) {
            std::vector<std::int32_t> row{copy.labels[i]};
            for (std::size_t c = 0; c < codes.n_columns; ++c) row.push_back(copy.view().column(c)[i]);
            copied.insert(std::move(row));
        }
        for (const std::uint32_t row : at.rows) {
            std::vector<std::int32_t> values = problem.row(row);
            values.insert(values.begin(), problem.labels[row]);
            expected.insert(std::move(values));
        }
        if (copied != expected) return "the range of a node has its rows";
        if (node.is_leaf()) {
            if (node.n_tests != 0 || node.yes >= 0) return "a leaf has no tests";
            for (const std::uint32_t row : at.rows) {
                if (problem.labels[row] != node.label) return "a leaf is pure";
            }
            continue;
        }
        const RowTree::Node& no = tree.node(static_cast<std::size_t>(node.no));
        const RowTree::Node& yes = tree.node(static_cast<std::size_t>(node.yes));
        const bool is_divided = no.begin == node.begin && no.end == yes.begin && yes.end == node.end;
        if (!is_divided) return "the ranges of children are adjacent";
        if (node.n_tests != 1 + no.n_tests + yes.n_tests) return "the numbers of tests add up";
        Pending below_no{node.no, same.no, at.node, at.depth + 1, {}};
        Pending below_yes{node.yes, same.yes, at.node, at.depth + 1, {}};
        for (const std::uint32_t row : at.rows) {
            (codes.is_yes(node.test, row) ? below_yes : below_no).rows.push_back(row);
        }
        stack.push_back(std::move(below_no));
        stack.push_back(std::move(below_yes));
    }
    std::size_t n_used = 0;
    for (std::size_t slot = 0; slot < tree.n_slots(); ++slot) n_used += tree.is_node(slot);
    const bool is_complete = n_used == visited.size() && visited.size() == 2 * tree.n_tests() + 1;
    if (!is_complete) return "every used slot is a node of the tree";
    return nullptr;
}

// Whether `branch` lies below `node`, or is it.
inline bool lies_below(const RowTree& tree, std::int32_t branch, std::size_t node) {
    while (branch >= 0 && static_cast<std::size_t>(branch) != node) {
        branch = tree.node(static_cast<std::size_t>(branch)).parent;
    }
    return branch >= 0;
}

// The tests that remain are at most `max_tests`, and branches do not overlap; copy_part labels their rows.
inline const char* check_branches(const RowTree& tree, std::size_t node, std::size_t max_tests, std::size_t n_classes) {
    const RowTree::Node& top = tree.node(node);
    const auto branches = tree.branches_below(node, max_tests);
    if (branches.empty() != (top.n_tests <= max_tests)) return "branches are cut off if a subtree is too large";
    std::size_t n_left = top.n_tests;
    const CodeTable part = tree.copy_part(node, branches);
    const CodeTable whole = tree.copy_part(node, {});
    std::vector<std::int32_t> expected = whole.labels;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const RowTree::Node& branch = tree.node(static_cast<std::size_t>(branches[i]));
        if (branch.is_leaf() || !lies_below(tree, branch.parent, node)) return "a branch is a subtree below the node";
        for (std::size_t k = 0; k < branches.size(); ++k) {
            const bool overlaps = k != i && lies_below(tree, branches[k], static_cast<std::size_t>(branches[i]));
            if (overlaps) return "branches do not overlap";
        }
        n_left -= branch.n_tests;
        for (std::size_t row = branch.begin; row < branch.end; ++row) {
            expected[row - top.begin] = static_cast<std::int32_t>(n_classes + i);
        }
    }
    if (part.labels != expected || part.data != whole.data) return "rows of a branch have its label";
    if (n_left > std::max<std::size_t>(max_tests, 1) || n_left == 0) return "the part has the given number of tests";
    return nullptr;
}

// Subtrees are small enough and cannot be extended; together with the tests above them they are the whole tree.
inline const char* check_largest_subtrees(const RowTree& tree, std::size_t max_tests) {
    std::size_t n_covered = 0, n_above = 0;
    std::uint32_t last = 0;
    for (const std::int32_t slot : tree.largest_subtrees(max_tests)) {
        const RowTree::Node& node = tree.node(static_cast<std::size_t>(slot));
        if (node.n_tests < 1 || node.n_tests > max_tests) return "a largest subtree has few tests";
        if (node.parent >= 0 && tree.node(static_cast<std::size_t>(node.parent)).n_tests <= max_tests) {
            return "a largest subtree cannot be extended";
        }
        if (node.begin < last) return "subtrees are in the order of their rows";
        last = node.end;
        n_covered += node.n_tests;
    }
    for (std::size_t slot = 0; slot < tree.n_slots(); ++slot) {
        n_above += tree.is_node(slot) && tree.node(slot).n_tests > max_tests;
    }
    return n_covered + n_above == tree.n_tests() ? nullptr : "every test is in a largest subtree or above one";
}

}  // namespace puretree::testing
