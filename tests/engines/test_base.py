"""The guarantees of engines, and how solve enforces them."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.random_problems import formula, xor

from puretree import Auto, InputError, MaxSat, PuretreeError, Search, Tree
from puretree.engines import Engine, Guarantees, solve
from puretree.engines.incumbent import Incumbent
from puretree.outcome import Status
from puretree.problem import Constraints


@dataclass(frozen=True)
class OneTree:
    """An engine that offers one tree."""

    guarantees: Guarantees
    tree: Tree
    name: ClassVar[str] = "one-tree"
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
def test_guarantees_are_a_row_of_the_table(guarantees: Guarantees, line: tuple[str, bool, bool]) -> None:
    """Objective, pure and minimum follow from the aim and whether optimality is proved."""
    assert (guarantees.objective, guarantees.is_pure, guarantees.is_minimum) == line


def test_only_engines_that_minimise_errors_may_return_impure_trees() -> None:
    """The outcome counts the errors; with any other objective an impure tree raises an error."""
    outcome = solve(xor(), OneTree(Guarantees("errors"), IMPURE))
    assert (outcome.n_errors, outcome.upper_bound, outcome.n_nodes) == (2, 2, 3)
    for aim in ("nodes", "depth"):
        with pytest.raises(PuretreeError, match="returned an invalid tree"):
            solve(xor(), OneTree(Guarantees(aim), IMPURE))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("engine", "name"), [(Search(), "search"), (Auto(), "search"), (MaxSat(isolated=False), "linear")]
)
def test_every_improvement_is_attributed(engine: Engine, name: str) -> None:
    """Lower bounds, heuristics and the stage of the engine that makes an improvement are named, in their order."""
    outcome = solve(formula("mux6"), engine, pair_cover=True)
    names = [bounds.by for bounds in outcome.history]
    stages = ["trivial bound", *engine.starts_from, "pair-cover", name]
    assert sorted(set(names), key=names.index) == [stage for stage in stages if stage in names]
    assert {"trivial bound", "greedy", "pair-cover", name} <= set(names)
    assert outcome.found_by == name


@pytest.mark.parametrize("guarantees", [Guarantees("errors", max_depth=1), Guarantees("errors", max_nodes=5)])
def test_the_constraints_of_an_engine_are_checked(guarantees: Guarantees) -> None:
    """A tree deeper or larger than the engine's options allow raises an error."""
    with pytest.raises(PuretreeError, match="returned an invalid tree"):
        solve(xor(), OneTree(guarantees, PURE))
    assert guarantees.limit(Constraints(max_depth=9, max_nodes=99)) == Constraints(
        max_depth=guarantees.max_depth or 9, max_nodes=guarantees.max_nodes or 99
    )


def test_optimal_without_a_proof_is_unproved() -> None:
    """An engine that returns "optimal" without a proof has the status "unproved"."""
    outcome = solve(xor(), OneTree(Guarantees("errors"), IMPURE))
    assert (outcome.lower_bound, outcome.upper_bound) == (0, 2)
    assert outcome.status == "unproved"


def test_costs_need_an_engine_that_minimises_the_size() -> None:
    """Other engines raise an error that names one that supports costs."""
    with pytest.raises(InputError, match=r"has the objective 'max\. accuracy', not 'cost'; use engine='auto'"):
        solve(xor(), OneTree(Guarantees("errors"), IMPURE), constraints=Constraints(minimise="cost"))
