// Local improvement of a pure tree, after Schidler and Szeider ("SAT-based Decision Tree Learning for Large Data Sets",
// AAAI 2021): parts of the tree are replaced by smaller trees of the same rows, again and again.
//
// A move says which parts to try and how: the exact search for subtrees of some size; the same for subtrees whose heavy
// branches are cut off, each a class of its own; or another greedy tree. The move with the highest expected gain per
// unit of work comes next; what did not improve is remembered. A batch has parts of one move that do not overlap, so
// they can be solved in any order, by any process: which parts come next depends on the results, not on the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codes.hpp"
#include "part.hpp"
#include "row_tree.hpp"

namespace puretree {

struct Move {
    enum class Kind : std::uint8_t { solve, cut, regrow };
    Kind kind = Kind::solve;
    std::size_t max_tests = 0;
    std::size_t max_ticks = 0;
};

// A part to be tried: a subtree without some branches.
struct Part {
    std::int32_t node = -1;
    std::vector<std::int32_t> branches;
    std::size_t move = 0;  // its index
    std::uint64_t key = 0;
    std::uint64_t seed = 0;  // of a regrown tree
    Value cutoff = 0;        // the tests of the part
    Depth max_depth = kAnyDepth;
};

class Improvement {
public:
    // `tree` must be pure on the rows of `codes`, which must outlive this. With a fixed root, its test is never changed.
    Improvement(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, const CodeTree& tree,
                Depth max_depth, bool has_fixed_root, std::uint64_t seed);

    // Parts to be tried next, at most `max_parts`, which is at least 1; empty if nothing is left to try.
    std::vector<Part> next_batch(std::size_t max_parts);

    const Move& move(const Part& part) const { return moves_[part.move]; }
    std::size_t n_labels(const Part& part) const { return n_classes_ + part.branches.size(); }
    CodeTable copy_part(const Part& part) const {
        return tree_.copy_part(static_cast<std::size_t>(part.node), part.branches);
    }

    // Takes the result of a part of the last batch, once, and returns the number of tests saved. Throws
    // std::invalid_argument, and changes nothing, if its tree is too deep or not pure on the rows of the part.
    std::size_t apply(const Part& part, const PartResult& result);

    std::size_t n_tests() const { return tree_.n_tests(); }
    CodeTree tree() const { return tree_.to_tree(); }

private:
    // Of the last parts of a move, older ones with less weight.
    struct Estimate {
        double gain = 0, work = 0, n_parts = 0;
    };
    double work_per_part(std::size_t move) const;
    double gain_per_work(std::size_t move) const;

    std::vector<std::int32_t> candidates(const Move& move) const;
    std::optional<Part> make_part(std::int32_t node, std::size_t move) const;
    bool is_free(std::int32_t node) const;
    void occupy(std::int32_t node);
    bool lies_in_minimum(std::int32_t node) const;
    std::size_t n_attempts(std::uint64_t key) const;

    RowTree tree_;
    std::size_t n_classes_;
    std::size_t n_columns_;
    Depth max_depth_;
    bool has_fixed_root_;
    std::uint64_t seed_;
    std::vector<Move> moves_;
    std::vector<Estimate> estimates_;    // of each move
    std::vector<std::uint8_t> is_exhausted_;
    std::unordered_map<std::uint64_t, std::size_t> tried_;     // ticks spent without success on a part
    std::unordered_map<std::uint64_t, std::size_t> attempts_;  // to regrow the subtree of a set of rows
    std::unordered_set<std::uint64_t> minimum_sets_;           // sets of rows whose subtree is a minimum one
    // For the batch that is being chosen: nodes in chosen parts, and nodes above them.
    std::unordered_set<std::int32_t> chosen_, above_chosen_;
};

}  // namespace puretree
