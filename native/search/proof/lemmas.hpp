// The lines of a proof log that were written so far: sets of the sample, each with the tests that it needs at least, in
// trees of any depth or up to some. A set that holds a lemma's set needs as many, so a lemma serves many sets; and
// shallower trees need as many, so it serves them too.
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
    std::size_t operator()(const Set& set) const { return hash_set(set.data(), set.size(), 0); }
};

inline Set first_places(std::size_t n_places, std::size_t n_words) {
    Set set(n_words);
    for (std::size_t place = 0; place < n_places; ++place) set[place / kWordBits] |= Word{1} << (place % kWordBits);
    return set;
}

// A log would need more memory than it may.
struct ProofTooLarge {};

class Lemmas {
public:
    using Number = std::uint32_t;

    // One side of a feature's split that holds a lemma's set.
    struct Held {
        std::uint32_t feature;
        bool is_yes;
        Number lemma;
    };

    Lemmas(std::size_t n_words, std::size_t max_bytes) : n_words_(n_words), max_bytes_(max_bytes) {}

    // A lemma that speaks for a set; a value of 0 if there is none.
    struct Known {
        Value value = 0;
        Number lemma = 0;
        Depth depth = kAnyDepth;  // of the trees that it speaks of, at most
    };

    // What a reader of the log knows of just this set, in trees of some depth.
    Known of(const Set& set, Depth depth) const;

    // A lemma whose set lies in this one, with a value of at least `least`: one that is `enough`, or else the highest.
    Known within(const Set& set, Depth depth, Value least, Value enough);

    Number add_clique(const Set& members, Value value);
    Number add_split(const Set& set, Depth depth, Value value, const std::vector<Held>& held);
    void add_root(Value value, const std::vector<Held>& held);

    // From now on a reader knows that a set holds a lemma's set.
    void learn(const Set& set, Number lemma);

    const std::string& text() const { return text_; }

private:
    // The lemmas with one value: their sets one after the other, those that served last at the end.
    struct Bucket {
        std::vector<Word> sets;
        std::vector<Number> lemmas;
    };

    std::optional<Number> find(Bucket& bucket, const Set& set, Depth depth) const;
    Number add(const Set& set, Depth depth, Value value);
    void write(const Set& set);
    void write(const std::vector<Held>& held);

    std::size_t n_words_;
    std::size_t max_bytes_;
    std::string text_;
    std::unordered_map<Set, std::vector<Known>, HashSet> known_;  // of a set, none that another makes needless
    std::size_t n_known_ = 0;
    std::vector<Bucket> buckets_;  // by value
    std::vector<Known> lemmas_;
};

}  // namespace puretree
