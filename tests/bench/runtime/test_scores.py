"""Scores of engines, compared with values computed by hand."""

import pytest

from puretree.bench.cell import Row, Status, Values
from puretree.bench.runtime.scores import (
    History,
    InstanceHistories,
    best_engines,
    mean_gaps,
    ranks,
    score,
)

LIMIT = 10.0


def history(*bounds: tuple[float, int, int | None]) -> History:
    """Make a history without failure."""
    return History(bounds)


# On the first instance a and b tie at 9 nodes, and a proves it; on the second only b has 7 nodes; on the third only c
# has a tree.
INSTANCES: list[InstanceHistories] = [
    {
        "a": history((0.0, 3, None), (0.0, 3, 15), (2.0, 3, 9), (4.0, 9, 9)),
        "b": history((0.0, 3, 15), (6.0, 3, 9)),
        "c": history((0.0, 3, 15)),
    },
    {
        "a": history((0.0, 3, 21), (5.0, 3, 9)),
        "b": history((0.0, 3, 21), (1.0, 3, 9), (2.0, 3, 7)),
        "c": History(((0.0, 3, 21),), has_failed=True),
    },
    {"a": history(), "b": history((0.0, 3, None)), "c": history((8.0, 3, 5), (9.0, 5, 5))},
]
ENGINES = ["a", "b", "c"]


def row(progress: list[Values], status: Status = "done") -> Row:
    """Make a row with bounds."""
    return Row("runtime", {"engine": "a"}, status, "", 12.0, progress=progress)


def test_ties_count_for_all_engines() -> None:
    """All engines with the smallest tree are best; without a tree none is."""
    assert [best_engines(instance, ENGINES) for instance in INSTANCES] == [["a", "b"], ["b"], ["c"]]
    assert best_engines({"a": history(), "b": history((0.0, 3, None))}, ["a", "b"]) == []
    assert best_engines(INSTANCES[1], ["a", "c"]) == ["a"]


def test_scores_equal_those_by_hand() -> None:
    """Counts, PAR2, the median time to the best tree, and failures are those computed by hand."""
    scores = score(INSTANCES, ENGINES, LIMIT)
    assert [scores[name].n_best for name in ENGINES] == [1, 2, 1]
    assert [scores[name].n_alone for name in ENGINES] == [0, 1, 1]
    assert [scores[name].n_proved for name in ENGINES] == [1, 0, 1]
    assert scores["a"].par2 == pytest.approx((4 + 20 + 20) / 3)
    assert scores["b"].par2 == 20
    assert scores["c"].par2 == pytest.approx((20 + 20 + 9) / 3)
    assert [scores[name].time_to_best for name in ENGINES] == [2, 4, 8]  # b: the median of 6 and 2
    assert [scores[name].n_failed for name in ENGINES] == [0, 0, 1]


def test_the_primal_integral_is_the_area_under_the_gap() -> None:
    """The gap to 9 is 6/15 for two seconds, then 0; to 7 it is 14/21 for five seconds and 2/9 for five."""
    assert INSTANCES[0]["a"].primal_integral(9, LIMIT) == pytest.approx(2 * (6 / 15) / 10)
    assert INSTANCES[1]["a"].primal_integral(7, LIMIT) == pytest.approx((5 * (14 / 21) + 5 * (2 / 9)) / 10)
    assert INSTANCES[2]["c"].primal_integral(5, LIMIT) == pytest.approx(0.8)  # no tree for eight seconds
    assert INSTANCES[2]["a"].primal_integral(5, LIMIT) == 1
    of_a = score(INSTANCES, ENGINES, LIMIT)["a"].primal_integral
    assert of_a == pytest.approx((0.08 + (10 / 3 + 10 / 9) / 10 + 1) / 3)


def test_an_engine_that_is_never_best_has_no_time_to_best() -> None:
    """The time to the best tree is None; and without instances there are no scores."""
    assert score(INSTANCES[1:2], ENGINES, LIMIT)["a"].time_to_best is None
    assert score([], ENGINES, LIMIT) == {}


def test_bounds_of_a_crashed_row_count() -> None:
    """Bounds reported before the crash count; those after the time limit and other progress do not."""
    progress: list[Values] = [
        {"seconds": 0.5, "lower": 3, "upper": None},
        {"seconds": 1.0, "lower": 3, "upper": 11},
        {"memory": 5.0},
        {"seconds": 10.5, "lower": 11, "upper": 11},
    ]
    crashed = History.from_row(row(progress, "crashed"), LIMIT)
    assert crashed.bounds == ((0.5, 3, None), (1.0, 3, 11))
    assert (crashed.upper, crashed.is_proved, crashed.has_failed) == (11, False, True)
    assert History.from_row(row(progress), 11.0).proof == 10.5
    assert not History.from_row(row(progress), LIMIT).has_failed


def test_improvements_and_proofs_are_attributed() -> None:
    """The first tree is no improvement, a raised lower bound is none either, and who made the bounds meet proves."""
    steps = [(3, None, "trivial bound"), (3, 15, "iti"), (3, 11, "walk"), (5, 11, "linear"), (5, 9, "linear")]
    progress = [{"seconds": 1.0, "lower": lower, "upper": upper, "by": by} for lower, upper, by in steps]
    open_history = History.from_row(row(progress), LIMIT)
    assert open_history.improved_by == ["walk", "linear"]
    assert open_history.proved_by is None
    proved = History.from_row(row([*progress, {"seconds": 2.0, "lower": 9, "upper": 9, "by": "linear"}]), LIMIT)
    assert proved.improved_by == ["walk", "linear"]
    assert proved.proved_by == "linear"
    assert (History(()).improved_by, History(()).proved_by) == ([], None)


def test_a_failed_solver_counts_as_failed_although_its_row_is_done() -> None:
    """The status of the engine decides; a row without progress has no tree."""
    failed = Row("runtime", {}, "done", "", 1.0, values={"status": "failed"})
    assert History.from_row(failed, LIMIT) == History((), has_failed=True)
    assert History.from_row(failed, LIMIT).upper is None


def test_equal_counts_share_a_rank() -> None:
    """Two engines of rank 1 are followed by rank 3."""
    counts = {"a": 1, "b": 4, "c": 4, "d": 0, "e": 0}
    assert ranks(counts) == {"b": "1=", "c": "1=", "a": "3", "d": "4=", "e": "4="}
    assert list(ranks(counts)) == ["b", "c", "a", "d", "e"]


def test_mean_gaps_follow_the_bounds() -> None:
    """The gap at a time compares the best tree by then with the final best tree of all engines."""
    gaps = mean_gaps(INSTANCES[:2], ENGINES, [0.0, 1.5, 10.0])
    assert gaps["a"] == pytest.approx([(6 / 15 + 14 / 21) / 2, (6 / 15 + 14 / 21) / 2, (0 + 2 / 9) / 2])
    assert gaps["b"][1] == pytest.approx((6 / 15 + 2 / 9) / 2)
    assert mean_gaps(INSTANCES[2:], ENGINES, [7.9, 8.0])["c"] == [1.0, 0.0]
