"""What engines guarantees, and how they are held to it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.random_problems import xor

from puretree import InputError, PuretreeError, Tree
from puretree.engines import Guarantees, solve
from puretree.engines.incumbent import Incumbent
from puretree.outcome import Status
from puretree.problem import Constraints


@dataclass(frozen=True)
class Offering:
    """An engine that offers a tree."""

    guarantees: Guarantees
    tree: Tree
    name: ClassVar[str] = "offering"
    source: ClassVar[str] = "a test"
    starts_from: ClassVar[tuple[()]] = ()

    def search(self, incumbent: Incumbent) -> Status:
        """Offer the tree."""
        incumbent.offer(self.tree)
        return "optimal"


IMPURE, PURE = Tree.from_nested((0, 0, 1)), Tree.from_nested((0, (1, 0, 1), (1, 1, 0)))


@pytest.mark.parametrize(
    ("guarantees", "line"),
    [
        (Guarantees(), ("min. size", True, True)),
        (Guarantees(proves=False), ("small size", True, False)),
        (Guarantees("depth"), ("min. depth", True, False)),
        (Guarantees("depth-then-nodes"), ("min. depth, size", True, False)),
        (Guarantees("errors"), ("max. accuracy", False, False)),
        (Guarantees("errors", proves=False), ("high accuracy", False, False)),
    ],
)
def test_a_promise_is_a_line_of_the_table(guarantees: Guarantees, line: tuple[str, bool, bool]) -> None:
    """Objective, pure and minimum follow from the aim and whether it is proved."""
    assert (guarantees.objective, guarantees.is_pure, guarantees.is_minimum) == line


def test_only_accuracy_takes_impure_trees() -> None:
    """What does not guarantees pure trees may be wrong on examples, and says on how many."""
    outcome = solve(xor(), Offering(Guarantees("errors"), IMPURE))
    assert (outcome.n_errors, outcome.upper_bound, outcome.n_nodes) == (2, 2, 3)
    for aim in ("nodes", "depth"):
        with pytest.raises(PuretreeError, match="tree that is wrong"):
            solve(xor(), Offering(Guarantees(aim), IMPURE))  # type: ignore[arg-type]


@pytest.mark.parametrize("guarantees", [Guarantees("errors", max_depth=1), Guarantees("errors", max_nodes=5)])
def test_an_engine_is_held_to_its_own_limits(guarantees: Guarantees) -> None:
    """A tree deeper or larger than the options allow is refused, whoever made it."""
    with pytest.raises(PuretreeError, match="tree that is wrong"):
        solve(xor(), Offering(guarantees, PURE))
    assert guarantees.limit(Constraints(max_depth=9, max_nodes=99)) == Constraints(
        max_depth=guarantees.max_depth or 9, max_nodes=guarantees.max_nodes or 99
    )


def test_only_what_was_proved_is_optimal() -> None:
    """An engine that says "optimal" and proves nothing is not believed."""
    outcome = solve(xor(), Offering(Guarantees("errors"), IMPURE))
    assert (outcome.lower_bound, outcome.upper_bound) == (0, 2)
    assert outcome.status == "unproved"


def test_an_aim_is_not_swapped_for_another() -> None:
    """Costs are for engines of size: others refuse, and name one that does not."""
    with pytest.raises(InputError, match=r"is for max\. accuracy, not 'cost'; use engine='auto'"):
        solve(xor(), Offering(Guarantees("errors"), IMPURE), constraints=Constraints(minimise="cost"))
