#include "best_trees.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace puretree {
namespace {

using Id = std::uint32_t;
constexpr Id kNone = std::numeric_limits<Id>::max();
constexpr Id kNoRows = 0;  // the number of the empty set

// What a vector takes, and may take for a moment when it next grows.
template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
    constexpr std::size_t kSoon = 4096;
    const bool grows_soon = values.size() + kSoon > values.capacity();
    return (grows_soon ? 3 : 1) * values.capacity() * sizeof(T);
}

constexpr std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Numbers by hash: the caller says what equality means. Open addressing, at most half full.
class Numbering {
public:
    template <class IsSame, class HashOf>
    Id find_or_add(std::uint64_t hash, Id next, IsSame is_same, HashOf hash_of) {
        if (2 * (used_ + 1) > slots_.size()) grow(hash_of);
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            if (slots_[at] == kNone) {
                ++used_;
                return slots_[at] = next;
            }
            if (is_same(slots_[at])) return slots_[at];
        }
    }

    std::size_t bytes() const {
        constexpr std::size_t kSoon = 4096;
        const bool grows_soon = 2 * (used_ + kSoon) > slots_.size();
        return (grows_soon ? 3 : 1) * slots_.size() * sizeof(Id);
    }

private:
    std::size_t mask() const { return slots_.size() - 1; }

    template <class HashOf>
    void grow(HashOf hash_of) {
        std::vector<Id> old(2 * slots_.size(), kNone);
        old.swap(slots_);
        for (Id id : old) {
            if (id == kNone) continue;
            std::size_t at = hash_of(id) & mask();
            while (slots_[at] != kNone) at = (at + 1) & mask();
            slots_[at] = id;
        }
    }

    std::vector<Id> slots_ = std::vector<Id>(1024, kNone);
    std::size_t used_ = 0;
};

// Sets of rows, each held once; the empty set has number 0.
class RowSets {
public:
    explicit RowSets(std::size_t n_rows) : n_words_(words_for(n_rows)) {
        const std::vector<Word> empty(n_words_);
        add(empty);
    }

    Id add(std::span<const Word> rows) {
        const std::uint64_t hash = hash_of(rows);
        const Id next = static_cast<Id>(hashes_.size());
        const Id found = numbers_.find_or_add(
            hash, next, [&](Id id) { return hashes_[id] == hash && std::ranges::equal((*this)[id], rows); },
            [&](Id id) { return hashes_[id]; });
        if (found == next) {
            hashes_.push_back(hash);
            words_.insert(words_.end(), rows.begin(), rows.end());
        }
        return found;
    }

    std::span<const Word> operator[](Id id) const { return {words_.data() + id * n_words_, n_words_}; }

    std::size_t bytes() const {
        return bytes_of(words_) + bytes_of(hashes_) + numbers_.bytes();
    }

private:
    static std::uint64_t hash_of(std::span<const Word> rows) {
        std::uint64_t hash = 0;
        for (Word word : rows) hash = mix(hash + word + 0x9e3779b97f4a7c15);
        return hash;
    }

    std::size_t n_words_;
    std::vector<Word> words_;
    std::vector<std::uint64_t> hashes_;
    Numbering numbers_;
};

struct State {
    Id node;
    Id rows;
    Id next;                // another state of the node
    std::size_t sides = 0;  // where the sides of its edges begin
    double score = 0;
};

struct Sides {
    Id no;
    Id yes;
};

class Search {
public:
    Search(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
           std::size_t n_classes)
        : graph_(graph), answers_(answers), scores_(scores), n_classes_(n_classes), sets_(answers.n_bits),
          first_(graph.label.size(), kNone) {}

    // False if it would take too much memory.
    bool run(std::size_t most_bytes, const std::function<void()>& still_wanted) {
        std::vector<Word> all(words_for(answers_.n_bits), ~Word{0});
        if (!all.empty()) all.back() = tail_mask(answers_.n_bits);
        const Id everything = sets_.add(all);
        for (std::int32_t root : graph_.roots) roots_.push_back(state(static_cast<Id>(root), everything));
        // A side has a smaller number than its node, so going down the numbers meets every state after all that lead to it.
        for (std::size_t node = graph_.label.size(); node-- > 0;) {
            for (Id s = first_[node]; s != kNone; s = states_[s].next) {
                still_wanted();
                expand(s);
                if (bytes() > most_bytes || states_.size() >= kNone / 2) return false;
            }
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            if (i % 1024 == 0) still_wanted();
            evaluate(order_[i]);
        }
        return true;
    }

    BestTrees best() const {
        BestTrees found;
        found.score = -std::numeric_limits<double>::infinity();
        for (Id root : roots_) found.score = std::max(found.score, states_[root].score);
        std::vector<Id> roots;
        for (Id root : roots_) {
            if (states_[root].score == found.score) roots.push_back(root);
        }
        const Marks marks = mark(roots);
        write(marks, roots, found);
        return found;
    }

private:
    // What best trees reach: states, and nodes where no row comes, below which every tree is as good.
    struct Marks {
        std::vector<bool> state;
        std::vector<bool> node;
    };

    bool is_leaf(Id node) const { return graph_.label[node] >= 0; }
    bool is_over(const State& state) const { return is_leaf(state.node) || state.rows == kNoRows; }
    std::size_t begin(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node]); }
    std::size_t end(Id node) const { return static_cast<std::size_t>(graph_.edge_start[node + 1]); }

    Id state(Id node, Id rows) {
        const auto hash_of = [&](Id s) { return mix((std::uint64_t{states_[s].node} << 32) + states_[s].rows + 1); };
        const auto is_same = [&](Id s) { return states_[s].node == node && states_[s].rows == rows; };
        const Id next = static_cast<Id>(states_.size());
        const Id found = numbers_.find_or_add(mix((std::uint64_t{node} << 32) + rows + 1), next, is_same, hash_of);
        if (found == next) {
            states_.push_back({node, rows, first_[node]});
            first_[node] = next;
        }
        return found;
    }

    void expand(Id s) {
        order_.push_back(s);
        states_[s].sides = sides_.size();
        if (is_over(states_[s])) return;
        const Id node = states_[s].node, rows = states_[s].rows;
        for (std::size_t edge = begin(node); edge < end(node); ++edge) {
            const auto [no_rows, yes_rows] = split(rows, static_cast<std::size_t>(graph_.question[edge]));
            const Id no = state(static_cast<Id>(graph_.no[edge]), no_rows);
            const Id yes = state(static_cast<Id>(graph_.yes[edge]), yes_rows);
            sides_.push_back({no, yes});
        }
    }

    Sides split(Id rows, std::size_t question) {
        const auto members = sets_[rows];
        const auto answer = answers_.row(question);
        no_.assign(members.begin(), members.end());
        yes_.assign(members.begin(), members.end());
        for (std::size_t w = 0; w < no_.size(); ++w) {
            no_[w] &= ~answer[w];
            yes_[w] &= answer[w];
        }
        const Id no = sets_.add(no_);
        return {no, sets_.add(yes_)};
    }

    void evaluate(Id s) {
        State& state = states_[s];
        if (is_over(state)) {
            state.score = is_leaf(state.node) ? leaf_score(state) : 0;
            return;
        }
        state.score = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < end(state.node) - begin(state.node); ++i) {
            state.score = std::max(state.score, score(sides_[state.sides + i]));
        }
    }

    double score(Sides sides) const { return states_[sides.no].score + states_[sides.yes].score; }

    double leaf_score(const State& state) const {
        const auto label = static_cast<std::size_t>(graph_.label[state.node]);
        const auto members = sets_[state.rows];
        double sum = 0;
        for (std::size_t w = 0; w < members.size(); ++w) {
            for (Word rest = members[w]; rest != 0; rest &= rest - 1) {
                const std::size_t row = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
                sum += scores_[row * n_classes_ + label];
            }
        }
        return sum;
    }

    bool is_best(const State& state, std::size_t i) const { return score(sides_[state.sides + i]) == state.score; }

    Marks mark(const std::vector<Id>& roots) const {
        Marks marks{std::vector<bool>(states_.size()), std::vector<bool>(graph_.label.size())};
        for (Id root : roots) marks.state[root] = true;
        for (Id s : order_) {
            const State& state = states_[s];
            if (!marks.state[s]) continue;
            if (is_over(state)) marks.node[state.node] = true;
            if (is_over(state)) continue;
            for (std::size_t i = 0; i < end(state.node) - begin(state.node); ++i) {
                if (!is_best(state, i)) continue;
                marks.state[sides_[state.sides + i].no] = true;
                marks.state[sides_[state.sides + i].yes] = true;
            }
        }
        for (std::size_t node = marks.node.size(); node-- > 0;) {
            if (!marks.node[node]) continue;
            for (std::size_t edge = begin(static_cast<Id>(node)); edge < end(static_cast<Id>(node)); ++edge) {
                marks.node[static_cast<std::size_t>(graph_.no[edge])] = true;
                marks.node[static_cast<std::size_t>(graph_.yes[edge])] = true;
            }
        }
        return marks;
    }

    void write(const Marks& marks, const std::vector<Id>& roots, BestTrees& out) const {
        std::vector<std::int32_t> number_of_node(graph_.label.size()), number_of_state(states_.size());
        out.edge_start.push_back(0);
        const auto close = [&](Id node) {
            out.node.push_back(static_cast<std::int32_t>(node));
            out.edge_start.push_back(static_cast<std::int64_t>(out.edge.size()));
            return static_cast<std::int32_t>(out.node.size() - 1);
        };
        for (Id node = 0; node < marks.node.size(); ++node) {
            if (!marks.node[node]) continue;
            for (std::size_t edge = begin(node); edge < end(node); ++edge) {
                add_edge(out, edge, number_of_node[static_cast<std::size_t>(graph_.no[edge])],
                         number_of_node[static_cast<std::size_t>(graph_.yes[edge])]);
            }
            number_of_node[node] = close(node);
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            const State& state = states_[order_[i]];
            if (!marks.state[order_[i]]) continue;
            if (is_over(state)) {
                number_of_state[order_[i]] = number_of_node[state.node];
                continue;
            }
            for (std::size_t nth = 0; nth < end(state.node) - begin(state.node); ++nth) {
                if (!is_best(state, nth)) continue;
                const Sides sides = sides_[state.sides + nth];
                add_edge(out, begin(state.node) + nth, number_of_state[sides.no], number_of_state[sides.yes]);
            }
            number_of_state[order_[i]] = close(state.node);
        }
        for (Id root : roots) out.roots.push_back(number_of_state[root]);
    }

    static void add_edge(BestTrees& out, std::size_t edge, std::int32_t no, std::int32_t yes) {
        out.edge.push_back(static_cast<std::int64_t>(edge));
        out.no.push_back(no);
        out.yes.push_back(yes);
    }

    std::size_t bytes() const {
        return sets_.bytes() + bytes_of(states_) + bytes_of(sides_) + bytes_of(order_) + numbers_.bytes();
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> scores_;
    std::size_t n_classes_;
    RowSets sets_;
    Numbering numbers_;
    std::vector<State> states_;
    std::vector<Sides> sides_;
    std::vector<Id> order_;  // of expansion: by falling node
    std::vector<Id> first_;  // state of each node
    std::vector<Id> roots_;
    std::vector<Word> no_, yes_;
};

}  // namespace

std::optional<BestTrees> find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers,
                                         std::span<const double> scores, std::size_t n_classes, std::size_t most_bytes,
                                         const std::function<void()>& still_wanted) {
    Search search(graph, answers, scores, n_classes);
    if (!search.run(most_bytes, still_wanted)) return std::nullopt;
    return search.best();
}

}  // namespace puretree
