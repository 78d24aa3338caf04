#include "memo.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace puretree {

Key::Key(SetView members, Depth max_depth) : depth(max_depth) {
    std::size_t n_words = members.size();
    while (n_words > 0 && members[n_words - 1] == 0) --n_words;
    set = members.first(n_words);
    hash = hash_set(set, max_depth);
}

Key Memo::key_of(const Entry& entry) {
    return {SetView{reinterpret_cast<const Word*>(&entry + 1), entry.n_words}, entry.depth};
}

const Memo::Entry* Memo::find(const Key& key) const {
    const Slot slot = slots_[slot_of(key)];
    return slot == 0 ? nullptr : entry_at(slot);
}

// The slot of an equal key, or the free slot for it. Sets are compared, not only their hashes: bounds are proofs.
std::size_t Memo::slot_of(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = key.hash & mask;; i = (i + 1) & mask) {
        const Slot slot = slots_[i];
        if (slot == 0) return i;
        if ((slot ^ key.hash) & ~kOffsetMask) continue;
        const Entry* entry = entry_at(slot);
        if (entry->n_words == key.set.size() && entry->depth == key.depth &&
            std::memcmp(entry + 1, key.set.data(), key.set.size_bytes()) == 0) {
            return i;
        }
    }
}

void Memo::store(const Key& key, Value lower, std::optional<std::uint32_t> feature, std::uint32_t effort) {
    if (const Slot slot = slots_[slot_of(key)]; slot != 0) {
        Entry* entry = entry_at(slot);
        entry->lower = lower;
        entry->packed_feature = feature.value_or(kMaxFeatures);
        entry->effort = std::max<std::uint32_t>(entry->effort, effort);
        return;
    }
    if (!make_room(kHeadWords + key.set.size())) return;
    const std::size_t offset = allocate(kHeadWords + key.set.size());
    const auto n_words = static_cast<std::uint16_t>(key.set.size());
    const Entry entry{lower, feature.value_or(kMaxFeatures), effort, n_words, key.depth};
    std::memcpy(words_at(offset), &entry, sizeof entry);
    std::memcpy(words_at(offset) + kHeadWords, key.set.data(), key.set.size_bytes());
    insert(key, offset);
}

void Memo::insert(const Key& key, std::size_t offset) {
    std::size_t i = key.hash & (slots_.size() - 1);
    while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = (key.hash & ~kOffsetMask) | (offset + 1);
    ++n_entries_;
}

// Whether an entry fits into the existing chunks; it does not cross the border of two.
bool Memo::fits(std::size_t n_words) const {
    return last_ + 1 < chunks_.size() || (last_ < chunks_.size() && chunk_ends_[last_] + n_words <= kChunkWords);
}

std::size_t Memo::allocate(std::size_t n_words) {
    if (chunk_ends_[last_] + n_words > kChunkWords) ++last_;
    const std::size_t offset = last_ * kChunkWords + chunk_ends_[last_];
    chunk_ends_[last_] += static_cast<std::uint32_t>(n_words);
    return offset;
}

// False if there is no room and no entry to drop: the bound is not stored then.
bool Memo::make_room(std::size_t n_words) {
    if (n_words > kChunkWords) return false;
    if (3 * (n_entries_ + 1) > 2 * slots_.size()) {
        const std::size_t while_growing = n_bytes() + 2 * slots_.size() * sizeof(Slot);
        if (while_growing <= max_bytes_) {
            grow_slots();
        } else if (!drop_half()) {
            return false;
        }
    }
    if (fits(n_words)) return true;
    if (n_bytes() + kChunkWords * sizeof(Word) > max_bytes_) return drop_half() && fits(n_words);
    chunks_.push_back(std::make_unique_for_overwrite<Word[]>(kChunkWords));
    chunk_ends_.push_back(0);
    return true;
}

void Memo::grow_slots() {
    n_entries_ = 0;
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot slot : old) {
        if (slot != 0) insert(key_of(*entry_at(slot)), (slot & kOffsetMask) - 1);
    }
}

// Keeps the entries of most effort, at most half of the words, and compacts them. They keep their order, so that no
// entry is overwritten before it is read.
bool Memo::drop_half() {
    std::array<std::size_t, 256> words_by_effort{};
    std::size_t n_words = 0;
    for (const Slot slot : slots_) {
        if (slot == 0) continue;
        const Entry* entry = entry_at(slot);
        words_by_effort[entry->effort] += kHeadWords + entry->n_words;
        n_words += kHeadWords + entry->n_words;
    }
    std::size_t least = words_by_effort.size(), n_kept = 0;
    while (least > 0 && 2 * (n_kept + words_by_effort[least - 1]) <= n_words) n_kept += words_by_effort[--least];
    std::ranges::fill(slots_, 0);
    n_entries_ = 0;
    last_ = 0;
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
        const std::size_t end = std::exchange(chunk_ends_[chunk], 0);
        for (std::size_t at = 0; at < end;) {
            const auto* entry = reinterpret_cast<const Entry*>(chunks_[chunk].get() + at);
            const std::size_t n_entry_words = kHeadWords + entry->n_words;
            if (entry->effort >= least) {
                const std::size_t to = allocate(n_entry_words);
                std::memmove(words_at(to), entry, n_entry_words * sizeof(Word));
                insert(key_of(*reinterpret_cast<const Entry*>(words_at(to))), to);
            }
            at += n_entry_words;
        }
    }
    return !chunks_.empty();
}

}  // namespace puretree
