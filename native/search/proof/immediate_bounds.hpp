// The bounds that the checker of a proof log derives by itself, without a line of the log: one test less than the set
// has classes; two tests if it contains a conflict; two for two classes that no feature separates. They are computed as
// the checker does, not as the search does: the log must contain everything that the checker cannot derive.
#pragma once

#include <vector>

#include "../sample.hpp"
#include "../value.hpp"
#include "used_conflicts.hpp"

namespace puretree {

class ImmediateBounds {
public:
    ImmediateBounds(const Sample& sample, UsedConflicts& conflicts)
        : sample_(sample), conflicts_(conflicts), features_(sample.n_feature_words()) {}

    // The immediate bound of a set. A conflict that it relies on is marked as used.
    Value bound(SetView set);

private:
    bool has_separating_feature(SetView set);

    const Sample& sample_;
    UsedConflicts& conflicts_;
    std::vector<Word> features_;  // scratch of has_separating_feature
};

}  // namespace puretree
