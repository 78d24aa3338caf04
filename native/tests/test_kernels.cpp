// Unit tests of the kernels on small problems with results computed by hand. native/fuzz covers random inputs; these
// tests show how each kernel is called, and report the line of a failed check.
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../best_trees.hpp"
#include "../bits.hpp"
#include "../class_fractions.hpp"
#include "../codes/binarised.hpp"
#include "../codes/grow.hpp"
#include "../codes/improvement.hpp"
#include "../codes/part.hpp"
#include "../codes/row_tree.hpp"
#include "../codes/search.hpp"
#include "../dimacs.hpp"
#include "../front/search.hpp"
#include "../greedy.hpp"
#include "../group.hpp"
#include "../iti.hpp"
#include "../local_search/indexed_set.hpp"
#include "../local_search/local_search.hpp"
#include "../proof/drat.hpp"
#include "../proof/rup.hpp"
#include "../region.hpp"
#include "../search/conflicts.hpp"
#include "../search/few_tests.hpp"
#include "../search/memo.hpp"
#include "../search/nested_features.hpp"
#include "../search/proof/lemmas.hpp"
#include "../search/search.hpp"
#include "../transpose.hpp"
#include "../walk.hpp"
#include "code_checks.hpp"

namespace puretree {
namespace {

int n_failures = 0;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            ++n_failures;                                                                 \
        }                                                                                 \
    } while (false)

template <class Error, class Call>
bool throws(Call call) {
    try {
        call();
    } catch (const Error&) {
        return true;
    }
    return false;
}

const auto no_limit = [] { return true; };
const auto no_tick = [] {};
constexpr std::size_t kMuchMemory = std::size_t{1} << 24;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Labels = std::vector<std::int32_t>;

// All examples of n features, with example i equal to the binary number i, and labels by a function of i.
struct TruthTable {
    std::size_t n_features;
    std::vector<Word> words;
    Labels labels;

    template <class Label>
    TruthTable(std::size_t n, Label label) : n_features(n) {
        for (Word i = 0; i < Word{1} << n; ++i) {
            words.push_back(i);
            labels.push_back(static_cast<std::int32_t>(label(i)));
        }
    }
    BitRows<const Word> rows() const { return {words.data(), labels.size(), n_features}; }
};

const TruthTable kXor(2, [](Word i) { return std::popcount(i) % 2; });
const TruthTable kAnd(2, [](Word i) { return i == 3; });
const TruthTable kParity(3, [](Word i) { return std::popcount(i) % 2; });
const TruthTable kConstant(2, [](Word) { return 0; });

bool is_pure(const GrownTree& tree, const TruthTable& table) {
    std::vector<std::int32_t> leaves(table.labels.size());
    leaves_of_bits({tree.feature, tree.left}, table.rows(), leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (tree.label[static_cast<std::size_t>(leaves[i])] != table.labels[i]) return false;
    }
    return true;
}

void test_bits() {
    CHECK(words_for(0) == 0 && words_for(1) == 1 && words_for(64) == 1 && words_for(65) == 2);
    CHECK(tail_mask(1) == 1 && tail_mask(64) == ~Word{0} && tail_mask(67) == 7);
    const std::vector<Word> words{1, 2, Word{1} << 63, 4};
    const BitRows<const Word> rows{words.data(), 2, 70};
    CHECK(rows.n_words() == 2 && rows.bit(0, 0) && rows.bit(0, 65) && !rows.bit(0, 64) && rows.bit(1, 63));
}

void test_sets() {
    std::vector<Word> a(2), b(2), no(2), yes(2);
    for (const std::size_t member : {3, 63, 64, 100}) insert(a, member);
    for (const std::size_t member : {63, 100}) insert(b, member);
    CHECK(contains(a, 64) && !contains(a, 65) && !contains(b, 64));
    CHECK(count(a) == 4 && count(b) == 2 && count_common(a, b) == 2);
    CHECK(is_subset(b, a) && !is_subset(a, b) && intersects(a, b) && !is_empty(a) && is_empty(no));
    CHECK(first_member(a) == 3 && first_member(b) == 63);
    CHECK(split(a, b, no, yes) && yes == b && count(no) == 2 && !intersects(no, yes));
    CHECK(!split(b, a, no, yes));  // one side is empty
    std::vector<std::size_t> members;
    for_each(a, [&](std::size_t member) { members.push_back(member); });
    CHECK((members == std::vector<std::size_t>{3, 63, 64, 100}));
    std::size_t n_visited = 0;
    CHECK(!for_each_while(a, [&](std::size_t) { return ++n_visited < 2; }) && n_visited == 2);
    CHECK(hash_set(a, 0) != hash_set(b, 0) && hash_set(a, 0) != hash_set(a, 1));
}

void test_transpose() {
    std::vector<Word> from(70 * 2), to(67 * 2), back(from.size());
    const BitRows<Word> matrix{from.data(), 70, 67};
    for (std::size_t i = 0; i < 70; ++i) {
        for (std::size_t j = i % 3; j < 67; j += 1 + i % 5) insert(matrix.row(i), j);
    }
    transpose({from.data(), 70, 67}, {to.data(), 67, 70});
    const BitRows<const Word> transposed{to.data(), 67, 70};
    bool is_equal = true;
    for (std::size_t i = 0; i < 70; ++i) {
        for (std::size_t j = 0; j < 67; ++j) is_equal &= matrix.bit(i, j) == transposed.bit(j, i);
    }
    CHECK(is_equal);
    transpose(transposed, {back.data(), 70, 67});
    CHECK(back == from);
}

void test_group() {
    const std::vector<Word> words{0b001, 0b110, 0b001, 0b011};
    const BitRows<const Word> rows{words.data(), 4, 3};
    const Grouping plain = group_rows(rows, false);
    CHECK((plain.group == std::vector<std::int64_t>{0, 1, 0, 2} && plain.first == std::vector<std::int64_t>{0, 1, 3}));
    CHECK((plain.flipped == std::vector<std::uint8_t>{0, 0, 0, 0}));
    const Grouping folded = group_rows(rows, true);
    CHECK((folded.group == std::vector<std::int64_t>{0, 0, 0, 1} && folded.first == std::vector<std::int64_t>{0, 3}));
    CHECK((folded.flipped == std::vector<std::uint8_t>{0, 1, 0, 0}));
}

void test_region() {
    const std::vector<double> edge{0.5}, edges{0, 1, 2};
    const Region below{edge, true, false}, between{edges, false, true};  // x < 0.5; 0 <= x < 1, 2 <= x, or missing
    CHECK(below.contains(0.4) && !below.contains(0.5) && !below.contains(kNaN));
    CHECK(!between.contains(-1) && between.contains(0) && !between.contains(1));
    CHECK(between.contains(2) && between.contains(kNaN));
    const std::vector<double> values{-1, 0, 0.4, 0.5, 1, 2, kNaN};
    std::vector<Word> out(1, ~Word{0});
    fill_membership(below, values, out);
    CHECK(out[0] == 0b0000111);
    fill_membership(between, values, out);
    CHECK(out[0] == 0b1101110);
    std::vector<double> many(40);  // searched by bisection
    std::iota(many.begin(), many.end(), 0.0);
    const Region comb{many, false, false};
    CHECK(comb.contains(0.5) && !comb.contains(1) && comb.contains(38.9) && !comb.contains(39));
}

void test_answers() {
    // Long runs of ascending thresholds on the first column, some of them equal, and other predicates around it.
    Predicates predicates{{0, 1}, {0, 1, 2}, {0.5, 7}, {1, 0}, {0, 1}};
    for (std::int64_t i = 0; i < 80; ++i) {
        predicates.column.push_back(i == 70);
        predicates.edge_start.push_back(3 + i);
        predicates.edges.push_back(static_cast<double>(i / 2) - (i == 60 ? 20 : 0));
        predicates.starts_inside.push_back(1);
        predicates.holds_missing.push_back(0);
    }
    std::vector<double> first, second;
    for (int row = 0; row < 100; ++row) {
        first.push_back(row % 9 == 0 ? kNaN : (row * 37 % 100) / 2.0);
        second.push_back(row);
    }
    const std::vector<std::span<const double>> columns{first, second};
    const std::size_t n_words = words_for(first.size());
    std::vector<Word> out(predicates.size() * n_words, ~Word{0}), expected(n_words);
    fill_answers(predicates, columns, {out.data(), predicates.size(), first.size()});
    for (std::size_t i = 0; i < predicates.size(); ++i) {
        fill_membership(predicates.region(i), columns[static_cast<std::size_t>(predicates.column[i])], expected);
        CHECK(std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(i * n_words)));
    }
}

void test_walk() {
    // The root tests 0; its yes child tests 1.
    const std::vector<std::int32_t> test{0, -1, 1, -1, -1}, left{1, -1, 3, -1, -1};
    const TreeView tree{test, left};
    std::vector<std::int32_t> leaves(4);
    leaves_of_bits(tree, kXor.rows(), leaves);
    CHECK((leaves == std::vector<std::int32_t>{1, 3, 1, 4}));
    const Predicates predicates{{0, 1}, {0, 1, 2}, {0.5, 10}, {0, 0}, {0, 1}};  // x >= 0.5; y >= 10 or missing
    const std::vector<double> table{0, 20, 1, 0, 0.5, 10, 1, kNaN};             // stored by rows
    leaves_of_columns<double>(tree, predicates, {{table.data(), 2}, {table.data() + 1, 2}}, leaves);
    CHECK((leaves == std::vector<std::int32_t>{1, 3, 4, 4}));
    const Predicates intervals{{0, 1}, {0, 2, 3}, {0.5, 1, 10}, {0, 0}, {0, 1}};  // 0.5 <= x < 1; y >= 10 or missing
    leaves_of_columns<double>(tree, intervals, {{table.data(), 2}, {table.data() + 1, 2}}, leaves);
    CHECK((leaves == std::vector<std::int32_t>{1, 1, 4, 1}));
}

void test_greedy() {
    const GrownTree tree = grow_greedily(kXor.rows(), kXor.labels, 2, no_limit);
    CHECK(tree.feature.size() == 7 && is_pure(tree, kXor));
    CHECK((tree.feature == std::vector<std::int32_t>{0, 1, 1, -1, -1, -1, -1}));
    CHECK((tree.label == std::vector<std::int32_t>{-1, -1, -1, 0, 1, 1, 0}));
    CHECK(grow_greedily(kAnd.rows(), kAnd.labels, 2, no_limit).feature.size() == 5);
    CHECK(grow_greedily(kConstant.rows(), kConstant.labels, 1, no_limit).feature.size() == 1);
    CHECK(is_pure(grow_greedily(kParity.rows(), kParity.labels, 2, [] { return false; }), kParity));
    const std::vector<Word> equal{1, 1};
    const Labels different{0, 1};
    CHECK(throws<std::invalid_argument>([&] { grow_greedily({equal.data(), 2, 1}, different, 2, no_limit); }));
}

void test_iti() {
    const std::vector<std::int64_t> order{3, 1, 0, 2};
    const auto tree = induce_incrementally(kXor.rows(), kXor.labels, 2, order, no_limit);
    CHECK(tree && tree->feature.size() == 7 && is_pure(*tree, kXor));
    const auto conjunction = induce_incrementally(kAnd.rows(), kAnd.labels, 2, order, no_limit);
    CHECK(conjunction && conjunction->feature.size() == 5 && is_pure(*conjunction, kAnd));
    CHECK(!induce_incrementally(kXor.rows(), kXor.labels, 2, order, [] { return false; }));
    const std::vector<std::int64_t> repeated{3, 1, 1, 1, 0, 1, 2, 3};
    const auto from_repeated = induce_incrementally(kAnd.rows(), kAnd.labels, 2, repeated, no_limit);
    CHECK(from_repeated && from_repeated->feature.size() == 5 && is_pure(*from_repeated, kAnd));
}

void test_conflicts_and_few_tests() {
    const Examples examples(kXor.rows(), kXor.labels, 2);
    Sample sample(examples);
    for (std::uint32_t i = 0; i < 4; ++i) sample.add(i);
    Conflicts conflicts(sample);
    conflicts.extend(no_tick);
    CHECK(conflicts.has_conflict(examples.full_set()) && conflicts.least_leaves(examples.full_set(), 100) == 4);
    CHECK(contains(conflicts.conflicts_of(0), 3) && count(conflicts.conflicts_of(0)) == 1);
    CHECK(contains(conflicts.conflicts_of(1), 2));
    CHECK(conflicts.witness(sample.row(0), sample.row(3), 0) == 1u && conflicts.n_conflicts_of(0) == 1);
    FewTests few_tests(sample, conflicts);
    const std::vector<Word> side{0b0011}, alternate{0b1001};  // examples 00 and 01; examples 00 and 11
    CHECK(few_tests.is_leaf(std::vector<Word>{0b0001}) && !few_tests.is_leaf(alternate));
    CHECK(few_tests.find_one_test(side) == 0u);
    CHECK(!few_tests.find_one_test(examples.full_set()) && !few_tests.two_tests_suffice(examples.full_set()));
    CHECK(few_tests.find_separating_feature(alternate) == 0u && few_tests.two_tests_suffice(alternate));
    CHECK(few_tests.find_three_tests(examples.full_set(), std::vector<std::uint32_t>{0, 1}) == 0u);
}

void test_memo() {
    Memo memo(kMuchMemory);
    const std::vector<Word> set{5, 0}, same{5}, other{5, 1};
    CHECK(memo.find({set, kAnyDepth}) == nullptr);
    memo.store({set, kAnyDepth}, 3, std::nullopt, 1);
    const auto* entry = memo.find({same, kAnyDepth});  // trailing zero words are ignored
    CHECK(entry != nullptr && entry->lower == 3 && !entry->is_exact() && !entry->feature());
    CHECK(memo.find({set, 2}) == nullptr && memo.find({other, kAnyDepth}) == nullptr);
    memo.store({same, kAnyDepth}, 4, 7, 1);
    entry = memo.find({set, kAnyDepth});
    CHECK(entry != nullptr && entry->lower == 4 && entry->feature() == 7u);
    Memo small(700'000);
    for (Word i = 1; i < 100'000; ++i) small.store({{&i, 1}, kAnyDepth}, static_cast<Value>(i), std::nullopt, i % 3);
    CHECK(small.n_bytes() <= 700'000);
    std::size_t n_kept = 0;
    for (Word i = 1; i < 100'000; ++i) {
        const auto* kept = small.find({{&i, 1}, kAnyDepth});
        n_kept += kept != nullptr;
        if (kept != nullptr) CHECK(kept->lower == static_cast<Value>(i));
    }
    CHECK(n_kept > 0 && n_kept < 99'999);
}

void test_nested_features() {
    // Thresholds x >= 1 and x >= 3 of x = 0..3 are nested; the third feature (x odd) is not.
    const std::vector<Word> words{0b000, 0b101, 0b001, 0b111};
    const Labels labels{0, 1, 0, 1};
    const NestedFeatures nested = find_chains(Examples({words.data(), 4, 3}, labels, 2));
    CHECK(nested.chain_of[0] == nested.chain_of[1] || nested.chain_of[0] == nested.chain_of[2]);
    CHECK(without_chains(3).order == (std::vector<std::uint32_t>{0, 1, 2}));
}

struct SearchRun {
    std::optional<bool> result;
    Value lower = 0;
    std::vector<GrownTree> trees;
    std::size_t n_interrupts = 0;
};

// Runs a search, interrupted at every `pause` ticks.
SearchRun run_search(Search& search, std::size_t pause = SIZE_MAX) {
    SearchRun run;
    const SearchCallbacks callbacks{[&](Value lower) { run.lower = lower; },
                                    [&](const GrownTree& tree) { run.trees.push_back(tree); }};
    while (!run.result) {
        std::size_t n_ticks = 0;
        try {
            run.result = search.run(kInfeasible, callbacks, [&] {
                if (++n_ticks >= pause) throw TimeLimitReached{};
            });
        } catch (const TimeLimitReached&) {
            ++run.n_interrupts;
            pause *= 2;
        }
    }
    return run;
}

Search make_search(const TruthTable& table, Constraints constraints = {}) {
    if (constraints.n_rows.empty()) constraints.n_rows.assign(table.labels.size(), 1);
    return Search(table.words, table.n_features, table.labels, 2, std::move(constraints), kMuchMemory);
}

void test_search() {
    Search of_xor = make_search(kXor);
    const SearchRun run = run_search(of_xor);
    CHECK(run.result == true && run.lower == 3 && run.trees.size() == 1);
    CHECK(run.trees.back().feature.size() == 7 && is_pure(run.trees.back(), kXor));
    Search of_and = make_search(kAnd), of_parity = make_search(kParity), of_constant = make_search(kConstant);
    CHECK(run_search(of_and).lower == 2 && run_search(of_constant).lower == 0);
    CHECK(run_search(of_parity).lower == 7);
    Search interrupted = make_search(kParity);
    const SearchRun pieces = run_search(interrupted, 2);
    CHECK(pieces.n_interrupts > 0 && pieces.lower == 7 && is_pure(pieces.trees.back(), kParity));
}

void test_search_with_constraints() {
    Constraints shallow, large_leaves, fixed_root, costs;
    shallow.max_depth = 1;
    Search too_shallow = make_search(kXor, shallow);
    CHECK(run_search(too_shallow).result == false);
    large_leaves.min_samples_leaf = 2;
    Search too_small = make_search(kXor, large_leaves);
    CHECK(run_search(too_small).result == false);
    large_leaves.n_rows = {2, 2, 2, 2};
    Search large_enough = make_search(kXor, large_leaves);
    CHECK(run_search(large_enough).lower == 3);
    fixed_root.root_features = {{0, 1}};
    Search from_second = make_search(kXor, fixed_root);
    const SearchRun run = run_search(from_second);
    CHECK(run.lower == 3 && run.trees.back().feature.front() == 1);
    costs.feature_costs = {{5, 2}};
    Search costly = make_search(kXor, costs);
    const SearchRun cheapest = run_search(costly);
    CHECK(cheapest.lower == 9 && cheapest.trees.back().feature.front() == 0);  // 5 + 2 + 2, not 2 + 5 + 5
}

void test_forest() {
    Search search = make_search(kXor);
    run_search(search);
    const Forest forest = search.find_forest(3, 0, kMuchMemory, no_tick);
    CHECK(forest.roots.size() == 1);
    const auto root = static_cast<std::size_t>(forest.roots.front());
    CHECK(forest.edge_start[root + 1] - forest.edge_start[root] == 2);  // either feature first
    CHECK(forest.size[root] == 3 && forest.label[root] == -1);
    CHECK(forest.label[0] == 0 && forest.label[1] == 1);
    Search again = make_search(kXor);
    run_search(again);
    CHECK(throws<ForestTooLarge>([&] { again.find_forest(3, 0, 64, no_tick); }));
}

void test_front() {
    const auto make = [](const TruthTable& table, bool keeps_all) {
        std::vector<std::int32_t> costs;
        for (const std::int32_t label : table.labels) costs.insert(costs.end(), {label != 0, label != 1});
        const std::vector<std::int64_t> n_rows(table.labels.size(), 1);
        front::Options options;
        options.keeps_all = keeps_all;
        return front::Problem({table.words.data(), table.labels.size(), table.n_features}, costs, 2, n_rows, options);
    };
    front::Search search(make(kXor, false), kMuchMemory);
    std::vector<std::int64_t> least(4);
    const std::vector<std::int64_t> cutoffs(4, front::kNoTree);
    search.run(cutoffs, {[&](std::size_t k, std::int64_t lower) { least[k] = lower; }, [](auto&&...) {}}, no_tick);
    CHECK((least == std::vector<std::int64_t>{2, 2, 1, 0}));
    const front::CostForest pure = search.find_forest(3, 0, kMuchMemory, no_tick);
    CHECK(pure.roots.size() == 1 && pure.size[static_cast<std::size_t>(pure.roots.front())] == 3);
    const front::CostForest band = search.find_forest(2, 2, kMuchMemory, no_tick);
    CHECK(band.roots.size() == 2);  // the leaf and the trees of two tests; those of one have two leaves of a class
    const auto root = static_cast<std::size_t>(band.roots.back());
    CHECK(band.size[root] == 2 && band.cost[root] == 1);
    CHECK(band.edge_start[root + 1] - band.edge_start[root] == 4);  // either feature first, then the other on either side
    front::Search of_all(make(kXor, true), kMuchMemory);
    CHECK(of_all.find_forest(2, 2, kMuchMemory, no_tick).feature == band.feature);
    CHECK(throws<ForestTooLarge>([&] { search.find_forest(3, 2, 64, no_tick); }));
}

void test_proof_log() {
    Search search = make_search(kXor);
    run_search(search);
    const std::string log = search.write_proof(3, kMuchMemory, no_tick);
    CHECK(log.starts_with("puretree bound 1\np 4 2\nb 3\ne ") && log.ends_with("\nend\n"));
    CHECK(throws<std::logic_error>([&] { search.write_proof(4, kMuchMemory, no_tick); }));
    CHECK(throws<ProofTooLarge>([&] { search.write_proof(3, 16, no_tick); }));
}

// Two leaves, a node with one edge per test, and it as the root: the trees "test 0" and "test 1".
struct SmallGraph {
    std::vector<std::int32_t> label{0, 1, -1}, test{0, 1}, no{0, 0}, yes{1, 1}, roots{2};
    std::vector<std::int64_t> edge_start{0, 0, 0, 2};
    std::vector<Word> answers{0b0011, 0b0111};  // of four rows

    AndOrGraph graph() const { return {label, edge_start, test, no, yes, roots}; }
    BitRows<const Word> rows() const { return {answers.data(), 2, 4}; }
};

void test_best_trees() {
    const SmallGraph small;
    const std::vector<double> scores{0, 1, 0, 1, 1, 0, 1, 0};  // one for class 1 in rows 0 and 1, for class 0 in 2 and 3
    const BestTrees best = find_best_trees(small.graph(), small.rows(), scores, 2, 0, kMuchMemory, no_tick);
    CHECK(best.score == 4 && best.roots.size() == 1 && best.losses == std::vector<std::int64_t>{0});
    CHECK(best.edge == std::vector<std::int64_t>{0});
    const BestTrees both = find_best_trees(small.graph(), small.rows(), scores, 2, 1, kMuchMemory, no_tick);
    CHECK(both.score == 4 && (both.losses == std::vector<std::int64_t>{0, 1}));
    CHECK((both.edge == std::vector<std::int64_t>{0, 1}));
    CHECK(throws<BestTreesTooLarge>([&] { find_best_trees(small.graph(), small.rows(), scores, 2, 0, 16, no_tick); }));
    CHECK(throws<TimeLimitReached>([&] {
        find_best_trees(small.graph(), small.rows(), scores, 2, 0, kMuchMemory, [] { throw TimeLimitReached{}; });
    }));
}

void test_class_fractions() {
    const SmallGraph small;
    const AndOrGraph graph = small.graph();
    const auto answers = small.rows();
    const std::vector<double> edge_weight{0.25, 0.75}, root_weight{1};
    const std::vector<double> votes{1, 0, 0, 1}, shares{1, 0, 0.5, 0.5};
    ClassFractions all(graph, answers, votes, edge_weight, root_weight, 2, 6);  // one row per pass
    CHECK((all.find(no_tick) == std::vector<double>{0, 1, 0, 1, 0.25, 0.75, 1, 0}));
    ClassFractions soft(graph, answers, shares, edge_weight, root_weight, 2, 6);
    CHECK((soft.find(no_tick) == std::vector<double>{0.5, 0.5, 0.5, 0.5, 0.625, 0.375, 1, 0}));
}

void test_dimacs() {
    std::string text;
    format_clauses(std::vector<std::int32_t>{1, -2, 0, 0, 3, 0}, 2, 3, "h ", text);
    CHECK(text == "h 1 -2 0\nh 3 0\n");
    const DimacsText hard = parse_dimacs(text);
    CHECK((hard.hard.literals == std::vector<std::int32_t>{1, -2, 3}));
    CHECK((hard.hard.ends == std::vector<std::int64_t>{2, 3}));
    CHECK(!hard.n_vars && !hard.n_clauses && !hard.is_cnf && hard.max_var == 3);
    const DimacsText cnf = parse_dimacs("c comment\np cnf 3 1\n1 -3\n0\n");
    CHECK(cnf.n_vars == 3 && cnf.n_clauses == 1 && cnf.is_cnf && cnf.hard.ends.size() == 1);
    const DimacsText weighted = parse_dimacs("p wcnf 2 2 9\n9 1 0\n4 -1 2 0\n");
    CHECK(weighted.hard.ends.size() == 1 && weighted.soft.ends.size() == 1 && weighted.weights.size() == 1);
    CHECK(weighted.weights[0].begin == 19 && weighted.weights[0].end == 20);
    const auto offset_of_error = [](std::string_view input) -> std::optional<std::size_t> {
        try {
            parse_dimacs(input);
        } catch (const DimacsError& error) {
            return error.offset;
        }
        return std::nullopt;
    };
    CHECK(offset_of_error("p cnf 3\n") == 0u && offset_of_error("p cnf 1 1\n2 0\n") == 10u);
    CHECK(offset_of_error("h 1") == 3u && offset_of_error("h 1 x 0\n") == 4u && !offset_of_error(""));
}

void test_drat() {
    std::string text;
    const std::string binary("a\x02\x05\x00" "d\x02\x00" "a\x04", 9);  // the last step is incomplete
    CHECK(drat_to_text(binary, text) == 7 && text == "1 -2 0\nd 1 0\n");
    DratReader reader(text, 2);
    CHECK(reader.next() && !reader.deletes() && reader.offset() == 0 && reader.literals().size() == 2);
    CHECK(reader.next() && reader.deletes() && reader.offset() == 7 && !reader.next());
    CHECK(throws<DimacsError>([&] { DratReader("3 0\n", 2).next(); }));
}

void test_rup() {
    const std::string formula = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n";
    using Verdict = RupResult::Verdict;
    std::string lrat;
    const auto write = [&](std::string_view piece) { lrat += piece; };
    const RupResult refuted = check_rup(formula, "2 0\n0\n", kMuchMemory, write, no_tick);
    CHECK(refuted.verdict == Verdict::kRefuted && !refuted.failed_step && refuted.n_written > 0);
    CHECK(lrat.starts_with("5 2 0 ") && lrat.ends_with("0\n"));
    const RupResult incomplete = check_rup("p cnf 2 1\n1 2 0\n", "1 2 0\n", kMuchMemory, {}, no_tick);
    CHECK(incomplete.verdict == Verdict::kNoEmptyClause && !incomplete.failed_step && incomplete.n_lemmas == 1);
    const RupResult invalid = check_rup("p cnf 2 1\n1 2 0\n", "1 2 0\n1 0\n", kMuchMemory, {}, no_tick);
    CHECK(invalid.verdict == Verdict::kNotImplied && invalid.failed_step == 6u);
    const RupResult at_start = check_rup("p cnf 2 1\n1 2 0\n", "1 0\n", kMuchMemory, {}, no_tick);
    CHECK(at_start.failed_step == 0u);  // an offset of 0 differs from no offset
    CHECK(throws<ProofError>([&] { check_rup("p cnf 2 1\n", "0\n", kMuchMemory, {}, no_tick); }));
    CHECK(throws<ProofError>([&] { check_rup(formula, "2\n", kMuchMemory, {}, no_tick); }));
    CHECK(throws<std::bad_alloc>([&] { check_rup(formula, "2 0\n0\n", 10, {}, no_tick); }));
}

void test_local_search() {
    LocalSearch search(2);
    const auto add = [](LocalSearch& formula, const std::vector<std::int32_t>& clause, Weight weight) {
        formula.add(clause, weight);
    };
    add(search, {1, 2}, Clauses::kHard);
    add(search, {-1}, 3);
    add(search, {-2}, 2);
    LocalSearch::Values best;
    const auto keep = [&](const LocalSearch::Values& values) { best = values; };
    CHECK(search.run({0, 1000, 2}, {}, keep, no_tick) == LocalSearch::Stop::kTargetReached);
    CHECK((best == LocalSearch::Values{0, 0, 1}));
    CHECK(search.run({0, 1000, 1}, {}, keep, no_tick) == LocalSearch::Stop::kStepLimit);
    LocalSearch contradiction(1);
    add(contradiction, {1}, Clauses::kHard);
    add(contradiction, {-1}, Clauses::kHard);
    CHECK(contradiction.run({0, 10, 0}, {}, keep, no_tick) == LocalSearch::Stop::kUnsatisfiable);
    IndexedSet set;
    set.reset(5);
    for (const std::uint32_t number : {4u, 2u, 0u, 2u}) set.insert(number);
    set.erase(4);
    CHECK(set.size() == 2 && set.contains(0) && set.contains(2) && !set.contains(4) && set[0] == 0);
}

using testing::CodeProblem;
using testing::ProblemSize;

// Draws random numbers below an end.
auto make_below(std::uint64_t seed) {
    return [random = std::mt19937_64(seed)](std::size_t end) mutable { return random() % end; };
}

// Reports a violated property of the checks in code_checks.hpp.
bool holds(const char* violated) {
    if (violated != nullptr) std::fprintf(stderr, "violated property: %s\n", violated);
    return violated == nullptr;
}

bool is_pure(const CodeTree& tree, const CodeProblem& problem) {
    return holds(testing::check_code_tree(tree, problem.codes(), problem.labels));
}

CodeTree grow(const CodeProblem& problem, const GrowOptions& options = {}, bool has_time = true) {
    return grow_code_tree(problem.codes(), problem.labels, problem.n_classes, options, [=] { return has_time; });
}

void test_code_growth() {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        auto below = make_below(seed);
        const CodeProblem problem = testing::draw_code_problem(
            below, {1 + below(300), 1 + below(6), 1 + below(40), 1 + below(4), below(6)});
        for (const bool uses_gini : {false, true}) {
            for (const double fraction : {1.0, 0.4}) {
                CHECK(is_pure(grow(problem, {uses_gini, fraction, seed}), problem));
                CHECK(is_pure(grow(problem, {uses_gini, fraction, seed}, false), problem));
            }
        }
    }
    // Enough rows that the clock is read.
    auto below = make_below(1);
    const CodeProblem large = testing::draw_code_problem(below, {8000, 4, 500, 3, 5});
    CHECK(is_pure(grow(large), large) && is_pure(grow(large, {}, false), large));
    CHECK(grow(large).n_tests() < grow(large, {}, false).n_tests());
    const CodeProblem by_hand = testing::make_problem({{0, 2}, {1, 0}, {2, 2}, {3, 1}}, {0, 0, 1, 1}, 2, {1, 0});
    const CodeTree tree = grow(by_hand);
    CHECK(tree.n_tests() == 1 && tree.depth() == 1 && tree.test(0).column == 0 && tree.test(0).code == 1);
    CHECK((tree.label == std::vector<std::int32_t>{-1, 1, 0}));
    const CodeProblem contradictory = testing::make_problem({{0, 2}, {0, 2}}, {0, 1}, 2, {1, 0});
    CHECK(throws<std::invalid_argument>([&] { grow(contradictory); }));
    const CodeProblem huge = testing::make_problem({{INT32_MAX, 0}, {0, INT32_MAX}}, {0, 1}, 2, {1, 0});
    CHECK(is_pure(grow(huge), huge));
    const CodeProblem repeated = testing::make_problem({{0}, {1}, {0}, {1}}, {0, 1, 0, 1}, 2, {0});
    CHECK(is_pure(grow(repeated), repeated) && grow(repeated).n_tests() == 1);
}

void test_binarised_codes() {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto below = make_below(seed);
        const CodeProblem problem = testing::draw_code_problem(below, {1 + below(80), 1 + below(5), 1 + below(20), 3});
        std::vector<std::uint8_t> may_be_root(below(2) * problem.n_columns);
        for (auto& flag : may_be_root) flag = below(2) == 0;
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < problem.labels.size(); ++row) {
            if (row == 0 || below(3) > 0) rows.push_back(row);
        }
        const BinarisedRows binarised = binarise(problem.codes(), rows, may_be_root);
        CHECK(holds(testing::check_binarised(binarised, problem.codes(), rows, may_be_root)));
    }
}

struct CodeSearchRun {
    std::optional<bool> result;
    Value lower = 0;
    std::optional<CodeTree> best;  // of those with an allowed root and depth
    bool is_sound = true;
};

// Runs a search, interrupted at every `pause` ticks.
CodeSearchRun run_code_search(const CodeProblem& problem, const CodeConstraints& constraints,
                              Value cutoff = kInfeasible, std::size_t pause = SIZE_MAX / 4) {
    CodeSearchRun run;
    CodeSearch search(problem.codes(), problem.labels, problem.n_classes, constraints, kMuchMemory);
    const auto is_allowed = [&](const CodeTree& tree) {
        const bool has_root =
            constraints.may_be_root.empty() || tree.is_leaf(0) || constraints.may_be_root[tree.test(0).column] != 0;
        run.is_sound &= has_root;
        return constraints.max_depth == kAnyDepth || tree.depth() <= constraints.max_depth;
    };
    const CodeCallbacks callbacks{[&](Value lower) {
                                      run.is_sound &= lower > run.lower;
                                      run.lower = lower;
                                  },
                                  [&](const CodeTree& tree) {
                                      run.is_sound &= is_pure(tree, problem);
                                      if (!is_allowed(tree)) return;
                                      if (!run.best || tree.n_tests() < run.best->n_tests()) run.best = tree;
                                  }};
    while (!run.result) {
        std::size_t n_ticks = 0;
        try {
            run.result = search.run(cutoff, callbacks, [&] {
                if (++n_ticks >= pause) throw TimeLimitReached{};
            });
        } catch (const TimeLimitReached&) {
            pause += pause / 2 + 1;
        }
    }
    run.is_sound &= search.lower() == run.lower;
    return run;
}

// Compares the search of codes with that of the explicit problem of all rows.
void compare_searches(const CodeProblem& problem, const CodeConstraints& constraints, std::size_t pause) {
    Search reference = testing::make_explicit_search(problem, constraints.max_depth, constraints.may_be_root);
    const SearchRun expected = run_search(reference);
    const CodeSearchRun run = run_code_search(problem, constraints, kInfeasible, pause);
    CHECK(run.is_sound && run.result == expected.result);
    if (expected.result == false) {
        CHECK(!run.best);
        return;
    }
    CHECK(run.best && run.lower == expected.lower && static_cast<Value>(run.best->n_tests()) == expected.lower);
    if (expected.lower == 0) return;
    const CodeSearchRun within = run_code_search(problem, constraints, expected.lower);
    CHECK(within.is_sound && within.result == true && within.lower == expected.lower);  // no tree is better
}

void test_code_search() {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        auto below = make_below(seed);
        const bool is_large = seed % 6 == 0;  // solved by samples
        const CodeProblem problem =
            is_large ? testing::draw_code_problem(below, {900, 3 + below(3), 8 + below(20), 2 + below(3), 0})
                     : testing::draw_code_problem(below, {1 + below(22), 1 + below(4), 1 + below(9), 2 + below(3)});
        CodeConstraints constraints;
        if (seed % 3 == 1) constraints.max_depth = static_cast<Depth>(below(5));
        if (seed % 4 >= 2) {
            for (std::size_t c = 0; c < problem.n_columns; ++c) constraints.may_be_root.push_back(below(2) == 0);
        }
        compare_searches(problem, constraints, seed % 2 == 0 ? SIZE_MAX / 4 : 1 + below(20));
    }
}

// A root that may test only a column in which almost all rows are equal: the sample must have the others.
void test_code_search_of_rare_roots() {
    for (const bool is_ordered : {true, false}) {
        std::vector<std::vector<std::int32_t>> rows;
        Labels labels;
        for (std::int32_t i = 0; i < 300; ++i) {
            rows.push_back({i, i == 1 ? 1 : i == 4 ? 2 : 0});
            labels.push_back(i >= 150);
        }
        const CodeProblem problem = testing::make_problem(rows, labels, 2, {1, is_ordered});
        compare_searches(problem, {kAnyDepth, {0, 1}}, SIZE_MAX / 4);
        CHECK(run_code_search(problem, {kAnyDepth, {0, 1}}).lower == 2);
        CHECK(run_code_search(problem, {1, {0, 1}}).result == false);
        CHECK(run_code_search(problem, {1, {1, 0}}).lower == 1);
    }
}

void test_row_tree() {
    std::size_t n_replaced = 0, n_cut = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        auto below = make_below(seed);
        const CodeProblem problem = testing::draw_code_problem(
            below, {20 + below(100), 2 + below(4), 2 + below(12), 2 + below(3), 1 + below(4)});
        RowTree tree(problem.codes(), problem.labels, problem.n_classes, grow(problem, {false, 0, seed}));
        CHECK(holds(testing::check_row_tree(tree, problem)));
        for (std::size_t step = 0; step < 30; ++step) {
            for (const std::size_t max_tests : {1, 2, 5, 1000}) {
                CHECK(holds(testing::check_largest_subtrees(tree, max_tests)));
            }
            const std::size_t node = below(tree.n_slots());
            if (!tree.is_node(node) || tree.node(node).is_leaf()) continue;
            const std::size_t max_tests = 1 + below(12);
            CHECK(holds(testing::check_branches(tree, node, max_tests, problem.n_classes)));
            const auto branches = tree.branches_below(node, max_tests);
            const CodeTable part = tree.copy_part(node, branches);
            const CodeTree grown = grow_code_tree(part.view(), part.labels, problem.n_classes + branches.size(),
                                                  {false, 0.7, step}, no_limit);
            const std::size_t n_before = tree.n_tests();
            const CodeTree before = tree.to_tree();
            const bool is_replaced = tree.replace(node, branches, grown);
            n_replaced += is_replaced;
            n_cut += is_replaced && !branches.empty();
            CHECK(is_replaced == (tree.n_tests() < n_before) && tree.n_tests() <= n_before);
            if (!is_replaced) CHECK(tree.to_tree().column == before.column && tree.to_tree().code == before.code);
            CHECK(holds(testing::check_row_tree(tree, problem)) && is_pure(tree.to_tree(), problem));
        }
    }
    CHECK(n_replaced > 30 && n_cut > 10);
}

void test_row_tree_of_bad_trees() {
    const CodeProblem problem = testing::make_problem({{0}, {1}, {2}, {3}}, {0, 1, 0, 1}, 2, {1});
    const auto open = [&](const CodeTree& tree) { return RowTree(problem.codes(), problem.labels, 2, tree); };
    CodeTree leaf, useless;
    leaf.add_leaf(0);
    CHECK(throws<std::invalid_argument>([&] { open(leaf); }));
    // A root that splits nothing; below it, a test without rows and another that splits nothing.
    for (const std::int32_t code : {9, 9, 7}) useless.add_inner({0, code});
    useless.add_leaf(0);
    useless.add_leaf(1);
    useless.add_leaf(0);
    useless.add_inner({0, 0});  // 0: yes
    useless.add_inner({0, 2});
    useless.add_leaf(0);
    useless.add_leaf(1);  // 3
    useless.add_inner({0, 1});
    useless.add_leaf(0);  // 2
    useless.add_leaf(1);  // 1
    CHECK(is_pure(useless, problem));
    RowTree tree = open(useless);
    CHECK(tree.n_tests() == 4 && tree.to_tree().test(0).code == 9);  // the root is kept
    CHECK(holds(testing::check_row_tree(tree, problem)));
    // A tree that is not pure changes nothing.
    const CodeTree before = tree.to_tree();
    const auto part = static_cast<std::size_t>(tree.node(tree.root()).yes);
    CHECK(throws<std::invalid_argument>([&] { tree.replace(part, {}, leaf); }));
    CHECK(tree.to_tree().code == before.code && tree.to_tree().left == before.left);
    CHECK(holds(testing::check_row_tree(tree, problem)));
}

void test_parts() {
    std::size_t n_smaller = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        auto below = make_below(seed);
        const CodeProblem problem = testing::draw_code_problem(below, {60 + 40 * below(10), 4, 2 + below(12), 3, 10});
        const CodeTree greedy = grow(problem, {false, 0, seed});
        const auto cutoff = static_cast<Value>(greedy.n_tests());
        for (const std::size_t n_ticks : {0, 1, 2, 5, 50, 500, 5000}) {
            for (const Depth max_depth : {Depth{0}, Depth{3}, static_cast<Depth>(greedy.depth()), kAnyDepth}) {
                std::size_t n_left = n_ticks;
                const auto tick = [&] {
                    if (n_left-- == 0) {
                        n_left = 0;
                        throw TimeLimitReached{};
                    }
                };
                const PartLimits limits{max_depth, 3000, kMuchMemory};
                const PartResult solved = solve_part(problem.codes(), problem.labels, 3, cutoff, limits, tick);
                n_left = n_ticks;
                const PartResult regrown = regrow_part(problem.codes(), problem.labels, 3, cutoff, seed, limits, tick);
                for (const PartResult& result : {solved, regrown}) {
                    CHECK(result.work >= 0);
                    if (!result.tree) continue;
                    ++n_smaller;
                    CHECK(is_pure(*result.tree, problem) && static_cast<Value>(result.tree->n_tests()) < cutoff);
                    CHECK(max_depth == kAnyDepth || result.tree->depth() <= max_depth);
                    if (solved.is_minimum && solved.tree && max_depth == kAnyDepth) {
                        CHECK(result.tree->n_tests() >= solved.tree->n_tests());
                    }
                }
            }
        }
    }
    CHECK(n_smaller > 20);
}

// Steps of local improvement, as text.
std::string improve(const CodeProblem& problem, const CodeTree& first, Depth max_depth, bool has_fixed_root,
                    std::uint64_t seed, std::size_t n_batches) {
    Improvement improvement(problem.codes(), problem.labels, problem.n_classes, first, max_depth, has_fixed_root, seed);
    std::string steps;
    for (std::size_t batch = 0; batch < n_batches; ++batch) {
        const auto parts = improvement.next_batch(1 + batch % 20);
        if (parts.empty()) break;
        CHECK(parts.size() <= 1 + batch % 20);
        std::set<std::vector<std::int32_t>> rows;  // of all parts
        for (const Part& part : parts) {
            const CodeTable table = improvement.copy_part(part);
            for (std::size_t i = 0; i < table.labels.size(); ++i) {
                std::vector<std::int32_t> row;
                for (std::size_t c = 0; c < table.n_columns; ++c) row.push_back(table.view().column(c)[i]);
                CHECK(rows.insert(row).second);  // parts do not overlap
            }
        }
        for (const Part& part : parts) {
            const CodeTable table = improvement.copy_part(part);
            const Move& move = improvement.move(part);
            const PartLimits limits{part.max_depth, std::min<std::size_t>(move.max_ticks, 1000), kMuchMemory};
            const std::size_t n_labels = improvement.n_labels(part), n_before = improvement.n_tests();
            const PartResult result =
                move.kind == Move::Kind::regrow
                    ? regrow_part(table.view(), table.labels, n_labels, part.cutoff, part.seed, limits, no_tick)
                    : solve_part(table.view(), table.labels, n_labels, part.cutoff, limits, no_tick);
            CodeTree impure;
            impure.add_leaf(0);
            CHECK(throws<std::invalid_argument>([&] { improvement.apply(part, {0, false, impure}); }));
            const std::size_t n_saved = improvement.apply(part, result);
            CHECK(improvement.n_tests() + n_saved == n_before);
            steps += std::to_string(part.node) + " " + std::to_string(part.move) + " " + std::to_string(part.seed) +
                     " " + std::to_string(part.key) + " " + std::to_string(n_saved) + "\n";
        }
        CHECK(is_pure(improvement.tree(), problem));
        CHECK(max_depth == kAnyDepth || improvement.tree().depth() <= max_depth);
        if (has_fixed_root) {
            const Test root = improvement.tree().test(0);
            CHECK(root.column == first.test(0).column && root.code == first.test(0).code);
        }
    }
    return steps + std::to_string(improvement.n_tests());
}

void test_improvement() {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        auto below = make_below(seed);
        const CodeProblem problem = testing::draw_code_problem(below, {250, 5, 12, 2 + below(3), 6});
        const CodeTree first = grow(problem, {false, 0, seed});
        const Depth max_depth = seed % 3 == 1 ? static_cast<Depth>(first.depth()) : kAnyDepth;
        const bool has_fixed_root = seed % 3 == 2;
        const std::string steps = improve(problem, first, max_depth, has_fixed_root, seed, 25);
        CHECK(!steps.ends_with("\n" + std::to_string(first.n_tests())));
        CHECK(steps == improve(problem, first, max_depth, has_fixed_root, seed, 25));
    }
}

void test_code_tables_without_tests() {
    const std::vector<CodeProblem> problems{
        testing::make_problem({{3, 0}}, {1}, 2, {1, 0}),                        // a single row
        testing::make_problem({{0, 7}, {1, 7}, {2, 7}}, {0, 0, 0}, 1, {1, 0}),  // one class, and a constant column
        testing::make_problem({{4}, {4}}, {0, 0}, 3, {0}),                      // equal rows
    };
    for (const CodeProblem& problem : problems) {
        const CodeTree tree = grow(problem);
        CHECK(tree.size() == 1 && tree.depth() == 0 && is_pure(tree, problem));
        for (const Depth max_depth : {Depth{0}, kAnyDepth}) {
            CHECK(run_code_search(problem, {max_depth, {}}).lower == 0);
            CHECK(run_code_search(problem, {max_depth, {}}).best);
            CHECK(Improvement(problem.codes(), problem.labels, problem.n_classes, tree, max_depth, true, 0)
                      .next_batch(5)
                      .empty());
        }
    }
    // A constant column beside one with a test; a tree deeper than the limit is improved within it or not at all.
    const CodeProblem constant = testing::make_problem({{5, 0}, {5, 1}, {5, 2}}, {0, 1, 0}, 2, {0, 1});
    CHECK(run_code_search(constant, {}).lower == 2 && is_pure(grow(constant), constant));
    Improvement deeper(constant.codes(), constant.labels, 2, grow(constant), 1, false, 0);
    for (const Part& part : deeper.next_batch(9)) CHECK(part.max_depth == 1);
}

}  // namespace
}  // namespace puretree

int main() {
    using namespace puretree;
    constexpr std::pair<const char*, void (*)()> kTests[] = {
        {"bits", test_bits},
        {"sets", test_sets},
        {"transpose", test_transpose},
        {"group", test_group},
        {"region", test_region},
        {"answers", test_answers},
        {"walk", test_walk},
        {"greedy", test_greedy},
        {"iti", test_iti},
        {"conflicts and few tests", test_conflicts_and_few_tests},
        {"memo", test_memo},
        {"nested features", test_nested_features},
        {"search", test_search},
        {"search with constraints", test_search_with_constraints},
        {"forest", test_forest},
        {"front", test_front},
        {"proof log", test_proof_log},
        {"best trees", test_best_trees},
        {"class fractions", test_class_fractions},
        {"code growth", test_code_growth},
        {"binarised codes", test_binarised_codes},
        {"code search", test_code_search},
        {"code search of rare roots", test_code_search_of_rare_roots},
        {"row tree", test_row_tree},
        {"row tree of bad trees", test_row_tree_of_bad_trees},
        {"parts", test_parts},
        {"improvement", test_improvement},
        {"code tables without tests", test_code_tables_without_tests},
        {"dimacs", test_dimacs},
        {"drat", test_drat},
        {"rup", test_rup},
        {"local search", test_local_search},
    };
    for (const auto& [name, test] : kTests) {
        const int n_before = n_failures;
        test();
        if (n_failures > n_before) std::fprintf(stderr, "test failed: %s\n", name);
    }
    if (n_failures == 0) std::printf("%zu tests passed\n", std::size(kTests));
    return n_failures == 0 ? 0 : 1;
}
