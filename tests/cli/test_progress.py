"""The line that shows the progress of a search."""

import pytest

from puretree._support.clock import Clock
from puretree.cli.progress import FrontProgress, Progress
from puretree.engines import make_engine
from puretree.outcome import Bounds
from puretree.pareto import FrontBounds
from puretree.tuning import FoldsSolved


def clock_at(seconds: float, limit: float) -> Clock:
    """Return a clock that was started some seconds ago."""
    started = Clock(limit)
    started.start -= seconds
    return started


def line_of(*bounds: Bounds, width: int = 80) -> str:
    """Return the line after some improvements, 37 seconds after the start of a minute."""
    progress = Progress(20_000, clock_at(37, 60), quiet=True)
    for improvement in bounds:
        progress(improvement)
    return progress.line(width)


def test_the_line_names_rows_nodes_bound_and_time() -> None:
    """The first upper bound is the number of nodes at the start; it is left out as long as it is the best."""
    first, better = Bounds(0.2, 51, 4227), Bounds(3, 101, 3661)
    assert line_of() == "20,000 rows · preparing the table · 23 s left"
    assert line_of(Bounds(0.1, 51, None)) == "20,000 rows · looking for a first tree · at least 51 nodes · 23 s left"
    assert line_of(first) == "20,000 rows · 4,227 nodes · at least 51 · 23 s left"
    assert line_of(first, better) == "20,000 rows · 3,661 nodes, 4,227 at the start · at least 101 · 23 s left"
    proved = line_of(first, Bounds(9, 15, 15))
    assert proved == "15 nodes, proved minimum · collecting trees of this size · 23 s left"


def test_the_line_of_a_front_has_a_size_and_its_bounds() -> None:
    """Costs are rounded; the rows are left out on a narrow terminal."""
    progress = FrontProgress(20_000, clock_at(37, 60), quiet=True)
    assert progress.line(80) == "20,000 rows · preparing the table · 23 s left"
    progress(FrontBounds(3.0, 7, 2, 3))
    assert progress.line(80) == "20,000 rows · 7 nodes: 2 ≤ errors ≤ 3 · 23 s left"
    progress(FrontBounds(3.0, 7, 0.1 + 0.2, 3.5, "cost"))
    assert progress.line(45) == "7 nodes: 0.3 ≤ cost ≤ 3.5 · 23 s left"


def test_the_line_of_a_cross_validation_counts_folds() -> None:
    """The folds replace the bounds of the front, which does not change any more."""
    progress = FrontProgress(20_000, clock_at(37, 60), quiet=True)
    progress(FrontBounds(3.0, 7, 2, 3))
    progress(FoldsSolved(20.0, 2, 5))
    assert progress.line(80) == "20,000 rows · cross-validation: 2 of 5 folds · 23 s left"


def test_a_narrow_terminal_gets_a_shorter_line() -> None:
    """The rows are left out first, then the nodes at the start; the time stays."""
    bounds = Bounds(0.2, 51, 4227), Bounds(3, 101, 3661)
    assert line_of(*bounds, width=60) == "3,661 nodes, 4,227 at the start · at least 101 · 23 s left"
    assert line_of(*bounds, width=50) == "3,661 nodes · at least 101 · 23 s left"


def test_the_time_is_elapsed_left_or_over() -> None:
    """Without a limit the elapsed seconds are shown."""
    assert Progress(1, clock_at(1234, float("inf")), quiet=True).line(80) == "1 row · preparing the table · 1,234 s"
    assert Progress(2, clock_at(61, 60), quiet=True).line(80).endswith(" · time limit reached")
    stopped = clock_at(10, 60)
    stopped.stop()
    assert Progress(2, stopped, quiet=True).line(80).endswith(" · interrupted")


@pytest.mark.parametrize(
    ("engine", "shown"),
    [
        ("search", "9 nodes, 12 at the start"),
        ("infer-depth", "depth 9, 12 at the start"),
        ("dtmax(depth=3)", "9 errors, 12 at the start"),
    ],
)
def test_every_objective_has_its_unit(engine: str, shown: str) -> None:
    """Bounds of the size, the depth and the errors say so; every engine has its own time and first tree."""
    progress = Progress(500, None, quiet=True)
    progress(Bounds(0, 1, 99))
    progress.begin(engine, make_engine(engine).guarantees, time_limit=30)
    assert progress.line(80) == f"{engine}: 500 rows · starting · 30 s left"
    progress(Bounds(0, 1, 12))
    progress(Bounds(0, 5, 9))
    assert progress.line(80) == f"{engine}: 500 rows · {shown} · at least 5 · 30 s left"
    progress(Bounds(0, 9, 9))
    assert "proved minimum · 30 s left" in progress.line(80)


def test_verbose_prints_a_line_for_each_improvement(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line has the same information, and who made the improvement."""
    progress = Progress(150, clock_at(2, 60), verbose=True)
    progress(Bounds(0.25, 5, 17, "greedy"))
    progress(Bounds(1.25, 7, 15, "search"))
    assert capsys.readouterr().err.splitlines() == [
        "150 rows · 17 nodes · at least 5 · 0.2 s, 58 s left · greedy",
        "150 rows · 15 nodes, 17 at the start · at least 7 · 1.2 s, 58 s left · search",
    ]
