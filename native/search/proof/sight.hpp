// What the checker of a proof log sees of a set without a line of the log: a test less than it has classes; two tests if
// it holds a conflict; and two for two classes that no feature tells apart. It works this out in the checker's way, not
// in the search's: the log must hold whatever the checker cannot see.
#pragma once

#include <vector>

#include "../sample.hpp"
#include "../value.hpp"
#include "used_conflicts.hpp"

namespace puretree {

class Sight {
public:
    Sight(const Sample& sample, UsedConflicts& conflicts)
        : sample_(sample), conflicts_(conflicts), features_(sample.n_feature_words()) {}

    // The tests that a set needs at sight; a conflict that it takes for that is used.
    Value at_sight(const Word* set);

private:
    bool has_telling_feature(const Word* set);

    const Sample& sample_;
    UsedConflicts& conflicts_;
    std::vector<Word> features_;  // scratch of has_telling_feature
};

}  // namespace puretree
