#include "search.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "../entropy.hpp"
#include "grow.hpp"

namespace puretree {
namespace {

constexpr std::size_t kAllRows = 256;      // tables of so many rows are solved as a whole
constexpr std::size_t kFirstRows = 48;     // of a sample
constexpr std::size_t kGrowthDivisor = 4;  // a round adds a quarter of the sample, and a row for each impure leaf
constexpr std::size_t kMaxCompletedRows = 100'000;  // trees with more rows in impure leaves are not completed

std::vector<std::uint32_t> evenly_spaced(const std::vector<std::uint32_t>& rows, std::size_t n) {
    std::vector<std::uint32_t> chosen;
    n = std::min(n, rows.size());
    for (std::size_t i = 0; i < n; ++i) chosen.push_back(rows[(2 * i + 1) * rows.size() / (2 * n)]);
    return chosen;
}

}  // namespace

CodeSearch::CodeSearch(const Codes& codes, std::vector<std::int32_t> labels, std::size_t n_classes,
                       CodeConstraints constraints, std::size_t max_bytes)
    : codes_(codes), labels_(std::move(labels)), n_classes_(n_classes), constraints_(std::move(constraints)),
      max_bytes_(max_bytes), is_sampled_(codes.n_rows), low_counts_(n_classes), total_counts_(n_classes) {}

void CodeSearch::prepare() {
    if (!sample_.empty()) return;
    n_log_n_ = n_log_n_table(codes_.n_rows);
    Rows all(codes_.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    const auto add = [&](std::uint32_t row) { add_to_sample(row); };
    if (all.size() <= kAllRows) {
        std::ranges::for_each(all, add);
        return;
    }
    std::vector<std::uint8_t> has_class(n_classes_);
    for (const std::uint32_t row : all) {
        if (!std::exchange(has_class[static_cast<std::size_t>(labels_[row])], std::uint8_t{1})) add(row);
    }
    std::ranges::for_each(evenly_spaced(all, kFirstRows), add);
    if (!constraints_.may_be_root.empty()) add_rows_split_by_roots();
}

void CodeSearch::add_to_sample(std::uint32_t row) {
    if (!std::exchange(is_sampled_[row], std::uint8_t{1})) sample_.push_back(row);
}

// Adds rows such that every test that the root may have splits the sample. Without them the value of the sample is no
// lower bound: below a root that does not split the sample, its rows may start with any test.
void CodeSearch::add_rows_split_by_roots() {
    for (std::size_t c = 0; c < codes_.n_columns; ++c) {
        if (!constraints_.may_be_root[c]) continue;
        const auto column = codes_.column(c);
        if (codes_.is_ordered[c]) {
            const auto [least, most] = std::ranges::minmax_element(column);
            add_to_sample(static_cast<std::uint32_t>(least - column.begin()));
            add_to_sample(static_cast<std::uint32_t>(most - column.begin()));
        } else {
            std::unordered_set<std::int32_t> present;
            for (const std::uint32_t row : sample_) present.insert(column[row]);
            for (std::uint32_t row = 0; row < column.size(); ++row) {
                if (present.insert(column[row]).second) add_to_sample(row);
            }
        }
    }
}

void CodeSearch::open_sample_search() {
    binarised_ = binarise(codes_, sample_, constraints_.may_be_root);
    std::vector<std::int32_t> labels;
    for (const std::uint32_t row : sample_) labels.push_back(labels_[row]);
    Constraints constraints;
    constraints.max_depth = constraints_.max_depth;
    constraints.n_rows.assign(sample_.size(), 1);
    if (!constraints_.may_be_root.empty()) {
        constraints.root_features.emplace();
        for (const Test& test : binarised_.tests) {
            constraints.root_features->push_back(constraints_.may_be_root[test.column]);
        }
    }
    const std::size_t n_features = binarised_.n_features();
    search_ = std::make_unique<Search>(std::move(binarised_.words), n_features, std::move(labels), n_classes_,
                                       std::move(constraints), max_bytes_);
    sample_tree_.reset();
}

bool CodeSearch::run(Value cutoff, const CodeCallbacks& callbacks, std::function<void()> tick) {
    tick_ = std::move(tick);
    upper_ = std::min(upper_, cutoff);
    prepare();
    const SearchCallbacks of_sample{[&](Value lower) { raise_lower(lower, callbacks); },
                                    [&](const GrownTree& tree) { sample_tree_ = tree; }};
    for (;;) {
        tick_();
        if (!search_) open_sample_search();
        if (!search_->run(std::min(cutoff, upper_), of_sample, tick_)) return false;
        if (lower_ >= std::min(cutoff, upper_)) return true;
        nodes_.clear();
        Rows rows(codes_.n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
        fit(*sample_tree_, 0, sample_, rows, true);
        const bool is_pure = std::ranges::all_of(nodes_, [](const Node& node) { return node.impure_rows.empty(); });
        if (is_pure) {
            callbacks.on_tree(to_tree({}));
            return true;
        }
        report_completed(callbacks);
        if (lower_ >= std::min(cutoff, upper_)) return true;
        add_counterexamples();
        search_.reset();
    }
}

void CodeSearch::raise_lower(Value lower, const CodeCallbacks& callbacks) {
    if (lower <= lower_) return;
    lower_ = lower;
    callbacks.on_lower(lower);
}

// Appends the subtree of a node of the sample's tree, with tests that fit all rows best; returns its number.
std::int32_t CodeSearch::fit(const GrownTree& tree, std::size_t node, const Rows& sample, const Rows& rows,
                             bool is_root) {
    tick_();
    const auto number = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
    if (tree.left[node] < 0) {
        const std::int32_t label = tree.label[node];
        nodes_.back().label = label;
        const bool is_pure = std::ranges::all_of(rows, [&](std::uint32_t row) { return labels_[row] == label; });
        if (!is_pure) nodes_.back().impure_rows = rows;
        return number;
    }
    const Test given = binarised_.tests[static_cast<std::size_t>(tree.feature[node])];
    Rows sample_no, sample_yes;
    for (const std::uint32_t row : sample) (codes_.is_yes(given, row) ? sample_yes : sample_no).push_back(row);
    bool is_flipped = false;
    const Test test = best_equivalent(sample_no, sample_yes, rows, is_root, given, is_flipped);
    Rows no, yes;
    for (const std::uint32_t row : rows) (codes_.is_yes(test, row) ? yes : no).push_back(row);
    nodes_[static_cast<std::size_t>(number)].test = test;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    if (is_flipped) std::swap(sample_no, sample_yes);
    const std::int32_t no_node = fit(tree, left + is_flipped, sample_no, no, false);
    const std::int32_t yes_node = fit(tree, left + !is_flipped, sample_yes, yes, false);
    nodes_[static_cast<std::size_t>(number)].no = no_node;
    nodes_[static_cast<std::size_t>(number)].yes = yes_node;
    return number;
}

// Of all tests that divide the sample in the same way, or with both sides exchanged, the one that divides all rows best.
Test CodeSearch::best_equivalent(const Rows& sample_no, const Rows& sample_yes, const Rows& rows, bool is_root,
                                 const Test& given, bool& is_flipped) {
    if (rows.size() == sample_no.size() + sample_yes.size()) return given;
    choice_.reset();
    std::ranges::fill(total_counts_, std::size_t{0});
    for (const std::uint32_t row : rows) ++total_counts_[static_cast<std::size_t>(labels_[row])];
    for (std::uint32_t c = 0; c < codes_.n_columns; ++c) {
        if (is_root && !constraints_.may_be_root.empty() && !constraints_.may_be_root[c]) continue;
        const auto column = codes_.column(c);
        const auto range = [&](const Rows& part) {
            const auto [low, high] = std::ranges::minmax(part, {}, [&](std::uint32_t row) { return column[row]; });
            return std::pair{column[low], column[high]};
        };
        const auto [no_low, no_high] = range(sample_no);
        const auto [yes_low, yes_high] = range(sample_yes);
        if (codes_.is_ordered[c]) {
            if (yes_high < no_low) consider(c, yes_high, no_low, false, rows);
            if (no_high < yes_low) consider(c, no_high, yes_low, true, rows);
        } else {
            const auto lacks = [&](const Rows& part, std::int32_t code) {
                return std::ranges::none_of(part, [&](std::uint32_t row) { return column[row] == code; });
            };
            if (yes_low == yes_high && lacks(sample_no, yes_low)) consider(c, yes_low, yes_low, false, rows);
            if (no_low == no_high && lacks(sample_yes, no_low)) consider(c, no_low, no_low, true, rows);
        }
    }
    is_flipped = choice_->is_flipped;
    return choice_->test;
}

// Considers the test of a column with the code `low`; of ordered columns all up to `high` - 1.
void CodeSearch::consider(std::uint32_t c, std::int32_t low, std::int32_t high, bool flips, const Rows& rows) {
    const auto column = codes_.column(c);
    const bool is_ordered = codes_.is_ordered[c];
    std::ranges::fill(low_counts_, std::size_t{0});
    std::vector<std::pair<std::int32_t, std::int32_t>> between;  // code and label
    std::size_t n_low = 0;
    for (const std::uint32_t row : rows) {
        const std::int32_t code = column[row];
        if (is_ordered ? code <= low : code == low) {
            ++low_counts_[static_cast<std::size_t>(labels_[row])];
            ++n_low;
        } else if (is_ordered && code < high) {
            between.emplace_back(code, labels_[row]);
        }
    }
    std::ranges::sort(between);
    for (std::size_t i = 0;; ++i) {
        double sum = n_log_n_[n_low] + n_log_n_[rows.size() - n_low];
        for (std::size_t k = 0; k < n_classes_; ++k) {
            sum -= n_log_n_[low_counts_[k]] + n_log_n_[total_counts_[k] - low_counts_[k]];
        }
        if (!choice_ || sum < choice_->impurity) choice_ = {sum, {c, i == 0 ? low : between[i - 1].first}, flips};
        if (i == between.size()) break;
        for (; i < between.size(); ++i) {
            ++low_counts_[static_cast<std::size_t>(between[i].second)];
            ++n_low;
            if (i + 1 == between.size() || between[i + 1].first != between[i].first) break;
        }
    }
}

// Adds misclassified rows: one of each impure leaf at least.
void CodeSearch::add_counterexamples() {
    const auto n_impure = static_cast<std::size_t>(
        std::ranges::count_if(nodes_, [](const Node& node) { return !node.impure_rows.empty(); }));
    const std::size_t n_each = std::max<std::size_t>(1, sample_.size() / (kGrowthDivisor * n_impure));
    for (const Node& node : nodes_) {
        if (node.impure_rows.empty()) continue;
        Rows misclassified;
        std::ranges::copy_if(node.impure_rows, std::back_inserter(misclassified),
                             [&](std::uint32_t row) { return labels_[row] != node.label; });
        for (const std::uint32_t row : evenly_spaced(misclassified, n_each)) {
            sample_.push_back(row);
            is_sampled_[row] = 1;
        }
    }
}

// Completes the fitted tree greedily in its impure leaves, and reports it if it is better than all trees before.
void CodeSearch::report_completed(const CodeCallbacks& callbacks) {
    std::size_t n_rows = 0;
    Value value = 0;
    for (const Node& node : nodes_) {
        n_rows += node.impure_rows.size();
        value += !node.is_leaf() || !node.impure_rows.empty();
    }
    if (value >= upper_ || n_rows > kMaxCompletedRows) return;
    std::vector<CodeTree> completions(nodes_.size());
    value = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        value += !nodes_[i].is_leaf();
        const Rows& rows = nodes_[i].impure_rows;
        if (rows.empty()) continue;
        CodeTable part = CodeTable::copy(codes_, rows);
        for (const std::uint32_t row : rows) part.labels.push_back(labels_[row]);
        completions[i] = grow_code_tree(part.view(), part.labels, n_classes_, {}, [&] {
            tick_();
            return true;
        });
        value += static_cast<Value>(completions[i].n_tests());
        if (value >= upper_) return;
    }
    upper_ = constraints_.max_depth == kAnyDepth ? value : upper_;
    callbacks.on_tree(to_tree(completions));
}

CodeTree CodeSearch::to_tree(const std::vector<CodeTree>& completions) const {
    struct QueuedNode {
        const CodeTree* completion;  // nullptr: a node of the fitted tree
        std::size_t node;
    };
    CodeTree out;
    for (std::deque<QueuedNode> queue{{nullptr, 0}}; !queue.empty(); queue.pop_front()) {
        auto [completion, node] = queue.front();
        if (!completion && node < completions.size() && completions[node].size() > 0) {
            completion = &completions[node];
            node = 0;
        }
        if (completion && !completion->is_leaf(node)) {
            out.add_inner(completion->test(node));
            const auto left = static_cast<std::size_t>(completion->left[node]);
            queue.push_back({completion, left});
            queue.push_back({completion, left + 1});
        } else if (completion) {
            out.add_leaf(completion->label[node]);
        } else if (nodes_[node].is_leaf()) {
            out.add_leaf(nodes_[node].label);
        } else {
            out.add_inner(nodes_[node].test);
            queue.push_back({nullptr, static_cast<std::size_t>(nodes_[node].no)});
            queue.push_back({nullptr, static_cast<std::size_t>(nodes_[node].yes)});
        }
    }
    return out;
}

}  // namespace puretree
