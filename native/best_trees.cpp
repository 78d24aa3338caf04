#include "best_trees.hpp"

#include <algorithm>
#include <limits>

namespace puretree {
namespace {

using Loss = std::int64_t;
constexpr Loss kTooMuch = -1;  // what a state may lose, if no tree in question comes there

// Graph nodes in the answer that no number has been given.
constexpr std::int32_t kNotWanted = -1, kWanted = -2;

class NearBest {
public:
    NearBest(const AndOrGraph& graph, const RowStates& states, std::size_t most_bytes,
             const std::function<void()>& still_wanted)
        : graph_(graph), states_(states), most_bytes_(most_bytes), still_wanted_(still_wanted),
          may_lose_(states.size(), kTooMuch), losses_of_(states.size()), number_of_node_(graph.label.size(), kNotWanted) {}

    // What is held for each state, whatever is found.
    static std::size_t bytes(const RowStates& states) { return states.size() * (sizeof(Loss) + sizeof(Part)); }

    BestTrees find(Loss most_loss) {
        BestTrees out;
        out.score = -std::numeric_limits<double>::infinity();
        for (const RowRoot& root : states_.roots()) out.score = std::max(out.score, states_.score(root));
        spend(out.score, most_loss);
        collect_losses();
        const std::vector<Root> roots = choose_roots(out.score, most_loss);
        want(roots);
        out.edge_start.push_back(0);
        write_nodes(out);
        write_states(out);
        for (const Root& root : roots) {
            out.roots.push_back(number_[root.place]);
            out.losses.push_back(root.loss);
        }
        return out;
    }

private:
    // The losses of a state's trees, ascending: a part of `loss_`. A place there stands for a state with a loss.
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    struct Root {
        Loss loss;
        std::size_t place;
    };

    std::size_t begin(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node]); }
    std::size_t end(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node + 1]); }

    // What a tree loses by something that scores less than the best; kTooMuch if that is more than it may.
    static Loss loss(double best, double score, Loss may_lose) {
        return best - score > static_cast<double>(may_lose) ? kTooMuch : static_cast<Loss>(best - score);
    }

    // Finds what each state may lose at most, if the rest of the tree loses as little as it can.
    void spend(double best, Loss most_loss) {
        for (const RowRoot& root : states_.roots()) {
            const Loss lost = loss(best, states_.score(root), most_loss);
            if (lost >= 0) may_lose_[root.state] = most_loss - lost;
        }
        for (Id s : states_.order()) {
            if (may_lose_[s] < 0) continue;
            still_wanted_();
            for (const Sides& way : states_.sides(s)) {
                const Loss lost = loss(states_[s].score, states_.score(way), may_lose_[s]);
                if (lost < 0) continue;
                may_lose_[way.no] = std::max(may_lose_[way.no], may_lose_[s] - lost);
                may_lose_[way.yes] = std::max(may_lose_[way.yes], may_lose_[s] - lost);
            }
        }
    }

    // Finds for each state what its trees lose, up to what they may.
    void collect_losses() {
        const auto order = states_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const Id s = order[i];
            if (may_lose_[s] < 0) continue;
            some_.clear();
            if (states_[s].is_over()) some_.push_back(0);
            for (const Sides& way : states_.sides(s)) add_losses(s, way);
            tidy();
            losses_of_[s] = {loss_.size(), loss_.size() + some_.size()};
            loss_.insert(loss_.end(), some_.begin(), some_.end());
            require_memory(0);
        }
        number_.assign(loss_.size(), kNotWanted);
    }

    void add_losses(Id s, const Sides& way) {
        constexpr std::size_t kMany = 1 << 16;
        const Loss lost = loss(states_[s].score, states_.score(way), may_lose_[s]);
        if (lost < 0) return;
        const Part no = losses_of_[way.no], yes = losses_of_[way.yes];
        for (std::size_t i = no.begin; i < no.end; ++i) {
            still_wanted_();
            for (std::size_t j = yes.begin; j < yes.end && lost + loss_[i] + loss_[j] <= may_lose_[s]; ++j) {
                some_.push_back(lost + loss_[i] + loss_[j]);
            }
            if (some_.size() > kMany) tidy();
        }
    }

    void tidy() {
        std::ranges::sort(some_);
        const auto rest = std::ranges::unique(some_);
        some_.erase(rest.begin(), rest.end());
    }

    std::vector<Root> choose_roots(double best, Loss most_loss) const {
        std::vector<Root> roots;
        for (const RowRoot& root : states_.roots()) {
            const Loss lost = loss(best, states_.score(root), most_loss);
            if (lost < 0) continue;
            // The state may lose more where another root's trees come through it.
            const Part part = losses_of_[root.state];
            for (std::size_t place = part.begin; place < part.end && lost + loss_[place] <= most_loss; ++place) {
                roots.push_back({lost + loss_[place], place});
            }
        }
        std::ranges::stable_sort(roots, {}, &Root::loss);
        return roots;
    }

    // Calls for each way to lose exactly what a place says: with the edge, and the places of the two sides.
    template <class Call>
    void each_way(Id s, std::size_t place, Call call) const {
        std::size_t edge = begin(states_[s].node);
        for (const Sides& way : states_.sides(s)) {
            const Loss lost = loss(states_[s].score, states_.score(way), loss_[place]);
            const Part no = losses_of_[way.no], yes = losses_of_[way.yes];
            if (lost >= 0) {
                std::size_t j = yes.end;
                for (std::size_t i = no.begin; i < no.end && lost + loss_[i] <= loss_[place]; ++i) {
                    while (j > yes.begin && lost + loss_[i] + loss_[j - 1] > loss_[place]) --j;
                    if (j > yes.begin && lost + loss_[i] + loss_[j - 1] == loss_[place]) call(edge, i, j - 1);
                }
            }
            ++edge;
        }
    }

    // Finds what the trees in question are made of: states with a loss, and nodes where all rows are settled, so that
    // every tree below is as good.
    void want(const std::vector<Root>& roots) {
        for (const Root& root : roots) number_[root.place] = kWanted;
        for (Id s : states_.order()) {
            for (std::size_t place = losses_of_[s].begin; place < losses_of_[s].end; ++place) {
                if (number_[place] != kWanted) continue;
                still_wanted_();
                if (states_[s].is_over()) number_of_node_[states_[s].node] = kWanted;
                each_way(s, place, [&](std::size_t, std::size_t no, std::size_t yes) {
                    number_[no] = kWanted;
                    number_[yes] = kWanted;
                });
            }
        }
        for (std::size_t node = number_of_node_.size(); node-- > 0;) {
            if (number_of_node_[node] != kWanted) continue;
            for (std::size_t edge = begin(static_cast<Id>(node)); edge < end(static_cast<Id>(node)); ++edge) {
                number_of_node_[static_cast<std::size_t>(graph_.no[edge])] = kWanted;
                number_of_node_[static_cast<std::size_t>(graph_.yes[edge])] = kWanted;
            }
        }
    }

    void write_nodes(BestTrees& out) {
        for (Id node = 0; node < number_of_node_.size(); ++node) {
            if (number_of_node_[node] != kWanted) continue;
            still_wanted_();
            for (std::size_t edge = begin(node); edge < end(node); ++edge) {
                add_edge(out, edge, number_of_node_[static_cast<std::size_t>(graph_.no[edge])],
                         number_of_node_[static_cast<std::size_t>(graph_.yes[edge])]);
            }
            number_of_node_[node] = close(out, node);
        }
    }

    void write_states(BestTrees& out) {
        const auto order = states_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const Id s = order[i];
            for (std::size_t place = losses_of_[s].begin; place < losses_of_[s].end; ++place) {
                if (number_[place] != kWanted) continue;
                still_wanted_();
                each_way(s, place, [&](std::size_t edge, std::size_t no, std::size_t yes) {
                    add_edge(out, edge, number_[no], number_[yes]);
                });
                const Id node = states_[s].node;
                number_[place] = states_[s].is_over() ? number_of_node_[node] : close(out, node);
            }
        }
    }

    static void add_edge(BestTrees& out, std::size_t edge, std::int32_t no, std::int32_t yes) {
        out.edge.push_back(static_cast<std::int64_t>(edge));
        out.no.push_back(no);
        out.yes.push_back(yes);
    }

    // Ends a node of the answer and returns its number.
    std::int32_t close(BestTrees& out, Id node) const {
        out.node.push_back(static_cast<std::int32_t>(node));
        out.edge_start.push_back(static_cast<std::int64_t>(out.edge.size()));
        require_memory(bytes_of(out.node) + bytes_of(out.edge_start) + bytes_of(out.edge) + bytes_of(out.no) +
                       bytes_of(out.yes));
        if (out.node.size() == std::numeric_limits<std::int32_t>::max()) throw BestTreesTooLarge{};
        return static_cast<std::int32_t>(out.node.size() - 1);
    }

    void require_memory(std::size_t bytes) const {
        if (bytes + bytes_of(loss_) + number_.size() * sizeof(std::int32_t) > most_bytes_) throw BestTreesTooLarge{};
    }

    const AndOrGraph& graph_;
    const RowStates& states_;
    std::size_t most_bytes_;
    const std::function<void()>& still_wanted_;
    std::vector<Loss> may_lose_;   // of each state
    std::vector<Part> losses_of_;  // of each state
    std::vector<Loss> loss_;
    std::vector<std::int32_t> number_;  // in the answer, of each place in `loss_`
    std::vector<std::int32_t> number_of_node_;
    std::vector<Loss> some_;
};

}  // namespace

BestTrees find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
                          std::size_t n_classes, std::int64_t most_loss, std::size_t most_bytes,
                          const std::function<void()>& still_wanted) {
    std::size_t bytes = Agreement::bytes(graph, answers.n_bits, n_classes);
    if (bytes > most_bytes) throw BestTreesTooLarge{};
    RowStates states(graph, answers, scores, n_classes, still_wanted);
    states.find(most_bytes - bytes);
    bytes += states.bytes() + NearBest::bytes(states);
    if (bytes > most_bytes) throw BestTreesTooLarge{};
    return NearBest(graph, states, most_bytes - bytes, still_wanted).find(most_loss);
}

}  // namespace puretree
