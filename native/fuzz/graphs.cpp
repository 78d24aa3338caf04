// Best trees and class fractions of AND/OR graphs: trees sampled from the result have the stated score, and the
// fractions of a row sum to one.
#include <cmath>
#include <optional>

#include "../best_trees.hpp"
#include "../class_fractions.hpp"
#include "../search/value.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

struct RandomGraph {
    std::size_t n_classes, n_tests, n_rows;
    std::vector<std::int32_t> label, test, no, yes, roots;
    std::vector<std::int64_t> edge_start{0};
    std::vector<Word> words;

    AndOrGraph graph() const { return {label, edge_start, test, no, yes, roots}; }
    BitRows<const Word> answers() const { return {words.data(), n_tests, n_rows}; }
};

RandomGraph draw_graph(Bytes& bytes) {
    RandomGraph random{1 + bytes.below(4), 1 + bytes.below(6), bytes.size(0, 70), {}, {}, {}, {}, {}, {0}, {}};
    random.words = draw_bits(bytes, random.n_tests, random.n_rows);
    for (std::size_t node = 0, n_nodes = 1 + bytes.below(14); node < n_nodes; ++node) {
        const bool is_leaf = node == 0 || bytes.one_in(3);
        random.label.push_back(is_leaf ? static_cast<std::int32_t>(bytes.below(random.n_classes)) : -1);
        for (std::size_t n = is_leaf ? 0 : 1 + bytes.below(3); n-- > 0;) {
            random.test.push_back(static_cast<std::int32_t>(bytes.below(random.n_tests)));
            random.no.push_back(static_cast<std::int32_t>(bytes.below(node)));
            random.yes.push_back(static_cast<std::int32_t>(bytes.below(node)));
        }
        random.edge_start.push_back(static_cast<std::int64_t>(random.test.size()));
    }
    for (std::size_t n = 1 + bytes.below(3); n-- > 0;) {
        random.roots.push_back(static_cast<std::int32_t>(bytes.below(random.label.size())));
    }
    return random;
}

// Throws after a random number of calls, in one of four cases.
std::function<void()> draw_tick(Bytes& bytes) {
    if (!bytes.one_in(4)) return [] {};
    return [left = bytes.below(60)]() mutable {
        if (left-- == 0) throw TimeLimitReached{};
    };
}

// A random tree of the result, and the class that it predicts for a row.
class RandomTree {
public:
    RandomTree(Bytes& bytes, const RandomGraph& graph, const BestTrees& best, std::int32_t root)
        : graph_(graph), best_(best) {
        grow(bytes, root, 0);
    }

    std::int32_t label(std::size_t row) const {
        std::size_t at = 0;
        while (nodes_[at].test >= 0) {
            const bool is_yes = graph_.answers().bit(static_cast<std::size_t>(nodes_[at].test), row);
            at = is_yes ? nodes_[at].yes : nodes_[at].no;
        }
        return nodes_[at].label;
    }

private:
    struct Node {
        std::int32_t test, label;
        std::size_t no, yes;
    };

    std::size_t grow(Bytes& bytes, std::int32_t number, int depth) {
        const auto node = static_cast<std::size_t>(number);
        const std::size_t here = nodes_.size();
        nodes_.push_back({-1, graph_.label[static_cast<std::size_t>(best_.node[node])], 0, 0});
        const auto begin = static_cast<std::size_t>(best_.edge_start[node]);
        const auto end = static_cast<std::size_t>(best_.edge_start[node + 1]);
        expect((begin == end) == (nodes_[here].label >= 0) && depth < 20, "a node without edges is a leaf, and no other");
        if (begin == end) return here;
        const std::size_t edge = begin + bytes.below(end - begin);
        nodes_[here].test = graph_.test[static_cast<std::size_t>(best_.edge[edge])];
        const std::size_t no = grow(bytes, best_.no[edge], depth + 1), yes = grow(bytes, best_.yes[edge], depth + 1);
        nodes_[here].no = no;
        nodes_[here].yes = yes;
        return here;
    }

    const RandomGraph& graph_;
    const BestTrees& best_;
    std::vector<Node> nodes_;
};

void find_best(Bytes& bytes) {
    const RandomGraph random = draw_graph(bytes);
    std::vector<double> scores(random.n_rows * random.n_classes);
    for (double& score : scores) score = static_cast<double>(bytes.between(-2, 2));
    const std::int64_t max_loss = bytes.flag() ? 0 : static_cast<std::int64_t>(bytes.below(5));
    std::optional<BestTrees> best;
    try {
        best = find_best_trees(random.graph(), random.answers(), scores, random.n_classes, max_loss,
                               bytes.one_in(8) ? bytes.below(100'000) : 1 << 26, draw_tick(bytes));
    } catch (const TimeLimitReached&) {
    } catch (const BestTreesTooLarge&) {
    }
    if (!best) return;
    expect(!best->roots.empty() && best->losses.front() == 0, "there is a best tree");
    for (std::size_t i = 0; i < best->roots.size(); ++i) {
        expect(best->losses[i] <= max_loss, "no tree exceeds the maximum loss");
        const RandomTree tree(bytes, random, *best, best->roots[i]);
        double score = 0;
        for (std::size_t row = 0; row < random.n_rows; ++row) {
            score += scores[row * random.n_classes + static_cast<std::size_t>(tree.label(row))];
        }
        expect(score == best->score - static_cast<double>(best->losses[i]), "a tree has the stated score");
    }
}

void compute_fractions(Bytes& bytes) {
    const RandomGraph random = draw_graph(bytes);
    std::vector<double> edge_weight;
    for (std::size_t node = 0; node < random.label.size(); ++node) {
        const auto n_edges = static_cast<std::size_t>(random.edge_start[node + 1] - random.edge_start[node]);
        edge_weight.insert(edge_weight.end(), n_edges, 1.0 / static_cast<double>(std::max<std::size_t>(1, n_edges)));
    }
    const std::vector<double> root_weight(random.roots.size(), 1.0 / static_cast<double>(random.roots.size()));
    const AndOrGraph graph = random.graph();
    const auto answers = random.answers();
    std::vector<double> votes(random.n_classes * random.n_classes);
    for (std::size_t c = 0; c < random.n_classes; ++c) votes[c * random.n_classes + c] = 1;
    ClassFractions all(graph, answers, votes, edge_weight, root_weight, random.n_classes, bytes.below(3000));
    try {
        const std::vector<double> fractions = all.find(draw_tick(bytes));
        for (std::size_t row = 0; row < random.n_rows; ++row) {
            double sum = 0;
            for (std::size_t c = 0; c < random.n_classes; ++c) sum += fractions[row * random.n_classes + c];
            expect(std::abs(sum - 1) < 1e-9, "the fractions of a row sum to one");
        }
    } catch (const TimeLimitReached&) {
    }
}

const Target best("best trees", find_best), fractions("class fractions", compute_fractions);

}  // namespace
}  // namespace puretree::fuzz
