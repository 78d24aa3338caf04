// The lemmas of a proof log written so far: sets of the sample, each with a lower bound on its tests, for trees of any
// depth or up to some depth. A superset needs at least as many tests, and so do shallower trees, so one lemma serves
// many sets and depths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "../sample.hpp"
#include "../value.hpp"

namespace puretree {

using Set = std::vector<Word>;

struct HashSet {
    std::size_t operator()(const Set& set) const { return hash_set(set, 0); }
};

inline Set first_positions(std::size_t n_positions, std::size_t n_words) {
    Set set(n_words);
    for (std::size_t position = 0; position < n_positions; ++position) insert(set, position);
    return set;
}

// Thrown if a log exceeds the memory limit.
struct ProofTooLarge {};

class Lemmas {
public:
    using Number = std::uint32_t;

    // A lemma about a subset of one side of a feature's split.
    struct Citation {
        std::uint32_t feature;
        bool is_yes;
        Number lemma;
    };

    Lemmas(std::size_t n_words, std::size_t max_bytes) : n_words_(n_words), max_bytes_(max_bytes) {}

    // A bound and the lemma that states it; a bound of 0 needs no lemma.
    struct LemmaBound {
        Value value = 0;
        Number lemma = 0;
        Depth depth = kAnyDepth;  // the bound holds for trees of at most this depth
    };

    // The best bound that the checker has for exactly this set and depth.
    LemmaBound bound_of(const Set& set, Depth depth) const;

    // A lemma about a subset, with a bound of at least `least`: one of at least `target`, or else the highest.
    LemmaBound subset_bound(const Set& set, Depth depth, Value least, Value target);

    Number add_clique(const Set& members, Value value);
    Number add_split(const Set& set, Depth depth, Value value, const std::vector<Citation>& citations);
    void add_root(Value value, const std::vector<Citation>& citations);

    // Records that the checker knows a set to contain the set of a lemma.
    void learn(const Set& set, Number lemma);

    const std::string& text() const { return text_; }

private:
    // The lemmas of one value: their sets one after the other, recently used ones at the end.
    struct Bucket {
        std::vector<Word> sets;
        std::vector<Number> lemmas;
    };

    std::optional<Number> find(Bucket& bucket, const Set& set, Depth depth) const;
    Number add(const Set& set, Depth depth, Value value);
    void write(const Set& set);
    void write(const std::vector<Citation>& citations);

    std::size_t n_words_;
    std::size_t max_bytes_;
    std::string text_;
    std::unordered_map<Set, std::vector<LemmaBound>, HashSet> known_;  // of each set, without dominated bounds
    std::size_t n_known_ = 0;
    std::vector<Bucket> buckets_;  // by value
    std::vector<LemmaBound> lemmas_;
};

}  // namespace puretree
