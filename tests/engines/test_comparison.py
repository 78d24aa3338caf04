"""Comparing engines on one table."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from puretree import InputError, MinDt, SolverError, compare
from puretree.datasets import load
from puretree.engines import ENGINES, Guarantees, make_engine
from puretree.engines.comparison import HEADER, all_engines
from puretree.engines.incumbent import Incumbent
from puretree.outcome import Status
from puretree.tree import Tree

ROWS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], ["blue", 3.0]]
LABELS = ["stop", "go", "go", "stop"]


@dataclass(frozen=True)
class Fake:
    """An engine that minimises errors and returns a leaf, or raises an error."""

    error: Any = None
    name: ClassVar[str] = "fake"
    source: ClassVar[str] = "a test"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="errors", proves=False)
    starts_from: ClassVar[tuple[()]] = ()

    def search(self, incumbent: Incumbent) -> Status:
        """Offer a leaf."""
        incumbent.offer(Tree.leaf(0, incumbent.problem.classes))
        if self.error is not None:
            raise self.error
        return "unproved"


def test_every_engine_has_an_entry() -> None:
    """Entries have size, depth, accuracy, bounds, status, seconds and who found the tree, in the order of engines."""
    comparison = compare(ROWS, LABELS, engines=["search", MinDt(isolated=False), Fake()])
    first, second, last = comparison.to_dicts()
    assert (first["n_nodes"], first["depth"], first["accuracy"], first["status"]) == (7, 2, 1.0, "optimal")
    assert (first["lower_bound"], first["upper_bound"], first["minimised"]) == (7, 7, "nodes")
    assert second["engine"] == "MinDt(solver='cadical195', isolated=False, warm_start=False, upper_bound='best')"
    assert (last["n_nodes"], last["accuracy"], last["n_errors"], last["status"]) == (1, 0.5, 2, "unproved")
    assert (first["found_by"], last["found_by"]) == ("greedy", "fake")
    assert (last["minimised"], last["lower_bound"], last["upper_bound"]) == ("errors", 0, 2)
    assert (last["objective"], last["pure"], last["minimum"]) == ("high accuracy", False, False)
    assert comparison.is_complete


def test_a_comparison_is_a_table() -> None:
    """It prints a line for each engine, and an entry is found by the name of its engine."""
    comparison = compare(ROWS, LABELS, engines=["search", Fake()])
    header, search, fake = str(comparison).splitlines()
    assert tuple(re.split("  +", header.strip())) == HEADER
    assert search.split()[:3] == ["search", "min.", "size"]
    assert "size = 7" in search
    assert re.split("  +", search.strip())[3] == "greedy"
    assert "0 ≤ errors ≤ 2" in fake
    assert comparison["search"] is comparison[0]
    with pytest.raises(KeyError, match="'maxsat' was not compared"):
        comparison["maxsat"]


def test_the_accuracy_is_that_of_all_rows() -> None:
    """Contradictory rows count as well."""
    comparison = compare([*ROWS, ROWS[0]], [*LABELS, "go"], engines=["search"], on_conflict="majority")
    assert comparison[0].accuracy == 0.8
    assert comparison[0].outcome.n_errors == 0


def test_an_engine_that_fails_does_not_stop_the_others() -> None:
    """A failing solver or an unsupported constraint is in the entry, and the comparison continues."""
    failing = Fake(SolverError("it died"))
    comparison = compare(ROWS, LABELS, engines=[failing, "search"], max_depth=2)
    assert [entry.status for entry in comparison] == ["failed", "optimal"]
    assert comparison[0].outcome.tree.n_nodes == 1
    assert comparison.notes() == [f"{failing!r}: it died"]
    comparison = compare(ROWS, LABELS, engines=["search", Fake(InputError("it is not installed")), Fake()], max_depth=1)
    assert [entry.status for entry in comparison] == ["infeasible", "unsupported", "unproved"]
    assert comparison[0].as_dict()["n_nodes"] is None
    assert "there is no pure tree with at most 1 test on every path" in str(comparison)


def test_an_interrupt_keeps_the_entries_so_far() -> None:
    """The running engine returns its incumbent; later engines do not run."""
    comparison = compare(ROWS, LABELS, engines=["search", Fake(KeyboardInterrupt()), "maxsat"])
    assert [entry.status for entry in comparison] == ["optimal", "interrupted"]
    assert not comparison.is_complete


def test_progress_is_reported() -> None:
    """on_engine is called before an engine starts, on_progress while it runs."""
    calls: list[object] = []
    compare(
        ROWS, LABELS, engines=["search", Fake()], on_engine=lambda name, _: calls.append(name), on_progress=calls.append
    )
    assert [call for call in calls if isinstance(call, str)] == ["search", repr(Fake())]
    assert calls[0] == "search"
    assert len(calls) > 3


def test_all_is_every_engine() -> None:
    """All names of the registry are included, engines with a depth option with depth 2, 3 and 4."""
    names = list(all_engines())
    assert {name.partition("(")[0] for name in names} == set(ENGINES)
    assert all(make_engine(name).name == name.partition("(")[0] for name in names)


@pytest.mark.slow
def test_the_guarantees_of_all_engines_hold() -> None:
    """On mux6 every installed engine returns a tree that satisfies its guarantees."""
    mux6 = load("formula:mux6")
    for entry in compare(mux6.table, mux6.target, time_limit=0.5):
        if entry.status == "unsupported":
            assert "is not installed" in str(entry.error)
            continue
        assert entry.outcome is not None, entry.error
        assert entry.outcome.tree is not None, entry.engine
        if entry.guarantees.is_pure:
            assert entry.accuracy == 1.0
            assert entry.outcome.tree.n_nodes >= 15
        if entry.outcome.is_minimum:
            assert entry.outcome.tree.n_nodes == 15


@pytest.mark.parametrize("engines", ["search", [], ["nonsense"]])
def test_invalid_engines_raise_an_error(engines: Any) -> None:
    """The error is raised before any engine runs."""
    with pytest.raises(InputError, match="engine"):
        compare(ROWS, LABELS, engines=engines)
