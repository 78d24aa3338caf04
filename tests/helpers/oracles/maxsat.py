"""Brute-force SAT and MaxSAT, and small formulas for tests."""

import random
from collections.abc import Iterator, Sequence
from itertools import product

from puretree.formula import Soft, Wcnf, as_block


def models(n_vars: int, clauses: Sequence[Sequence[int]]) -> Iterator[tuple[bool, ...]]:
    """Yield every assignment (variable v at index v - 1) that satisfies all clauses."""
    for values in product((False, True), repeat=n_vars):
        if all(satisfies(values, clause) for clause in clauses):
            yield values


def satisfies(values: Sequence[bool], clause: Sequence[int]) -> bool:
    """Return whether an assignment satisfies a clause."""
    return any(values[abs(literal) - 1] == (literal > 0) for literal in clause)


def hard_clauses(formula: Wcnf) -> list[list[int]]:
    """Return the hard clauses of a formula as lists."""
    return [[int(literal) for literal in row if literal] for block in formula.hard for row in block]


def cheapest(formula: Wcnf) -> int | None:
    """Return the minimum cost of a model; None if there is no model."""
    assignments = models(formula.n_vars, hard_clauses(formula))
    return min((sum(s.weight for s in formula.soft if not satisfies(v, s.literals)) for v in assignments), default=None)


def random_formula(seed: int) -> Wcnf:
    """Return a small formula with clauses of any length, repeated soft literals, and empty or tautological clauses."""
    rng = random.Random(seed)
    n_vars = rng.randint(1, 6)

    def literals(lengths: list[int]) -> list[int]:
        return [rng.choice((1, -1)) * rng.randint(1, n_vars) for _ in range(rng.choice(lengths))]

    formula = Wcnf(n_vars + rng.randint(0, 1))
    formula.add(as_block([literals([1, 2, 3]) for _ in range(rng.randint(0, 8))]))
    formula.soft = [Soft(rng.randint(1, 9), tuple(literals([0, 1, 1, 1, 2, 3]))) for _ in range(rng.randint(0, 6))]
    return formula


def hard_formula(seed: int = 3, n_vars: int = 300, n_hard: int = 1000, n_soft: int = 200) -> Wcnf:
    """Return a satisfiable formula whose optimum no solver here proves within a minute."""
    rng = random.Random(seed)
    formula = Wcnf(n_vars)
    formula.add(
        as_block([[rng.choice((1, -1)) * var for var in rng.sample(range(1, n_vars + 1), 3)] for _ in range(n_hard)])
    )
    formula.soft = [
        Soft(rng.randint(1, 20), (rng.choice((1, -1)) * var,)) for var in rng.sample(range(1, n_vars + 1), n_soft)
    ]
    return formula
