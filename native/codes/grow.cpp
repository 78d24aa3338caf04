#include "grow.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../entropy.hpp"

namespace puretree {
namespace {

constexpr std::size_t kRowsPerCheck = 20000;  // of the clock
constexpr std::size_t kMaxCodesPerRow = 16;   // for sorting by counting

// A row in the sorted list of a column. The code is stored with it: looking it up in the table took twice as long.
struct Entry {
    std::int32_t code;
    std::uint32_t row;
};

struct Range {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

struct Candidate {
    double impurity = HUGE_VAL;
    Test test;
};

class Grower {
public:
    Grower(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, const GrowOptions& options,
           const std::function<bool()>& has_time)
        : codes_(codes), labels_(labels.begin(), labels.end()), n_classes_(n_classes), options_(options),
          has_time_(has_time), random_(options.seed), entries_(codes.n_columns * codes.n_rows), buffer_(codes.n_rows),
          is_yes_(codes.n_rows), total_(n_classes), low_(n_classes) {
        table_ = n_log_n_table(codes.n_rows);
        if (options.uses_gini) {
            for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = static_cast<double>(n) * static_cast<double>(n);
        }
        for (std::size_t c = 0; c < codes.n_columns; ++c) sort_column(c);
        columns_.resize(codes.n_columns);
        std::iota(columns_.begin(), columns_.end(), 0u);
    }

    CodeTree grow() {
        CodeTree tree;
        std::deque<Range> queue{{0, codes_.n_rows}};
        for (; !queue.empty(); queue.pop_front()) {
            const Range range = queue.front();
            count_classes(range);
            if (n_present_ == 1) {
                tree.add_leaf(static_cast<std::int32_t>(labels_[list(0)[range.begin].row]));
                continue;
            }
            const Test test = best_test(range, check_time(range.size()) ? options_.column_fraction : 0);
            tree.add_inner(test);
            const std::size_t middle = divide(range, test);
            queue.push_back({range.begin, middle});
            queue.push_back({middle, range.end});
        }
        return tree;
    }

private:
    Entry* list(std::size_t column) { return entries_.data() + column * codes_.n_rows; }

    bool check_time(std::size_t n_rows) {
        n_unchecked_ += n_rows * codes_.n_columns;
        if (n_unchecked_ < kRowsPerCheck) return is_in_time_;
        n_unchecked_ = 0;
        return is_in_time_ = is_in_time_ && has_time_();
    }

    // The codes of a part of a table may be much larger than its number of rows.
    void sort_column(std::size_t c) {
        const auto column = codes_.column(c);
        const std::int32_t most = column.empty() ? 0 : *std::ranges::max_element(column);
        if (static_cast<std::size_t>(most) > kMaxCodesPerRow * column.size()) {
            for (std::uint32_t row = 0; row < column.size(); ++row) list(c)[row] = {column[row], row};
            std::ranges::sort(list(c), list(c) + column.size(), {}, [](const Entry& entry) {
                return std::pair{entry.code, entry.row};
            });
            return;
        }
        std::vector<std::size_t> next(static_cast<std::size_t>(most) + 2);
        for (const std::int32_t code : column) ++next[static_cast<std::size_t>(code) + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::uint32_t row = 0; row < column.size(); ++row) {
            list(c)[next[static_cast<std::size_t>(column[row])]++] = {column[row], row};
        }
    }

    void count_classes(const Range& range) {
        std::ranges::fill(total_, 0u);
        for (std::size_t i = range.begin; i < range.end; ++i) ++total_[labels_[list(0)[i].row]];
        n_present_ = static_cast<std::size_t>(std::ranges::count_if(total_, [](std::uint32_t n) { return n > 0; }));
    }

    // The best test of some columns, at least of one that varies.
    Test best_test(const Range& range, double column_fraction) {
        std::size_t n_columns = columns_.size();
        if (column_fraction < 1) {
            std::ranges::shuffle(columns_, random_);
            n_columns = static_cast<std::size_t>(std::ceil(column_fraction * static_cast<double>(n_columns)));
        }
        Candidate best;
        for (std::size_t i = 0; i < columns_.size() && (i < n_columns || best.impurity == HUGE_VAL); ++i) {
            const std::uint32_t c = columns_[i];
            const Entry* entries = list(c);
            if (entries[range.begin].code == entries[range.end - 1].code) continue;
            const Candidate candidate = codes_.is_ordered[c] ? best_threshold(range, c) : best_level(range, c);
            if (candidate.impurity < best.impurity) best = candidate;
        }
        if (best.impurity == HUGE_VAL) throw std::invalid_argument("contradictory rows: no pure tree exists");
        return best.test;
    }

    // The impurity of both sides, up to a constant that is equal for all tests. With the entropy it is the sum of
    // n log n over the sides minus that over their classes; with the Gini index of n over the sides minus n²/n.
    double impurity(std::size_t n_low, double low_sum, std::size_t n_high, double high_sum) const {
        if (options_.uses_gini) return -low_sum / static_cast<double>(n_low) - high_sum / static_cast<double>(n_high);
        return (table_[n_low] - low_sum) + (table_[n_high] - high_sum);
    }

    double sum_of(const std::vector<std::uint32_t>& counts) const {
        double sum = 0;
        for (const std::uint32_t n : counts) sum += table_[n];
        return sum;
    }

    Candidate best_threshold(const Range& range, std::uint32_t c) {
        const Entry* entries = list(c);
        std::ranges::fill(low_, 0u);
        high_ = total_;
        double low_sum = 0, high_sum = sum_of(high_);
        Candidate best;
        for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
            const std::size_t label = labels_[entries[i].row];
            low_sum += table_[low_[label] + 1] - table_[low_[label]];
            high_sum += table_[high_[label] - 1] - table_[high_[label]];
            ++low_[label];
            --high_[label];
            if (entries[i].code == entries[i + 1].code) continue;
            const std::size_t n_low = i + 1 - range.begin;
            const double value = impurity(n_low, low_sum, range.size() - n_low, high_sum);
            if (value < best.impurity) best = {value, {c, entries[i].code}};
        }
        return best;
    }

    Candidate best_level(const Range& range, std::uint32_t c) {
        const Entry* entries = list(c);
        const double total_sum = sum_of(total_);
        Candidate best;
        for (std::size_t i = range.begin; i < range.end;) {
            std::ranges::fill(low_, 0u);
            std::size_t end = i;
            for (; end < range.end && entries[end].code == entries[i].code; ++end) ++low_[labels_[entries[end].row]];
            double low_sum = 0, high_sum = total_sum;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                low_sum += table_[low_[k]];
                high_sum += table_[total_[k] - low_[k]] - table_[total_[k]];
            }
            const double value = impurity(end - i, low_sum, range.size() - (end - i), high_sum);
            if (value < best.impurity) best = {value, {c, entries[i].code}};
            i = end;
        }
        return best;
    }

    // Divides the sorted lists of a node: first the rows of the no side, then those of the yes side.
    std::size_t divide(const Range& range, const Test& test) {
        std::size_t n_no = 0;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const Entry& entry = list(test.column)[i];
            const bool is_yes = codes_.is_ordered[test.column] ? entry.code <= test.code : entry.code == test.code;
            is_yes_[entry.row] = is_yes;
            n_no += !is_yes;
        }
        for (std::size_t c = 0; c < codes_.n_columns; ++c) {
            Entry* no = list(c) + range.begin;
            Entry* yes = buffer_.data();
            for (std::size_t i = range.begin; i < range.end; ++i) {
                const Entry entry = list(c)[i];
                *(is_yes_[entry.row] ? yes++ : no++) = entry;
            }
            std::copy(buffer_.data(), yes, no);
        }
        return range.begin + n_no;
    }

    const Codes& codes_;
    std::vector<std::uint32_t> labels_;
    std::size_t n_classes_;
    const GrowOptions& options_;
    const std::function<bool()>& has_time_;
    std::mt19937_64 random_;
    std::vector<double> table_;            // of each count: n log n, or n² for the Gini index
    std::vector<Entry> entries_;           // a list for each column
    std::vector<Entry> buffer_;
    std::vector<std::uint8_t> is_yes_;     // of each row, for the test of the current node
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> total_, low_, high_;  // rows of each class: of the node, on both sides
    std::size_t n_present_ = 0;            // classes of the node
    std::size_t n_unchecked_ = 0;
    bool is_in_time_ = true;
};

}  // namespace

CodeTree grow_code_tree(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes,
                        const GrowOptions& options, const std::function<bool()>& has_time) {
    return Grower(codes, labels, n_classes, options, has_time).grow();
}

}  // namespace puretree
