// The conflicts that a proof uses: each is a line of its log, with an example of another class as its witness. To keep
// them few, a set that needs any conflict gets one that is already in use, if there is one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../conflicts.hpp"
#include "../sample.hpp"

namespace puretree {

class UsedConflicts {
public:
    UsedConflicts(const Sample& sample, const Conflicts& conflicts)
        : sample_(sample), conflicts_(conflicts), n_words_(sample.n_words()), used_(sample.size() * n_words_) {}

    // Uses a conflict of two members of a set; false if there is none.
    bool use_any(SetView set);

    // Uses every conflict among the members of a clique.
    void use_all(const std::vector<std::size_t>& clique);

    // Appends a line for each: the two positions, and the example in their hull.
    void write(std::string& text) const;

private:
    using Pair = std::pair<std::size_t, std::size_t>;

    std::optional<Pair> find(SetView set, bool is_used) const;
    void use(std::size_t one, std::size_t other);
    MutableSetView used_with(std::size_t position) { return {used_.data() + position * n_words_, n_words_}; }
    SetView used_with(std::size_t position) const { return {used_.data() + position * n_words_, n_words_}; }

    const Sample& sample_;
    const Conflicts& conflicts_;
    std::size_t n_words_;
    std::vector<Word> used_;  // a set for each position
};

}  // namespace puretree
