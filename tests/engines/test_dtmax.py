"""DT(max): the fewest training errors at a depth."""

import time

import numpy as np
import pytest
from helpers.oracles.best_accuracy import fewest_errors
from helpers.random_problems import larger_problem, noise, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.engines.dtmax import DtMax
from puretree.problem import Constraints


def truth(problem: BinaryProblem, depth: int) -> int:
    """Return the fewest errors at a depth, by brute force."""
    return fewest_errors(rows_of(problem), problem.labels.tolist(), depth, problem.weights.tolist())


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("part", range(2))
def test_the_errors_are_those_of_brute_force(depth: int, part: int) -> None:
    """On 200 random problems no tree of the depth has fewer errors, weights counted; nothing is said of its size."""
    for seed in range(part, 200, 2):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(depth, isolated=False))
        assert outcome.tree is not None
        assert outcome.n_errors == problem.n_errors(outcome.tree) == truth(problem, depth), seed
        assert outcome.lower_bound == outcome.upper_bound == outcome.n_errors
        assert outcome.tree.depth <= depth
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "errors", False)


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_every_backend_gives_the_same(backend: str) -> None:
    """Larger problems, as they come: the solver in a process of its own, and another MaxSAT solver."""
    for seed in (0, 1, 3, 5):
        problem = larger_problem(seed)
        outcome = solve(problem, DtMax(2, backend))
        assert (outcome.status, outcome.n_errors) == ("optimal", truth(problem, 2))


def test_counting_all_at_once_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is too much to count by place, one sum over all examples does."""
    monkeypatch.setattr("puretree.engines.dtmax.can_count_errors", lambda encoding, upper: False)
    for seed in range(20):
        problem = random_problem(seed)
        assert solve(problem, DtMax(2, isolated=False)).n_errors == truth(problem, 2)


def test_a_pure_tree_is_found_where_there_is_one() -> None:
    """No errors are the fewest: xor takes two levels, and with one both classes are as good."""
    assert solve(xor(), DtMax(2)).n_errors == 0
    shallow = solve(xor(), DtMax(1))
    assert (shallow.n_errors, shallow.n_nodes, shallow.status) == (2, 1, "optimal")


def test_the_root_asked_for_is_kept() -> None:
    """With a root it is that one, or none where no test pays, and no such tree has fewer errors."""
    for seed in range(20):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(2, isolated=False), constraints=Constraints(root=[1]))
        assert outcome.tree is not None
        assert outcome.tree.feature[0] in (1, -1)
        rows, labels, weights = np.array(rows_of(problem)), problem.labels, problem.weights
        sides = [rows[:, 1] == value for value in (0, 1)]
        split = sum(fewest_errors(rows[at].tolist(), labels[at].tolist(), 1, weights[at].tolist()) for at in sides)
        leaf = fewest_errors(rows.tolist(), labels.tolist(), 0, weights.tolist())
        assert (outcome.status, outcome.n_errors) == ("optimal", min(leaf, split)), seed


def test_what_cannot_be_kept_is_refused() -> None:
    """Options and wishes are refused by name; a smaller depth asked for counts."""
    with pytest.raises(InputError, match="depth=0"):
        DtMax(0)
    with pytest.raises(InputError, match="backend='none'"):
        DtMax(backend="none")
    with pytest.raises(InputError, match="cannot keep to min_samples_leaf"):
        solve(xor(), DtMax(), constraints=Constraints(min_samples_leaf=2))
    outcome = solve(random_problem(3), DtMax(3), constraints=Constraints(max_depth=1))
    assert outcome.tree is not None
    assert outcome.tree.depth <= 1


@pytest.mark.parametrize("seconds", [0.0, 1.0])
@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_the_limit_is_heard(seconds: float, backend: str) -> None:
    """With no time there is the most frequent class, with a second a better tree; no proof is claimed."""
    start = time.monotonic()
    problem = noise(300, 20)
    outcome = solve(problem, DtMax(4, backend), clock=Clock(seconds))
    assert time.monotonic() - start < seconds + 3
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert outcome.tree.n_nodes == 1 or seconds
    assert outcome.lower_bound < outcome.n_errors == outcome.upper_bound


def test_classes_beyond_the_leaves_are_lost() -> None:
    """With more classes than leaves the rarest are a lower bound at once."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ["a", "b", "c", "d", "d"])
    outcome = solve(problem, DtMax(1, isolated=False))
    assert (outcome.n_errors, outcome.history[1].lower) == (2, 2)
