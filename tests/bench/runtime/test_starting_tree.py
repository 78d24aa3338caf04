"""All engines of the comparison start from the same tree."""

from collections.abc import Iterator
from time import sleep

import pytest
from helpers.random_problems import parity

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.bench.runtime.engines import ENGINES, measured_engine
from puretree.bench.runtime.maxsat_mindt import linear_search_or_mindt
from puretree.bench.runtime.starting_tree import EngineWithTree
from puretree.bench.scale.families import make_planted_problem
from puretree.bounds.upper import greedy_tree, iti_tree
from puretree.encoding import TreeEncoding
from puretree.engines import make_engine, solve
from puretree.formula import Block
from puretree.outcome import Outcome

PROBLEM = make_planted_problem(80, 9, 2, 8, [26])  # one of few whose greedy tree is smaller than that of ITI
START = iti_tree(PROBLEM)


def solve_from_iti(problem: BinaryProblem, name: str, limit: float = 0.5) -> Outcome:
    """Run an engine from the tree of ITI."""
    tree = iti_tree(problem)
    assert tree is not None
    return solve(problem, EngineWithTree(measured_engine(name), tree), clock=Clock(limit))


@pytest.mark.parametrize("name", ENGINES)
def test_the_first_upper_bound_is_that_of_iti(name: str) -> None:
    """Even if the engine's own heuristics find a smaller tree; the first lower bound is one leaf for each class."""
    assert START is not None
    assert greedy_tree(PROBLEM).n_nodes < START.n_nodes
    outcome = solve_from_iti(PROBLEM, name)
    assert (outcome.history[0].lower, outcome.history[0].upper) == (2 * PROBLEM.n_classes - 1, None)
    assert (outcome.history[1].lower, outcome.history[1].upper) == (2 * PROBLEM.n_classes - 1, START.n_nodes)
    assert outcome.history[1].by == "iti"
    assert outcome.upper_bound is not None
    assert outcome.upper_bound <= START.n_nodes


@pytest.mark.parametrize("name", [name for name in ENGINES if linear_search_or_mindt(name)])
def test_encoding_takes_time_of_the_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the clauses are not complete at the time limit, MaxSAT and MinDT both return the tree of ITI."""
    structure = TreeEncoding.structure

    def slow_structure(encoding: TreeEncoding) -> Iterator[Block]:
        sleep(0.2)
        return structure(encoding)

    monkeypatch.setattr(TreeEncoding, "structure", slow_structure)
    outcome = solve_from_iti(PROBLEM, name, limit=0.1)
    assert START is not None
    assert (outcome.status, outcome.upper_bound) == ("time_limit", START.n_nodes)
    assert outcome.seconds >= 0.2


def test_a_tree_that_meets_the_lower_bound_is_proved_without_the_engine() -> None:
    """ITI's tree for one feature meets the lower bound, so the result is optimal even if the engine proves nothing."""
    outcome = solve_from_iti(BinaryProblem.from_rows([[0], [1]], ["a", "b"]), "local-search-c")
    assert (outcome.status, outcome.n_nodes) == ("optimal", 3)


def test_the_wrapped_engine_does_the_rest() -> None:
    """Name, source and guarantees are those of the engine, and so is its proof."""
    search = make_engine("search")
    assert START is not None
    wrapped = EngineWithTree(search, START)
    assert (wrapped.name, wrapped.source, wrapped.guarantees) == (search.name, search.source, search.guarantees)
    assert solve_from_iti(parity(3), "search").status == "optimal"
