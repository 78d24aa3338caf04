// The conflicts that a proof leans on: each is a line of its log, with an example of another class as its witness. As few
// as will do: whoever needs any conflict in a set is given one that was used before, if there is one.
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
    bool use_any(const Word* set);

    // Uses every conflict among the members of a clique.
    void use_all(const std::vector<std::size_t>& clique);

    // A line for each: the two places, and the example between them.
    void write(std::string& text) const;

private:
    using Pair = std::pair<std::size_t, std::size_t>;

    std::optional<Pair> find(const Word* set, bool is_used) const;
    void use(std::size_t one, std::size_t other);
    Word* used_with(std::size_t place) { return used_.data() + place * n_words_; }
    const Word* used_with(std::size_t place) const { return used_.data() + place * n_words_; }

    const Sample& sample_;
    const Conflicts& conflicts_;
    std::size_t n_words_;
    std::vector<Word> used_;  // a set for each place
};

}  // namespace puretree
