// The proof of a bound as a log that can be checked independently: which sets of the sample need how many tests, and by
// which rule. The rules and the format are documented in the checker, src/puretree/proof/checkers/bound.py.
//
// It is written after the search, which guides it (see prover.hpp), and not during the search: most bounds that the
// search derives are not needed for the final one, and its loops stay fast.
#pragma once

#include <functional>
#include <string>

#include "../constraints.hpp"
#include "../sample.hpp"
#include "../solver.hpp"
#include "lemmas.hpp"

namespace puretree {

// Proves that no tree has fewer than `bound` tests, which the solver has established for its sample. Throws
// ProofTooLarge.
std::string prove_by_search(const Sample& sample, const Constraints& constraints, Solver& solver, Value bound,
                            std::size_t max_bytes, const std::function<void()>& tick);

// The same for a bound that follows from the conflicts of all examples alone.
std::string prove_by_conflicts(const Examples& examples, Value bound, std::size_t max_bytes,
                               const std::function<void()>& tick);

}  // namespace puretree
