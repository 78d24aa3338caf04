#include "best_trees.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "agreement.hpp"
#include "row_sets.hpp"

namespace puretree {
namespace {

struct State {
    Id node;
    Id rows;                // those that are not settled
    Id next;                // another state of the node
    std::size_t sides = 0;  // where the sides of its edges begin
    double score = 0;
};

struct Sides {
    Id no;
    Id yes;
    double settled;  // the scores of the rows that are settled by the sides
};

struct Root {
    Id state;
    double settled;
};

class Search {
public:
    Search(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
           std::size_t n_classes, const std::function<void()>& still_wanted)
        : graph_(graph), answers_(answers), scores_(scores), n_classes_(n_classes), still_wanted_(still_wanted),
          agreement_(graph, answers, n_classes, still_wanted), sets_(answers.n_bits),
          first_(graph.label.size(), kNone) {}

    // False if it would take too much memory.
    bool run(std::size_t most_bytes) {
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
                if (bytes() > most_bytes || states_.size() >= kNone / 2) return false;
            }
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            if (i % 1024 == 0) still_wanted_();
            evaluate(order_[i]);
        }
        return true;
    }

    BestTrees best() const {
        BestTrees found;
        found.score = -std::numeric_limits<double>::infinity();
        for (const Root& root : roots_) found.score = std::max(found.score, score(root));
        std::vector<Id> roots;
        for (const Root& root : roots_) {
            if (score(root) == found.score) roots.push_back(root.state);
        }
        const Marks marks = mark(roots);
        write(marks, roots, found);
        return found;
    }

private:
    // What best trees reach: states, and nodes where all rows are settled, so that every tree below is as good.
    struct Marks {
        std::vector<bool> state;
        std::vector<bool> node;
    };

    bool is_over(const State& state) const { return state.rows == kNoRows; }  // leaves settle all rows
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
        if (is_over(states_[s])) return;
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
        State& state = states_[s];
        if (is_over(state)) return;
        state.score = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < end(state.node) - begin(state.node); ++i) {
            state.score = std::max(state.score, score(sides_[state.sides + i]));
        }
    }

    double score(const Sides& sides) const {
        return sides.settled + (states_[sides.no].score + states_[sides.yes].score);
    }
    double score(const Root& root) const { return root.settled + states_[root.state].score; }

    bool is_best(const State& state, std::size_t i) const { return score(sides_[state.sides + i]) == state.score; }

    Marks mark(const std::vector<Id>& roots) const {
        Marks marks{std::vector<bool>(states_.size()), std::vector<bool>(graph_.label.size())};
        for (Id root : roots) marks.state[root] = true;
        for (Id s : order_) {
            const State& state = states_[s];
            if (!marks.state[s]) continue;
            if (is_over(state)) marks.node[state.node] = true;
            if (is_over(state)) continue;
            for (std::size_t i = 0; i < end(state.node) - begin(state.node); ++i) {
                if (!is_best(state, i)) continue;
                marks.state[sides_[state.sides + i].no] = true;
                marks.state[sides_[state.sides + i].yes] = true;
            }
        }
        for (std::size_t node = marks.node.size(); node-- > 0;) {
            if (!marks.node[node]) continue;
            for (std::size_t edge = begin(static_cast<Id>(node)); edge < end(static_cast<Id>(node)); ++edge) {
                marks.node[static_cast<std::size_t>(graph_.no[edge])] = true;
                marks.node[static_cast<std::size_t>(graph_.yes[edge])] = true;
            }
        }
        return marks;
    }

    void write(const Marks& marks, const std::vector<Id>& roots, BestTrees& out) const {
        std::vector<std::int32_t> number_of_node(graph_.label.size()), number_of_state(states_.size());
        out.edge_start.push_back(0);
        const auto close = [&](Id node) {
            out.node.push_back(static_cast<std::int32_t>(node));
            out.edge_start.push_back(static_cast<std::int64_t>(out.edge.size()));
            return static_cast<std::int32_t>(out.node.size() - 1);
        };
        for (Id node = 0; node < marks.node.size(); ++node) {
            if (!marks.node[node]) continue;
            for (std::size_t edge = begin(node); edge < end(node); ++edge) {
                add_edge(out, edge, number_of_node[static_cast<std::size_t>(graph_.no[edge])],
                         number_of_node[static_cast<std::size_t>(graph_.yes[edge])]);
            }
            number_of_node[node] = close(node);
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            const State& state = states_[order_[i]];
            if (!marks.state[order_[i]]) continue;
            if (is_over(state)) {
                number_of_state[order_[i]] = number_of_node[state.node];
                continue;
            }
            for (std::size_t nth = 0; nth < end(state.node) - begin(state.node); ++nth) {
                if (!is_best(state, nth)) continue;
                const Sides sides = sides_[state.sides + nth];
                add_edge(out, begin(state.node) + nth, number_of_state[sides.no], number_of_state[sides.yes]);
            }
            number_of_state[order_[i]] = close(state.node);
        }
        for (Id root : roots) out.roots.push_back(number_of_state[root]);
    }

    static void add_edge(BestTrees& out, std::size_t edge, std::int32_t no, std::int32_t yes) {
        out.edge.push_back(static_cast<std::int64_t>(edge));
        out.no.push_back(no);
        out.yes.push_back(yes);
    }

    std::size_t bytes() const {
        return sets_.bytes() + bytes_of(states_) + bytes_of(sides_) + bytes_of(order_) + numbers_.bytes();
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> scores_;
    std::size_t n_classes_;
    const std::function<void()>& still_wanted_;
    Agreement agreement_;
    RowSets sets_;
    Numbering numbers_;
    std::vector<State> states_;
    std::vector<Sides> sides_;
    std::vector<Id> order_;  // of expansion: by falling node
    std::vector<Id> first_;  // state of each node
    std::vector<Root> roots_;
    std::vector<Word> no_, yes_;
};

}  // namespace

std::optional<BestTrees> find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers,
                                         std::span<const double> scores, std::size_t n_classes, std::size_t most_bytes,
                                         const std::function<void()>& still_wanted) {
    const std::size_t bytes = Agreement::bytes(graph, answers.n_bits, n_classes);
    if (bytes > most_bytes) return std::nullopt;
    Search search(graph, answers, scores, n_classes, still_wanted);
    if (!search.run(most_bytes - bytes)) return std::nullopt;
    return search.best();
}

}  // namespace puretree
