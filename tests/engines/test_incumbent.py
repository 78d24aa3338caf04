"""The books of a search: nothing wrong gets in."""

import pytest
from helpers.random_problems import xor

from puretree import BinaryProblem, PuretreeError, Tree
from puretree._support.clock import Clock
from puretree.engines.incumbent import Incumbent
from puretree.outcome import Bounds
from puretree.problem import Constraints

RIGHT = Tree.from_nested((0, (1, 0, 1), (1, 1, 0)))
LARGER = Tree.from_nested((0, (1, 0, 1), (1, (0, 0, 1), (0, 1, 0))))


def incumbent(**wishes: object) -> Incumbent:
    """Open the books for xor."""
    return Incumbent(xor(), Constraints(**wishes), Clock())  # type: ignore[arg-type]


def test_a_wrong_tree_is_refused() -> None:
    """A tree that is wrong on an example never gets in."""
    with pytest.raises(PuretreeError, match="tree that is wrong"):
        incumbent().offer(Tree.from_nested((0, 0, 1)))


@pytest.mark.parametrize("wishes", [{"max_depth": 1}, {"root": [1]}])
def test_a_tree_that_was_not_asked_for_is_refused(wishes: dict[str, object]) -> None:
    """A tree that is too deep or begins with another feature never gets in."""
    with pytest.raises(PuretreeError, match="tree that is wrong"):
        incumbent(**wishes).offer(RIGHT)


def test_only_better_trees_get_in() -> None:
    """A larger tree after a smaller one changes nothing."""
    books = incumbent()
    books.offer(LARGER)
    books.offer(RIGHT)
    books.offer(LARGER)
    assert books.tree == RIGHT
    assert [(bounds.lower, bounds.upper) for bounds in books.history] == [(0, 11), (0, 7)]


def test_optimal_is_said_only_when_proved() -> None:
    """An engine's word is not enough: without a proof its "optimal" is not passed on as such."""
    books = incumbent()
    books.offer(RIGHT)
    assert books.outcome("time_limit").status == "time_limit"
    books.prove()
    outcome = books.outcome("time_limit")
    assert (outcome.status, outcome.lower_bound, outcome.upper_bound) == ("optimal", 7, 7)


def test_bounds_that_contradict_are_a_bug() -> None:
    """A lower bound above a tree that exists, or a tree below the bound, is caught."""
    books = incumbent()
    books.offer(RIGHT)
    with pytest.raises(PuretreeError, match="more than is true"):
        books.raise_lower(9)
    books = incumbent()
    books.raise_lower(9)
    with pytest.raises(PuretreeError, match="below its own lower bound"):
        books.offer(RIGHT)


def test_costs_count_every_test() -> None:
    """The cost of a tree is that of its inner nodes, and with cost first a cheaper larger tree is better."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], [0, 1, 1, 0], costs=[1, 2, 9])
    books = Incumbent(problem, Constraints(minimise="cost"), Clock())
    books.offer(Tree.from_nested((2, 0, 1)))
    assert (books.upper, books.history[-1].upper) == (9, 9)
    books.offer(Tree.from_nested((0, (1, 0, 1), (1, 1, 0))))
    assert (books.upper, books.outcome("time_limit").cost) == (5, 5)


def test_other_aims_have_other_books() -> None:
    """Depth and errors are bounded in their own units; of equally good trees the smaller one is kept."""
    books = Incumbent(xor(), Constraints(), Clock(), aim="depth")
    books.offer(LARGER)
    books.offer(RIGHT)
    assert (books.upper, books.tree) == (2, RIGHT)
    books.prove()
    outcome = books.outcome("unproved")
    assert (outcome.status, outcome.lower_bound, outcome.minimised) == ("optimal", 2, "depth")
    assert not outcome.is_minimum
    books = Incumbent(xor(), Constraints(), Clock(), aim="errors")
    books.offer(Tree.from_nested((0, 0, 1)))
    outcome = books.outcome("unproved")
    assert (outcome.status, outcome.upper_bound, outcome.n_errors) == ("unproved", 2, 2)
    with pytest.raises(PuretreeError, match="tree that is wrong"):
        Incumbent(xor(), Constraints(), Clock(), aim="depth").offer(Tree.from_nested((0, 0, 1)))


def test_words_of_other_aims() -> None:
    """What was proved is named, and is never the size."""
    books = Incumbent(xor(), Constraints(), Clock(), aim="depth")
    books.offer(RIGHT)
    books.prove()
    assert str(books.outcome("unproved")).startswith("7 nodes, depth 2, proved minimum depth (optimal, 0")
    books = Incumbent(xor(), Constraints(), Clock(), aim="errors")
    books.offer(Tree.from_nested((0, 0, 1)))
    assert str(books.outcome("unproved")).startswith("3 nodes, wrong on 2 rows, minimum errors at least 0 (unproved, 0")


def test_words() -> None:
    """A line for the screen: both bounds and the time."""
    assert str(Bounds(1.26, 5, None)) == "5 ≤ min · 1.3 s"
    assert str(Bounds(1.26, 5, 9)) == "5 ≤ min ≤ 9 · 1.3 s"
    books = incumbent()
    assert str(books.outcome("time_limit")).startswith("no tree yet, minimum size at least 0 (time_limit, 0")
    books.offer(RIGHT)
    books.prove()
    assert str(books.outcome("time_limit")).startswith("7 nodes, proved minimum (optimal, 0")
