// Members of a set that conflict pairwise within each class, as Conflicts::least_leaves counts them; a proof has to
// list them.
#pragma once

#include <vector>

#include "../conflicts.hpp"
#include "../sample.hpp"
#include "../value.hpp"

namespace puretree {

using Clique = std::vector<std::size_t>;  // positions, those of a class adjacent

// No more members than needed for a bound of `target` tests.
Clique find_clique(const Sample& sample, const Conflicts& conflicts, SetView set, Value target);

// The bound that a clique proves. Members of one class only have an example of another class in their hull.
Value tests_of(const Clique& clique, const Sample& sample);

}  // namespace puretree
