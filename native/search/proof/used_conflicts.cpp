#include "used_conflicts.hpp"

namespace puretree {

bool UsedConflicts::use_any(SetView set) {
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
        for_each(used_with(one), [&](std::size_t other) {
            if (other < one) return;
            const auto witness = conflicts_.witness(sample_.row(one), sample_.row(other), sample_.label(one));
            text += "x " + std::to_string(one) + ' ' + std::to_string(other) + ' ' + std::to_string(*witness) + '\n';
        });
    }
}

std::optional<UsedConflicts::Pair> UsedConflicts::find(SetView set, bool is_used) const {
    std::optional<Pair> conflict;
    for_each_while(set.first(is_used ? n_words_ : conflicts_.n_words()), [&](std::size_t position) {
        if (!is_used && position >= conflicts_.n_positions()) return false;
        return for_each_while(is_used ? used_with(position) : conflicts_.conflicts_of(position), [&](std::size_t other) {
            if (contains(set, other)) conflict = {position, other};
            return !conflict;
        });
    });
    return conflict;
}

void UsedConflicts::use(std::size_t one, std::size_t other) {
    insert(used_with(one), other);
    insert(used_with(other), one);
}

}  // namespace puretree
