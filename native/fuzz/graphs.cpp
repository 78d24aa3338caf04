// Best trees of AND/OR graphs, and what all of their trees say together: trees that are picked from the answer score what
// is claimed, and shares are shares.
#include <cmath>
#include <optional>

#include "../best_trees.hpp"
#include "../class_shares.hpp"
#include "../search/value.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

struct Drawn {
    std::size_t n_classes, n_questions, n_rows;
    std::vector<std::int32_t> label, question, no, yes, roots;
    std::vector<std::int64_t> edge_start{0};
    std::vector<Word> words;

    AndOrGraph graph() const { return {label, edge_start, question, no, yes, roots}; }
    BitRows<const Word> answers() const { return {words.data(), n_questions, n_rows}; }
};

Drawn draw_graph(Bytes& bytes) {
    Drawn drawn{1 + bytes.below(4), 1 + bytes.below(6), bytes.size(0, 70), {}, {}, {}, {}, {}, {0}, {}};
    drawn.words = draw_bits(bytes, drawn.n_questions, drawn.n_rows);
    for (std::size_t node = 0, n_nodes = 1 + bytes.below(14); node < n_nodes; ++node) {
        const bool is_leaf = node == 0 || bytes.one_in(3);
        drawn.label.push_back(is_leaf ? static_cast<std::int32_t>(bytes.below(drawn.n_classes)) : -1);
        for (std::size_t n = is_leaf ? 0 : 1 + bytes.below(3); n-- > 0;) {
            drawn.question.push_back(static_cast<std::int32_t>(bytes.below(drawn.n_questions)));
            drawn.no.push_back(static_cast<std::int32_t>(bytes.below(node)));
            drawn.yes.push_back(static_cast<std::int32_t>(bytes.below(node)));
        }
        drawn.edge_start.push_back(static_cast<std::int64_t>(drawn.question.size()));
    }
    for (std::size_t n = 1 + bytes.below(3); n-- > 0;) {
        drawn.roots.push_back(static_cast<std::int32_t>(bytes.below(drawn.label.size())));
    }
    return drawn;
}

// Throws at a drawn call, now and then.
std::function<void()> draw_tick(Bytes& bytes) {
    if (!bytes.one_in(4)) return [] {};
    return [left = bytes.below(60)]() mutable {
        if (left-- == 0) throw TimeIsOver{};
    };
}

// The class that a drawn tree of the answer says of a row; `chosen` keeps the edge drawn for each place of the tree.
class Picked {
public:
    Picked(Bytes& bytes, const Drawn& drawn, const BestTrees& best, std::int32_t root) : drawn_(drawn), best_(best) {
        grow(bytes, root, 0);
    }

    std::int32_t label(std::size_t row) const {
        std::size_t at = 0;
        while (nodes_[at].question >= 0) {
            const bool is_yes = drawn_.answers().bit(static_cast<std::size_t>(nodes_[at].question), row);
            at = is_yes ? nodes_[at].yes : nodes_[at].no;
        }
        return nodes_[at].label;
    }

private:
    struct Node {
        std::int32_t question, label;
        std::size_t no, yes;
    };

    std::size_t grow(Bytes& bytes, std::int32_t number, int depth) {
        const auto node = static_cast<std::size_t>(number);
        const std::size_t here = nodes_.size();
        nodes_.push_back({-1, drawn_.label[static_cast<std::size_t>(best_.node[node])], 0, 0});
        const auto begin = static_cast<std::size_t>(best_.edge_start[node]);
        const auto end = static_cast<std::size_t>(best_.edge_start[node + 1]);
        expect((begin == end) == (nodes_[here].label >= 0) && depth < 20, "exactly leaves have no edges");
        if (begin == end) return here;
        const std::size_t edge = begin + bytes.below(end - begin);
        nodes_[here].question = drawn_.question[static_cast<std::size_t>(best_.edge[edge])];
        const std::size_t no = grow(bytes, best_.no[edge], depth + 1), yes = grow(bytes, best_.yes[edge], depth + 1);
        nodes_[here].no = no;
        nodes_[here].yes = yes;
        return here;
    }

    const Drawn& drawn_;
    const BestTrees& best_;
    std::vector<Node> nodes_;
};

void choose(Bytes& bytes) {
    const Drawn drawn = draw_graph(bytes);
    std::vector<double> scores(drawn.n_rows * drawn.n_classes);
    for (double& score : scores) score = static_cast<double>(bytes.between(-2, 2));
    const std::int64_t most_loss = bytes.flag() ? 0 : static_cast<std::int64_t>(bytes.below(5));
    std::optional<BestTrees> best;
    try {
        best = find_best_trees(drawn.graph(), drawn.answers(), scores, drawn.n_classes, most_loss,
                               bytes.one_in(8) ? bytes.below(100'000) : 1 << 26, draw_tick(bytes));
    } catch (const TimeIsOver&) {
    } catch (const BestTreesTooLarge&) {
    }
    if (!best) return;
    expect(!best->roots.empty() && best->losses.front() == 0, "there is a best tree");
    for (std::size_t i = 0; i < best->roots.size(); ++i) {
        expect(best->losses[i] <= most_loss, "no tree loses more than it may");
        const Picked tree(bytes, drawn, *best, best->roots[i]);
        double score = 0;
        for (std::size_t row = 0; row < drawn.n_rows; ++row) {
            score += scores[row * drawn.n_classes + static_cast<std::size_t>(tree.label(row))];
        }
        expect(score == best->score - static_cast<double>(best->losses[i]), "a tree scores what is claimed");
    }
}

void share(Bytes& bytes) {
    const Drawn drawn = draw_graph(bytes);
    std::vector<double> edge_weight;
    for (std::size_t node = 0; node < drawn.label.size(); ++node) {
        const auto n_edges = static_cast<std::size_t>(drawn.edge_start[node + 1] - drawn.edge_start[node]);
        edge_weight.insert(edge_weight.end(), n_edges, 1.0 / static_cast<double>(std::max<std::size_t>(1, n_edges)));
    }
    const std::vector<double> root_weight(drawn.roots.size(), 1.0 / static_cast<double>(drawn.roots.size()));
    const AndOrGraph graph = drawn.graph();
    const auto answers = drawn.answers();
    ClassShares all(graph, answers, edge_weight, root_weight, drawn.n_classes, bytes.below(3000));
    try {
        const std::vector<double> shares = all.find(draw_tick(bytes));
        for (std::size_t row = 0; row < drawn.n_rows; ++row) {
            double sum = 0;
            for (std::size_t c = 0; c < drawn.n_classes; ++c) sum += shares[row * drawn.n_classes + c];
            expect(std::abs(sum - 1) < 1e-9, "the shares of a row make one");
        }
    } catch (const TimeIsOver&) {
    }
}

const Target best("best trees", choose), shares("class shares", share);

}  // namespace
}  // namespace puretree::fuzz
