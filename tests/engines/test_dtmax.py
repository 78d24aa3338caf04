"""DT(max): the fewest training errors at a depth."""

import sys
import time
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from helpers.oracles.best_accuracy import fewest_errors
from helpers.random_problems import larger_problem, noise, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.engines.dtmax import DtMax, EncodingName
from puretree.maxsat import External
from puretree.problem import Constraints

FAULTY_SOLVER = Path(__file__).parents[1] / "helpers" / "faulty_solver.py"


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


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_errors_with_the_formula_of_the_paper_equal_brute_force(depth: int) -> None:
    """The same on 10 random problems of 2 to 4 classes with the encoding that m_i relaxes."""
    for seed in range(10):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(depth, isolated=False, encoding="layout"))
        assert outcome.tree is not None
        assert outcome.n_errors == problem.n_errors(outcome.tree) == brute_force_errors(problem, depth), seed
        assert (outcome.status, outcome.tree.depth <= depth) == ("optimal", True)


@pytest.mark.parametrize(("encoding", "seeds"), [("complete", (0, 1, 3, 5)), ("layout", (5,))])
@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_every_backend_gives_the_same_errors(backend: str, encoding: EncodingName, seeds: tuple[int, ...]) -> None:
    """On larger problems, with the solver in its own process and with another MaxSAT solver."""
    for seed in seeds:
        problem = larger_problem(seed)
        outcome = solve(problem, DtMax(2, backend, encoding=encoding))
        assert (outcome.status, outcome.n_errors) == ("optimal", brute_force_errors(problem, 2))


def test_program_without_a_takeover() -> None:
    """A solver that is a program finds the same errors by itself; since it is not trusted, they are not proved."""
    program = External((sys.executable, "-m", "pysat.examples.rc2", "-vv"), name="RC2 program", style="old")
    problem = larger_problem(5)
    engine = DtMax(2, program, encoding="layout", takeover=False)
    outcome = solve(problem, engine)
    assert (outcome.status, outcome.lower_bound, engine.guarantees.proves) == ("unproved", 0, False)
    assert outcome.n_errors == brute_force_errors(problem, 2)
    assert {bounds.by for bounds in outcome.history} <= {"majority class", "scikit-learn", "RC2 program"}


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


@pytest.mark.parametrize("encoding", get_args(EncodingName))
def test_root_constraint_is_satisfied(encoding: EncodingName) -> None:
    """The tree has the required root, or is a leaf if no test helps, and no such tree has fewer errors."""
    for seed in range(20 if encoding == "complete" else 10):
        problem = random_problem(seed)
        outcome = solve(problem, DtMax(2, isolated=False, encoding=encoding), constraints=Constraints(root=[1]))
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
    with pytest.raises(InputError, match="encoding='shape' is unknown; use one of complete, layout"):
        DtMax(encoding="shape")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not support min_samples_leaf"):
        solve(xor(), DtMax(), constraints=Constraints(min_samples_leaf=2))
    outcome = solve(random_problem(3), DtMax(3), constraints=Constraints(max_depth=1))
    assert outcome.tree is not None
    assert outcome.tree.depth <= 1


@pytest.mark.parametrize(
    ("backend", "encoding", "seconds"),
    [
        *(("linear", "complete", seconds) for seconds in (0.0, 1.0)),
        *(("rc2", "complete", seconds) for seconds in (0.0, 1.0)),
        ("linear", "layout", 0.5),
    ],
)
def test_time_limit_is_enforced(backend: str, encoding: EncodingName, seconds: float) -> None:
    """Without time the majority class is returned, within a second a better tree; neither is proved."""
    start = time.monotonic()
    problem = noise(300, 20)
    outcome = solve(problem, DtMax(4, backend, encoding=encoding), clock=Clock(seconds))
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


def test_formula_that_is_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is estimated before the formula is built; the greedy tree is returned."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", 1e4)
    for encoding in get_args(EncodingName):
        outcome = solve(noise(50, 6), DtMax(2, encoding=encoding))
        assert (outcome.status, outcome.lower_bound, outcome.tree is not None) == ("memory_limit", 0, True)


def test_false_optimum_of_an_untrusted_program() -> None:
    """The linear search takes over and proves the true optimum; without a takeover, the status is unproved."""
    program = External((sys.executable, str(FAULTY_SOLVER), "false-optimum"), name="faulty")
    problem = noise(40, 6)
    outcome = solve(problem, DtMax(2, program, isolated=False))
    assert (outcome.status, outcome.n_errors) == ("optimal", brute_force_errors(problem, 2))
    assert outcome.history[-1].by == "linear"
    assert solve(problem, DtMax(2, program, takeover=False)).status == "unproved"
