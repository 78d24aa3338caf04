#include "greedy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "entropy.hpp"
#include "transpose.hpp"

namespace puretree {
namespace {

using Members = std::vector<std::uint32_t>;  // examples of a node

// Words of an example that are gathered at a time: the scratch memory of a node is a fraction of the examples.
constexpr std::size_t kChunkWords = 64;

class Grower {
public:
    Grower(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes)
        : examples_(examples), labels_(labels), n_classes_(static_cast<std::size_t>(n_classes)),
          n_log_n_(n_log_n_table(labels.size())) {}

    GrownTree grow(const std::function<bool()>& has_time) {
        GrownTree tree;
        std::deque<Members> queue(1);  // the nodes that are numbered but not split yet
        for (std::uint32_t i = 0; i < labels_.size(); ++i) queue.front().push_back(i);
        for (; !queue.empty(); queue.pop_front()) {
            const bool is_in_time = has_time();
            Members& members = queue.front();
            if (is_pure(members)) {
                tree.add_leaf(labels_[members.front()]);
                continue;
            }
            const std::size_t feature = is_in_time ? best_feature(members) : separating_feature(members);
            tree.add_inner(feature);
            const auto is_no = [&](std::uint32_t i) { return !examples_.bit(i, feature); };
            const auto yes = std::stable_partition(members.begin(), members.end(), is_no);
            Members no_members(members.begin(), yes), yes_members(yes, members.end());
            queue.push_back(std::move(no_members));
            queue.push_back(std::move(yes_members));
        }
        return tree;
    }

private:
    bool is_pure(const Members& members) const {
        return std::ranges::all_of(members, [&](std::uint32_t i) { return labels_[i] == labels_[members.front()]; });
    }

    void count_classes(const Members& members) {
        class_bits_.assign(n_classes_ * words_for(members.size()), 0);
        classes_present_.clear();
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto c = static_cast<std::size_t>(labels_[members[i]]);
            class_bits_[c * words_for(members.size()) + i / kWordBits] |= Word{1} << (i % kWordBits);
            if (std::ranges::find(classes_present_, c) == classes_present_.end()) classes_present_.push_back(c);
        }
    }

    // Copies some words of the rows of the members and transposes them, so that the work at a node depends on its
    // examples alone. Scanning all examples at every node took 18 s instead of 1 (4000 rows, 5 columns of thresholds).
    BitRows<const Word> gather(const Members& members, std::size_t first_word, std::size_t n_words) {
        gathered_.resize(members.size() * n_words);
        for (std::size_t i = 0; i < members.size(); ++i) {
            std::ranges::copy(examples_.row(members[i]).subspan(first_word, n_words),
                              gathered_.begin() + static_cast<std::ptrdiff_t>(i * n_words));
        }
        const std::size_t n_features = std::min(n_words * kWordBits, examples_.n_bits - first_word * kWordBits);
        features_.resize(n_features * words_for(members.size()));
        transpose({gathered_.data(), members.size(), n_features}, {features_.data(), n_features, members.size()});
        return {features_.data(), n_features, members.size()};
    }

    // The weighted entropy of both sides, up to a constant that is equal for all features; lower is better.
    double impurity(std::span<const Word> feature, std::size_t n_members) const {
        double no_sum = 0, yes_sum = 0;
        std::size_t n_yes = 0;
        for (const std::size_t c : classes_present_) {
            std::size_t yes = 0, all = 0;
            for (std::size_t w = 0; w < feature.size(); ++w) {
                const Word members = class_bits_[c * feature.size() + w];
                yes += static_cast<std::size_t>(std::popcount(members & feature[w]));
                all += static_cast<std::size_t>(std::popcount(members));
            }
            no_sum += n_log_n_[all - yes];
            yes_sum += n_log_n_[yes];
            n_yes += yes;
        }
        if (n_yes == 0 || n_yes == n_members) return HUGE_VAL;
        return (n_log_n_[n_members - n_yes] - no_sum) + (n_log_n_[n_yes] - yes_sum);
    }

    std::size_t best_feature(const Members& members) {
        count_classes(members);
        std::optional<std::size_t> best;
        double best_impurity = HUGE_VAL;
        for (std::size_t word = 0; word < examples_.n_words(); word += kChunkWords) {
            const auto features = gather(members, word, std::min(kChunkWords, examples_.n_words() - word));
            for (std::size_t f = 0; f < features.n_rows; ++f) {
                const double value = impurity(features.row(f), members.size());
                if (value < best_impurity) {
                    best = word * kWordBits + f;
                    best_impurity = value;
                }
            }
        }
        if (!best) throw std::invalid_argument("contradictory examples: no pure tree exists");
        return *best;
    }

    // The first feature in which the first member and one of another class differ.
    std::size_t separating_feature(const Members& members) const {
        const auto other = std::ranges::find_if(
            members, [&](std::uint32_t i) { return labels_[i] != labels_[members.front()]; });
        const auto one = examples_.row(members.front()), another = examples_.row(*other);
        for (std::size_t w = 0; w < one.size(); ++w) {
            if (one[w] != another[w]) {
                return w * kWordBits + static_cast<std::size_t>(std::countr_zero(one[w] ^ another[w]));
            }
        }
        throw std::invalid_argument("contradictory examples: no pure tree exists");
    }

    const BitRows<const Word>& examples_;
    std::span<const std::int32_t> labels_;
    std::size_t n_classes_;
    std::vector<double> n_log_n_;

    // Scratch for the node being split, the first two for some of its features.
    std::vector<Word> gathered_;
    std::vector<Word> features_;
    std::vector<Word> class_bits_;
    std::vector<std::size_t> classes_present_;
};

}  // namespace

GrownTree grow_greedily(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
                        const std::function<bool()>& has_time) {
    return Grower(examples, labels, n_classes).grow(has_time);
}

}  // namespace puretree
