// Interned sets of rows: each distinct set is stored once under a number, so that sets are compared by number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bits.hpp"

namespace puretree {

using Id = std::uint32_t;
inline constexpr Id kNoId = std::numeric_limits<Id>::max();
inline constexpr Id kEmptySet = 0;  // the number of the empty set

// The bytes of a vector, including those of a reallocation that is due soon.
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

// A hash table of numbers with open addressing, at most half full. The caller defines hashes and equality.
class Numbering {
public:
    template <class IsSame, class HashOf>
    Id find_or_add(std::uint64_t hash, Id next, IsSame is_same, HashOf hash_of) {
        if (2 * (used_ + 1) > slots_.size()) grow(hash_of);
        for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
            if (slots_[slot] == kNoId) {
                ++used_;
                return slots_[slot] = next;
            }
            if (is_same(slots_[slot])) return slots_[slot];
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
        std::vector<Id> old(2 * slots_.size(), kNoId);
        old.swap(slots_);
        for (Id id : old) {
            if (id == kNoId) continue;
            std::size_t slot = hash_of(id) & mask();
            while (slots_[slot] != kNoId) slot = (slot + 1) & mask();
            slots_[slot] = id;
        }
    }

    std::vector<Id> slots_ = std::vector<Id>(1024, kNoId);
    std::size_t used_ = 0;
};

// Distinct sets of rows; the empty set has number 0.
class RowSets {
public:
    explicit RowSets(std::size_t n_rows) : n_words_(words_for(n_rows)) {
        const std::vector<Word> empty(n_words_);
        add(empty);
    }

    Id add(SetView rows) {
        const std::uint64_t hash = hash_of(rows);
        const Id next = static_cast<Id>(hashes_.size());
        const Id id_of_rows = numbers_.find_or_add(
            hash, next, [&](Id id) { return hashes_[id] == hash && std::ranges::equal((*this)[id], rows); },
            [&](Id id) { return hashes_[id]; });
        if (id_of_rows == next) {
            hashes_.push_back(hash);
            words_.insert(words_.end(), rows.begin(), rows.end());
        }
        return id_of_rows;
    }

    SetView operator[](Id id) const { return {words_.data() + id * n_words_, n_words_}; }

    std::size_t bytes() const { return bytes_of(words_) + bytes_of(hashes_) + numbers_.bytes(); }

private:
    static std::uint64_t hash_of(SetView rows) {
        std::uint64_t hash = 0;
        for (Word word : rows) hash = mix(hash + word + 0x9e3779b97f4a7c15);
        return hash;
    }

    std::size_t n_words_;
    std::vector<Word> words_;
    std::vector<std::uint64_t> hashes_;
    Numbering numbers_;
};

}  // namespace puretree
