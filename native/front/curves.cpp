#include "curves.hpp"

#include <algorithm>

namespace puretree::front {

Curves::Curves(std::size_t n_words, std::size_t max_bytes)
    : n_words_(n_words), entry_bytes_(sizeof(Entry) + n_words * sizeof(Word)),
      entries_per_chunk_(std::max<std::size_t>(1, kChunkBytes / entry_bytes_)), max_bytes_(max_bytes), slots_(kMinSlots) {}

Entry* Curves::find(SetView set, std::uint64_t hash, Depth depth) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i]; i = (i + 1) & mask) {
        Entry* entry = slots_[i];
        // Sets are compared, not only their hashes: bounds are proofs.
        if (entry->hash == hash && entry->depth == depth &&
            std::equal(set.begin(), set.end(), entry->words())) {
            return entry;
        }
    }
    return nullptr;
}

Entry& Curves::add(SetView set, std::uint64_t hash, Depth depth, Cost leaf) {
    if (is_full()) drop_half();
    if (3 * (n_entries_ + 1) > 2 * slots_.size()) grow_slots();
    Entry* entry = allocate_entry();
    *entry = {hash, 0, 0, 0, depth, 0, true};
    std::ranges::copy(set, entry->words());
    entry->block = allocate_block(0);
    Cost* costs = block(*entry);
    std::fill_n(costs, kMinCapacity, 0);
    std::fill_n(costs + kMinCapacity, kMinCapacity, leaf);
    std::fill_n(costs + 2 * kMinCapacity, kMinCapacity, kNoFeature);
    costs[0] = leaf;
    insert(*entry);
    return *entry;
}

void Curves::raise_lower(Entry& entry, std::size_t k, Cost cost) {
    if (k >= capacity(entry)) reserve(entry, k + 1);
    Cost* costs = block(entry);
    for (std::size_t i = k + 1; i-- > 0 && costs[i] < cost;) costs[i] = cost;
}

void Curves::reduce_upper(Entry& entry, std::size_t k, Cost cost, std::int32_t feature) {
    if (k >= capacity(entry)) reserve(entry, k + 1);
    const std::size_t n = capacity(entry);
    Cost* costs = block(entry) + n;
    for (std::size_t i = k; i < n && costs[i] > cost; ++i) {
        costs[i] = cost;
        costs[n + i] = feature;
    }
}

std::uint32_t Curves::allocate_block(std::uint8_t block_class) {
    if (free_blocks_.size() <= block_class) free_blocks_.resize(block_class + std::size_t{1});
    auto& free = free_blocks_[block_class];
    if (!free.empty()) {
        const std::uint32_t offset = free.back();
        free.pop_back();
        return offset;
    }
    const std::size_t n = 3 * capacity_of(block_class);
    if (block_chunks_.empty() || last_block_chunk_used_ + n > kChunkCosts) {
        block_chunks_.push_back(std::make_unique_for_overwrite<Cost[]>(kChunkCosts));
        last_block_chunk_used_ = 0;
    }
    const std::size_t offset = (block_chunks_.size() - 1) * kChunkCosts + last_block_chunk_used_;
    last_block_chunk_used_ += n;
    return static_cast<std::uint32_t>(offset);
}

// Makes room for the curves up to n - 1 tests.
void Curves::reserve(Entry& entry, std::size_t n) {
    std::uint8_t block_class = entry.block_class;
    while (capacity_of(block_class) < n) ++block_class;
    const std::uint32_t new_block = allocate_block(block_class);
    const std::size_t before = capacity(entry), after = capacity_of(block_class);
    const Cost* from = block(entry);
    Cost* to = block_chunks_[new_block / kChunkCosts].get() + new_block % kChunkCosts;
    std::copy_n(from, before, to);
    std::fill_n(to + before, after - before, 0);
    for (const std::size_t curve : {1, 2}) {
        std::copy_n(from + curve * before, before, to + curve * after);
        std::fill_n(to + curve * after + before, after - before, from[curve * before + before - 1]);
    }
    free_blocks_[entry.block_class].push_back(entry.block);
    entry.block = new_block;
    entry.block_class = block_class;
}

Entry* Curves::allocate_entry() {
    ++n_entries_;
    if (!free_entries_.empty()) {
        Entry* entry = free_entries_.back();
        free_entries_.pop_back();
        return entry;
    }
    if (chunks_.empty() || last_chunk_used_ == entries_per_chunk_) {
        chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(entries_per_chunk_ * entry_bytes_ / sizeof(std::uint64_t)));
        last_chunk_used_ = 0;
    }
    return reinterpret_cast<Entry*>(chunks_.back().get() + last_chunk_used_++ * entry_bytes_ / sizeof(std::uint64_t));
}

void Curves::insert(Entry& entry) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = entry.hash & mask;
    while (slots_[i]) i = (i + 1) & mask;
    slots_[i] = &entry;
}

void Curves::grow_slots() {
    std::vector<Entry*> old(2 * slots_.size());
    old.swap(slots_);
    for (Entry* entry : old) {
        if (entry) insert(*entry);
    }
}

// Whether one more entry could exceed the limit: while the slots grow, the old and the new ones exist.
bool Curves::is_full() const {
    const bool grows_slots = 3 * (n_entries_ + 1) > 2 * slots_.size();
    return free_entries_.empty() &&
           n_bytes() + 2 * kChunkBytes + (grows_slots ? 2 * slots_.size() * sizeof(Entry*) : 0) > max_bytes_;
}

void Curves::drop_half() {
    std::vector<std::uint32_t> efforts;
    for (const Entry* entry : slots_) {
        if (entry && entry->n_pins == 0) efforts.push_back(entry->effort);
    }
    if (efforts.empty()) return;
    const auto middle = efforts.begin() + static_cast<std::ptrdiff_t>(efforts.size() / 2);
    std::ranges::nth_element(efforts, middle);
    const std::uint32_t limit = *middle;
    std::size_t n_to_drop = efforts.size() / 2 + 1;
    std::vector<Entry*> old(slots_.size());
    old.swap(slots_);
    for (Entry* entry : old) {
        if (!entry) continue;
        if (entry->n_pins == 0 && entry->effort <= limit && n_to_drop > 0) {
            --n_to_drop;
            --n_entries_;
            free_blocks_[entry->block_class].push_back(entry->block);
            entry->is_in_use = false;
            free_entries_.push_back(entry);
        } else {
            insert(*entry);
        }
    }
}

}  // namespace puretree::front
