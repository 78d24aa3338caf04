// Lower and upper curves of sets of atoms, cached within a memory limit. The curves of a set say, for each number of
// tests, between which costs the best tree lies. When the cache is full, the curves that took the least effort are
// dropped; every number is valid by itself, so dropping one costs only time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "problem.hpp"

namespace puretree::front {

// A set with its curves. Followed in memory by the words of the set.
struct Entry {
    std::uint64_t hash;
    std::uint32_t block;     // of the curves
    std::uint32_t effort;    // sets visited for it
    std::uint16_t n_pins;    // while positive, the entry is not dropped
    Depth depth;             // of its trees
    std::uint8_t block_class;
    bool is_in_use;

    const Word* words() const { return reinterpret_cast<const Word*>(this + 1); }
    Word* words() { return reinterpret_cast<Word*>(this + 1); }
};

class Curves {
public:
    static constexpr std::int32_t kNoFeature = -1;
    static constexpr std::size_t kMaxTests = 16383;  // of a curve

    Curves(std::size_t n_words, std::size_t max_bytes);

    // The entry of a set; nullptr if there is none.
    Entry* find(SetView set, std::uint64_t hash, Depth depth) const;

    // Adds an entry that does not exist, with the cost of a leaf. Entries stay where they are while they are pinned; an
    // entry without a pin may be dropped by any call of `add`.
    Entry& add(SetView set, std::uint64_t hash, Depth depth, Cost leaf);

    static std::uint64_t hash_of(SetView set, Depth depth) { return hash_set(set, depth); }
    SetView set_of(const Entry& entry) const { return {entry.words(), n_words_}; }

    // Bounds of the cost of the best tree with at most `k` tests. Both decrease with k.
    Cost lower(const Entry& entry, std::size_t k) const { return k < capacity(entry) ? block(entry)[k] : 0; }
    Cost upper(const Entry& entry, std::size_t k) const {
        const std::size_t n = capacity(entry);
        return block(entry)[n + (k < n ? k : n - 1)];
    }

    // The first test of a tree of the upper curve, if it is known.
    std::int32_t feature(const Entry& entry, std::size_t k) const {
        const std::size_t n = capacity(entry);
        return block(entry)[2 * n + (k < n ? k : n - 1)];
    }

    void raise_lower(Entry& entry, std::size_t k, Cost cost);
    void reduce_upper(Entry& entry, std::size_t k, Cost cost, std::int32_t feature);

    std::size_t n_entries() const { return n_entries_; }
    std::size_t n_bytes() const {
        return (chunks_.size() + block_chunks_.size()) * kChunkBytes + slots_.size() * sizeof(Entry*);
    }
    void limit(std::size_t max_bytes) { max_bytes_ = max_bytes; }

private:
    static constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
    static constexpr std::size_t kChunkCosts = kChunkBytes / sizeof(Cost);  // a block does not cross two chunks
    static constexpr std::size_t kMinCapacity = 4;
    static constexpr std::size_t kMinSlots = std::size_t{1} << 12;

    static std::size_t capacity_of(std::uint8_t block_class) { return kMinCapacity << block_class; }
    static std::size_t capacity(const Entry& entry) { return capacity_of(entry.block_class); }
    Cost* block(const Entry& entry) const {
        return block_chunks_[entry.block / kChunkCosts].get() + entry.block % kChunkCosts;
    }

    std::uint32_t allocate_block(std::uint8_t block_class);
    void reserve(Entry& entry, std::size_t n);
    Entry* allocate_entry();
    void insert(Entry& entry);
    void grow_slots();
    bool is_full() const;
    void drop_half();

    std::size_t n_words_, entry_bytes_, entries_per_chunk_, max_bytes_;
    std::vector<Entry*> slots_;
    std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
    std::size_t last_chunk_used_ = 0;  // entries of the last chunk
    std::vector<Entry*> free_entries_;
    std::vector<std::unique_ptr<Cost[]>> block_chunks_;
    std::size_t last_block_chunk_used_ = 0;  // costs of the last chunk
    std::vector<std::vector<std::uint32_t>> free_blocks_;  // by class
    std::size_t n_entries_ = 0;
};

// Keeps an entry while in scope.
class Pin {
public:
    explicit Pin(Entry& entry) : entry_(entry) { ++entry_.n_pins; }
    ~Pin() { --entry_.n_pins; }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

private:
    Entry& entry_;
};

}  // namespace puretree::front
