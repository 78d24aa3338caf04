"""Jumps of the wall clock, as after suspend or a time adjustment, have no effect."""

import ast
import re
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from helpers.command_line import Puretree

import puretree as package

SOURCES = Path(package.pipeline.__file__).parent
NATIVE = Path(__file__).parents[2] / "native"
WALL_CLOCKS = re.compile(r"\btime\.(time|time_ns|localtime|gmtime|ctime)\b|\b(date|datetime)\.(now|utcnow|today)\b")
NATIVE_WALL_CLOCKS = re.compile(
    r"system_clock|high_resolution_clock|gettimeofday|CLOCK_REALTIME|\btime\s*\(\s*(NULL|0|nullptr)\s*\)"
)


def names_wall_clock(source: str) -> bool:
    """Return whether a Python source reads the wall clock, through a module or an imported name."""
    module = ast.parse(source)
    from_time = {
        alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for alias in node.names
    }
    return bool(WALL_CLOCKS.search(ast.unparse(module)) or from_time - {"monotonic", "sleep", "perf_counter"})


def test_no_source_reads_the_wall_clock() -> None:
    """No source file reads the wall clock, in Python or in C++."""
    assert [path.name for path in SOURCES.rglob("*.py") if names_wall_clock(path.read_text("utf-8"))] == []
    natives = [path for path in NATIVE.rglob("*.[ch]pp") if NATIVE_WALL_CLOCKS.search(path.read_text("utf-8"))]
    assert natives == []


@pytest.mark.parametrize("source", ["import time\ntime.time()", "from time import time", "datetime.now()"])
def test_wall_clocks_are_detected(source: str) -> None:
    """The test above detects uses of the wall clock."""
    assert names_wall_clock(source)


def jumping_clock() -> Callable[[], float]:
    """Return a clock that jumps by an hour, a year and fifty years, back and forth."""
    jumps = cycle([0.0, 3600.0, -3.2e7, 1.6e9, -1.6e9])
    return lambda: 1.7e9 + next(jumps)


@pytest.mark.parametrize("engine", ["auto", "maxsat"])
def test_a_clock_that_jumps(
    puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """With a jumping wall clock the proof is found within the limit, and the reported seconds are correct."""
    monkeypatch.setattr(time, "time", jumping_clock())
    start = time.monotonic()
    ended = puretree("fit", loans, "-t", "risk", "--engine", engine, "--time-limit", 30, "--out", tmp_path / "run")
    assert ended.code == 0
    assert "proved minimum" in ended.out
    seconds = re.search(r'"seconds": ([\d.]+)', (tmp_path / "run" / "outcome.json").read_text("utf-8"))
    assert seconds is not None
    assert 0 <= float(seconds[1]) <= time.monotonic() - start


def test_the_time_limit_holds_while_the_clock_jumps(puretree: Puretree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A time limit of half a second is reached after half a second, not earlier and not an hour later."""
    monkeypatch.setattr(time, "time", jumping_clock())
    start = time.monotonic()
    ended = puretree("fit", "formula:mux11", "--binarize", "bits", "--engine", "mindt", "--time-limit", 0.5)
    assert ended.code == 10
    assert 0.5 <= time.monotonic() - start < 20
