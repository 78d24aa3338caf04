// The exact search: interrupted at any tick and run again it ends where an undisturbed one does; its trees are pure, its
// bounds are theirs, the greedy tree is no smaller, the forest holds trees of the size that was proved, and a log tells
// why.
#include "../search/search.hpp"

#include <optional>
#include <string>

#include "../greedy.hpp"
#include "../search/proof/lemmas.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

constexpr std::size_t kMostTicks = 20'000;  // noise can take hours to prove

Wishes draw_wishes(Bytes& bytes, const Problem& problem) {
    Wishes wishes;
    wishes.n_rows.resize(problem.labels.size());
    for (auto& n_rows : wishes.n_rows) n_rows = 1 + static_cast<std::int64_t>(bytes.below(3));
    if (bytes.one_in(3)) {
        wishes.weights.resize(problem.n_features);
        for (auto& weight : wishes.weights) weight = bytes.one_in(8) ? 1'000'000'000 : 1 + bytes.byte() % 4;
    }
    if (bytes.one_in(4)) {
        wishes.is_root.resize(problem.n_features);
        for (auto& is_root : wishes.is_root) is_root = bytes.one_in(3);
    }
    if (bytes.one_in(3)) wishes.max_depth = static_cast<Depth>(bytes.below(7));
    if (bytes.one_in(3)) wishes.min_leaf = 1 + static_cast<std::int64_t>(bytes.below(5));
    return wishes;
}

// Of a tree: its value, and whether it keeps to the wishes.
struct Judgement {
    Value value = 0;
    bool is_allowed = true;
};

Judgement judge(const GrownTree& tree, const Problem& problem, const Wishes& wishes) {
    Judgement judgement;
    std::vector<std::size_t> depth(tree.left.size());
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        if (tree.left[node] < 0) continue;
        judgement.value += wishes.weight(static_cast<std::uint32_t>(tree.feature[node]));
        const auto left = static_cast<std::size_t>(tree.left[node]);
        depth[left] = depth[left + 1] = depth[node] + 1;
        judgement.is_allowed &= depth[left] <= wishes.max_depth || wishes.max_depth == kAnyDepth;
    }
    if (tree.left[0] < 0) return judgement;  // a single leaf is as large as it can be
    if (!wishes.is_root.empty()) judgement.is_allowed &= wishes.is_root[static_cast<std::size_t>(tree.feature[0])] != 0;
    std::vector<std::int64_t> n_rows(tree.left.size());
    for (std::size_t i = 0; i < problem.labels.size(); ++i) n_rows[leaf_of(tree, problem.rows(), i)] += wishes.n_rows[i];
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        judgement.is_allowed &= tree.left[node] >= 0 || n_rows[node] >= wishes.min_leaf;
    }
    return judgement;
}

// A search and what it told.
struct Told {
    Value lower = 0;
    Value best = kImpossible;  // of the allowed trees
    std::optional<bool> end;   // none if the ticks were not enough
};

// Runs until the end or until the ticks are over; throws inside at every `pause` ticks and runs again.
Told run(Search& search, const Problem& problem, const Wishes& wishes, std::size_t pause) {
    Told told;
    const News news{[&](Value lower) {
                        expect(lower > told.lower, "a bound that is told is better");
                        told.lower = lower;
                    },
                    [&](const GrownTree& tree) {
                        expect_sound(tree, problem);
                        const Judgement judgement = judge(tree, problem, wishes);
                        if (judgement.is_allowed) told.best = std::min(told.best, judgement.value);
                    }};
    for (std::size_t n_ticks = 0; !told.end && n_ticks < kMostTicks;) {
        std::size_t since = 0;
        try {
            told.end = search.run(kImpossible, news, [&] {
                if (++n_ticks >= kMostTicks || ++since >= pause) throw TimeIsOver{};
            });
        } catch (const TimeIsOver&) {
            pause += pause / 2 + 1;  // or nothing larger than a pause would ever be done
        }
    }
    expect(told.lower <= told.best, "no tree is below the bound");
    if (told.end == true) expect(told.lower == told.best, "the end is a tree at the bound");
    if (told.end == false) expect(told.best == kImpossible, "where there is no tree, none was found");
    return told;
}

// Follows drawn edges to one tree of the forest.
GrownTree pick(Bytes& bytes, const Forest& forest, std::int32_t root) {
    GrownTree tree;
    std::vector<std::int32_t> waiting{root};
    for (std::size_t at = 0; at < waiting.size(); ++at) {
        const auto node = static_cast<std::size_t>(waiting[at]);
        if (forest.label[node] >= 0) {
            tree.add_leaf(forest.label[node]);
            continue;
        }
        const auto begin = static_cast<std::size_t>(forest.edge_start[node]);
        const auto end = static_cast<std::size_t>(forest.edge_start[node + 1]);
        expect(begin < end, "a node that is no leaf has edges");
        const std::size_t edge = begin + bytes.below(end - begin);
        tree.add_inner(static_cast<std::size_t>(forest.feature[edge]));
        waiting.push_back(forest.no[edge]);
        waiting.push_back(forest.yes[edge]);
    }
    return tree;
}

void find_forest(Bytes& bytes, Search& search, const Problem& problem, const Wishes& wishes, Value size) {
    const std::size_t extra = bytes.below(3), max_bytes = bytes.one_in(4) ? bytes.below(20'000) : 1 << 24;
    std::optional<Forest> forest;
    try {
        for (std::size_t pause = 1 + bytes.below(100); !forest && pause < kMostTicks; pause *= 3) {
            std::size_t n_ticks = 0;
            try {
                forest = search.find_forest(static_cast<std::size_t>(size), extra, max_bytes, [&] {
                    if (++n_ticks >= pause) throw TimeIsOver{};
                });
            } catch (const TimeIsOver&) {
            }
        }
    } catch (const ForestTooLarge&) {
    }
    if (!forest) return;
    expect(!forest->roots.empty(), "there is a smallest tree");
    for (const std::int32_t root : forest->roots) {
        const GrownTree tree = pick(bytes, *forest, root);
        expect_sound(tree, problem);
        expect(static_cast<std::int32_t>(n_tests(tree)) == forest->size[static_cast<std::size_t>(root)], "a size is true");
        expect(judge(tree, problem, wishes).is_allowed, "trees of a forest keep to the wishes");
    }
    expect(forest->size[static_cast<std::size_t>(forest->roots.front())] == size, "the first trees are smallest");
}

// Of what a run has shown there is a log, however little of the memo is left; a pause in between leaves the search as it was.
void write_proof(Bytes& bytes, Search& search, Value bound) {
    const std::size_t max_bytes = bytes.one_in(4) ? bytes.below(20'000) : 1 << 24;
    std::string log;
    try {
        for (std::size_t pause = 1 + bytes.below(100); log.empty() && pause < kMostTicks; pause *= 3) {
            std::size_t n_ticks = 0;
            try {
                log = search.write_proof(bound, max_bytes, [&] {
                    if (++n_ticks >= pause) throw TimeIsOver{};
                });
            } catch (const TimeIsOver&) {
            }
        }
    } catch (const ProofTooLarge&) {
    }
    expect(log.empty() || log.ends_with("end\n"), "a log is whole");
}

void search(Bytes& bytes) {
    const bool is_large = bytes.one_in(3);
    const Problem problem = draw_problem(bytes, is_large ? 140 : 30, is_large ? 70 : 9);
    const Wishes wishes = draw_wishes(bytes, problem);
    const std::size_t max_bytes = bytes.one_in(3) ? bytes.below(200'000) : 1 << 24;
    Search interrupted(problem.words, problem.n_features, problem.labels, problem.n_classes, wishes, max_bytes);
    const Told told = run(interrupted, problem, wishes, 1 + bytes.below(bytes.flag() ? 50 : 3000));
    if (!told.end) return;
    Search undisturbed(problem.words, problem.n_features, problem.labels, problem.n_classes, wishes, 1 << 24);
    const Told same = run(undisturbed, problem, wishes, SIZE_MAX / 4);
    if (same.end) expect(same.end == told.end && same.best == told.best, "an interruption changes no answer");
    if (*told.end && wishes.counts_nodes() && wishes.is_monotone()) write_proof(bytes, interrupted, told.lower);
    if (*told.end && wishes.counts_nodes()) {
        find_forest(bytes, interrupted, problem, wishes, told.lower);
        const auto greedy =
            grow_greedily(problem.rows(), problem.labels, static_cast<int>(problem.n_classes), [] { return true; });
        const bool counts = judge(greedy, problem, wishes).is_allowed;
        if (counts) expect(static_cast<Value>(n_tests(greedy)) >= told.lower, "greedy is no smaller");
    }
}

const Target exact("search", search, 12);

}  // namespace
}  // namespace puretree::fuzz
