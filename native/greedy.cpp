#include "greedy.hpp"

#include <bit>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <utility>

namespace puretree {
namespace {

using Bits = std::vector<Word>;

class Grower {
public:
    Grower(const BitRows<const Word>& features, std::span<const std::int32_t> labels, int n_classes)
        : features_(features), class_bits_(static_cast<std::size_t>(n_classes), Bits(features.n_words())) {
        for (std::size_t i = 0; i < labels.size(); ++i) {
            class_bits_[static_cast<std::size_t>(labels[i])][i / kWordBits] |= Word{1} << (i % kWordBits);
        }
        // n log n is asked for at every split: a table also makes equal counts give equal gains to the last bit.
        n_log_n_.resize(labels.size() + 1);
        for (std::size_t n = 1; n < n_log_n_.size(); ++n) {
            const auto x = static_cast<double>(n);
            n_log_n_[n] = x * std::log2(x);
        }
    }

    GrownTree grow() {
        GrownTree tree;
        std::deque<Bits> waiting;  // example sets of the nodes numbered but not yet split
        waiting.push_back(all_examples());
        for (std::int32_t numbered = 1; !waiting.empty(); waiting.pop_front()) {
            const Bits& examples = waiting.front();
            const std::int32_t only_class = class_if_pure(examples);
            tree.label.push_back(only_class);
            if (only_class >= 0) {
                tree.feature.push_back(-1);
                tree.left.push_back(-1);
                continue;
            }
            const std::size_t feature = best_feature(examples);
            tree.feature.push_back(static_cast<std::int32_t>(feature));
            tree.left.push_back(numbered);
            numbered += 2;
            auto [no, yes] = split(examples, feature);
            waiting.push_back(std::move(no));
            waiting.push_back(std::move(yes));
        }
        return tree;
    }

private:
    Bits all_examples() const {
        Bits all(features_.n_words());
        for (const Bits& bits : class_bits_) {
            for (std::size_t w = 0; w < all.size(); ++w) all[w] |= bits[w];
        }
        return all;
    }

    std::int32_t class_if_pure(const Bits& examples) const {
        std::int32_t found = -1;
        for (std::size_t c = 0; c < class_bits_.size(); ++c) {
            for (std::size_t w = 0; w < examples.size(); ++w) {
                if ((examples[w] & class_bits_[c][w]) == 0) continue;
                if (found >= 0) return -1;
                found = static_cast<std::int32_t>(c);
                break;
            }
        }
        return found;
    }

    // The weighted entropy of both sides, up to what is the same for every feature; lower is better.
    double impurity(const Bits& examples, std::span<const Word> feature) const {
        double no_sum = 0, yes_sum = 0;
        std::size_t n_no = 0, n_yes = 0;
        for (const Bits& bits : class_bits_) {
            std::size_t no = 0, yes = 0;
            for (std::size_t w = 0; w < examples.size(); ++w) {
                const Word of_class = examples[w] & bits[w];
                yes += static_cast<std::size_t>(std::popcount(of_class & feature[w]));
                no += static_cast<std::size_t>(std::popcount(of_class & ~feature[w]));
            }
            no_sum += n_log_n_[no];
            yes_sum += n_log_n_[yes];
            n_no += no;
            n_yes += yes;
        }
        if (n_no == 0 || n_yes == 0) return HUGE_VAL;
        return (n_log_n_[n_no] - no_sum) + (n_log_n_[n_yes] - yes_sum);
    }

    std::size_t best_feature(const Bits& examples) const {
        std::size_t best = features_.n_rows;
        double best_impurity = HUGE_VAL;
        for (std::size_t f = 0; f < features_.n_rows; ++f) {
            const double value = impurity(examples, features_.row(f));
            if (value < best_impurity) {
                best = f;
                best_impurity = value;
            }
        }
        if (best == features_.n_rows) throw std::invalid_argument("contradictory examples: no pure tree exists");
        return best;
    }

    std::pair<Bits, Bits> split(const Bits& examples, std::size_t feature) const {
        Bits no(examples), yes(examples);
        const auto bits = features_.row(feature);
        for (std::size_t w = 0; w < examples.size(); ++w) {
            no[w] &= ~bits[w];
            yes[w] &= bits[w];
        }
        return {std::move(no), std::move(yes)};
    }

    const BitRows<const Word>& features_;
    std::vector<Bits> class_bits_;
    std::vector<double> n_log_n_;
};

}  // namespace

GrownTree grow_greedily(const BitRows<const Word>& features, std::span<const std::int32_t> labels, int n_classes) {
    return Grower(features, labels, n_classes).grow();
}

}  // namespace puretree
