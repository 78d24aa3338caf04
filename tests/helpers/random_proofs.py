"""Small random unsatisfiable formulas, with proofs by SAT solvers."""

import random
from collections.abc import Iterator, Sequence

from pysat.solvers import Solver, pysolvers

from puretree import _native

SOLVERS = {"cadical153": True, "cadical195": True, "cadical300": True, "glucose4": False}  # whether the proof is binary


def random_formula(rng: random.Random, n_vars: int) -> list[list[int]]:
    """Draw enough short clauses for most formulas to be unsatisfiable; a clause may repeat or contradict a literal."""
    n_clauses = int(n_vars * rng.uniform(4, 6))
    sizes = [rng.choice((1, 2, 3, 3, 3, 3, 3, 3, 3, 3)) if rng.random() < 0.2 else 3 for _ in range(n_clauses)]
    return [[rng.choice((1, -1)) * rng.randint(1, n_vars) for _ in range(size)] for size in sizes]


def proof_by(solver: str, clauses: Sequence[Sequence[int]]) -> bytes | None:
    """Return the DRAT proof of a solver as text; None if the formula is satisfiable."""
    with Solver(name=solver, with_proof=True, bootstrap_with=clauses) as oracle:
        if oracle.solve():
            return None
        pysolvers.flushpr(oracle.solver.prfp)
        oracle.solver.prfile.seek(0)
        raw = bytes(oracle.solver.prfile.read())
    if not SOLVERS[solver]:
        return raw
    text, n_read = _native.drat_to_text(raw)
    assert n_read == len(raw)
    return text


def proofs(n: int, seed: int, max_vars: int = 60) -> Iterator[tuple[int, list[list[int]], bytes]]:
    """Yield the number of variables, the clauses and a proof of n unsatisfiable formulas."""
    rng = random.Random(seed)
    while n:
        n_vars = rng.randint(3, max_vars)
        clauses = random_formula(rng, n_vars)
        proof = proof_by(rng.choice(list(SOLVERS)), clauses)
        if proof is not None:
            n -= 1
            yield n_vars, clauses, proof


def dimacs(n_vars: int, clauses: Sequence[Sequence[int]]) -> bytes:
    """Return a formula in DIMACS format."""
    return b"p cnf %d %d\n" % (n_vars, len(clauses)) + b"".join(line(clause) for clause in clauses)


def line(clause: Sequence[int]) -> bytes:
    """Return a clause as a DIMACS line."""
    return b"".join(b"%d " % literal for literal in clause) + b"0\n"
