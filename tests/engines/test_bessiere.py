"""Bessiere: properties that the suite for all engines does not cover."""

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import formula, larger_problem, noise, random_problem, rows_of

from puretree import BinaryProblem, InputError, PuretreeError, SolverError, Tree, UnfinishedWarning
from puretree._support.clock import Clock
from puretree.engines import bessiere, problem_program, solve
from puretree.engines.bessiere import Bessiere
from puretree.engines.incumbent import Incumbent
from puretree.engines.peers import with_labels
from puretree.engines.programs.cp_tree import find_trees
from puretree.problem import Constraints

ENGINE = Bessiere(isolated=False, upper_bound="heuristic")
CP = Bessiere(isolated=False, upper_bound="cp")

needs_or_tools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-tools is not installed")


def test_slots_are_added_until_there_is_a_tree() -> None:
    """If no tree is known, slots are added until there is one: mux6 with its last bit at the root needs 27 nodes."""
    incumbent = Incumbent(formula("mux6"), Constraints(root=[5]), Clock())
    incumbent.raise_lower(3)
    assert ENGINE.search(incumbent) == "optimal"
    assert (incumbent.upper, incumbent.lower, incumbent.is_proved) == (27, 27, True)
    assert incumbent.history[1].lower == 17  # the first guess proves this bound


def test_time_limit_is_enforced() -> None:
    """On a problem that is too hard, the best tree and valid bounds are returned in time."""
    outcome = solve(noise(150, 12), Bessiere(upper_bound="heuristic"), clock=Clock(1))
    assert outcome.status == "time_limit"
    assert outcome.seconds < 3
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


def test_unsupported_constraints_and_solvers_are_rejected() -> None:
    """Neither min_samples_leaf nor costs are supported, and the solver must exist."""
    for constraints in (Constraints(min_samples_leaf=2), Constraints(minimise="cost")):
        with pytest.raises(InputError, match="'bessiere' does not support"):
            solve(formula("mux6"), ENGINE, constraints=constraints)
    with pytest.raises(InputError, match="no solver"):
        Bessiere(solver="abacus")
    with pytest.raises(InputError, match="upper_bound='ilp' is unknown; use one of auto, cp, heuristic"):
        Bessiere(upper_bound="ilp")  # type: ignore[arg-type]


def test_formula_that_is_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is estimated before the formula is built."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", 1e4)
    outcome = solve(formula("mux6"), ENGINE)
    assert (outcome.status, outcome.lower_bound) == ("memory_limit", 3)


# The upper bound by constraint programming: the model in this process, the engine with the model in a child process,
# and the engine with a script in place of the program.


def cp_trees(problem: BinaryProblem, n_tests: int, **limits: Any) -> Iterator[Tree]:
    """Yield the trees that CP-SAT finds; the search must finish."""
    answers: list[Any] = []
    limits = {"n_tests": n_tests, "max_depth": None, "roots": None, "seconds": 60.0} | limits
    assert find_trees(problem.examples.unpack(), problem.labels, answers.append, **limits)["is_finished"]
    for answer in answers:
        yield Tree.from_nested(with_labels(answer["tree"], problem.classes), problem.classes)


@needs_or_tools
def test_cp_trees_are_pure_and_the_last_is_minimum() -> None:
    """Every tree is pure, within the constraints, and smaller than those before; there is none below the minimum."""
    for seed in range(9):
        problem = random_problem(seed)
        limits: dict[str, Any] = [{}, {"max_depth": 3}, {"roots": [1]}][seed % 3]
        rows, labels, ones = rows_of(problem), problem.labels.tolist(), [1] * problem.n_features
        least = minimum_cost(rows, labels, ones, max_depth=limits.get("max_depth", inf), root=limits.get("roots"))
        n_tests = 6 if least == inf else int(least) + 1
        trees = list(cp_trees(problem, n_tests, **limits))
        sizes = [tree.n_nodes for tree in trees]
        assert sizes == sorted(set(sizes), reverse=True)
        assert sizes[-1:] == ([] if least == inf else [2 * least + 1])
        for tree in trees:
            assert problem.is_pure(tree)
            assert tree.n_nodes <= 2 * n_tests + 1
            assert Constraints(max_depth=limits.get("max_depth"), root=limits.get("roots")).allows(tree, problem)
        if 1 < least < inf:
            assert not list(cp_trees(problem, int(least) - 1, **limits))


@needs_or_tools
def test_engine_starts_from_the_tree_of_cp_sat() -> None:
    """The tree of CP-SAT is credited to it, and the SAT solver proves the minimum from there; so it does without."""
    constraints = Constraints(max_depth=np.int64(4), root=list(np.arange(2)))  # type: ignore[arg-type]
    for engine, sources in ((CP, {"cp-sat", "bessiere"}), (ENGINE, {"bessiere"})):
        outcome = solve(formula("mux6"), engine, constraints=constraints)
        assert (outcome.status, outcome.n_nodes) == ("optimal", 15)
        assert {bounds.by for bounds in outcome.history} - {"trivial bound", "greedy", "iti"} == sources


@pytest.mark.slow
@needs_or_tools
@pytest.mark.parametrize("problem", [*map(random_problem, range(3)), *map(larger_problem, (1, 3, 9))], ids=str)
def test_both_upper_bounds_lead_to_the_same_minimum(problem: BinaryProblem) -> None:
    """With and without constraint programming, the proved size is the same, and that of brute force."""
    least = minimum_cost(rows_of(problem), problem.labels.tolist(), [1] * problem.n_features)
    for engine in (CP, ENGINE):
        outcome = solve(problem, engine)
        assert (outcome.status, outcome.n_nodes) == ("optimal", 2 * least + 1)


@pytest.mark.slow
@needs_or_tools
def test_limits_hold_in_cp_sat() -> None:
    """CP-SAT gets a quarter of the time; with too little memory for it, the heuristics' tree is the upper bound."""
    problem = noise(110, 11)
    outcome = solve(problem, Bessiere(upper_bound="cp"), clock=Clock(9))
    assert outcome.status == "time_limit"
    assert outcome.seconds < 11
    outcome = solve(problem, Bessiere(upper_bound="cp"), clock=Clock(9), memory_limit=1.0)
    assert outcome.status in ("time_limit", "memory_limit")
    assert "cp-sat" not in {bounds.by for bounds in outcome.history}


def test_missing_or_tools_are_reported_at_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``cp`` the error names the option and the remedy; with ``auto`` the heuristics' tree is the upper bound."""
    monkeypatch.setattr(bessiere, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'upper_bound=.cp. needs OR-tools, .*pip install "puretree\[cp\]"'):
        solve(formula("mux6"), CP)
    outcome = solve(formula("mux6"), Bessiere(isolated=False))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_little_time_and_large_models_are_left_to_the_sat_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT is not started if OR-tools needs the time to start, or its model would be too large; ``cp`` warns."""
    monkeypatch.setattr(bessiere, "find_spec", lambda name: object())
    monkeypatch.setattr(bessiere, "ProblemProgram", None)  # cannot be called
    with pytest.warns(UnfinishedWarning, match="CP-SAT was skipped"):
        assert solve(formula("mux6"), CP, clock=Clock(7)).status == "optimal"
    monkeypatch.setattr(bessiere, "CP_LITERALS", 100)
    with pytest.warns(UnfinishedWarning, match="CP-SAT was skipped"):
        assert solve(formula("mux6"), CP).status == "optimal"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(formula("mux6"), Bessiere(isolated=False)).status == "optimal"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Replace the program that calls CP-SAT with a script, which the test writes."""
    path = tmp_path / "peers.py"
    monkeypatch.setattr(problem_program, "PROGRAM", path)
    monkeypatch.setattr(bessiere, "find_spec", lambda name: object())
    return path


def test_trees_of_cp_sat_are_checked(script: Path) -> None:
    """A tree that misclassifies an example is rejected; a crash is reported, with the best tree so far."""
    script.write_text("print('{\"tree\": [0, 0, 1]}')", encoding="utf-8")
    with pytest.raises(PuretreeError, match="invalid tree"):
        solve(formula("mux6"), CP)
    script.write_text("import sys; sys.exit('no such thing')", encoding="utf-8")
    with pytest.raises(SolverError, match="cp-sat failed with exit code 1: no such thing") as caught:
        solve(formula("mux6"), CP)
    assert caught.value.outcome.n_nodes >= 15


def test_lack_of_memory_in_cp_sat_is_no_failure(script: Path) -> None:
    """If CP-SAT runs out of memory, the SAT solver starts from the tree that is known by then."""
    script.write_text("import sys; sys.exit('std::bad_alloc')", encoding="utf-8")
    outcome = solve(formula("mux6"), CP)
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_interrupt_of_cp_sat_returns_the_incumbent(script: Path) -> None:
    """Ctrl-C ends CP-SAT at once, and the best tree is returned."""
    script.write_text("import time; time.sleep(60)", encoding="utf-8")
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    outcome = solve(formula("mux6"), CP)
    assert (outcome.status, outcome.tree is not None) == ("interrupted", True)
    assert outcome.seconds < 5
