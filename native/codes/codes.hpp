// A table of codes: every value of a column is a number from 0 on, in ascending order. A test compares the code of one
// column; which tests there are follows from the codes, so none is stored. The tests of a few rows are made when these
// rows are solved (binarised.hpp), and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace puretree {

// Whether the code of a column is at most `code` (ordered columns), or equal to it (others).
struct Test {
    std::uint32_t column = 0;
    std::int32_t code = 0;
};

// A non-owning view. Missing values have the largest code of an ordered column: "at most t" is false for them.
struct Codes {
    const std::int32_t* data = nullptr;  // column by column
    std::size_t n_columns = 0;
    std::size_t n_rows = 0;
    std::span<const std::uint8_t> is_ordered;

    std::span<const std::int32_t> column(std::size_t c) const { return {data + c * n_rows, n_rows}; }

    bool is_yes(const Test& test, std::size_t row) const {
        const std::int32_t code = data[test.column * n_rows + row];
        return is_ordered[test.column] ? code <= test.code : code == test.code;
    }
};

// Some rows of a table, copied.
struct CodeTable {
    std::vector<std::int32_t> data;
    std::size_t n_columns = 0;
    std::vector<std::int32_t> labels;
    std::span<const std::uint8_t> is_ordered;

    Codes view() const { return {data.data(), n_columns, labels.size(), is_ordered}; }

    static CodeTable copy(const Codes& codes, std::span<const std::uint32_t> rows) {
        CodeTable table{{}, codes.n_columns, {}, codes.is_ordered};
        table.data.reserve(codes.n_columns * rows.size());
        for (std::size_t c = 0; c < codes.n_columns; ++c) {
            const auto column = codes.column(c);
            for (const std::uint32_t row : rows) table.data.push_back(column[row]);
        }
        return table;
    }
};

// A decision tree over codes, nodes breadth first: the test and the left child of inner nodes ("no"; "yes" is the next
// node), the label of leaves.
struct CodeTree {
    std::vector<std::int32_t> column;  // -1 for a leaf
    std::vector<std::int32_t> code;
    std::vector<std::int32_t> left;    // -1 for a leaf
    std::vector<std::int32_t> label;   // -1 for an inner node

    std::size_t size() const { return column.size(); }
    std::size_t n_tests() const { return column.size() / 2; }
    bool is_leaf(std::size_t node) const { return left[node] < 0; }
    Test test(std::size_t node) const { return {static_cast<std::uint32_t>(column[node]), code[node]}; }

    // The largest number of tests on a path.
    std::size_t depth() const {
        std::size_t most = 0;
        std::vector<std::size_t> depth_of(size());
        for (std::size_t node = 0; node < size(); ++node) {
            most = depth_of[node] > most ? depth_of[node] : most;
            if (is_leaf(node)) continue;
            const auto no = static_cast<std::size_t>(left[node]);
            depth_of[no] = depth_of[no + 1] = depth_of[node] + 1;
        }
        return most;
    }

    // In breadth-first order, the children of the k-th inner node are nodes 2k + 1 and 2k + 2.
    void add_inner(const Test& test) {
        column.push_back(static_cast<std::int32_t>(test.column));
        code.push_back(test.code);
        left.push_back(2 * n_inner_++ + 1);
        label.push_back(-1);
    }
    void add_leaf(std::int32_t leaf_label) {
        column.push_back(-1);
        code.push_back(-1);
        left.push_back(-1);
        label.push_back(leaf_label);
    }

private:
    std::int32_t n_inner_ = 0;
};

}  // namespace puretree
