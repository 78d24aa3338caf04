"""Runs: every cell gets one row, whichever process dies."""

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
    """Return the path of the results file."""
    return tmp_path / "results.jsonl"


@pytest.mark.slow
def test_every_cell_has_a_row(path: Path) -> None:
    """Cells that crash or fail get rows, too; a second run measures nothing, unless it retries failed cells."""
    experiment = Misbehaving(("work", "crash", "raise", "work"))
    rows: list[Row] = []
    with ResultsFile(path, {}) as results:
        run(experiment, results, on_row=rows.append)
    assert Counter(row.status for row in rows) == {"done": 2, "crashed": 1, "failed": 1}
    with ResultsFile(path, {}) as results:
        run(experiment, results, on_row=rows.append)
        assert len(rows) == 4
        run(experiment, results, retry=True, n_jobs=1, on_row=rows.append)
    assert numbers(rows) == [0, 1, 1, 2, 2, 3]


@dataclass(frozen=True)
class Dependent:
    """An experiment whose last cell depends on the values of the others."""

    name: str = MODULE
    n_cells: int = 3

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return two cells, and a third whose number is the sum of their answers."""
        first = [Cell(MODULE, {"number": i, "action": "work"}, 20.0) for i in range(2)]
        answers = [done[cell.id].values["answer"] for cell in first if cell.id in done]
        return [*first, Cell(MODULE, {"number": sum(answers), "action": "work"}, 20.0)] if len(answers) == 2 else first


@pytest.mark.slow
def test_dependent_cells_are_measured_last(path: Path) -> None:
    """Cells that depend on the rows of others are measured after them."""
    with ResultsFile(path, {}) as results:
        run(Dependent(), results)
    assert [row.key["number"] for row in rows_of(path)][2:] == [84]


@dataclass(frozen=True)
class DependentOnFailed:
    """An experiment whose last cell needs the answer of the first, and fails without it."""

    name: str = MODULE
    n_cells: int = 2

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return a cell, and once it has a row another one that needs its answer."""
        first = Cell(MODULE, {"number": 0, "action": "work"}, 20.0)
        if first.id not in done:
            return [first]
        return [first, Cell(MODULE, {"number": 1, "action": "need"}, 20.0, context=dict(done[first.id].values))]


@pytest.mark.slow
def test_retry_repeats_dependent_cells(path: Path) -> None:
    """A cell that failed because another did is repeated after that one, with its new values."""
    first, _ = DependentOnFailed().cells(rows_by_id(Row(MODULE, {"number": 0, "action": "work"}, "crashed", "", 0.0)))
    with ResultsFile(path, {}) as results:
        results.append(Row(MODULE, first.key, "crashed", "", 0.0))
        run(DependentOnFailed(), results, n_jobs=1)
        assert [row.status for row in results.rows.values()] == ["crashed", "failed"]
        run(DependentOnFailed(), results, n_jobs=1, retry=True)
        assert [row.status for row in results.rows.values()] == ["done", "done"]


def rows_by_id(*rows: Row) -> dict[str, Row]:
    """Return rows by id, as in a results file."""
    return {row.id: row for row in rows}


@pytest.mark.slow
def test_an_error_stops_all_cells(path: Path) -> None:
    """If a row cannot be stored, the cells being measured are killed and no others start."""

    def fail(row: Row) -> None:
        raise OSError("the disk is full")

    experiment = Misbehaving(("work", *["work 3"] * 8), folder=str(path.parent))
    with ResultsFile(path, {}) as results, pytest.raises(OSError, match="the disk is full") as caught:
        run(experiment, results, on_row=fail)
    time.sleep(3)  # a server that started regardless would take this long to start a cell
    started = [int(file.name.partition("-")[2]) for file in path.parent.glob("?-*")]
    assert not any(map(is_running, started))
    assert caught.tb is not None  # keeps the generator of rows alive


def test_more_jobs_than_cores_are_rejected(path: Path) -> None:
    """With more cells than cores, cells would slow each other down."""
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="n_jobs=1000 is too many: this machine has"):
        run(Misbehaving(("work",)), results, n_jobs=1000)


@pytest.mark.parametrize("n_jobs", [0, -1])
def test_less_than_one_job_is_rejected(path: Path, n_jobs: int) -> None:
    """0 is not "too many", and there is no negative number of cores to measure on."""
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match=f"n_jobs={n_jobs} is not a number of jobs"):
        run(Misbehaving(("work",)), results, n_jobs=n_jobs)


def start(folder: Path, *actions: str) -> "subprocess.Popen[str]":
    """Start a run in a process of its own."""
    return subprocess.Popen(
        [sys.executable, PROGRAM, folder, *actions], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )


def is_running(process: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_is_resumed(path: Path, tmp_path: Path, number: int) -> None:
    """Stored rows are kept, running cells are killed, and the next run measures the rest: each cell has one row."""
    actions = ("work", "work", "work", "work 2", "work 2", "work")
    with start(tmp_path, *actions) as process:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        wait_for(lambda: len([*tmp_path.glob("3-*")]) > 0)
        process.send_signal(number)
        process.wait(20)
    started = [int(file.name.partition("-")[2]) for file in tmp_path.glob("?-*")]
    wait_for(lambda: not any(map(is_running, started)))
    n_stored = len(read_results(path)[0])
    assert 3 <= n_stored < 6
    with start(tmp_path, *actions) as process:
        assert process.stdout is not None
        assert len(process.stdout.readlines()) == 6 - n_stored
    assert process.returncode == 0
    assert numbers(rows_of(path)) == [0, 1, 2, 3, 4, 5]
