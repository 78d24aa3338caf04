#include "row_tree.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

namespace puretree {
namespace {

// A random number for each row: the hash of a set is the sum over its rows, whatever their order.
std::uint64_t hash_row(std::uint64_t row) {
    row += 0x9e3779b97f4a7c15u;
    row = (row ^ (row >> 30)) * 0xbf58476d1ce4e5b9u;
    row = (row ^ (row >> 27)) * 0x94d049bb133111ebu;
    return row ^ (row >> 31);
}

}  // namespace

RowTree::RowTree(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, const CodeTree& tree)
    : codes_(codes), labels_(labels.begin(), labels.end()), n_classes_(n_classes), order_(codes.n_rows),
      buffer_(codes.n_rows) {
    std::iota(order_.begin(), order_.end(), 0u);
    const std::int32_t top = attach(tree, {}, 0, static_cast<std::uint32_t>(codes.n_rows), -1, 0);
    if (!is_pure_below(top)) throw std::invalid_argument("the tree to be improved is not pure");
    root_ = static_cast<std::size_t>(top);
}

std::int32_t RowTree::allocate() {
    if (free_.empty()) {
        nodes_.emplace_back();
        is_used_.push_back(1);
        return static_cast<std::int32_t>(nodes_.size() - 1);
    }
    const std::int32_t node = free_.back();
    free_.pop_back();
    nodes_[static_cast<std::size_t>(node)] = {};
    is_used_[static_cast<std::size_t>(node)] = 1;
    return node;
}

std::uint64_t RowTree::hash_rows(std::uint32_t begin, std::uint32_t end) const {
    std::uint64_t hash = 0;
    for (std::uint32_t i = begin; i < end; ++i) hash += hash_row(order_[i]);
    return hash;
}

// Moves the rows of the no side to the front; returns the first of the yes side.
std::uint32_t RowTree::divide(const Test& test, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t middle = begin, n_yes = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = order_[i];
        if (codes_.is_yes(test, row)) {
            buffer_[n_yes++] = row;
        } else {
            order_[middle++] = row;
        }
    }
    std::copy_n(buffer_.begin(), n_yes, order_.begin() + middle);
    return middle;
}

// Makes nodes of a tree for some rows, without tests below the root that all of them answer alike. Iteratively: trees
// may be deep.
std::int32_t RowTree::attach(const CodeTree& tree, std::span<const std::int32_t> branches, std::uint32_t begin,
                             std::uint32_t end, std::int32_t parent, std::uint32_t depth) {
    struct Pending {
        std::size_t source;
        std::uint32_t begin, end;
        std::int32_t parent;
        bool is_yes;
        std::uint32_t depth;
    };
    std::int32_t top = -1;
    std::vector<std::int32_t> made;
    std::vector<Pending> stack{{0, begin, end, parent, false, depth}};
    while (!stack.empty()) {
        Pending at = stack.back();
        stack.pop_back();
        std::uint32_t middle = at.begin;
        while (!tree.is_leaf(at.source)) {
            middle = divide(tree.test(at.source), at.begin, at.end);
            if ((middle > at.begin && middle < at.end) || at.depth == 0) break;
            at.source = static_cast<std::size_t>(tree.left[at.source]) + (middle == at.begin);
        }
        std::int32_t node;
        const std::int32_t label = tree.label[at.source];
        if (tree.is_leaf(at.source) && static_cast<std::size_t>(label) >= n_classes_) {
            const std::int32_t branch = branches[static_cast<std::size_t>(label) - n_classes_];
            node = copy_for_rows(branch, at.begin, at.end, at.parent, at.depth);
        } else {
            node = allocate();
            Node& made_node = nodes_[static_cast<std::size_t>(node)];
            made_node.parent = at.parent;
            made_node.begin = at.begin;
            made_node.end = at.end;
            made_node.depth = at.depth;
            made_node.hash = hash_rows(at.begin, at.end);
            made_node.label = label;
            made.push_back(node);
            if (!tree.is_leaf(at.source)) {
                made_node.test = tree.test(at.source);
                const auto left = static_cast<std::size_t>(tree.left[at.source]);
                stack.push_back({left, at.begin, middle, node, false, at.depth + 1});
                stack.push_back({left + 1, middle, at.end, node, true, at.depth + 1});
            }
        }
        if (top < 0) {
            top = node;
        } else {
            Node& above = nodes_[static_cast<std::size_t>(at.parent)];
            (at.is_yes ? above.yes : above.no) = node;
        }
    }
    for (std::size_t i = made.size(); i-- > 0;) {  // children were made after their parents
        Node& node = nodes_[static_cast<std::size_t>(made[i])];
        if (node.is_leaf()) continue;
        node.n_tests = 1 + nodes_[static_cast<std::size_t>(node.no)].n_tests +
                       nodes_[static_cast<std::size_t>(node.yes)].n_tests;
    }
    return top;
}

// A copy of a branch for some of its rows, without tests that all of them answer alike.
std::int32_t RowTree::copy_for_rows(std::int32_t branch, std::uint32_t begin, std::uint32_t end, std::int32_t parent,
                                    std::uint32_t depth) {
    struct Pending {
        std::int32_t source;
        std::uint32_t begin, end;
        std::int32_t parent;
        bool is_yes;
        std::uint32_t depth;
    };
    std::int32_t top = -1;
    std::vector<std::int32_t> made;
    std::vector<Pending> stack{{branch, begin, end, parent, false, depth}};
    while (!stack.empty()) {
        Pending at = stack.back();
        stack.pop_back();
        std::uint32_t middle = at.begin;
        while (!nodes_[static_cast<std::size_t>(at.source)].is_leaf()) {
            const Node& source = nodes_[static_cast<std::size_t>(at.source)];
            middle = divide(source.test, at.begin, at.end);
            if (middle > at.begin && middle < at.end) break;
            at.source = middle == at.begin ? source.yes : source.no;
        }
        const std::int32_t node = allocate();
        const Node source = nodes_[static_cast<std::size_t>(at.source)];
        Node& copy = nodes_[static_cast<std::size_t>(node)];
        copy = source;
        copy.parent = at.parent;
        copy.begin = at.begin;
        copy.end = at.end;
        copy.depth = at.depth;
        copy.hash = hash_rows(at.begin, at.end);
        made.push_back(node);
        if (!source.is_leaf()) {
            stack.push_back({source.no, at.begin, middle, node, false, at.depth + 1});
            stack.push_back({source.yes, middle, at.end, node, true, at.depth + 1});
        }
        if (top < 0) {
            top = node;
        } else {
            Node& above = nodes_[static_cast<std::size_t>(at.parent)];
            (at.is_yes ? above.yes : above.no) = node;
        }
    }
    for (std::size_t i = made.size(); i-- > 0;) {
        Node& node = nodes_[static_cast<std::size_t>(made[i])];
        node.n_tests = node.is_leaf() ? 0
                                      : 1 + nodes_[static_cast<std::size_t>(node.no)].n_tests +
                                            nodes_[static_cast<std::size_t>(node.yes)].n_tests;
    }
    return top;
}

std::vector<std::int32_t> RowTree::branches_below(std::size_t node, std::size_t max_tests) const {
    if (nodes_[node].n_tests <= max_tests) return {};
    // The smallest subtree below what is kept so far comes first: it is kept as a whole if it fits, otherwise its root.
    using Entry = std::pair<std::uint32_t, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier;
    const auto push = [&](std::int32_t child) {
        const Node& below = nodes_[static_cast<std::size_t>(child)];
        if (!below.is_leaf()) frontier.emplace(below.n_tests, child);
    };
    push(nodes_[node].no);
    push(nodes_[node].yes);
    std::size_t n_left = max_tests - 1;
    std::vector<std::int32_t> branches;
    while (!frontier.empty()) {
        const auto [n_tests, child] = frontier.top();
        frontier.pop();
        if (n_tests <= n_left) {
            n_left -= n_tests;
        } else if (n_left > 0 && branches.empty()) {
            --n_left;
            push(nodes_[static_cast<std::size_t>(child)].no);
            push(nodes_[static_cast<std::size_t>(child)].yes);
        } else {
            branches.push_back(child);
        }
    }
    return branches;
}

std::vector<std::int32_t> RowTree::largest_subtrees(std::size_t max_tests) const {
    std::vector<std::int32_t> found;
    for (std::vector<std::size_t> stack{root_}; !stack.empty();) {
        const std::size_t at = stack.back();
        stack.pop_back();
        const Node& node = nodes_[at];
        if (node.is_leaf()) continue;
        if (node.n_tests <= max_tests) {
            found.push_back(static_cast<std::int32_t>(at));
        } else {
            stack.push_back(static_cast<std::size_t>(node.yes));
            stack.push_back(static_cast<std::size_t>(node.no));
        }
    }
    return found;
}

CodeTable RowTree::copy_part(std::size_t node, std::span<const std::int32_t> branches) const {
    const Node& top = nodes_[node];
    const std::span<const std::uint32_t> rows(order_.data() + top.begin, top.end - top.begin);
    CodeTable part = CodeTable::copy(codes_, rows);
    for (const std::uint32_t row : rows) part.labels.push_back(labels_[row]);
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const Node& branch = nodes_[static_cast<std::size_t>(branches[i])];
        std::fill(part.labels.begin() + (branch.begin - top.begin), part.labels.begin() + (branch.end - top.begin),
                  static_cast<std::int32_t>(n_classes_ + i));
    }
    return part;
}

void RowTree::release_below(std::int32_t node) {
    std::vector<std::int32_t> stack{node};
    while (!stack.empty()) {
        const std::int32_t at = stack.back();
        stack.pop_back();
        const Node& released = nodes_[static_cast<std::size_t>(at)];
        if (!released.is_leaf()) {
            stack.push_back(released.no);
            stack.push_back(released.yes);
        }
        is_used_[static_cast<std::size_t>(at)] = 0;
        free_.push_back(at);
    }
}

bool RowTree::is_pure_below(std::int32_t node) const {
    std::vector<std::int32_t> stack{node};
    while (!stack.empty()) {
        const Node& at = nodes_[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        if (!at.is_leaf()) {
            stack.push_back(at.no);
            stack.push_back(at.yes);
            continue;
        }
        for (std::uint32_t i = at.begin; i < at.end; ++i) {
            if (labels_[order_[i]] != at.label) return false;
        }
    }
    return true;
}

bool RowTree::replace(std::size_t node, std::span<const std::int32_t> branches, const CodeTree& tree) {
    const Node old = nodes_[node];
    const std::vector<std::uint32_t> old_order(order_.begin() + old.begin, order_.begin() + old.end);
    // The new nodes are made beside the old ones: branches are copied from them.
    const std::int32_t made = attach(tree, branches, old.begin, old.end, old.parent, old.depth);
    const bool is_pure = is_pure_below(made);
    if (!is_pure || nodes_[static_cast<std::size_t>(made)].n_tests >= old.n_tests) {
        release_below(made);
        std::ranges::copy(old_order, order_.begin() + old.begin);
        if (!is_pure) throw std::invalid_argument("the tree of a part is not pure");
        return false;
    }
    release_below(static_cast<std::int32_t>(node));
    if (old.parent < 0) {
        root_ = static_cast<std::size_t>(made);
    } else {
        Node& parent = nodes_[static_cast<std::size_t>(old.parent)];
        (parent.no == static_cast<std::int32_t>(node) ? parent.no : parent.yes) = made;
    }
    update_above(old.parent);
    return true;
}

void RowTree::update_above(std::int32_t node) {
    for (; node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
        Node& at = nodes_[static_cast<std::size_t>(node)];
        at.n_tests = 1 + nodes_[static_cast<std::size_t>(at.no)].n_tests +
                     nodes_[static_cast<std::size_t>(at.yes)].n_tests;
    }
}

CodeTree RowTree::to_tree() const {
    CodeTree tree;
    for (std::deque<std::size_t> queue{root_}; !queue.empty(); queue.pop_front()) {
        const Node& node = nodes_[queue.front()];
        if (node.is_leaf()) {
            tree.add_leaf(node.label);
        } else {
            tree.add_inner(node.test);
            queue.push_back(static_cast<std::size_t>(node.no));
            queue.push_back(static_cast<std::size_t>(node.yes));
        }
    }
    return tree;
}

}  // namespace puretree
