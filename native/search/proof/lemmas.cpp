#include "lemmas.hpp"

#include <algorithm>

namespace puretree {
namespace {

// Looking through all lemmas would take longer than the search.
constexpr std::size_t kMostCompared = 2000;
constexpr std::size_t kBytesPerSet = 128;  // of a map's entry, beside the set

}  // namespace

Lemmas::Known Lemmas::of(const Set& set) const {
    const auto found = known_.find(set);
    return found == known_.end() ? Known{} : found->second;
}

Lemmas::Known Lemmas::within(const Set& set, Value enough) const {
    Known best = of(set);
    const std::size_t first = values_.size() - std::min(values_.size(), kMostCompared);
    for (std::size_t i = values_.size(); i-- > first && best.value < enough;) {
        if (values_[i] <= best.value || !is_subset(sets_.data() + i * n_words_, set.data(), n_words_)) continue;
        best = {values_[i], static_cast<Number>(i)};
    }
    return best;
}

Lemmas::Number Lemmas::add_clique(const Set& members, Value value) {
    text_ += "c " + std::to_string(value);
    write(members);
    text_ += '\n';
    return add(members, value);
}

Lemmas::Number Lemmas::add_split(const Set& set, Value value, const std::vector<Held>& held) {
    text_ += "s " + std::to_string(value);
    write(set);
    write(held);
    return add(set, value);
}

void Lemmas::add_root(Value value, const std::vector<Held>& held) {
    text_ += "r " + std::to_string(value);
    write(held);
}

void Lemmas::learn(const Set& set, Number lemma) {
    Known& known = known_[set];
    if (values_[lemma] > known.value) known = {values_[lemma], lemma};
}

Lemmas::Number Lemmas::add(const Set& set, Value value) {
    const auto lemma = static_cast<Number>(values_.size());
    sets_.insert(sets_.end(), set.begin(), set.end());
    values_.push_back(value);
    learn(set, lemma);
    const std::size_t n_set_bytes = n_words_ * sizeof(Word) + kBytesPerSet;
    if (text_.size() + known_.size() * n_set_bytes + sets_.size() * sizeof(Word) > max_bytes_) throw ProofTooLarge{};
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
