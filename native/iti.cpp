#include "iti.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <vector>

#include "entropy.hpp"

namespace puretree {
namespace {

constexpr double kTolerance = 1e-9;  // gains closer than this are a tie

// For every feature, the number of yes rows of each class; then the number of all rows of each class, as for a feature
// that is always yes.
using Counts = std::vector<std::uint32_t>;

template <class T>
T pop(std::vector<T>& stack) {
    const T top = stack.back();
    stack.pop_back();
    return top;
}

// Counts rows by feature and class, and finds the best test by these counts.
class Counter {
public:
    Counter(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
            std::size_t n_rows)
        : examples_(examples), labels_(labels), n_classes_(static_cast<std::size_t>(n_classes)),
          n_log_n_(n_log_n_table(n_rows)) {
        std::size_t n_ones = 1;
        for (const Word word : std::span(examples.data, examples.n_rows * examples.n_words())) {
            n_ones += static_cast<std::size_t>(std::popcount(word));
        }
        max_uncounted_ = std::max<std::size_t>(32, zero_counts().size() * examples.n_rows / n_ones);
    }

    // Whether the counts of a node are worth their memory: those of few examples are recomputed as fast as they are
    // read. So the nodes of one level never store more counts than the examples have ones.
    bool stores_counts(std::uint32_t n_examples) const { return n_examples > max_uncounted_; }

    Counts zero_counts() const { return Counts((examples_.n_bits + 1) * n_classes_); }

    void add(std::uint32_t example, std::uint32_t n_rows, Counts& counts) const {
        std::uint32_t* of_class = counts.data() + labels_[example];
        for (const Word word : examples_.row(example)) {
            for (Word rest = word; rest != 0; rest &= rest - 1) {
                of_class[static_cast<std::size_t>(std::countr_zero(rest)) * n_classes_] += n_rows;
            }
            of_class += kWordBits * n_classes_;
        }
        counts[examples_.n_bits * n_classes_ + static_cast<std::size_t>(labels_[example])] += n_rows;
    }

    std::uint32_t n_yes(const Counts& counts, std::size_t feature) const {
        std::uint32_t sum = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) sum += counts[feature * n_classes_ + c];
        return sum;
    }

    std::uint32_t n_rows(const Counts& counts) const { return n_yes(counts, examples_.n_bits); }

    // The test of highest information gain among those that separate the examples; ties are broken in favour of
    // `current`, then of the first feature.
    std::size_t best_test(const Counts& counts, std::optional<std::size_t> current) {
        load(counts);
        std::size_t best = 0;
        double best_gain = -1;  // no test separates the examples
        const auto compare = [&](std::size_t feature) {
            const double gain = information_gain(counts.data() + feature * n_classes_);
            if (gain > best_gain + kTolerance) {
                best = feature;
                best_gain = gain;
            }
        };
        if (current) compare(*current);
        for (std::size_t f = 0; f < examples_.n_bits; ++f) compare(f);
        if (best_gain < 0) throw std::invalid_argument("contradictory examples: no pure tree exists");
        return best;
    }

private:
    void load(const Counts& counts) {
        all_ = counts.data() + examples_.n_bits * n_classes_;
        n_all_ = n_rows(counts);
        classes_present_.clear();
        class_sum_ = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            if (all_[c] == 0) continue;
            classes_present_.push_back(c);
            class_sum_ += n_log_n_[all_[c]];
        }
    }

    // Negative for a test that does not separate the examples; zero for one that separates them without information on
    // the class, such as the first test of xor.
    double information_gain(const std::uint32_t* yes) const {
        double sums = 0;
        std::size_t n_yes = 0;
        for (const std::size_t c : classes_present_) {
            n_yes += yes[c];
            sums += n_log_n_[yes[c]] + n_log_n_[all_[c] - yes[c]];
        }
        if (n_yes == 0 || n_yes == n_all_) return -1;
        const double split = n_log_n_[n_all_] - n_log_n_[n_yes] - n_log_n_[n_all_ - n_yes];
        return std::max(0.0, (split - class_sum_ + sums) / static_cast<double>(n_all_));
    }

    const BitRows<const Word>& examples_;
    std::span<const std::int32_t> labels_;
    std::size_t n_classes_;
    std::vector<double> n_log_n_;
    std::size_t max_uncounted_;

    // Of the counts loaded last.
    const std::uint32_t* all_ = nullptr;
    std::size_t n_all_ = 0;
    std::vector<std::size_t> classes_present_;
    double class_sum_ = 0;
};

using NodeId = std::uint32_t;
constexpr NodeId kEmptySubtree = UINT32_MAX;
using Sides = std::array<NodeId, 2>;  // no and yes

struct Node {
    std::optional<std::size_t> test;            // of an inner node
    Sides child{kEmptySubtree, kEmptySubtree};  // of an inner node
    std::uint32_t n_examples = 0;
    bool is_stale = false;                      // an inner node with new rows, or a leaf of two classes
    Counts counts;                              // of an inner node, if they are stored
    std::vector<std::uint32_t> members;         // of a leaf

    bool is_leaf() const { return !test; }
};

// Invariant between two rows: leaves are pure, inner nodes are not and have both children, no node is stale.
// A tree can be as deep as it has examples, so no function recurses.
class Inducer {
public:
    Inducer(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
            std::size_t n_rows, const std::function<bool()>& has_time)
        : examples_(examples), labels_(labels), n_rows_(labels.size()), counter_(examples, labels, n_classes, n_rows),
          has_time_(has_time), root_(create()) {}

    bool induce(std::span<const std::int64_t> rows) {
        return std::ranges::all_of(rows, [&](std::int64_t example) {
            if (!has_time_()) return false;
            pass_down(static_cast<std::uint32_t>(example));
            return revise();
        });
    }

    GrownTree tree() const {
        GrownTree grown;
        std::deque<NodeId> queue{root_};
        for (; !queue.empty(); queue.pop_front()) {
            const Node& node = nodes_[queue.front()];
            if (node.is_leaf()) {
                grown.add_leaf(label(node));
            } else {
                grown.add_inner(*node.test);
                queue.insert(queue.end(), node.child.begin(), node.child.end());
            }
        }
        return grown;
    }

private:
    void pass_down(std::uint32_t example) {
        const bool is_new = n_rows_[example]++ == 0;
        NodeId id = root_;
        for (; !nodes_[id].is_leaf(); id = nodes_[id].child[examples_.bit(example, *nodes_[id].test)]) {
            nodes_[id].n_examples += is_new;
            nodes_[id].is_stale = true;
            if (!nodes_[id].counts.empty()) counter_.add(example, 1, nodes_[id].counts);
        }
        if (!is_new) return;  // the leaf has it, and stays pure
        Node& leaf = nodes_[id];
        ++leaf.n_examples;
        leaf.members.push_back(example);
        leaf.is_stale = labels_[example] != label(leaf);
    }

    // Gives every stale node its best test, parents first: changes below a node do not affect its counts.
    bool revise() {
        std::vector<NodeId> stack{root_};
        while (!stack.empty()) {
            const NodeId id = pop(stack);
            if (!nodes_[id].is_stale) continue;
            if (!has_time_()) return false;
            nodes_[id].is_stale = false;
            const std::size_t best = best_test(id);
            if (nodes_[id].is_leaf()) {
                split_leaf(id, best);
            } else if (best != nodes_[id].test) {
                pull_up(id, best);
            }
            stack.insert(stack.end(), nodes_[id].child.begin(), nodes_[id].child.end());
        }
        return true;
    }

    std::size_t best_test(NodeId id) {
        Node& node = nodes_[id];
        if (!node.counts.empty()) return counter_.best_test(node.counts, node.test);
        Counts counts = count({id});
        const std::size_t best = counter_.best_test(counts, node.test);
        if (counter_.stores_counts(node.n_examples)) node.counts = std::move(counts);
        return best;
    }

    // The sum of the counts of some subtrees; descends only to nodes without stored counts.
    Counts count(std::vector<NodeId> stack) const {
        Counts sum = counter_.zero_counts();
        while (!stack.empty()) {
            const Node& node = nodes_[pop(stack)];
            if (!node.counts.empty()) {
                std::ranges::transform(sum, node.counts, sum.begin(), std::plus{});
            } else if (node.is_leaf()) {
                for (const std::uint32_t example : node.members) counter_.add(example, n_rows_[example], sum);
            } else {
                stack.insert(stack.end(), node.child.begin(), node.child.end());
            }
        }
        return sum;
    }

    void split_leaf(NodeId id, std::size_t test) {
        const NodeId below = create();
        nodes_[below].n_examples = nodes_[id].n_examples;
        nodes_[below].is_stale = true;
        nodes_[below].members = std::exchange(nodes_[id].members, {});
        nodes_[id].test = test;
        nodes_[id].child = divide_leaf(below, test);
    }

    void pull_up(NodeId id, std::size_t test) {
        Node& node = nodes_[id];
        const Sides no = divide(node.child[0], test), yes = divide(node.child[1], test);
        node.child = transpose(*node.test, no, yes);
        node.test = test;
    }

    // Pulls a test up to the top of a subtree and returns its two sides. They reuse the nodes of the subtree, which
    // saves the work of growing them again.
    Sides divide(NodeId top, std::size_t test) {
        std::vector<NodeId> visited, stack{top};
        while (!stack.empty()) {
            visited.push_back(pop(stack));
            const Node& node = nodes_[visited.back()];
            if (is_divided_by(node, test)) stack.insert(stack.end(), node.child.rbegin(), node.child.rend());
        }
        std::vector<Sides> sides;  // a stack: those of the subtrees below
        for (const NodeId id : std::views::reverse(visited)) {
            const Node& node = nodes_[id];
            if (node.is_leaf()) {
                sides.push_back(divide_leaf(id, test));
            } else if (node.test == test) {
                sides.push_back(node.child);
                release(id);
            } else if (!is_divided_by(node, test)) {
                sides.push_back(all_on_one_side(id, counter_.n_yes(node.counts, test) != 0));
            } else {
                const Sides no = pop(sides), yes = pop(sides);
                sides.push_back(divide_inner(id, no, yes));
            }
        }
        return sides.front();
    }

    // Whether a test may divide the examples of an inner node, according to its counts.
    bool is_divided_by(const Node& node, std::size_t test) const {
        if (node.is_leaf() || node.test == test) return false;
        if (node.counts.empty()) return true;
        const std::uint32_t n_yes = counter_.n_yes(node.counts, test);
        return n_yes != 0 && n_yes != counter_.n_rows(node.counts);
    }

    static Sides all_on_one_side(NodeId id, bool is_yes) {
        return is_yes ? Sides{kEmptySubtree, id} : Sides{id, kEmptySubtree};
    }

    Sides divide_leaf(NodeId id, std::size_t test) {
        auto& members = nodes_[id].members;
        const auto is_no = [&](std::uint32_t i) { return !examples_.bit(i, test); };
        const auto middle = std::partition(members.begin(), members.end(), is_no);
        if (middle == members.begin() || middle == members.end()) return all_on_one_side(id, middle == members.begin());
        const NodeId yes = create();
        nodes_[yes].members.assign(middle, members.end());
        members.erase(middle, members.end());
        const bool was_pure = is_pure_leaf(id);
        for (const NodeId side : {id, yes}) {
            Node& leaf = nodes_[side];
            leaf.n_examples = static_cast<std::uint32_t>(leaf.members.size());
            const auto differs = [&](std::uint32_t i) { return labels_[i] != label(leaf); };
            leaf.is_stale = !was_pure && std::ranges::any_of(leaf.members, differs);
        }
        return {id, yes};
    }

    Sides divide_inner(NodeId id, Sides no, Sides yes) {
        for (const bool side : {false, true}) {
            if (no[!side] == kEmptySubtree && yes[!side] == kEmptySubtree) return all_on_one_side(id, side);
        }
        const std::size_t test = *nodes_[id].test;
        release(id);
        return transpose(test, no, yes);
    }

    // Swaps two levels: the upper test moves below, once on each side of the lower one.
    Sides transpose(std::size_t upper, Sides no, Sides yes) {
        return {join(upper, no[0], yes[0]), join(upper, no[1], yes[1])};
    }

    // Makes an inner node, unless a side is empty or both are leaves of the same class.
    NodeId join(std::size_t test, NodeId no, NodeId yes) {
        if (no == kEmptySubtree) return yes;
        if (yes == kEmptySubtree) return no;
        const std::uint32_t n_examples = nodes_[no].n_examples + nodes_[yes].n_examples;
        if (is_pure_leaf(no) && is_pure_leaf(yes) && label(nodes_[no]) == label(nodes_[yes])) {
            const auto& members = nodes_[yes].members;
            nodes_[no].members.insert(nodes_[no].members.end(), members.begin(), members.end());
            nodes_[no].n_examples = n_examples;
            release(yes);
            return no;
        }
        const NodeId id = create();
        Node& node = nodes_[id];
        node.test = test;
        node.child = {no, yes};
        node.n_examples = n_examples;
        node.is_stale = true;
        if (counter_.stores_counts(n_examples)) node.counts = count({no, yes});
        return id;
    }

    bool is_pure_leaf(NodeId id) const { return nodes_[id].is_leaf() && !nodes_[id].is_stale; }
    std::int32_t label(const Node& leaf) const { return labels_[leaf.members.front()]; }

    NodeId create() {
        if (!free_.empty()) return pop(free_);
        nodes_.emplace_back();
        return static_cast<NodeId>(nodes_.size() - 1);
    }

    void release(NodeId id) {
        nodes_[id] = Node{};
        free_.push_back(id);
    }

    const BitRows<const Word>& examples_;
    std::span<const std::int32_t> labels_;
    std::vector<std::uint32_t> n_rows_;  // of each example, so far
    Counter counter_;
    const std::function<bool()>& has_time_;
    std::deque<Node> nodes_;  // a deque keeps references valid while nodes are created
    std::vector<NodeId> free_;
    NodeId root_;
};

}  // namespace

std::optional<GrownTree> induce_incrementally(const BitRows<const Word>& examples, std::span<const std::int32_t> labels,
                                              int n_classes, std::span<const std::int64_t> rows,
                                              const std::function<bool()>& has_time) {
    Inducer inducer(examples, labels, n_classes, rows.size(), has_time);
    if (!inducer.induce(rows)) return std::nullopt;
    return inducer.tree();
}

}  // namespace puretree
