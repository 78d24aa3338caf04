"""The incumbent accepts only valid trees and bounds."""

import pytest
from helpers.random_problems import xor

from puretree import BinaryProblem, PuretreeError, Tree
from puretree._support.clock import Clock
from puretree.engines.incumbent import Incumbent
from puretree.outcome import Bounds
from puretree.problem import Constraints

PURE = Tree.from_nested((0, (1, 0, 1), (1, 1, 0)))
LARGER = Tree.from_nested((0, (1, 0, 1), (1, (0, 0, 1), (0, 1, 0))))


def make_incumbent(**constraints: object) -> Incumbent:
    """Return a new incumbent for xor."""
    return Incumbent(xor(), Constraints(**constraints), Clock())  # type: ignore[arg-type]


def test_an_impure_tree_is_rejected() -> None:
    """A tree that misclassifies an example raises an error."""
    with pytest.raises(PuretreeError, match="returned an invalid tree"):
        make_incumbent().offer(Tree.from_nested((0, 0, 1)))


@pytest.mark.parametrize("constraints", [{"max_depth": 1}, {"root": [1]}])
def test_a_tree_that_violates_a_constraint_is_rejected(constraints: dict[str, object]) -> None:
    """A tree that is too deep or has another root raises an error."""
    with pytest.raises(PuretreeError, match="returned an invalid tree"):
        make_incumbent(**constraints).offer(PURE)


def test_only_better_trees_are_accepted() -> None:
    """A larger tree after a smaller one changes nothing."""
    incumbent = make_incumbent()
    incumbent.offer(LARGER)
    incumbent.offer(PURE)
    incumbent.offer(LARGER)
    assert incumbent.tree == PURE
    assert [(bounds.lower, bounds.upper) for bounds in incumbent.history] == [(0, 11), (0, 7)]


def test_improvements_are_attributed() -> None:
    """Each improvement has the source of its time, and the outcome says who found the tree, not who proved it."""
    incumbent = make_incumbent()
    assert incumbent.outcome("time_limit").found_by == ""
    incumbent.source = "engine"
    with incumbent.credit("bound"):
        incumbent.raise_lower(3)
    with incumbent.credit("heuristic"):
        incumbent.offer(LARGER)
    incumbent.offer(PURE)
    with incumbent.credit("solver"):
        incumbent.offer(LARGER)
        incumbent.raise_lower(5)
    incumbent.prove()
    assert [bounds.by for bounds in incumbent.history] == ["bound", "heuristic", "engine", "solver", "engine"]
    assert incumbent.outcome("optimal").found_by == "engine"


def test_the_source_is_restored_after_an_error() -> None:
    """After an exception within the context, the source is as before."""
    incumbent = make_incumbent()
    with pytest.raises(PuretreeError), incumbent.credit("stage"):
        incumbent.offer(Tree.from_nested((0, 0, 1)))
    assert incumbent.source == ""


def test_a_better_second_criterion_is_an_improvement() -> None:
    """A tree that is better only in the second criterion is in the history, and its finder is that of the outcome."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], costs=[1, 2])
    incumbent = Incumbent(problem, Constraints(minimise="nodes-then-cost"), Clock())
    cheaper = Tree.from_nested((1, (0, 0, 1), (0, 1, 0)))
    for name, tree in (("first", PURE), ("second", cheaper)):
        with incumbent.credit(name):
            incumbent.offer(tree)
    assert [(bounds.upper, bounds.by) for bounds in incumbent.history] == [(7, "first"), (7, "second")]
    assert incumbent.outcome("unproved").found_by == "second"


def test_the_status_is_optimal_only_if_proved() -> None:
    """Without a proof, the status is that of the engine."""
    incumbent = make_incumbent()
    incumbent.offer(PURE)
    assert incumbent.outcome("time_limit").status == "time_limit"
    incumbent.prove()
    outcome = incumbent.outcome("time_limit")
    assert (outcome.status, outcome.lower_bound, outcome.upper_bound) == ("optimal", 7, 7)


def test_bounds_that_contradict_are_a_bug() -> None:
    """A lower bound above the incumbent, or a tree below the lower bound, raises an error."""
    incumbent = make_incumbent()
    incumbent.offer(PURE)
    with pytest.raises(PuretreeError, match="the lower bound exceeds the incumbent"):
        incumbent.raise_lower(9)
    incumbent = make_incumbent()
    incumbent.raise_lower(9)
    with pytest.raises(PuretreeError, match="below its own lower bound"):
        incumbent.offer(PURE)


def test_the_cost_is_the_sum_over_inner_nodes() -> None:
    """With minimise="cost", a cheaper larger tree is better."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], [0, 1, 1, 0], costs=[1, 2, 9])
    incumbent = Incumbent(problem, Constraints(minimise="cost"), Clock())
    incumbent.offer(Tree.from_nested((2, 0, 1)))
    assert (incumbent.upper, incumbent.history[-1].upper) == (9, 9)
    incumbent.offer(Tree.from_nested((0, (1, 0, 1), (1, 1, 0))))
    assert (incumbent.upper, incumbent.outcome("time_limit").cost) == (5, 5)


def test_bounds_are_in_units_of_the_objective() -> None:
    """Depth and errors have bounds of their own; of equally good trees the smaller one is kept."""
    incumbent = Incumbent(xor(), Constraints(), Clock(), aim="depth")
    incumbent.offer(LARGER)
    incumbent.offer(PURE)
    assert (incumbent.upper, incumbent.tree) == (2, PURE)
    incumbent.prove()
    outcome = incumbent.outcome("unproved")
    assert (outcome.status, outcome.lower_bound, outcome.minimised) == ("optimal", 2, "depth")
    assert not outcome.is_minimum
    incumbent = Incumbent(xor(), Constraints(), Clock(), aim="errors")
    incumbent.offer(Tree.from_nested((0, 0, 1)))
    outcome = incumbent.outcome("unproved")
    assert (outcome.status, outcome.upper_bound, outcome.n_errors) == ("unproved", 2, 2)
    with pytest.raises(PuretreeError, match="returned an invalid tree"):
        Incumbent(xor(), Constraints(), Clock(), aim="depth").offer(Tree.from_nested((0, 0, 1)))


def test_the_summary_names_the_objective() -> None:
    """The summary of another objective does not mention a minimum size."""
    incumbent = Incumbent(xor(), Constraints(), Clock(), aim="depth")
    incumbent.offer(PURE)
    incumbent.prove()
    assert str(incumbent.outcome("unproved")).startswith("7 nodes, depth 2, proved minimum depth (optimal, 0")
    incumbent = Incumbent(xor(), Constraints(), Clock(), aim="errors")
    incumbent.offer(Tree.from_nested((0, 0, 1)))
    assert str(incumbent.outcome("unproved")).startswith("3 nodes, 2 errors, minimum errors at least 0 (unproved, 0")


def test_the_summary_has_both_bounds_and_the_time() -> None:
    """Bounds and outcomes print as one line."""
    assert str(Bounds(1.26, 5, None)) == "5 ≤ min · 1.3 s"
    assert str(Bounds(1.26, 5, 9)) == "5 ≤ min ≤ 9 · 1.3 s"
    assert str(Bounds(1.26, 5, 9, "iti")) == "5 ≤ min ≤ 9 · 1.3 s · iti"
    incumbent = make_incumbent()
    assert str(incumbent.outcome("time_limit")).startswith("no tree found, minimum size at least 0 (time_limit, 0")
    incumbent.offer(PURE)
    incumbent.prove()
    assert str(incumbent.outcome("time_limit")).startswith("7 nodes, proved minimum (optimal, 0")
