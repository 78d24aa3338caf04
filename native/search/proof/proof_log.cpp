#include "proof_log.hpp"

#include <numeric>

#include "clique.hpp"
#include "prover.hpp"
#include "used_conflicts.hpp"

namespace puretree {
namespace {

std::string assemble(const Sample& sample, Value bound, const UsedConflicts& conflicts, const Lemmas& lemmas) {
    std::string text = "puretree bound 1\np " + std::to_string(sample.all().size()) + ' ' +
                       std::to_string(sample.n_features()) + "\nb " + std::to_string(bound) + "\ne";
    for (std::size_t i = 0; i < sample.size(); ++i) text += ' ' + std::to_string(sample.example(i));
    text += '\n';
    conflicts.write(text);
    return text + lemmas.text() + "end\n";
}

Clique clique_of_all(const Examples& examples, Value bound, const std::function<void()>& tick) {
    Sample all(examples);
    for (std::uint32_t example = 0; example < examples.size(); ++example) all.add(example);
    Conflicts conflicts(all);
    conflicts.extend(tick);
    return find_clique(all, conflicts, examples.full_set(), bound);
}

}  // namespace

std::string prove_by_search(const Sample& sample, const Constraints& constraints, Solver& solver, Value bound,
                            std::size_t max_bytes, const std::function<void()>& tick) {
    Prover prover(sample, constraints, solver, max_bytes, tick);
    prover.prove_all(bound);
    return assemble(sample, bound, prover.conflicts(), prover.lemmas());
}

std::string prove_by_conflicts(const Examples& examples, Value bound, std::size_t max_bytes,
                               const std::function<void()>& tick) {
    Sample sample(examples);  // only the clique
    for (const std::size_t example : clique_of_all(examples, bound, tick)) sample.add(static_cast<std::uint32_t>(example));
    Conflicts conflicts(sample);
    conflicts.extend(tick);
    Clique members(sample.size());
    std::iota(members.begin(), members.end(), std::size_t{0});
    UsedConflicts used(sample, conflicts);
    used.use_all(members);
    Lemmas lemmas(sample.n_words(), max_bytes);
    lemmas.add_clique(first_positions(sample.size(), sample.n_words()), bound);
    return assemble(sample, bound, used, lemmas);
}

}  // namespace puretree
