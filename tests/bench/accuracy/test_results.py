"""Measured and published values of the accuracy experiment."""

from types import SimpleNamespace

import pytest

from puretree.bench import published
from puretree.bench.accuracy.results import AccuracyResults
from puretree.bench.cell import Row
from puretree.datasets.paper_parts import IN_TABLE_4


def row(method: str, dataset: str, seed: int, status: str = "done", **values: float | None) -> Row:
    """Make a row of the accuracy experiment."""
    key = {"dataset": dataset, "train_seed": seed, "method": method}
    return Row.from_dict(
        {"experiment": "accuracy", "key": key, "status": status, "reason": "", "seconds": 0.0, "values": values}
    )


ROWS = [
    row("psk", "zoo", 1, accuracy=80.0, n_nodes=None),
    row("psk", "zoo", 0, accuracy=70.0, n_nodes=None),
    row("mpdt", "zoo", 0, accuracy=75.0, n_nodes=17, upper_bound=17),
    row("all", "zoo", 1, accuracy=71.0, n_nodes=19, upper_bound=19),
    row("all", "iris", 1, status="time_limit"),
]


def test_the_smallest_tree_is_a_minimum_if_any_method_proved_it() -> None:
    """Each training part counts once, whichever method proved the minimum; without a proof it is the smallest tree."""
    results = AccuracyResults.from_rows(("iris", "zoo"), ROWS)
    assert results.smallest("zoo", ("mpdt", "all")) == ([17, 19], True)
    assert results.smallest("iris", ("mpdt", "all")) == ([], True)
    larger = [row("mpdt", "zoo", seed, n_nodes=None, upper_bound=23 - seed) for seed in (1, 2)]
    results = AccuracyResults.from_rows(("zoo",), [*larger, *ROWS])
    assert [sorted(sizes) for sizes in results.smallest("zoo", ("mpdt", "all"))[:1]] == [[17, 19, 21]]
    assert not results.smallest("zoo", ("mpdt", "all"))[1]
    assert results.smallest("zoo", ("all",)) == ([19], True)


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the published values by simple numbers."""
    printed = {"iris": SimpleNamespace(accuracy=90.0), "zoo": SimpleNamespace(accuracy=80.0)}
    better = {"iris": SimpleNamespace(accuracy=93.0), "zoo": SimpleNamespace(accuracy=85.0)}
    monkeypatch.setattr(published, "TABLE_4", {"psk": printed, "mpdt": better, "ask": {"iris": printed["iris"]}})
    monkeypatch.setattr(published, "TABLE_4_MEAN", {"psk": 87.07, "mpdt": 88.82})
    monkeypatch.setattr(published, "TABLE_4_MEDIAN", {"psk": 91.24})
    monkeypatch.setattr(published, "BEST_SEEN", {"psk": 89.31})
    monkeypatch.setattr(published, "DIFFERENCES", {("mpdt", "dtmax-2"): 7.86})


@pytest.mark.usefixtures("paper")
def test_published_means_are_used_for_all_data_sets() -> None:
    """Differences that are not published are computed from the published means."""
    results = AccuracyResults.from_rows(IN_TABLE_4[::-1], [])
    assert (results.paper_mean("psk"), results.paper_median("psk")) == (87.07, 91.24)
    assert results.paper_best_seen("psk") == 89.31
    assert results.paper_difference("mpdt", "dtmax-2") == 7.86
    assert results.paper_difference("mpdt", "psk") == pytest.approx(1.75)
    assert results.paper_difference("mpdt", "all") is None


@pytest.mark.usefixtures("paper")
def test_published_means_are_recomputed_for_some_data_sets() -> None:
    """The published mean of 19 data sets is not compared with a mean of two; it is None if a value is missing."""
    results = AccuracyResults.from_rows(("iris", "zoo"), [])
    assert (results.paper_mean("psk"), results.paper_median("mpdt")) == (85.0, 89.0)
    assert results.paper_difference("mpdt", "psk") == pytest.approx(4.0)
    assert results.paper_mean("ask") is results.paper_best_seen("psk") is None
    assert results.paper_difference("mpdt", "dtmax-2") is None
