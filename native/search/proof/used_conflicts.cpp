#include "used_conflicts.hpp"

namespace puretree {

bool UsedConflicts::use_any(const Word* set) {
    if (find(set, true)) return true;
    const auto pair = find(set, false);
    if (pair) use(pair->first, pair->second);
    return pair.has_value();
}

void UsedConflicts::use_all(const std::vector<std::size_t>& clique) {
    for (std::size_t i = 0; i < clique.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (sample_.label(clique[i]) == sample_.label(clique[j])) use(clique[i], clique[j]);
        }
    }
}

void UsedConflicts::write(std::string& text) const {
    for (std::size_t one = 0; one < sample_.size(); ++one) {
        for_each(used_with(one), n_words_, [&](std::size_t other) {
            if (other < one) return;
            const auto witness = conflicts_.between(sample_.row(one), sample_.row(other), sample_.label(one));
            text += "x " + std::to_string(one) + ' ' + std::to_string(other) + ' ' + std::to_string(*witness) + '\n';
        });
    }
}

std::optional<UsedConflicts::Pair> UsedConflicts::find(const Word* set, bool is_used) const {
    std::optional<Pair> found;
    const std::size_t n_words = is_used ? n_words_ : conflicts_.n_words();
    for_each_while(set, n_words, [&](std::size_t place) {
        if (!is_used && place >= conflicts_.n_places()) return false;
        const Word* with = is_used ? used_with(place) : conflicts_.with(place);
        return for_each_while(with, n_words, [&](std::size_t other) {
            if ((set[other / kWordBits] >> (other % kWordBits)) & 1) found = {place, other};
            return !found;
        });
    });
    return found;
}

void UsedConflicts::use(std::size_t one, std::size_t other) {
    used_with(one)[other / kWordBits] |= Word{1} << (other % kWordBits);
    used_with(other)[one / kWordBits] |= Word{1} << (one % kWordBits);
}

}  // namespace puretree
