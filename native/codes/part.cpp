#include "part.hpp"

#include <cmath>
#include <unordered_set>
#include <vector>

#include "grow.hpp"
#include "row_tree.hpp"

namespace puretree {
namespace {

constexpr double kEntriesPerWork = 1000;  // codes that the greedy growth reads
constexpr double kColumnFractions[] = {0.5, 0.7, 0.9};
// A grown tree that is so much larger than the one to be replaced does not become smaller by what follows.
constexpr double kHopelessRatio = 1.3;
constexpr std::size_t kHopelessTests = 2;
// Sizes and ticks of the subtrees that are replaced by minimum ones, in this order.
constexpr std::size_t kSubtreeTests[] = {4, 8, 8};
constexpr std::size_t kSubtreeTicks = 300;

struct BudgetSpent {};

// Calls `tick`, counts, and throws BudgetSpent after `max_ticks`.
class Budget {
public:
    Budget(std::size_t max_ticks, const std::function<void()>& tick) : max_ticks_(max_ticks), tick_(tick) {}

    void operator()() {
        if (++n_ticks_ > max_ticks_) throw BudgetSpent{};
        tick_();
    }
    std::size_t n_ticks() const { return n_ticks_; }

private:
    std::size_t max_ticks_;
    const std::function<void()>& tick_;
    std::size_t n_ticks_ = 0;
};

bool is_within(const CodeTree& tree, Depth max_depth) { return max_depth == kAnyDepth || tree.depth() <= max_depth; }

// The work of the exact search: a tick takes the longer, the more features there are, from half a microsecond for 30 of
// them to 40 for some thousands.
double work_of_search(std::size_t n_ticks, std::size_t n_features) {
    return static_cast<double>(n_ticks) * std::sqrt(static_cast<double>(n_features)) / 10;
}

// Replaces the largest subtrees with at most `max_tests` tests by minimum ones, except those of `optimal_sets`.
void minimise_subtrees(RowTree& tree, std::size_t max_tests, std::size_t n_classes, std::size_t max_bytes,
                       std::unordered_set<std::uint64_t>& optimal_sets, Budget& budget, double& work) {
    for (const std::int32_t node : tree.largest_subtrees(max_tests)) {
        const RowTree::Node top = tree.node(static_cast<std::size_t>(node));
        if (top.n_tests < 2 || optimal_sets.contains(top.hash)) continue;
        const CodeTable part = tree.copy_part(static_cast<std::size_t>(node), {});
        const PartResult result = solve_part(part.view(), part.labels, n_classes, top.n_tests,
                                             {kAnyDepth, kSubtreeTicks, max_bytes}, [&] { budget(); });
        work += result.work;
        if (result.tree) {
            tree.replace(static_cast<std::size_t>(node), {}, *result.tree);
        } else {
            optimal_sets.insert(top.hash);  // or too hard for the budget, now and later
        }
    }
}

}  // namespace

PartResult solve_part(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, Value cutoff,
                      const PartLimits& limits, const std::function<void()>& tick) {
    PartResult result;
    CodeSearch search(codes, {labels.begin(), labels.end()}, n_classes, {limits.max_depth, {}}, limits.max_bytes);
    const auto keep = [&](const CodeTree& tree) {
        const bool is_better = static_cast<Value>(tree.n_tests()) < cutoff &&
                               (!result.tree || tree.n_tests() < result.tree->n_tests());
        if (is_better && is_within(tree, limits.max_depth)) result.tree = tree;
    };
    Budget budget(limits.max_ticks, tick);
    try {
        search.run(cutoff, {[](Value) {}, keep}, [&] { budget(); });
        result.is_minimum = true;
    } catch (const BudgetSpent&) {
    } catch (const TimeLimitReached&) {
    }
    result.work = work_of_search(budget.n_ticks(), search.n_features());
    return result;
}

PartResult regrow_part(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, Value cutoff,
                       std::uint64_t seed, const PartLimits& limits, const std::function<void()>& tick) {
    PartResult result;
    Budget budget(limits.max_ticks, tick);
    std::optional<RowTree> grown;
    try {
        const double fraction = kColumnFractions[seed % std::size(kColumnFractions)];
        const CodeTree first = grow_code_tree(codes, labels, n_classes, {false, fraction, seed}, [&] {
            tick();
            return true;
        });
        const std::size_t n_entries = codes.n_columns * codes.n_rows * (first.depth() + 1);
        result.work += static_cast<double>(n_entries) / kEntriesPerWork;
        grown.emplace(codes, labels, n_classes, first);
        const double hopeless = kHopelessRatio * static_cast<double>(cutoff) + kHopelessTests;
        if (static_cast<double>(grown->n_tests()) < hopeless) {
            std::unordered_set<std::uint64_t> optimal_sets;
            for (const std::size_t max_tests : kSubtreeTests) {
                minimise_subtrees(*grown, max_tests, n_classes, limits.max_bytes, optimal_sets, budget, result.work);
            }
        }
    } catch (const BudgetSpent&) {
    } catch (const TimeLimitReached&) {
    }
    if (grown && static_cast<Value>(grown->n_tests()) < cutoff) {
        CodeTree tree = grown->to_tree();
        if (is_within(tree, limits.max_depth)) result.tree = std::move(tree);
    }
    return result;
}

}  // namespace puretree
