// What was found out about sets of examples, kept within a memory limit: when it is full, what was cheap to find out is
// forgotten. Every entry is true by itself, so forgetting costs time and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../bits.hpp"
#include "value.hpp"

namespace puretree {

// A set of the sample's examples, and how many tests its tree may have on a path. Trailing zero words do not count, so
// a set keeps its key when the sample grows.
struct Key {
    const Word* words;
    std::uint16_t n_words;
    Depth depth;
    std::uint64_t hash;

    Key(const Word* set, std::size_t n_set_words, Depth depth_left);
};

class Memo {
public:
    static constexpr std::uint32_t kNoFeature = (1u << 24) - 1;

    struct Entry {
        Value lower;
        std::uint32_t feature : 24;  // that a best tree begins with; kNoFeature while the bound is not exact
        std::uint32_t effort : 8;    // the logarithm of the sets that were looked at for it
        std::uint16_t n_words;
        Depth depth;

        bool is_exact() const { return feature != kNoFeature; }
    };

    explicit Memo(std::size_t max_bytes) : max_bytes_(max_bytes), slots_(kFewestSlots) {}

    // Valid until the next call of `store`; nullptr if nothing is known.
    const Entry* find(const Key& key) const;

    void store(const Key& key, Value lower, std::uint32_t feature, std::uint32_t effort);

    void limit(std::size_t max_bytes) { max_bytes_ = max_bytes; }

    std::size_t n_bytes() const { return (slots_.size() + chunks_.size() * kChunkWords) * sizeof(Word); }

private:
    // A slot is the upper part of a hash and the place of an entry, counted from one: zero is a free slot.
    using Slot = std::uint64_t;

    static constexpr std::size_t kFewestSlots = std::size_t{1} << 10;
    static constexpr std::size_t kChunkWords = std::size_t{1} << 16;
    static constexpr std::size_t kHeadWords = sizeof(Entry) / sizeof(Word);
    static constexpr Slot kPlaceMask = (Slot{1} << 40) - 1;

    Word* words_at(std::size_t place) const { return chunks_[place / kChunkWords].get() + place % kChunkWords; }
    Entry* entry_at(Slot slot) const { return reinterpret_cast<Entry*>(words_at((slot & kPlaceMask) - 1)); }
    static Key key_of(const Entry& entry);

    std::size_t slot_of(const Key& key) const;
    bool make_room(std::size_t n_words);
    void grow_slots();
    bool forget_half();
    bool fits(std::size_t n_words) const;
    std::size_t claim(std::size_t n_words);
    void insert(const Key& key, std::size_t place);

    std::size_t max_bytes_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<Word[]>> chunks_;
    std::vector<std::uint32_t> chunk_ends_;  // the words in use
    std::size_t last_ = 0;                   // the chunk that takes the next entry, if it fits
    std::size_t n_entries_ = 0;
};

}  // namespace puretree
