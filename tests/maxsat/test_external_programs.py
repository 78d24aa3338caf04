"""Real solver programs of other authors through the external door: RC2 and FM of PySAT, and hermax's Loandra."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from helpers.oracles.best_accuracy import fewest_errors
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.oracles.maxsat import cheapest, hard_formula, random_formula
from helpers.random_problems import random_problem, rows_of

from puretree._support.clock import Clock
from puretree.engines import make_engine, solve
from puretree.formula import Wcnf
from puretree.maxsat import Answer, External, make_backend

HELPERS = Path(__file__).parents[1] / "helpers"
PROGRAMS = {
    "rc2": (sys.executable, "-m", "pysat.examples.rc2", "-vv"),  # -vv: print the model
    "fm": (sys.executable, "-m", "pysat.examples.fm", "-vv"),
    "loandra": (sys.executable, str(HELPERS / "loandra.py")),
    "unknown": (sys.executable, "-c", "print('s UNKNOWN')"),
}
COMPLETE = ("rc2", "fm")
FORMATS = ("new", "old")
needs_hermax = pytest.mark.skipif(find_spec("hermax") is None, reason="hermax is not installed")
ALL = [*COMPLETE, pytest.param("loandra", marks=needs_hermax)]


def backend_name(program: str, style: str) -> str:
    """Return the name of a backend, as on the command line."""
    return f"external:{shlex.join(PROGRAMS[program])}?format={style}"


def check(program: str, style: str, formula: Wcnf) -> None:
    """Check a program's answer: complete ones prove, and the others find, the minimum cost."""
    expected = cheapest(formula)
    answer = make_backend(backend_name(program, style)).minimise(formula, clock=Clock(30))
    proved = "unsatisfiable" if expected is None else "optimal"
    assert answer.status == (proved if program in COMPLETE else "unknown")
    assert answer.cost == expected
    assert answer.model is None or formula.falsified_clause(answer.model) is None


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("program", ALL)
def test_programs_agree_with_brute_force(program: str, style: str) -> None:
    """In both formats of WCNF, each program finds the optimum of a weighted formula; complete ones prove it."""
    check(program, style, hard_formula(n_vars=9, n_hard=20, n_soft=9))


@pytest.mark.slow
@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("program", ALL)
def test_programs_agree_with_brute_force_on_many_formulas(program: str, style: str) -> None:
    """The same with clauses of any length and without models; only FM supports empty soft clauses."""
    for seed in range(25):
        formula = random_formula(seed)
        if program == "fm" or all(soft.literals for soft in formula.soft):
            check(program, style, formula)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Answer]:
    """Return the answers of all programs that run in the test."""
    recorded: list[Answer] = []
    minimise = External.minimise

    def record(backend: External, *args: Any, **options: Any) -> Answer:
        recorded.append(minimise(backend, *args, **options))
        return recorded[-1]

    monkeypatch.setattr(External, "minimise", record)
    return recorded


@pytest.mark.parametrize(
    ("program", "style"), [("rc2", "new"), ("fm", "old"), pytest.param("loandra", "old", marks=needs_hermax)]
)
def test_programs_minimise_trees(program: str, style: str, answers: list[Answer]) -> None:
    """Named in the text of an engine, a program finds the minimum size of a pure tree and the fewest errors."""
    problem = random_problem(6)
    rows, labels = rows_of(problem), problem.labels.tolist()
    backend = backend_name(program, style)
    outcome = solve(problem, make_engine(f"maxsat(backend={backend!r}, isolated=False)"), clock=Clock(60))
    n_inner = minimum_inner_nodes(rows, labels)
    assert (outcome.status, outcome.n_nodes) == ("optimal", 2 * n_inner + 1)
    n_errors = fewest_errors(rows, labels, 2, problem.weights.tolist())
    outcome = solve(problem, make_engine(f"dtmax(depth=2, backend={backend!r})"), clock=Clock(60))
    assert (outcome.status, outcome.n_errors) == ("optimal", n_errors)
    assert [answer.cost for answer in answers] == [n_inner + 1, n_errors]  # a tree's cost is its number of leaves


@pytest.mark.parametrize(
    ("program", "takeover", "status", "found_by"),
    [
        ("rc2", False, "unproved", "pysat.examples.rc2"),
        ("fm", True, "optimal", "pysat.examples.fm"),
        ("unknown", False, "unproved", "greedy"),
        ("unknown", True, "optimal", "linear"),
    ],
)
def test_programs_get_credit_only_for_their_own_trees(program: str, takeover: bool, status: str, found_by: str) -> None:
    """A tree that a program found is credited to it, also if we prove it; one that prints ``s UNKNOWN`` gets none."""
    backend = backend_name(program, "new")
    engine = make_engine(f"maxsat(backend={backend!r}, takeover={takeover}, isolated=False)")
    problem = random_problem(63)
    outcome = solve(problem, engine, clock=Clock(60))
    assert (outcome.status, outcome.found_by) == (status, found_by)
    minimum = 2 * minimum_inner_nodes(rows_of(problem), problem.labels.tolist()) + 1
    assert (outcome.n_nodes == minimum) == (found_by != "greedy")
