"""What engines promise, and how they are held to it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from random_problems import xor

from puretree import InputError, PuretreeError, Tree
from puretree.engines import Promise, solve
from puretree.outcome import Status
from puretree.record import Record
from puretree.steering import Steering


@dataclass(frozen=True)
class Offering:
    """An engine that offers a tree."""

    promise: Promise
    tree: Tree
    name: ClassVar[str] = "offering"
    source: ClassVar[str] = "a test"
    starts_from: ClassVar[tuple[()]] = ()

    def search(self, record: Record) -> Status:
        """Offer the tree."""
        record.offer(self.tree)
        return "optimal"


IMPURE, PURE = Tree.from_nested((0, 0, 1)), Tree.from_nested((0, (1, 0, 1), (1, 1, 0)))


@pytest.mark.parametrize(
    ("promise", "line"),
    [
        (Promise(), ("min. size", True, True)),
        (Promise(proves=False), ("small size", True, False)),
        (Promise("depth"), ("min. depth", True, False)),
        (Promise("depth-then-nodes"), ("min. depth, size", True, False)),
        (Promise("errors"), ("max. accuracy", False, False)),
        (Promise("errors", proves=False), ("high accuracy", False, False)),
    ],
)
def test_a_promise_is_a_line_of_the_table(promise: Promise, line: tuple[str, bool, bool]) -> None:
    """Objective, pure and minimum follow from the aim and whether it is proved."""
    assert (promise.objective, promise.is_pure, promise.is_minimum) == line


def test_only_accuracy_takes_impure_trees() -> None:
    """What does not promise pure trees may be wrong on examples, and says on how many."""
    outcome = solve(xor(), Offering(Promise("errors"), IMPURE))
    assert (outcome.n_errors, outcome.upper_bound, outcome.n_nodes) == (2, 2, 3)
    for aim in ("nodes", "depth"):
        with pytest.raises(PuretreeError, match="tree that is wrong"):
            solve(xor(), Offering(Promise(aim), IMPURE))  # type: ignore[arg-type]


@pytest.mark.parametrize("promise", [Promise("errors", max_depth=1), Promise("errors", max_nodes=5)])
def test_an_engine_is_held_to_its_own_limits(promise: Promise) -> None:
    """A tree deeper or larger than the options allow is refused, whoever made it."""
    with pytest.raises(PuretreeError, match="tree that is wrong"):
        solve(xor(), Offering(promise, PURE))
    assert promise.limit(Steering(max_depth=9, max_nodes=99)) == Steering(
        max_depth=promise.max_depth or 9, max_nodes=promise.max_nodes or 99
    )


def test_only_what_was_proved_is_optimal() -> None:
    """An engine that says "optimal" and proves nothing is not believed."""
    outcome = solve(xor(), Offering(Promise("errors"), IMPURE))
    assert (outcome.lower_bound, outcome.upper_bound) == (0, 2)
    assert outcome.status == "unproved"


def test_an_aim_is_not_swapped_for_another() -> None:
    """Costs are for engines of size: others refuse, and name one that does not."""
    with pytest.raises(InputError, match=r"is for max\. accuracy, not 'cost'; use engine='auto'"):
        solve(xor(), Offering(Promise("errors"), IMPURE), steering=Steering(minimise="cost"))
