// What is the best score of a tree under a node, for the rows that come there? The score of a tree is a sum over rows of
// score[row][class its leaf says], so the best tree under a node depends only on which rows come there: dynamic
// programming over states, pairs of a graph node and a set of rows. Rows that training never saw part ways differently
// on different paths to the same node, so the node alone is not enough. But a row of which all trees under the node say
// the same class is settled: its score is fixed, and the set can do without it. Where all rows are settled, the
// sub-problem is over.
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

// What would take more memory than it may.
struct BestTreesTooLarge {};

struct RowState {
    Id node;
    Id rows;                // those that are not settled
    Id next;                // another state of the node
    std::size_t sides = 0;  // where the sides of its edges begin
    double score = 0;       // the best of its trees

    bool is_over() const { return rows == kNoRows; }  // leaves settle all rows
};

// Of an edge: the states it leads to, and the scores of the rows that are settled there.
struct Sides {
    Id no;
    Id yes;
    double settled;
};

// A root of the graph with all rows.
struct RowRoot {
    Id state;
    double settled;
};

class RowStates {
public:
    RowStates(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
              std::size_t n_classes, const std::function<void()>& still_wanted)
        : graph_(graph), answers_(answers), scores_(scores), n_classes_(n_classes), still_wanted_(still_wanted),
          agreement_(graph, answers, n_classes, still_wanted), sets_(answers.n_bits),
          first_(graph.label.size(), kNone) {}

    // Finds all states and their best scores, within so many bytes.
    void find(std::size_t most_bytes) {
        std::vector<Word> all(words_for(answers_.n_bits), ~Word{0});
        if (!all.empty()) all.back() = tail_mask(answers_.n_bits);
        for (std::int32_t root : graph_.roots) {
            std::vector<Word> rows = all;
            const double settled = settle(static_cast<Id>(root), rows);
            roots_.push_back({state(static_cast<Id>(root), sets_.add(rows)), settled});
        }
        // A side has a smaller number than its node: going down the numbers meets a state after all that lead to it.
        for (std::size_t node = graph_.label.size(); node-- > 0;) {
            for (Id s = first_[node]; s != kNone; s = states_[s].next) {
                still_wanted_();
                expand(s);
                if (bytes() > most_bytes || states_.size() >= kNone / 2) throw BestTreesTooLarge{};
            }
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            if (i % 1024 == 0) still_wanted_();
            evaluate(order_[i]);
        }
    }

    std::size_t size() const { return states_.size(); }
    const RowState& operator[](Id s) const { return states_[s]; }
    std::span<const Id> order() const { return order_; }  // a state comes after all that lead to it
    std::span<const RowRoot> roots() const { return roots_; }

    // Of the edges of the state's node, in their order; none where it is over.
    std::span<const Sides> sides(Id s) const {
        const RowState& state = states_[s];
        return {sides_.data() + state.sides, state.is_over() ? 0 : end(state.node) - begin(state.node)};
    }

    double score(const Sides& sides) const {
        return sides.settled + (states_[sides.no].score + states_[sides.yes].score);
    }
    double score(const RowRoot& root) const { return root.settled + states_[root.state].score; }

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
        const Id found = numbers_.find_or_add(mix((std::uint64_t{node} << 32) + rows + 1), next, is_same, hash_of);
        if (found == next) {
            states_.push_back({node, rows, first_[node]});
            first_[node] = next;
        }
        return found;
    }

    void expand(Id s) {
        order_.push_back(s);
        states_[s].sides = sides_.size();
        if (states_[s].is_over()) return;
        const Id node = states_[s].node, rows = states_[s].rows;
        for (std::size_t edge = begin(node); edge < end(node); ++edge) {
            split(rows, static_cast<std::size_t>(graph_.question[edge]));
            const auto no_node = static_cast<Id>(graph_.no[edge]), yes_node = static_cast<Id>(graph_.yes[edge]);
            const double settled = settle(no_node, no_) + settle(yes_node, yes_);
            const Id no = state(no_node, sets_.add(no_));
            const Id yes = state(yes_node, sets_.add(yes_));
            sides_.push_back({no, yes, settled});
        }
    }

    // Takes the rows out that the node settles, and returns their scores.
    double settle(Id node, std::vector<Word>& rows) const {
        const auto open = agreement_.open(node);
        double sum = 0;
        for (std::size_t label = 0; label < n_classes_; ++label) {
            const auto said = agreement_.said(node, label);
            for (std::size_t w = 0; w < rows.size(); ++w) {
                for (Word rest = rows[w] & said[w] & ~open[w]; rest != 0; rest &= rest - 1) {
                    const std::size_t row = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
                    sum += scores_[row * n_classes_ + label];
                }
            }
        }
        for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= open[w];
        return sum;
    }

    void split(Id rows, std::size_t question) {
        const auto members = sets_[rows];
        const auto answer = answers_.row(question);
        no_.assign(members.begin(), members.end());
        yes_.assign(members.begin(), members.end());
        for (std::size_t w = 0; w < no_.size(); ++w) {
            no_[w] &= ~answer[w];
            yes_[w] &= answer[w];
        }
    }

    void evaluate(Id s) {
        if (states_[s].is_over()) return;
        double best = -std::numeric_limits<double>::infinity();
        for (const Sides& way : sides(s)) best = std::max(best, score(way));
        states_[s].score = best;
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> scores_;
    std::size_t n_classes_;
    const std::function<void()>& still_wanted_;
    Agreement agreement_;
    RowSets sets_;
    Numbering numbers_;
    std::vector<RowState> states_;
    std::vector<Sides> sides_;
    std::vector<Id> order_;  // of expansion: by falling node
    std::vector<Id> first_;  // state of each node
    std::vector<RowRoot> roots_;
    std::vector<Word> no_, yes_;
};

}  // namespace puretree
