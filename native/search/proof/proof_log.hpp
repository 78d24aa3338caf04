// The proof of a bound as a log that anybody can check: which sets of the sample need how many tests, and by which rule.
// The rules and the text are told by the checker, src/puretree/proof/checkers/bound.py.
//
// It is made after the search and asks it for advice (see prover.hpp), instead of being written on the way: what the search
// found out was true, but most of it is not needed for the bound, and its loops stay as fast as they were.
#pragma once

#include <functional>
#include <string>

#include "../sample.hpp"
#include "../solver.hpp"
#include "../wishes.hpp"
#include "lemmas.hpp"

namespace puretree {

// That no tree has fewer than `bound` tests, which the solver knows of its sample. Throws ProofTooLarge.
std::string prove_by_search(const Sample& sample, const Wishes& wishes, Solver& solver, Value bound,
                            std::size_t max_bytes, const std::function<void()>& tick);

// The same where the conflicts of all examples alone say so.
std::string prove_by_conflicts(const Examples& examples, Value bound, std::size_t max_bytes,
                               const std::function<void()>& tick);

}  // namespace puretree
