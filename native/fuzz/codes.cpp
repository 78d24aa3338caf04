// The kernels for tables of codes: grown trees are pure, features are distinct partitions, the exact search has the
// result of the explicit problem however it is interrupted, and a tree whose parts are replaced remains consistent.
#include <optional>
#include <stdexcept>

#include "../codes/binarised.hpp"
#include "../codes/grow.hpp"
#include "../codes/improvement.hpp"
#include "../codes/part.hpp"
#include "../codes/search.hpp"
#include "../tests/code_checks.hpp"
#include "target.hpp"

namespace puretree::fuzz {
namespace {

using testing::CodeProblem;

constexpr std::size_t kMaxTicks = 10'000;
constexpr std::size_t kMuchMemory = std::size_t{1} << 24;

void expect_none(const char* violated) { expect(violated == nullptr, violated); }

CodeProblem draw_codes(Bytes& bytes, std::size_t most_rows) {
    const std::size_t n_rows = bytes.size(1, most_rows), n_columns = 1 + bytes.below(6), n_codes = 1 + bytes.below(40);
    const std::size_t n_classes = 1 + bytes.below(4), noise = bytes.one_in(4) ? 0 : 1 + bytes.below(40);
    return testing::draw_code_problem([&](std::size_t end) { return bytes.below(end); },
                                      {n_rows, n_columns, n_codes, n_classes, noise});
}

CodeTree grow(const CodeProblem& problem, const GrowOptions& options, std::size_t calls_left = SIZE_MAX) {
    return grow_code_tree(problem.codes(), problem.labels, problem.n_classes, options,
                          [&] { return calls_left > 0 && calls_left-- > 0; });
}

std::vector<std::uint8_t> draw_roots(Bytes& bytes, std::size_t n_columns) {
    std::vector<std::uint8_t> may_be_root(bytes.one_in(3) ? n_columns : 0);
    for (auto& flag : may_be_root) flag = bytes.flag();
    return may_be_root;
}

void grow_and_binarise(Bytes& bytes) {
    const CodeProblem problem = draw_codes(bytes, bytes.one_in(4) ? 3000 : 140);
    const GrowOptions options{bytes.flag(), bytes.flag() ? 1 : static_cast<double>(bytes.byte()) / 256, bytes.word()};
    const CodeTree tree = grow(problem, options, bytes.flag() ? SIZE_MAX : bytes.below(4));
    expect_none(testing::check_code_tree(tree, problem.codes(), problem.labels));
    const auto may_be_root = draw_roots(bytes, problem.n_columns);
    std::vector<std::uint32_t> rows;
    for (std::size_t n = bytes.size(1, 100); n > 0; --n) {
        rows.push_back(static_cast<std::uint32_t>(bytes.below(problem.labels.size())));
    }
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    const BinarisedRows binarised = binarise(problem.codes(), rows, may_be_root);
    expect_none(testing::check_binarised(binarised, problem.codes(), rows, may_be_root));
}

struct Reports {
    Value lower = 0;
    Value best = kInfeasible;    // of the allowed trees
    std::optional<bool> result;  // none if the ticks were not sufficient
};

Reports run(const CodeProblem& problem, const CodeConstraints& constraints, std::size_t max_bytes, std::size_t pause) {
    Reports reports;
    CodeSearch search(problem.codes(), problem.labels, problem.n_classes, constraints, max_bytes);
    const CodeCallbacks callbacks{
        [&](Value lower) {
            expect(lower > reports.lower, "reported bounds increase");
            reports.lower = lower;
        },
        [&](const CodeTree& tree) {
            expect_none(testing::check_code_tree(tree, problem.codes(), problem.labels));
            const auto& may_be_root = constraints.may_be_root;
            expect(may_be_root.empty() || tree.is_leaf(0) || may_be_root[tree.test(0).column], "the root is allowed");
            if (constraints.max_depth != kAnyDepth && tree.depth() > constraints.max_depth) return;
            reports.best = std::min(reports.best, static_cast<Value>(tree.n_tests()));
        }};
    for (std::size_t n_ticks = 0; !reports.result && n_ticks < kMaxTicks;) {
        std::size_t since = 0;
        try {
            reports.result = search.run(kInfeasible, callbacks, [&] {
                if (++n_ticks >= kMaxTicks || ++since >= pause) throw TimeLimitReached{};
            });
        } catch (const TimeLimitReached&) {
            pause += pause / 2 + 1;
        }
    }
    expect(reports.lower <= reports.best, "no tree is below the lower bound");
    if (reports.result == true) expect(reports.lower == reports.best, "a finished search has a minimum tree");
    if (reports.result == false) expect(reports.best == kInfeasible, "an infeasible problem has no tree");
    return reports;
}

void search(Bytes& bytes) {
    const CodeProblem problem = draw_codes(bytes, bytes.one_in(3) ? 600 : 40);
    CodeConstraints constraints;
    if (bytes.one_in(3)) constraints.max_depth = static_cast<Depth>(bytes.below(7));
    constraints.may_be_root = draw_roots(bytes, problem.n_columns);
    const std::size_t max_bytes = bytes.one_in(3) ? bytes.below(200'000) : kMuchMemory;
    const Reports reports = run(problem, constraints, max_bytes, 1 + bytes.below(bytes.flag() ? 50 : 3000));
    Search reference = testing::make_explicit_search(problem, constraints.max_depth, constraints.may_be_root);
    Value best = kInfeasible, n_ticks = 0;
    std::optional<bool> result;
    try {
        result = reference.run(kInfeasible, {[&](Value lower) { best = lower; }, [](const GrownTree&) {}}, [&] {
            if (++n_ticks > static_cast<Value>(kMaxTicks)) throw TimeLimitReached{};
        });
    } catch (const TimeLimitReached&) {
    }
    if (!result) return;
    const Value least = !*result ? kInfeasible : best == kInfeasible ? 0 : best;
    expect(reports.lower <= least && least <= reports.best, "the minimum is between the bounds");
    if (reports.result) expect(*reports.result == *result, "the search has the result of the explicit problem");
}

// A random part is replaced by a random pure tree of its rows.
void replace(Bytes& bytes) {
    const CodeProblem problem = draw_codes(bytes, 100);
    RowTree tree(problem.codes(), problem.labels, problem.n_classes, grow(problem, {false, 0, bytes.word()}));
    expect_none(testing::check_row_tree(tree, problem));
    for (std::size_t n = bytes.below(12); n > 0; --n) {
        const std::size_t node = bytes.below(tree.n_slots()), max_tests = 1 + bytes.below(20);
        expect_none(testing::check_largest_subtrees(tree, max_tests));
        if (!tree.is_node(node) || tree.node(node).is_leaf()) continue;
        expect_none(testing::check_branches(tree, node, max_tests, problem.n_classes));
        const auto branches = tree.branches_below(node, max_tests);
        const CodeTable part = tree.copy_part(node, branches);
        CodeTree made = grow_code_tree(part.view(), part.labels, problem.n_classes + branches.size(),
                                       {false, 0.6, bytes.word()}, [] { return true; });
        const bool is_changed = bytes.one_in(8);
        if (is_changed) {
            auto& label = made.label.back();  // of a leaf
            label = static_cast<std::int32_t>(bytes.below(problem.n_classes + branches.size()));
        }
        const std::size_t n_before = tree.n_tests();
        try {
            expect(tree.replace(node, branches, made) == (tree.n_tests() < n_before), "a replaced part is smaller");
        } catch (const std::invalid_argument&) {
            expect(is_changed, "the tree of a part is pure");
        }
        expect(tree.n_tests() <= n_before, "a tree does not become larger");
        expect_none(testing::check_row_tree(tree, problem));
    }
}

void improve(Bytes& bytes) {
    const CodeProblem problem = draw_codes(bytes, bytes.one_in(3) ? 500 : 120);
    const CodeTree first = grow(problem, {false, 0, bytes.word()});
    const Depth max_depth = bytes.one_in(3) ? static_cast<Depth>(first.depth()) : kAnyDepth;
    const bool has_fixed_root = bytes.one_in(3);
    Improvement improvement(problem.codes(), problem.labels, problem.n_classes, first, max_depth, has_fixed_root,
                            bytes.word());
    for (std::size_t n = 1 + bytes.below(12); n > 0; --n) {
        for (const Part& part : improvement.next_batch(1 + bytes.below(20))) {
            std::size_t n_left = bytes.one_in(3) ? bytes.below(100) : kMaxTicks;
            const auto tick = [&] {
                if (n_left == 0) throw TimeLimitReached{};
                --n_left;
            };
            const CodeTable table = improvement.copy_part(part);
            const PartLimits limits{part.max_depth, 1 + bytes.below(400), kMuchMemory};
            const std::size_t n_labels = improvement.n_labels(part), n_before = improvement.n_tests();
            const bool regrows = improvement.move(part).kind == Move::Kind::regrow;
            const PartResult result =
                regrows ? regrow_part(table.view(), table.labels, n_labels, part.cutoff, part.seed, limits, tick)
                        : solve_part(table.view(), table.labels, n_labels, part.cutoff, limits, tick);
            if (result.tree) {
                expect_none(testing::check_code_tree(*result.tree, table.view(), table.labels));
                expect(static_cast<Value>(result.tree->n_tests()) < part.cutoff, "the tree of a part is smaller");
            }
            const std::size_t n_saved = improvement.apply(part, result);
            expect(improvement.n_tests() + n_saved == n_before, "a tree does not become larger");
        }
        const CodeTree tree = improvement.tree();
        expect_none(testing::check_code_tree(tree, problem.codes(), problem.labels));
        expect(max_depth == kAnyDepth || tree.depth() <= max_depth, "a tree is not too deep");
        const bool has_same_root = tree.column[0] == first.column[0] && tree.code[0] == first.code[0];
        expect(has_same_root || !has_fixed_root, "the root is fixed");
    }
}

const Target growth("code growth", grow_and_binarise), exact("code search", search, 6), rows("row tree", replace, 2),
    improvement("improvement", improve, 4);

}  // namespace
}  // namespace puretree::fuzz
