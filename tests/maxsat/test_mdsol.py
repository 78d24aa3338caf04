"""MDSOL for any CNF: against brute force, and against the paper's algorithm with a new MaxSAT formula at each step."""

import random
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import pytest
from helpers.oracles.maxsat import models
from pysat.formula import CNF

from puretree import InputError
from puretree._support.clock import NO_LIMIT, Clock, TimeLimitReached
from puretree.formula import Soft, Wcnf, as_block
from puretree.maxsat import Backend, Linear, Rc2, Solutions, mdsol
from puretree.maxsat.mdsol import TimeBudget, _CnfModels, _read_clauses
from puretree.sat import LocalOracle

Clauses = list[list[int]]
MANY = 10**6


def random_cnf(seed: int) -> tuple[Clauses, list[int]]:
    """Return a small CNF, of 0 to 10 clauses, and targets, some of which may not occur in it."""
    rng = random.Random(seed)
    n_vars = rng.randint(1, 6)
    clauses = [
        [rng.choice((1, -1)) * var for var in rng.sample(range(1, n_vars + 1), min(n_vars, rng.choice([1, 2, 3, 3])))]
        for _ in range(rng.randint(0, 10))
    ]
    return clauses, rng.sample(range(1, n_vars + 1), rng.randint(1, n_vars))


def projections(clauses: Clauses, targets: Sequence[int]) -> set[tuple[bool, ...]]:
    """Return the models of a CNF, restricted to the targets, by brute force."""
    n_vars = max([*targets, *(abs(literal) for clause in clauses for literal in clause)])
    return {tuple(model[target - 1] for target in targets) for model in models(n_vars, clauses)}


def restricted(solutions: Solutions, targets: Sequence[int]) -> list[tuple[bool, ...]]:
    """Return the values of the targets in each model."""
    return [tuple(bool(model[target]) for target in targets) for model in solutions.models]


def distance_sum(values: tuple[bool, ...], others: Sequence[tuple[bool, ...]]) -> int:
    """Return the sum of the Hamming distances to others."""
    return sum(a != b for other in others for a, b in zip(values, other, strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_each_model_is_the_farthest_and_all_are_found(seed: int) -> None:
    """With a large k, every model restricted to the targets is found once, each the farthest from those before."""
    clauses, targets = random_cnf(seed)
    solutions = mdsol(clauses, MANY, targets, isolated=False)
    found, remaining = restricted(solutions, targets), projections(clauses, targets)
    assert (solutions.stopped, solutions.n_unproved) == ("exhausted", 0)
    assert len(found) == len(set(found))
    assert set(found) == remaining
    for n, values in enumerate(found):
        assert distance_sum(values, found[:n]) == max(distance_sum(other, found[:n]) for other in remaining)
        remaining.remove(values)
    for model in solutions.models:
        assert all(any(model[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses)


@pytest.mark.parametrize(
    ("backend", "k", "seed"),
    [*((Linear(isolated=False), 9, seed) for seed in (6, 30, 34, 38)), (Rc2(), 3, 34)],
    ids=str,
)
def test_the_costs_are_those_of_the_paper_s_algorithm(backend: Backend, k: int, seed: int) -> None:
    """Algorithm 2 as printed, with a new formula and its soft clauses (¬l, 1) at each step, has the same costs."""
    clauses, targets = random_cnf(seed)
    solutions = mdsol(clauses, k, targets, isolated=False)
    assert len(solutions.models) >= 3
    n_vars, variables = max([*targets, *(abs(literal) for clause in clauses for literal in clause)]), np.array(targets)
    formula = Wcnf(n_vars)
    formula.add(as_block(clauses))
    for model in solutions.models:
        answer = backend.minimise(formula, clock=Clock())
        assert (answer.status, answer.cost) == ("optimal", formula.cost(model))
        literals = np.where(model[variables], variables, -variables).tolist()
        formula.add(as_block([[-literal for literal in literals]]))
        formula.soft += [Soft(1, (-literal,)) for literal in literals]
    is_exhausted = backend.minimise(formula, clock=Clock()).status == "unsatisfiable"
    assert is_exhausted or solutions.stopped == "enough"


@pytest.mark.parametrize("k", [1, 3, 8])
def test_k_models_are_enough(k: int) -> None:
    """The search ends after k models, also if there are no more; the clauses may be those of python-sat."""
    solutions = mdsol(CNF(from_clauses=[[1, -1]]).clauses, k, (1, 2, 3), isolated=False)
    assert (len(solutions.models), solutions.stopped) == (k, "enough")


def test_free_targets_are_complemented() -> None:
    """Without clauses, the second model is the complement of the first, and the fourth of the third."""
    first, second, third, fourth = restricted(mdsol([], 4, range(1, 41), isolated=False), range(1, 41))
    assert all(a != b for a, b in zip(first, second, strict=True))
    assert all(a != b for a, b in zip(third, fourth, strict=True))


def test_a_formula_without_models() -> None:
    """An unsatisfiable CNF, also with an empty clause, has no solutions."""
    for clauses in ([[1], [-1]], [[]]):
        solutions = mdsol(clauses, 3, [1], isolated=False)
        assert (solutions.models, solutions.stopped) == ((), "exhausted")


def test_the_isolated_solver_gives_the_same_distances() -> None:
    """A solver in a child process finds equally diverse models."""
    clauses, targets = random_cnf(8)
    found = [restricted(mdsol(clauses, 4, targets, isolated=isolated), targets) for isolated in (True, False)]
    sums = [[distance_sum(values, trees[:n]) for n, values in enumerate(trees)] for trees in found]
    assert sums[0] == sums[1]


def test_the_time_limit_ends_the_search() -> None:
    """Without time there are no models, and the result says that the limit was reached."""
    solutions = mdsol([[1, 2]], 3, [1, 2], isolated=False, time_limit=0)
    assert (solutions.models, solutions.stopped) == ((), "limit")


@pytest.mark.parametrize("pace", ["prove", "share"])
def test_the_pace_decides_what_happens_to_unproved_models(pace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a proof does not end in time, "prove" returns fewer models, and "share" counts the unproved one."""
    clock, solve = Clock(), _CnfModels.solve

    def without_proofs(self: Any, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Any:
        if assumptions and pace == "prove":
            clock.stop()
        if assumptions:
            raise TimeLimitReached
        return solve(self, assumptions, time_slice)

    monkeypatch.setattr(_CnfModels, "solve", without_proofs)
    solutions = mdsol([[1, 2], [-1, -2]], 9, [1, 2, 3], isolated=False, time_limit=clock, pace=pace)
    assert (len(solutions.models), solutions.stopped) == ((1, "limit") if pace == "prove" else (4, "exhausted"))
    assert (solutions.n_unproved > 0) == (pace == "share")


def test_ctrl_c_keeps_the_models_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models found before an interrupt are returned, and the clock is stopped."""
    calls: list[int] = []

    class Interrupted(LocalOracle):
        def solve(self, *arguments: Any) -> bool | None:
            calls.append(1)
            if len(calls) == 4:
                raise KeyboardInterrupt
            return super().solve(*arguments)

    monkeypatch.setattr("puretree.sat.oracle.LocalOracle", Interrupted)
    clock = Clock()
    solutions = mdsol([], 9, [1, 2], isolated=False, time_limit=clock)
    assert (bool(solutions.models), solutions.stopped, clock.is_stopped) == (True, "limit", True)


def test_the_time_is_shared_among_the_models() -> None:
    """The first of two has a third of the time, the last one and any after it half; or each proof has all of it."""
    budget, proving = TimeBudget(Clock(99), 2, "share"), TimeBudget(Clock(99), 2)
    assert 32 < budget.next_slice().limit <= 33
    for _ in range(3):
        budget.count_solution()
        assert 49 < budget.next_slice().limit <= budget.next_proof().limit + 0.1 <= 49.6
    assert proving.next_proof() is proving.clock
    assert 32 < proving.next_slice().limit <= 33


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1, 0]], 2, [1]), r"clause 0 is \[1, 0\]"),
        (([[1], 2], 2, [1]), "clause 1 is 2"),
        (([[1], "ab"], 2, [1]), "clause 1 is 'ab'"),
        (([[1, True]], 2, [1]), "clause 0"),
        (([[1.0]], 2, [1]), "clause 0"),
        (([[2**31]], 2, [1]), "clause 0"),
        (([[1]], 0, [1]), "k=0"),
        (([[1]], 1.5, [1]), "k=1.5"),
        (([[1]], 2, [0]), "target 0"),
        (([[1]], 2, [-1]), "target -1"),
        (([[1]], 2, ["a"]), "target 'a'"),
        (([[1]], 2, [3, 1, 3]), "target 3 occurs 2 times"),
        (([[1]], 2, []), "no targets"),
        (([[1]], 2, 5), "targets=5 is not a list"),
        ((5, 2, [5]), "clauses=5 is not a list"),
        (([[1]], 2, [1, 2**31 - 1]), "target 2147483647 is in no clause; number such variables from 1 to 10000000"),
    ],
)
def test_wrong_input_is_rejected(arguments: Any, words: str) -> None:
    """The message names the clause, the target or the parameter."""
    with pytest.raises(InputError, match=words):
        mdsol(*arguments)


def test_wrong_options_are_rejected() -> None:
    """The pace and the solver are checked before anything is started."""
    with pytest.raises(InputError, match="pace='slow' is unknown; use one of prove, share"):
        mdsol([[1]], 2, [1], pace="slow")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="abacus"):
        mdsol([[1]], 2, [1], solver="abacus")


def test_reading_counts_in_the_time_limit() -> None:
    """Clauses that take longer than the time limit to read, here without end, give no models in time."""
    endless = ([var % 9 + 1] for var in count())
    solutions = mdsol(endless, 2, [1], time_limit=0.2)
    assert (solutions.models, solutions.stopped) == ((), "limit")


def test_a_long_clause_does_not_widen_the_others() -> None:
    """The memory for clauses grows with their literals, not with their number times the longest."""
    clauses = [list(range(1, 200_001)), *([var, -var - 1] for var in range(1, 20_000))]
    blocks = _read_clauses(clauses, NO_LIMIT)
    assert sum(block.size for block in blocks) == sum(map(len, clauses))


def test_an_empty_clause_has_no_model() -> None:
    """A formula with an empty clause is unsatisfiable, whatever the lengths of its other clauses."""
    solutions = mdsol([[1, 2], []], 2, [1, 2], isolated=False)
    assert (solutions.models, solutions.stopped) == ((), "exhausted")
