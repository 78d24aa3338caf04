#include "best_trees.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace puretree {
namespace {

using Loss = std::int64_t;
constexpr Loss kUnreachable = -1;  // the loss budget of a state that no tree within the maximum loss reaches

// Numbers in the result, before they are assigned: of unused nodes, and of nodes to be written.
constexpr std::int32_t kUnused = -1, kMarked = -2;

class NearBest {
public:
    NearBest(const AndOrGraph& graph, const RowStates& states, std::size_t max_bytes,
             const std::function<void()>& tick)
        : graph_(graph), states_(states), max_bytes_(max_bytes), tick_(tick),
          budget_(states.size(), kUnreachable), losses_of_(states.size()),
          number_of_node_(graph.label.size(), kUnused) {}

    // The bytes that are always allocated for each state.
    static std::size_t bytes(const RowStates& states) { return states.size() * (sizeof(Loss) + sizeof(Range)); }

    BestTrees find(Loss max_loss) {
        BestTrees out;
        out.score = -std::numeric_limits<double>::infinity();
        for (const RowRoot& root : states_.roots()) out.score = std::max(out.score, states_.score(root));
        compute_budgets(out.score, max_loss);
        collect_losses();
        const std::vector<Root> roots = choose_roots(out.score, max_loss);
        mark_reachable(roots);
        out.edge_start.push_back(0);
        write_nodes(out);
        write_states(out);
        for (const Root& root : roots) {
            out.roots.push_back(number_[root.index]);
            out.losses.push_back(root.loss);
        }
        return out;
    }

private:
    // The losses of a state's trees, ascending: a range of `loss_`. An index in it represents a state with a loss.
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    struct Root {
        Loss loss;
        std::size_t index;
    };

    std::size_t begin(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node]); }
    std::size_t end(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node + 1]); }

    // The loss of a score against the best one, if it is within the budget.
    static std::optional<Loss> loss(double best, double score, Loss budget) {
        if (best - score > static_cast<double>(budget)) return std::nullopt;
        return static_cast<Loss>(best - score);
    }

    // Computes the maximum loss of each state, if the rest of the tree has the least loss.
    void compute_budgets(double best, Loss max_loss) {
        for (const RowRoot& root : states_.roots()) {
            const auto first_loss = loss(best, states_.score(root), max_loss);
            if (first_loss) budget_[root.state] = max_loss - *first_loss;
        }
        for (Id s : states_.order()) {
            if (budget_[s] == kUnreachable) continue;
            tick_();
            for (const Sides& sides : states_.sides(s)) {
                const auto first_loss = loss(states_[s].score, states_.score(sides), budget_[s]);
                if (!first_loss) continue;
                budget_[sides.no] = std::max(budget_[sides.no], budget_[s] - *first_loss);
                budget_[sides.yes] = std::max(budget_[sides.yes], budget_[s] - *first_loss);
            }
        }
    }

    // Computes the losses of each state's trees within its budget.
    void collect_losses() {
        const auto order = states_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const Id s = order[i];
            if (budget_[s] == kUnreachable) continue;
            buffer_.clear();
            if (states_[s].is_decided()) buffer_.push_back(0);
            for (const Sides& sides : states_.sides(s)) add_losses(s, sides);
            sort_buffer();
            losses_of_[s] = {loss_.size(), loss_.size() + buffer_.size()};
            loss_.insert(loss_.end(), buffer_.begin(), buffer_.end());
            require_memory(0);
        }
        number_.assign(loss_.size(), kUnused);
    }

    void add_losses(Id s, const Sides& sides) {
        constexpr std::size_t kMany = 1 << 16;
        const auto first_loss = loss(states_[s].score, states_.score(sides), budget_[s]);
        if (!first_loss) return;
        const Range no = losses_of_[sides.no], yes = losses_of_[sides.yes];
        for (std::size_t i = no.begin; i < no.end; ++i) {
            tick_();
            for (std::size_t j = yes.begin; j < yes.end && *first_loss + loss_[i] + loss_[j] <= budget_[s]; ++j) {
                buffer_.push_back(*first_loss + loss_[i] + loss_[j]);
            }
            if (buffer_.size() > kMany) sort_buffer();
        }
    }

    // Sorts the buffer and removes duplicates.
    void sort_buffer() {
        std::ranges::sort(buffer_);
        const auto rest = std::ranges::unique(buffer_);
        buffer_.erase(rest.begin(), rest.end());
    }

    std::vector<Root> choose_roots(double best, Loss max_loss) const {
        std::vector<Root> roots;
        for (const RowRoot& root : states_.roots()) {
            const auto first_loss = loss(best, states_.score(root), max_loss);
            if (!first_loss) continue;
            // The state has larger losses if trees of another root contain it.
            const Range range = losses_of_[root.state];
            for (std::size_t i = range.begin; i < range.end && *first_loss + loss_[i] <= max_loss; ++i) {
                roots.push_back({*first_loss + loss_[i], i});
            }
        }
        std::ranges::stable_sort(roots, {}, &Root::loss);
        return roots;
    }

    // Calls `visit` for all trees of a state with exactly the loss at `index`: with the edge and the indices of its
    // sides.
    template <class Visit>
    void for_each_edge(Id s, std::size_t index, Visit visit) const {
        std::size_t edge = begin(states_[s].node);
        for (const Sides& sides : states_.sides(s)) {
            const auto first_loss = loss(states_[s].score, states_.score(sides), loss_[index]);
            const Range no = losses_of_[sides.no], yes = losses_of_[sides.yes];
            if (first_loss) {
                std::size_t j = yes.end;
                for (std::size_t i = no.begin; i < no.end && *first_loss + loss_[i] <= loss_[index]; ++i) {
                    while (j > yes.begin && *first_loss + loss_[i] + loss_[j - 1] > loss_[index]) --j;
                    if (j > yes.begin && *first_loss + loss_[i] + loss_[j - 1] == loss_[index]) visit(edge, i, j - 1);
                }
            }
            ++edge;
        }
    }

    // Marks what the trees of the result consist of: states with a loss, and nodes of decided states, where all trees
    // have the same score.
    void mark_reachable(const std::vector<Root>& roots) {
        for (const Root& root : roots) number_[root.index] = kMarked;
        for (Id s : states_.order()) {
            for (std::size_t index = losses_of_[s].begin; index < losses_of_[s].end; ++index) {
                if (number_[index] != kMarked) continue;
                tick_();
                if (states_[s].is_decided()) number_of_node_[states_[s].node] = kMarked;
                for_each_edge(s, index, [&](std::size_t, std::size_t no, std::size_t yes) {
                    number_[no] = kMarked;
                    number_[yes] = kMarked;
                });
            }
        }
        for (std::size_t node = number_of_node_.size(); node-- > 0;) {
            if (number_of_node_[node] != kMarked) continue;
            for (std::size_t edge = begin(static_cast<Id>(node)); edge < end(static_cast<Id>(node)); ++edge) {
                number_of_node_[static_cast<std::size_t>(graph_.no[edge])] = kMarked;
                number_of_node_[static_cast<std::size_t>(graph_.yes[edge])] = kMarked;
            }
        }
    }

    void write_nodes(BestTrees& out) {
        for (Id node = 0; node < number_of_node_.size(); ++node) {
            if (number_of_node_[node] != kMarked) continue;
            tick_();
            for (std::size_t edge = begin(node); edge < end(node); ++edge) {
                add_edge(out, edge, number_of_node_[static_cast<std::size_t>(graph_.no[edge])],
                         number_of_node_[static_cast<std::size_t>(graph_.yes[edge])]);
            }
            number_of_node_[node] = finish_node(out, node);
        }
    }

    void write_states(BestTrees& out) {
        const auto order = states_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const Id s = order[i];
            for (std::size_t index = losses_of_[s].begin; index < losses_of_[s].end; ++index) {
                if (number_[index] != kMarked) continue;
                tick_();
                for_each_edge(s, index, [&](std::size_t edge, std::size_t no, std::size_t yes) {
                    add_edge(out, edge, number_[no], number_[yes]);
                });
                const Id node = states_[s].node;
                number_[index] = states_[s].is_decided() ? number_of_node_[node] : finish_node(out, node);
            }
        }
    }

    static void add_edge(BestTrees& out, std::size_t edge, std::int32_t no, std::int32_t yes) {
        out.edge.push_back(static_cast<std::int64_t>(edge));
        out.no.push_back(no);
        out.yes.push_back(yes);
    }

    // Completes a node of the result and returns its number.
    std::int32_t finish_node(BestTrees& out, Id node) const {
        out.node.push_back(static_cast<std::int32_t>(node));
        out.edge_start.push_back(static_cast<std::int64_t>(out.edge.size()));
        require_memory(bytes_of(out.node) + bytes_of(out.edge_start) + bytes_of(out.edge) + bytes_of(out.no) +
                       bytes_of(out.yes));
        if (out.node.size() == std::numeric_limits<std::int32_t>::max()) throw BestTreesTooLarge{};
        return static_cast<std::int32_t>(out.node.size() - 1);
    }

    void require_memory(std::size_t bytes) const {
        if (bytes + bytes_of(loss_) + number_.size() * sizeof(std::int32_t) > max_bytes_) throw BestTreesTooLarge{};
    }

    const AndOrGraph& graph_;
    const RowStates& states_;
    std::size_t max_bytes_;
    const std::function<void()>& tick_;
    std::vector<Loss> budget_;      // of each state
    std::vector<Range> losses_of_;  // of each state
    std::vector<Loss> loss_;        // see Range
    std::vector<std::int32_t> number_;  // in the result, of each index in `loss_`
    std::vector<std::int32_t> number_of_node_;
    std::vector<Loss> buffer_;  // the losses of the current state
};

}  // namespace

BestTrees find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
                          std::size_t n_classes, std::int64_t max_loss, std::size_t max_bytes,
                          const std::function<void()>& tick) {
    std::size_t bytes = Agreement::bytes(graph, answers.n_bits, n_classes);
    if (bytes > max_bytes) throw BestTreesTooLarge{};
    RowStates states(graph, answers, scores, n_classes, tick);
    states.find(max_bytes - bytes);
    bytes += states.bytes() + NearBest::bytes(states);
    if (bytes > max_bytes) throw BestTreesTooLarge{};
    return NearBest(graph, states, max_bytes - bytes, tick).find(max_loss);
}

}  // namespace puretree
