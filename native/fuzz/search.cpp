// The exact search: interrupted at any tick and continued, it has the same result as without interruption; its trees
// are pure and reach its bound, the greedy tree is no smaller, the trees of the forest have the minimum size, and a
// proof log can be written.
#include "../search/search.hpp"

#include <optional>
#include <string>

#include "../greedy.hpp"
#include "../search/proof/lemmas.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

constexpr std::size_t kMaxTicks = 20'000;  // the proof for random labels can take hours

Constraints draw_constraints(Bytes& bytes, const Problem& problem) {
    Constraints constraints;
    constraints.n_rows.resize(problem.labels.size());
    for (auto& n_rows : constraints.n_rows) n_rows = 1 + static_cast<std::int64_t>(bytes.below(3));
    if (bytes.one_in(3)) {
        constraints.feature_costs.emplace(problem.n_features);
        for (auto& cost : *constraints.feature_costs) cost = bytes.one_in(8) ? 1'000'000'000 : 1 + bytes.byte() % 4;
    }
    if (bytes.one_in(4)) {
        constraints.root_features.emplace(problem.n_features);
        for (auto& is_allowed : *constraints.root_features) is_allowed = bytes.one_in(3);
    }
    if (bytes.one_in(3)) constraints.max_depth = static_cast<Depth>(bytes.below(7));
    if (bytes.one_in(3)) constraints.min_samples_leaf = 1 + static_cast<std::int64_t>(bytes.below(5));
    return constraints;
}

// The value of a tree, and whether it satisfies the constraints.
struct Evaluation {
    Value value = 0;
    bool is_allowed = true;
};

Evaluation evaluate(const GrownTree& tree, const Problem& problem, const Constraints& constraints) {
    Evaluation evaluation;
    std::vector<std::size_t> depth(tree.left.size());
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        if (tree.left[node] < 0) continue;
        evaluation.value += constraints.cost(static_cast<std::uint32_t>(tree.feature[node]));
        const auto left = static_cast<std::size_t>(tree.left[node]);
        depth[left] = depth[left + 1] = depth[node] + 1;
        evaluation.is_allowed &= depth[left] <= constraints.max_depth || constraints.max_depth == kAnyDepth;
    }
    if (tree.left[0] < 0) return evaluation;  // a single leaf satisfies min_samples_leaf as far as possible
    evaluation.is_allowed &= constraints.may_be_root(static_cast<std::uint32_t>(tree.feature[0]));
    std::vector<std::int64_t> n_rows(tree.left.size());
    for (std::size_t i = 0; i < problem.labels.size(); ++i) {
        n_rows[leaf_of(tree, problem.rows(), i)] += constraints.n_rows[i];
    }
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        evaluation.is_allowed &= tree.left[node] >= 0 || n_rows[node] >= constraints.min_samples_leaf;
    }
    return evaluation;
}

// The reports of a search.
struct Reports {
    Value lower = 0;
    Value best = kInfeasible;  // of the allowed trees
    std::optional<bool> result;  // none if the ticks were not sufficient
};

// Runs until the end or up to kMaxTicks, with an interruption after every `pause` ticks.
Reports run(Search& search, const Problem& problem, const Constraints& constraints, std::size_t pause) {
    Reports reports;
    const SearchCallbacks callbacks{[&](Value lower) {
                                        expect(lower > reports.lower, "reported bounds increase");
                                        reports.lower = lower;
                                    },
                                    [&](const GrownTree& tree) {
                                        expect_sound(tree, problem);
                                        const Evaluation evaluation = evaluate(tree, problem, constraints);
                                        if (evaluation.is_allowed) reports.best = std::min(reports.best, evaluation.value);
                                    }};
    for (std::size_t n_ticks = 0; !reports.result && n_ticks < kMaxTicks;) {
        std::size_t since = 0;
        try {
            reports.result = search.run(kInfeasible, callbacks, [&] {
                if (++n_ticks >= kMaxTicks || ++since >= pause) throw TimeLimitReached{};
            });
        } catch (const TimeLimitReached&) {
            pause += pause / 2 + 1;  // otherwise work longer than a pause would never finish
        }
    }
    expect(reports.lower <= reports.best, "no tree is below the lower bound");
    if (reports.result == true) expect(reports.lower == reports.best, "a finished search has a tree at the lower bound");
    if (reports.result == false) expect(reports.best == kInfeasible, "an infeasible problem has no tree");
    return reports;
}

// A random tree of the forest.
GrownTree random_tree(Bytes& bytes, const Forest& forest, std::int32_t root) {
    GrownTree tree;
    std::vector<std::int32_t> queue{root};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const auto node = static_cast<std::size_t>(queue[at]);
        if (forest.label[node] >= 0) {
            tree.add_leaf(forest.label[node]);
            continue;
        }
        const auto begin = static_cast<std::size_t>(forest.edge_start[node]);
        const auto end = static_cast<std::size_t>(forest.edge_start[node + 1]);
        expect(begin < end, "an inner node has edges");
        const std::size_t edge = begin + bytes.below(end - begin);
        tree.add_inner(static_cast<std::size_t>(forest.feature[edge]));
        queue.push_back(forest.no[edge]);
        queue.push_back(forest.yes[edge]);
    }
    return tree;
}

void find_forest(Bytes& bytes, Search& search, const Problem& problem, const Constraints& constraints, Value size) {
    const std::size_t extra = bytes.below(3), max_bytes = bytes.one_in(4) ? bytes.below(20'000) : 1 << 24;
    std::optional<Forest> forest;
    try {
        for (std::size_t pause = 1 + bytes.below(100); !forest && pause < kMaxTicks; pause *= 3) {
            std::size_t n_ticks = 0;
            try {
                forest = search.find_forest(static_cast<std::size_t>(size), extra, max_bytes, [&] {
                    if (++n_ticks >= pause) throw TimeLimitReached{};
                });
            } catch (const TimeLimitReached&) {
            }
        }
    } catch (const ForestTooLarge&) {
    }
    if (!forest) return;
    expect(!forest->roots.empty(), "there is a minimum tree");
    for (const std::int32_t root : forest->roots) {
        const GrownTree tree = random_tree(bytes, *forest, root);
        expect_sound(tree, problem);
        expect(static_cast<std::int32_t>(n_tests(tree)) == forest->size[static_cast<std::size_t>(root)],
               "a tree has the stated size");
        expect(evaluate(tree, problem, constraints).is_allowed, "trees of a forest satisfy the constraints");
    }
    expect(forest->size[static_cast<std::size_t>(forest->roots.front())] == size, "the first trees are minimum");
}

// A log can be written for every bound of a run, even if the memo has dropped most entries; an interruption changes
// nothing.
void write_proof(Bytes& bytes, Search& search, Value bound) {
    const std::size_t max_bytes = bytes.one_in(4) ? bytes.below(20'000) : 1 << 24;
    std::string log;
    try {
        for (std::size_t pause = 1 + bytes.below(100); log.empty() && pause < kMaxTicks; pause *= 3) {
            std::size_t n_ticks = 0;
            try {
                log = search.write_proof(bound, max_bytes, [&] {
                    if (++n_ticks >= pause) throw TimeLimitReached{};
                });
            } catch (const TimeLimitReached&) {
            }
        }
    } catch (const ProofTooLarge&) {
    }
    expect(log.empty() || log.ends_with("end\n"), "a log is complete");
}

void search(Bytes& bytes) {
    const bool is_large = bytes.one_in(3);
    const Problem problem = draw_problem(bytes, is_large ? 140 : 30, is_large ? 70 : 9);
    const Constraints constraints = draw_constraints(bytes, problem);
    const std::size_t max_bytes = bytes.one_in(3) ? bytes.below(200'000) : 1 << 24;
    Search interrupted(problem.words, problem.n_features, problem.labels, problem.n_classes, constraints, max_bytes);
    const Reports reports = run(interrupted, problem, constraints, 1 + bytes.below(bytes.flag() ? 50 : 3000));
    if (!reports.result) return;
    Search uninterrupted(problem.words, problem.n_features, problem.labels, problem.n_classes, constraints, 1 << 24);
    const Reports reference = run(uninterrupted, problem, constraints, SIZE_MAX / 4);
    if (reference.result) {
        expect(reference.result == reports.result && reference.best == reports.best, "an interruption changes no result");
    }
    if (*reports.result && constraints.counts_nodes() && constraints.is_monotone()) {
        write_proof(bytes, interrupted, reports.lower);
    }
    if (*reports.result && constraints.counts_nodes()) {
        find_forest(bytes, interrupted, problem, constraints, reports.lower);
        const auto greedy =
            grow_greedily(problem.rows(), problem.labels, static_cast<int>(problem.n_classes), [] { return true; });
        const bool is_allowed = evaluate(greedy, problem, constraints).is_allowed;
        if (is_allowed) {
            expect(static_cast<Value>(n_tests(greedy)) >= reports.lower, "the greedy tree is not below the lower bound");
        }
    }
}

const Target exact("search", search, 12);

}  // namespace
}  // namespace puretree::fuzz
