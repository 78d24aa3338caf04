// Exact search over a table of codes, by counterexample-guided refinement: a sample of the rows is made into an explicit
// problem and solved by the search of explicit problems; the tests of its tree are then chosen among all that divide the
// sample in the same way, by the impurity of all rows; misclassified rows join the sample. The value of a sample is a
// lower bound for all rows. Thresholds are made for the rows of the sample only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../search/search.hpp"
#include "binarised.hpp"
#include "codes.hpp"

namespace puretree {

struct CodeConstraints {
    Depth max_depth = kAnyDepth;
    std::vector<std::uint8_t> may_be_root;  // of each column; empty: the root may test any
};

struct CodeCallbacks {
    std::function<void(Value)> on_lower;           // a higher lower bound
    std::function<void(const CodeTree&)> on_tree;  // a pure tree of all rows, which may violate max_depth
};

class CodeSearch {
public:
    // Searches trees of all rows of `codes`, which must outlive the search.
    CodeSearch(const Codes& codes, std::vector<std::int32_t> labels, std::size_t n_classes, CodeConstraints constraints,
               std::size_t max_bytes);

    // As Search::run: true after a best tree is reported, or if no tree is better than `cutoff`; false if there is none.
    bool run(Value cutoff, const CodeCallbacks& callbacks, std::function<void()> tick);

    Value lower() const { return lower_; }
    std::size_t sample_size() const { return sample_.size(); }
    std::size_t n_features() const { return binarised_.n_features(); }  // of the sample

private:
    // A subtree that is fitted to all rows that reach it.
    struct Node {
        Test test;
        std::int32_t no = -1, yes = -1;  // -1: a leaf
        std::int32_t label = -1;
        std::vector<std::uint32_t> impure_rows;  // all rows of an impure leaf

        bool is_leaf() const { return no < 0; }
    };
    using Rows = std::vector<std::uint32_t>;

    void prepare();
    void add_to_sample(std::uint32_t row);
    void add_rows_split_by_roots();
    void open_sample_search();
    std::int32_t fit(const GrownTree& tree, std::size_t node, const Rows& sample, const Rows& rows, bool is_root);
    Test best_equivalent(const Rows& sample_no, const Rows& sample_yes, const Rows& rows, bool is_root,
                         const Test& given, bool& is_flipped);
    void consider(std::uint32_t column, std::int32_t low, std::int32_t high, bool flips, const Rows& rows);
    void add_counterexamples();
    void report_completed(const CodeCallbacks& callbacks);
    CodeTree to_tree(const std::vector<CodeTree>& completions) const;
    void raise_lower(Value lower, const CodeCallbacks& callbacks);

    Codes codes_;
    std::vector<std::int32_t> labels_;
    std::size_t n_classes_;
    CodeConstraints constraints_;
    std::size_t max_bytes_;
    std::function<void()> tick_;

    Rows sample_;                       // in the order in which rows were added
    std::vector<std::uint8_t> is_sampled_;
    BinarisedRows binarised_;           // of the sample
    std::unique_ptr<Search> search_;    // of the sample
    std::optional<GrownTree> sample_tree_;
    std::vector<Node> nodes_;           // of the fitted tree, root first
    std::vector<double> n_log_n_;
    Value lower_ = 0;
    Value upper_ = kInfeasible;         // of the trees reported, or known to the caller

    // The best test so far of best_equivalent.
    struct Choice {
        double impurity;
        Test test;
        bool is_flipped;
    };
    std::optional<Choice> choice_;
    std::vector<std::size_t> low_counts_, total_counts_;
};

}  // namespace puretree
