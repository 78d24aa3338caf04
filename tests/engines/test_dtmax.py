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


def brute_force_errors(problem: BinaryProblem, depth: int) -> int:
    """Return the fewest errors at a depth, by brute force."""
    return fewest_errors(rows_of(problem), problem.labels.tolist(), depth, problem.weights.tolist())


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("part", range(2))
def test_errors_equal_brute_force(depth: int, part: int) -> None:
    """On 200 random problems with weights no tree of the depth has fewer errors; no minimum size is claimed."""
    for seed in range(part, 200, 2):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(depth, isolated=False))
        assert outcome.tree is not None
        assert outcome.n_errors == problem.n_errors(outcome.tree) == brute_force_errors(problem, depth), seed
        assert outcome.lower_bound == outcome.upper_bound == outcome.n_errors
        assert outcome.tree.depth <= depth
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "errors", False)


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_every_backend_gives_the_same_errors(backend: str) -> None:
    """On larger problems, with the solver in its own process and with another MaxSAT solver."""
    for seed in (0, 1, 3, 5):
        problem = larger_problem(seed)
        outcome = solve(problem, DtMax(2, backend))
        assert (outcome.status, outcome.n_errors) == ("optimal", brute_force_errors(problem, 2))


def test_one_sum_over_all_examples_gives_the_same_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """If counting node by node would be too large, one sum over all examples is used instead."""
    monkeypatch.setattr("puretree.engines.dtmax.can_count_errors", lambda encoding, upper: False)
    for seed in range(20):
        problem = random_problem(seed)
        assert solve(problem, DtMax(2, isolated=False)).n_errors == brute_force_errors(problem, 2)


def test_a_pure_tree_is_found_if_there_is_one() -> None:
    """Xor has no errors at depth 2; at depth 1 no test helps, and the tree is a leaf."""
    assert solve(xor(), DtMax(2)).n_errors == 0
    shallow = solve(xor(), DtMax(1))
    assert (shallow.n_errors, shallow.n_nodes, shallow.status) == (2, 1, "optimal")


def test_root_constraint_is_satisfied() -> None:
    """The tree has the required root, or is a leaf if no test helps, and no such tree has fewer errors."""
    for seed in range(20):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(2, isolated=False), constraints=Constraints(root=[1]))
        assert outcome.tree is not None
        assert outcome.tree.feature[0] in (1, -1)
        rows, labels, weights = np.array(rows_of(problem)), problem.labels, problem.weights
        sides = [rows[:, 1] == value for value in (0, 1)]
        split = sum(
            fewest_errors(rows[side].tolist(), labels[side].tolist(), 1, weights[side].tolist()) for side in sides
        )
        leaf = fewest_errors(rows.tolist(), labels.tolist(), 0, weights.tolist())
        assert (outcome.status, outcome.n_errors) == ("optimal", min(leaf, split)), seed


def test_invalid_options_and_constraints_are_rejected() -> None:
    """The errors name the option or constraint; a smaller max_depth takes precedence over the option."""
    with pytest.raises(InputError, match="depth=0"):
        DtMax(0)
    with pytest.raises(InputError, match="backend='none'"):
        DtMax(backend="none")
    with pytest.raises(InputError, match="does not support min_samples_leaf"):
        solve(xor(), DtMax(), constraints=Constraints(min_samples_leaf=2))
    outcome = solve(random_problem(3), DtMax(3), constraints=Constraints(max_depth=1))
    assert outcome.tree is not None
    assert outcome.tree.depth <= 1


@pytest.mark.parametrize("seconds", [0.0, 1.0])
@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_time_limit_is_enforced(seconds: float, backend: str) -> None:
    """Without time the majority class is returned, within a second a better tree; neither is proved."""
    start = time.monotonic()
    problem = noise(300, 20)
    outcome = solve(problem, DtMax(4, backend), clock=Clock(seconds))
    assert time.monotonic() - start < seconds + 3
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert outcome.tree.n_nodes == 1 or seconds
    assert outcome.lower_bound < outcome.n_errors == outcome.upper_bound


def test_classes_beyond_the_leaves_raise_the_lower_bound() -> None:
    """With more classes than leaves, the rows of the rarest classes are the initial lower bound."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ["a", "b", "c", "d", "d"])
    outcome = solve(problem, DtMax(1, isolated=False))
    assert (outcome.n_errors, outcome.history[1].lower) == (2, 2)
