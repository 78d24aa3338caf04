#include "lemmas.hpp"

#include <algorithm>

namespace puretree {
namespace {

// Looking through all lemmas of a value would take longer than the search.
constexpr std::size_t kMostCompared = 20000;
constexpr std::size_t kBytesPerSet = 128;  // of a map's entry, beside the set

}  // namespace

Lemmas::Known Lemmas::of(const Set& set, Depth depth) const {
    Known best;
    const auto found = known_.find(set);
    if (found == known_.end()) return best;
    for (const Known& known : found->second) {
        if (known.depth >= depth && known.value > best.value) best = known;
    }
    return best;
}

Lemmas::Known Lemmas::within(const Set& set, Depth depth, Value least, Value enough) {
    const Known known = of(set, depth);
    if (known.value >= enough) return known;
    const auto end = static_cast<Value>(buckets_.size());
    for (Value value = enough; value < end; ++value) {
        if (const auto lemma = find(buckets_[static_cast<std::size_t>(value)], set, depth)) return lemmas_[*lemma];
    }
    for (Value value = std::min(enough, end) - 1; value >= std::max(least, known.value + 1); --value) {
        if (const auto lemma = find(buckets_[static_cast<std::size_t>(value)], set, depth)) return lemmas_[*lemma];
    }
    return known;
}

std::optional<Lemmas::Number> Lemmas::find(Bucket& bucket, const Set& set, Depth depth) const {
    const std::size_t n = bucket.lemmas.size(), first = n - std::min(n, kMostCompared);
    for (std::size_t i = n; i-- > first;) {
        Word* found = bucket.sets.data() + i * n_words_;
        if (!is_subset(found, set.data(), n_words_) || lemmas_[bucket.lemmas[i]].depth < depth) continue;
        std::swap(bucket.lemmas[i], bucket.lemmas.back());
        std::swap_ranges(found, found + n_words_, bucket.sets.end() - static_cast<std::ptrdiff_t>(n_words_));
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

Lemmas::Number Lemmas::add_split(const Set& set, Depth depth, Value value, const std::vector<Held>& held) {
    text_ += "s " + std::to_string(value);
    if (depth != kAnyDepth) text_ += '@' + std::to_string(depth);
    write(set);
    write(held);
    return add(set, depth, value);
}

void Lemmas::add_root(Value value, const std::vector<Held>& held) {
    text_ += "r " + std::to_string(value);
    write(held);
}

void Lemmas::learn(const Set& set, Number lemma) {
    const Known& news = lemmas_[lemma];
    std::vector<Known>& known = known_[set];
    const auto says_as_much = [](const Known& one, const Known& other) {
        return one.value >= other.value && one.depth >= other.depth;
    };
    if (std::ranges::any_of(known, [&](const Known& old) { return says_as_much(old, news); })) return;
    n_known_ -= std::erase_if(known, [&](const Known& old) { return says_as_much(news, old); });
    known.push_back(news);
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
    if (2 * text_.size() + n_bytes > max_bytes_) throw ProofTooLarge{};  // vectors and strings may be half empty
    return lemma;
}

// The places as the bits of a number, in hexadecimal digits without leading zeros.
void Lemmas::write(const Set& set) {
    text_ += ' ';
    bool has_begun = false;
    for (std::size_t digit = set.size() * kWordBits / 4; digit-- > 0;) {
        const auto value = (set[digit / 16] >> (digit % 16 * 4)) & 15;
        has_begun |= value != 0;
        if (has_begun) text_ += "0123456789abcdef"[value];
    }
}

void Lemmas::write(const std::vector<Held>& held) {
    for (const Held& one : held) {
        text_ += ' ' + std::to_string(one.feature) + (one.is_yes ? '+' : '-') + std::to_string(one.lemma);
    }
    text_ += '\n';
}

}  // namespace puretree
