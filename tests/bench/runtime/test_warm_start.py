"""Every engine of the race begins at the same tree, and at nothing better."""

import pytest
from helpers.random_problems import parity

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.bench.runtime.from_iti import FromIti
from puretree.bench.scale.families import planted
from puretree.bounds.upper import greedy_tree, iti_tree
from puretree.engines import make_engine, solve
from puretree.outcome import Outcome

PROBLEM = planted(80, 9, 2, 8, [26])  # one of few where the greedy tree is smaller than that of ITI
START = iti_tree(PROBLEM)


def solve_from_iti(problem: BinaryProblem, name: str) -> Outcome:
    """Let an engine begin with the tree of ITI."""
    tree = iti_tree(problem)
    assert tree is not None
    return solve(problem, FromIti(make_engine(name), tree), clock=Clock(0.5))


@pytest.mark.parametrize("name", ["maxsat", "mindt", "local-search-c", "local-search-ck", "search"])
def test_the_first_upper_bound_is_that_of_iti(name: str) -> None:
    """Though engines by themselves begin with a smaller tree; the lower bound is a leaf for each class."""
    assert START is not None
    assert greedy_tree(PROBLEM).n_nodes < START.n_nodes
    outcome = solve_from_iti(PROBLEM, name)
    assert (outcome.history[0].lower, outcome.history[0].upper) == (2 * PROBLEM.n_classes - 1, None)
    assert (outcome.history[1].lower, outcome.history[1].upper) == (2 * PROBLEM.n_classes - 1, START.n_nodes)
    assert outcome.upper_bound is not None
    assert outcome.upper_bound <= START.n_nodes


def test_a_tree_that_cannot_be_smaller_is_proved_without_the_engine() -> None:
    """ITI's tree for one feature has the least nodes; an engine that proves nothing need not be asked."""
    outcome = solve_from_iti(BinaryProblem.from_rows([[0], [1]], ["a", "b"]), "local-search-c")
    assert (outcome.status, outcome.n_nodes) == ("optimal", 3)


def test_the_engine_is_asked_for_the_rest() -> None:
    """Name, source and guarantees are the engine's, and its proof counts."""
    search = make_engine("search")
    assert START is not None
    wrapped = FromIti(search, START)
    assert (wrapped.name, wrapped.source, wrapped.guarantees) == (search.name, search.source, search.guarantees)
    assert solve_from_iti(parity(3), "search").status == "optimal"
