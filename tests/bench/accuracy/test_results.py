"""What was measured and what the paper printed, looked up."""

from types import SimpleNamespace

import pytest

from puretree.bench import published
from puretree.bench.accuracy.figures import Figures
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
    row("mpdt", "zoo", 0, accuracy=75.0, n_nodes=17),
    row("all", "zoo", 1, accuracy=71.0, n_nodes=19),
    row("all", "iris", 1, status="time_limit"),
]


def test_draws_are_of_what_is_done() -> None:
    """Data sets without any row that is done are not there; the parts are in the order of their seeds."""
    figures = Figures.of(("iris", "zoo"), ROWS)
    assert figures.draws("psk", "accuracy") == {"zoo": [70.0, 80.0]}
    assert figures.draws("all", "accuracy") == {"zoo": [71.0]}
    assert figures.draws("psk", "n_nodes") == {}


def test_differences_are_of_the_same_part() -> None:
    """Only training parts that both methods have are compared."""
    figures = Figures.of(("iris", "zoo"), ROWS)
    assert figures.differences("mpdt", "psk", "accuracy") == {"zoo": [5.0]}
    assert figures.differences("all", "psk", "accuracy") == {"zoo": [-9.0]}
    assert figures.differences("all", "mpdt", "accuracy") == {}


def test_the_minimum_comes_from_any_proof() -> None:
    """Whichever method proved it, each training part counts once."""
    figures = Figures.of(("iris", "zoo"), ROWS)
    assert sorted(figures.minimum("zoo", ("mpdt", "all"))) == [17, 19]
    assert figures.minimum("iris", ("mpdt", "all")) == []


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the paper have printed simple numbers."""
    printed = {"iris": SimpleNamespace(accuracy=90.0), "zoo": SimpleNamespace(accuracy=80.0)}
    better = {"iris": SimpleNamespace(accuracy=93.0), "zoo": SimpleNamespace(accuracy=85.0)}
    monkeypatch.setattr(published, "TABLE_4", {"psk": printed, "mpdt": better, "ask": {"iris": printed["iris"]}})
    monkeypatch.setattr(published, "TABLE_4_MEAN", {"psk": 87.07, "mpdt": 88.82})
    monkeypatch.setattr(published, "TABLE_4_MEDIAN", {"psk": 91.24})
    monkeypatch.setattr(published, "BEST_SEEN", {"psk": 89.31})
    monkeypatch.setattr(published, "DIFFERENCES", {("mpdt", "dtmax-2"): 7.86})


@pytest.mark.usefixtures("paper")
def test_the_paper_s_means_are_as_printed_for_all_its_data_sets() -> None:
    """What it does not print but what follows from its means is told as well."""
    figures = Figures.of(IN_TABLE_4[::-1], [])
    assert (figures.paper_mean("psk"), figures.paper_median("psk")) == (87.07, 91.24)
    assert figures.paper_best_seen("psk") == 89.31
    assert figures.paper_difference("mpdt", "dtmax-2") == 7.86
    assert figures.paper_difference("mpdt", "psk") == pytest.approx(1.75)
    assert figures.paper_difference("mpdt", "all") is None


@pytest.mark.usefixtures("paper")
def test_the_paper_s_means_are_counted_anew_for_some_data_sets() -> None:
    """A mean of 19 data sets is not put beside ours of two; where the paper lacks one there is none."""
    figures = Figures.of(("iris", "zoo"), [])
    assert (figures.paper_mean("psk"), figures.paper_median("mpdt")) == (85.0, 89.0)
    assert figures.paper_difference("mpdt", "psk") == pytest.approx(4.0)
    assert figures.paper_mean("ask") is figures.paper_best_seen("psk") is None
    assert figures.paper_difference("mpdt", "dtmax-2") is None
