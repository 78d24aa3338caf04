// The best score of a tree under a node, for the rows that reach it. The score of a tree is the sum over rows of
// score[row][predicted class], so the best tree under a node depends only on which rows reach it: dynamic programming
// over states, pairs of a graph node and a set of rows. Unseen rows are divided differently on different paths to the
// same node, so the node alone is no state. But if all trees under the node predict the same class for a row, its score
// is fixed, and the row is removed from the set. A state without rows is decided.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "agreement.hpp"
#include "and_or_graph.hpp"
#include "bits.hpp"
#include "row_sets.hpp"

namespace puretree {

// Thrown if the memory limit is exceeded.
struct BestTreesTooLarge {};

struct RowState {
    Id node;
    Id rows;                // those whose score is not fixed
    Id next;                // the next state of the same node
    std::size_t sides = 0;  // the index of the sides of its first edge
    double score = 0;       // of its best tree

    bool is_decided() const { return rows == kEmptySet; }  // true at leaves
};

// The states of both sides of an edge, and the score of the rows that are fixed there.
struct Sides {
    Id no;
    Id yes;
    double fixed_score;
};

// A root of the graph with all rows.
struct RowRoot {
    Id state;
    double fixed_score;
};

class RowStates {
public:
    RowStates(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
              std::size_t n_classes, const std::function<void()>& tick)
        : graph_(graph), answers_(answers), scores_(scores), n_classes_(n_classes), tick_(tick),
          agreement_(graph, answers, n_classes, tick), sets_(answers.n_bits),
          first_(graph.label.size(), kNoId) {}

    // Computes all states and their best scores; throws BestTreesTooLarge.
    void find(std::size_t max_bytes) {
        std::vector<Word> all(words_for(answers_.n_bits), ~Word{0});
        if (!all.empty()) all.back() = tail_mask(answers_.n_bits);
        for (std::int32_t root : graph_.roots) {
            std::vector<Word> rows = all;
            const double fixed_score = fix_rows(static_cast<Id>(root), rows);
            roots_.push_back({state(static_cast<Id>(root), sets_.add(rows)), fixed_score});
        }
        // A side has a smaller number than its node: in descending order, a state comes after all its predecessors.
        for (std::size_t node = graph_.label.size(); node-- > 0;) {
            for (Id s = first_[node]; s != kNoId; s = states_[s].next) {
                tick_();
                expand(s);
                if (bytes() > max_bytes || states_.size() >= kNoId / 2) throw BestTreesTooLarge{};
            }
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            if (i % 1024 == 0) tick_();
            evaluate(order_[i]);
        }
    }

    std::size_t size() const { return states_.size(); }
    const RowState& operator[](Id s) const { return states_[s]; }
    std::span<const Id> order() const { return order_; }  // a state comes after all its predecessors
    std::span<const RowRoot> roots() const { return roots_; }

    // The sides of all edges of the state's node, in their order; empty if the state is decided.
    std::span<const Sides> sides(Id s) const {
        const RowState& state = states_[s];
        return {sides_.data() + state.sides, state.is_decided() ? 0 : end(state.node) - begin(state.node)};
    }

    double score(const Sides& sides) const {
        return sides.fixed_score + (states_[sides.no].score + states_[sides.yes].score);
    }
    double score(const RowRoot& root) const { return root.fixed_score + states_[root.state].score; }

    std::size_t bytes() const {
        return sets_.bytes() + bytes_of(states_) + bytes_of(sides_) + bytes_of(order_) + numbers_.bytes();
    }

private:
    std::size_t begin(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node]); }
    std::size_t end(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node + 1]); }

    Id state(Id node, Id rows) {
        const auto hash_of = [&](Id s) { return mix((std::uint64_t{states_[s].node} << 32) + states_[s].rows + 1); };
        const auto is_same = [&](Id s) { return states_[s].node == node && states_[s].rows == rows; };
        const Id next = static_cast<Id>(states_.size());
        const Id id = numbers_.find_or_add(mix((std::uint64_t{node} << 32) + rows + 1), next, is_same, hash_of);
        if (id == next) {
            states_.push_back({node, rows, first_[node]});
            first_[node] = next;
        }
        return id;
    }

    void expand(Id s) {
        order_.push_back(s);
        states_[s].sides = sides_.size();
        if (states_[s].is_decided()) return;
        const Id node = states_[s].node, rows = states_[s].rows;
        for (std::size_t edge = begin(node); edge < end(node); ++edge) {
            split_rows(rows, static_cast<std::size_t>(graph_.test[edge]));
            const auto no_node = static_cast<Id>(graph_.no[edge]), yes_node = static_cast<Id>(graph_.yes[edge]);
            const double fixed_score = fix_rows(no_node, no_) + fix_rows(yes_node, yes_);
            const Id no = state(no_node, sets_.add(no_));
            const Id yes = state(yes_node, sets_.add(yes_));
            sides_.push_back({no, yes, fixed_score});
        }
    }

    // Removes the rows whose score is fixed under the node, and returns their score.
    double fix_rows(Id node, std::vector<Word>& rows) const {
        const SetView disputed = agreement_.disputed_rows(node);
        double sum = 0;
        for (std::size_t label = 0; label < n_classes_; ++label) {
            const SetView predicted = agreement_.predicted_rows(node, label);
            for (std::size_t w = 0; w < rows.size(); ++w) {
                for (Word rest = rows[w] & predicted[w] & ~disputed[w]; rest != 0; rest &= rest - 1) {
                    const std::size_t row = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
                    sum += scores_[row * n_classes_ + label];
                }
            }
        }
        for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= disputed[w];
        return sum;
    }

    void split_rows(Id rows, std::size_t test) {
        const SetView members = sets_[rows];
        no_.resize(members.size());
        yes_.resize(members.size());
        split(members, answers_.row(test), no_, yes_);
    }

    void evaluate(Id s) {
        if (states_[s].is_decided()) return;
        double best = -std::numeric_limits<double>::infinity();
        for (const Sides& edge : sides(s)) best = std::max(best, score(edge));
        states_[s].score = best;
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> scores_;
    std::size_t n_classes_;
    const std::function<void()>& tick_;
    Agreement agreement_;
    RowSets sets_;
    Numbering numbers_;
    std::vector<RowState> states_;
    std::vector<Sides> sides_;
    std::vector<Id> order_;  // of expansion: by descending node
    std::vector<Id> first_;  // the first state of each node
    std::vector<RowRoot> roots_;
    std::vector<Word> no_, yes_;  // scratch of expand
};

}  // namespace puretree
