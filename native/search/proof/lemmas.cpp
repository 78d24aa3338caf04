#include "lemmas.hpp"

#include <algorithm>

namespace puretree {
namespace {

constexpr std::size_t kMaxCompared = 20000;  // comparing with all lemmas of a value would take longer than the search
constexpr std::size_t kBytesPerSet = 128;    // of a map's entry, in addition to the set

}  // namespace

Lemmas::LemmaBound Lemmas::bound_of(const Set& set, Depth depth) const {
    LemmaBound best;
    const auto entry = known_.find(set);
    if (entry == known_.end()) return best;
    for (const LemmaBound& known : entry->second) {
        if (known.depth >= depth && known.value > best.value) best = known;
    }
    return best;
}

Lemmas::LemmaBound Lemmas::subset_bound(const Set& set, Depth depth, Value least, Value target) {
    const LemmaBound known = bound_of(set, depth);
    if (known.value >= target) return known;
    const auto end = static_cast<Value>(buckets_.size());
    for (Value value = target; value < end; ++value) {
        if (const auto lemma = find(buckets_[static_cast<std::size_t>(value)], set, depth)) return lemmas_[*lemma];
    }
    for (Value value = std::min(target, end) - 1; value >= std::max(least, known.value + 1); --value) {
        if (const auto lemma = find(buckets_[static_cast<std::size_t>(value)], set, depth)) return lemmas_[*lemma];
    }
    return known;
}

std::optional<Lemmas::Number> Lemmas::find(Bucket& bucket, const Set& set, Depth depth) const {
    const std::size_t n = bucket.lemmas.size(), first = n - std::min(n, kMaxCompared);
    for (std::size_t i = n; i-- > first;) {
        const MutableSetView subset{bucket.sets.data() + i * n_words_, n_words_};
        if (!is_subset(subset, set) || lemmas_[bucket.lemmas[i]].depth < depth) continue;
        std::swap(bucket.lemmas[i], bucket.lemmas.back());
        std::swap_ranges(subset.begin(), subset.end(), bucket.sets.end() - static_cast<std::ptrdiff_t>(n_words_));
        return bucket.lemmas.back();
    }
    return std::nullopt;
}

Lemmas::Number Lemmas::add_clique(const Set& members, Value value) {
    text_ += "c " + std::to_string(value);
    write(members);
    text_ += '\n';
    return add(members, kAnyDepth, value);
}

Lemmas::Number Lemmas::add_split(const Set& set, Depth depth, Value value, const std::vector<Citation>& citations) {
    text_ += "s " + std::to_string(value);
    if (depth != kAnyDepth) text_ += '@' + std::to_string(depth);
    write(set);
    write(citations);
    return add(set, depth, value);
}

void Lemmas::add_root(Value value, const std::vector<Citation>& citations) {
    text_ += "r " + std::to_string(value);
    write(citations);
}

void Lemmas::learn(const Set& set, Number lemma) {
    const LemmaBound& added = lemmas_[lemma];
    std::vector<LemmaBound>& known = known_[set];
    const auto dominates = [](const LemmaBound& one, const LemmaBound& other) {
        return one.value >= other.value && one.depth >= other.depth;
    };
    if (std::ranges::any_of(known, [&](const LemmaBound& old) { return dominates(old, added); })) return;
    n_known_ -= std::erase_if(known, [&](const LemmaBound& old) { return dominates(added, old); });
    known.push_back(added);
    ++n_known_;
}

Lemmas::Number Lemmas::add(const Set& set, Depth depth, Value value) {
    const auto lemma = static_cast<Number>(lemmas_.size());
    if (buckets_.size() <= static_cast<std::size_t>(value)) buckets_.resize(static_cast<std::size_t>(value) + 1);
    Bucket& bucket = buckets_[static_cast<std::size_t>(value)];
    bucket.sets.insert(bucket.sets.end(), set.begin(), set.end());
    bucket.lemmas.push_back(lemma);
    lemmas_.push_back({value, lemma, depth});
    learn(set, lemma);
    const std::size_t n_bytes = (n_known_ + 2 * lemmas_.size()) * (n_words_ * sizeof(Word) + kBytesPerSet);
    if (2 * text_.size() + n_bytes > max_bytes_) throw ProofTooLarge{};  // capacities may be twice the sizes
    return lemma;
}

// Writes the set as a hexadecimal number without leading zeros, whose bits are the positions.
void Lemmas::write(const Set& set) {
    text_ += ' ';
    bool has_begun = false;
    for (std::size_t digit = set.size() * kWordBits / 4; digit-- > 0;) {
        const auto value = (set[digit / 16] >> (digit % 16 * 4)) & 15;
        has_begun |= value != 0;
        if (has_begun) text_ += "0123456789abcdef"[value];
    }
}

void Lemmas::write(const std::vector<Citation>& citations) {
    for (const Citation& one : citations) {
        text_ += ' ' + std::to_string(one.feature) + (one.is_yes ? '+' : '-') + std::to_string(one.lemma);
    }
    text_ += '\n';
}

}  // namespace puretree
