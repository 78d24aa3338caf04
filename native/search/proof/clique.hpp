// Members of a set that conflict pairwise within each class, as the search finds them when it counts leaves; here they
// are named, because a proof must show them.
#pragma once

#include <vector>

#include "../conflicts.hpp"
#include "../sample.hpp"
#include "../value.hpp"

namespace puretree {

using Clique = std::vector<std::size_t>;  // places, those of a class side by side

// No more members than ask for `enough` tests.
Clique find_clique(const Sample& sample, const Conflicts& conflicts, const Word* set, Value enough);

// The tests that its members ask for. Those of one class have an example of another between them.
Value tests_of(const Clique& clique, const Sample& sample);

}  // namespace puretree
