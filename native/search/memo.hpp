// Bounds of sets of examples, cached within a memory limit: when it is full, entries that took little effort are
// dropped. Every entry is valid by itself, so dropping one costs only time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../bits.hpp"
#include "value.hpp"

namespace puretree {

// A set of the sample's examples, and the depth that its tree may have. Trailing zero words are ignored, so a set keeps
// its key when the sample grows.
struct Key {
    SetView set;
    Depth depth;
    std::uint64_t hash;

    Key(SetView members, Depth max_depth);
};

class Memo {
public:
    static constexpr std::uint32_t kMaxFeatures = (1u << 24) - 1;

    struct Entry {
        Value lower;
        std::uint32_t packed_feature : 24;  // kMaxFeatures while the bound is not exact
        std::uint32_t effort : 8;           // the logarithm of the number of sets visited for it
        std::uint16_t n_words;
        Depth depth;

        bool is_exact() const { return packed_feature != kMaxFeatures; }

        // The first test of a best tree, if the bound is exact.
        std::optional<std::uint32_t> feature() const {
            return is_exact() ? std::optional<std::uint32_t>(packed_feature) : std::nullopt;
        }
    };

    explicit Memo(std::size_t max_bytes) : max_bytes_(max_bytes), slots_(kMinSlots) {}

    // Valid until the next call of `store`; nullptr if the set has no entry.
    const Entry* find(const Key& key) const;

    void store(const Key& key, Value lower, std::optional<std::uint32_t> feature, std::uint32_t effort);

    void limit(std::size_t max_bytes) { max_bytes_ = max_bytes; }

    std::size_t n_bytes() const { return (slots_.size() + chunks_.size() * kChunkWords) * sizeof(Word); }

private:
    // A slot holds the upper part of a hash and the offset of an entry plus one: zero is a free slot.
    using Slot = std::uint64_t;

    static constexpr std::size_t kMinSlots = std::size_t{1} << 10;
    static constexpr std::size_t kChunkWords = std::size_t{1} << 16;
    static constexpr std::size_t kHeadWords = sizeof(Entry) / sizeof(Word);
    static constexpr Slot kOffsetMask = (Slot{1} << 40) - 1;

    Word* words_at(std::size_t offset) const { return chunks_[offset / kChunkWords].get() + offset % kChunkWords; }
    Entry* entry_at(Slot slot) const { return reinterpret_cast<Entry*>(words_at((slot & kOffsetMask) - 1)); }
    static Key key_of(const Entry& entry);

    std::size_t slot_of(const Key& key) const;
    bool make_room(std::size_t n_words);
    void grow_slots();
    bool drop_half();
    bool fits(std::size_t n_words) const;
    std::size_t allocate(std::size_t n_words);
    void insert(const Key& key, std::size_t offset);

    std::size_t max_bytes_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<Word[]>> chunks_;
    std::vector<std::uint32_t> chunk_ends_;  // the words in use
    std::size_t last_ = 0;                   // the chunk for the next entry, if it fits
    std::size_t n_entries_ = 0;
};

}  // namespace puretree
