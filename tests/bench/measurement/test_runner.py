"""A run: every cell ends up with one row, whatever dies on the way."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.bench_runs import ENVIRONMENT, numbers, rows_of, wait_for
from helpers.misbehaving import MODULE, Misbehaving

from puretree.bench.cell import Cell, Row
from puretree.bench.measurement.results import ResultsFile, read_results
from puretree.bench.measurement.runner import run
from puretree.errors import InputError

PROGRAM = Path(__file__).parents[2] / "helpers" / "run_misbehaving.py"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where rows go."""
    return tmp_path / "results.jsonl"


@pytest.mark.slow
def test_every_cell_has_a_row(path: Path) -> None:
    """Cells that crash or fail are rows like others; a second run has nothing to do, unless it shall try again."""
    experiment = Misbehaving(("work", "crash", "raise", "work"))
    told: list[Row] = []
    with ResultsFile(path, {}) as results:
        run(experiment, results, on_row=told.append)
    assert Counter(row.status for row in told) == {"done": 2, "crashed": 1, "failed": 1}
    with ResultsFile(path, {}) as results:
        run(experiment, results, on_row=told.append)
        assert len(told) == 4
        run(experiment, results, retry=True, jobs=1, on_row=told.append)
    assert numbers(told) == [0, 1, 1, 2, 2, 3]


@dataclass(frozen=True)
class TwoWaves:
    """An experiment whose last cell needs the answers of the others."""

    name: str = MODULE
    n_cells: int = 3

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return two cells, and a third that is named by what they answered."""
        first = [Cell(MODULE, {"number": i, "deed": "work"}, 20.0) for i in range(2)]
        answers = [done[cell.id].values["answer"] for cell in first if cell.id in done]
        return [*first, Cell(MODULE, {"number": sum(answers), "deed": "work"}, 20.0)] if len(answers) == 2 else first


@pytest.mark.slow
def test_cells_that_need_others(path: Path) -> None:
    """Cells that can be known only when others are done are measured after them."""
    with ResultsFile(path, {}) as results:
        run(TwoWaves(), results)
    assert [row.key["number"] for row in rows_of(path)][2:] == [84]


@dataclass(frozen=True)
class OnceFailed:
    """An experiment whose last cell needs the answer of the first, and fails without it."""

    name: str = MODULE
    n_cells: int = 2

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return a cell, and when it has a row another one, which does what the first could not."""
        first = Cell(MODULE, {"number": 0, "deed": "work"}, 20.0)
        if first.id not in done:
            return [first]
        return [first, Cell(MODULE, {"number": 1, "deed": "need"}, 20.0, context=dict(done[first.id].values))]


@pytest.mark.slow
def test_cells_that_need_what_is_tried_again(path: Path) -> None:
    """A cell that failed because another had is measured again after that one, with what it has found now."""
    first, _ = OnceFailed().cells(rows_by_id(Row(MODULE, {"number": 0, "deed": "work"}, "crashed", "", 0.0)))
    with ResultsFile(path, {}) as results:
        results.append(Row(MODULE, first.key, "crashed", "", 0.0))
        run(OnceFailed(), results, jobs=1)
        assert [row.status for row in results.rows.values()] == ["crashed", "failed"]
        run(OnceFailed(), results, jobs=1, retry=True)
        assert [row.status for row in results.rows.values()] == ["done", "done"]


def rows_by_id(*rows: Row) -> dict[str, Row]:
    """Return rows as a file of results has them."""
    return {row.id: row for row in rows}


@pytest.mark.slow
def test_a_row_that_cannot_be_kept(path: Path) -> None:
    """When a row cannot be written down, what is being measured ends, and nothing goes on behind the error."""

    def fail(row: Row) -> None:
        raise OSError("the disk is full")

    experiment = Misbehaving(("work", *["work 3"] * 8), folder=str(path.parent))
    with ResultsFile(path, {}) as results, pytest.raises(OSError, match="the disk is full") as kept:
        run(experiment, results, on_row=fail)
    time.sleep(3)  # a program that is begun in spite of it takes as long to begin a cell
    begun = [int(file.name.partition("-")[2]) for file in path.parent.glob("?-*")]
    assert not any(map(is_there, begun))
    assert kept.tb is not None  # it holds on to what was running


def test_too_many_jobs(path: Path) -> None:
    """More cells at a time than there are cores would measure each other."""
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="jobs=1000: this machine has"):
        run(Misbehaving(("work",)), results, jobs=1000)


def start(folder: Path, *deeds: str) -> "subprocess.Popen[str]":
    """Start a run as a program."""
    return subprocess.Popen(
        [sys.executable, PROGRAM, folder, *deeds], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )


def is_there(process: int) -> bool:
    """Say whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed(path: Path, tmp_path: Path, number: int) -> None:
    """What was done is kept, what was running ends, and the same run does the rest: each cell once."""
    deeds = ("work", "work", "work", "work 2", "work 2", "work")
    with start(tmp_path, *deeds) as process:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        wait_for(lambda: len([*tmp_path.glob("3-*")]) > 0)
        process.send_signal(number)
        process.wait(20)
    begun = [int(file.name.partition("-")[2]) for file in tmp_path.glob("?-*")]
    wait_for(lambda: not any(map(is_there, begun)))
    n_kept = len(read_results(path)[0])
    assert 3 <= n_kept < 6
    with start(tmp_path, *deeds) as process:
        assert process.stdout is not None
        assert len(process.stdout.readlines()) == 6 - n_kept
    assert process.returncode == 0
    assert numbers(rows_of(path)) == [0, 1, 2, 3, 4, 5]
