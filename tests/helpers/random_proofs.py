"""Small random formulas without models, and the proofs that solvers write for them."""

import random
from collections.abc import Iterator, Sequence

from pysat.solvers import Solver, pysolvers

from puretree import _native

SOLVERS = {"cadical153": True, "cadical195": True, "cadical300": True, "glucose4": False}  # in bytes?


def random_formula(rng: random.Random, n_vars: int) -> list[list[int]]:
    """Draw short clauses, so many that most such formulas have no model; literals may repeat or contradict."""
    n_clauses = int(n_vars * rng.uniform(4, 6))
    sizes = [rng.choice((1, 2, 3, 3, 3, 3, 3, 3, 3, 3)) if rng.random() < 0.2 else 3 for _ in range(n_clauses)]
    return [[rng.choice((1, -1)) * rng.randint(1, n_vars) for _ in range(size)] for size in sizes]


def proof_by(solver: str, clauses: Sequence[Sequence[int]]) -> bytes | None:
    """Return the proof of a solver as text; None if there is a model."""
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


def proofs(n: int, seed: int, most_vars: int = 60) -> Iterator[tuple[int, list[list[int]], bytes]]:
    """Yield variables, clauses and proofs of formulas without models."""
    rng = random.Random(seed)
    while n:
        n_vars = rng.randint(3, most_vars)
        clauses = random_formula(rng, n_vars)
        proof = proof_by(rng.choice(list(SOLVERS)), clauses)
        if proof is not None:
            n -= 1
            yield n_vars, clauses, proof


def dimacs(n_vars: int, clauses: Sequence[Sequence[int]]) -> bytes:
    """Write a formula."""
    return b"p cnf %d %d\n" % (n_vars, len(clauses)) + b"".join(line(clause) for clause in clauses)


def line(clause: Sequence[int]) -> bytes:
    """Write a clause."""
    return b"".join(b"%d " % literal for literal in clause) + b"0\n"
