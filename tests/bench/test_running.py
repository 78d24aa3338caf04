"""A run: every cell ends up with one row, whatever dies on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.misbehaving import MODULE, Misbehaving

from puretree.bench import running
from puretree.bench.cell import Cell, Row
from puretree.bench.results import ResultsFile, read_results
from puretree.bench.running import run
from puretree.errors import InputError

TESTS = Path(__file__).parent.parent
PROGRAM = TESTS / "bench" / "run_misbehaving.py"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(TESTS)}


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a file as its lines say, without what makes one of two."""
    plain = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Row.from_dict(each) for each in plain if "session" not in each]


def numbers(rows: list[Row]) -> list[object]:
    """Return which cells rows are of."""
    return sorted(row.key["number"] for row in rows)  # type: ignore[type-var]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where rows go."""
    return tmp_path / "results.jsonl"


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


def test_cells_that_need_others(path: Path) -> None:
    """Cells that can be known only when others are done are measured after them."""
    with ResultsFile(path, {}) as results:
        run(TwoWaves(), results)
    assert [row.key["number"] for row in rows_of(path)][2:] == [84]


def test_too_many_jobs(path: Path) -> None:
    """More cells at a time than there are cores would measure each other."""
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="jobs=1000: this machine has"):
        run(Misbehaving(("work",)), results, jobs=1000)


def start(folder: Path, *deeds: str) -> "subprocess.Popen[str]":
    """Start a run as a program."""
    return subprocess.Popen(
        [sys.executable, PROGRAM, folder, *deeds], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it never came to be"
        time.sleep(0.02)


def is_there(process: int) -> bool:
    """Say whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


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


class Cluster:
    """A Dask scheduler and its workers, each a process, on loopback."""

    def __init__(self, folder: Path, processes: ExitStack) -> None:
        self._processes, self._folder = processes, folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self) -> None:
        """Start a worker for one cell at a time."""
        worker = self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", self._folder)
        self.workers.append(worker)

    def _start(self, what: str, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *map(str, arguments), "--no-dashboard"]
        process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        self._processes.callback(process.wait)
        self._processes.callback(process.kill)
        return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler."""
    pytest.importorskip("distributed")
    with ExitStack() as processes:
        folder = tmp_path / "cluster"
        folder.mkdir()
        yield Cluster(folder, processes)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_a_worker_that_is_killed(path: Path, tmp_path: Path, cluster: Cluster) -> None:
    """One of two workers is killed while it measures: the other does its cell, and every cell is done once."""
    for _ in range(2):
        cluster.add_worker()
    victim = cluster.workers[0]

    def kill_one(row: Row) -> None:
        """Kill a worker some time after it has done a cell: it is at another by then."""
        if row.values["runner"] == victim.pid:
            time.sleep(0.7)
            victim.kill()

    experiment = Misbehaving(("work 1.5",) * 8, folder=str(tmp_path))
    with ResultsFile(path, {}) as results:
        run(experiment, results, scheduler=cluster.address, on_row=kill_one)
    assert victim.poll() == -signal.SIGKILL
    assert numbers(rows_of(path)) == [*range(8)]
    assert {row.status for row in rows_of(path)} == {"done"}
    begun = Counter(file.name.partition("-")[0] for file in tmp_path.glob("?-*"))
    assert sorted(begun.values()) == [1] * 7 + [2], "one cell was begun twice, by the worker that died and by the other"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_a_cell_that_kills_workers(path: Path, cluster: Cluster) -> None:
    """A cell that takes its worker with it, again and again, is a row that says so; the others are done."""
    for _ in range(5):
        cluster.add_worker()
    with ResultsFile(path, {}) as results:
        run(Misbehaving(("work", "kill_runner", "work 1", "work 1")), results, scheduler=cluster.address)
    assert {row.key["number"]: row.status for row in rows_of(path)} == {0: "done", 1: "lost", 2: "done", 3: "done"}


def test_no_workers(path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster without workers is told at once, with what to start."""
    monkeypatch.setattr(running, "PATIENCE", 1)
    with (
        ResultsFile(path, {}) as results,
        pytest.raises(InputError, match="has no workers; start some: dask worker tcp"),
    ):
        run(Misbehaving(("work",)), results, scheduler=cluster.address)


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "not an address", "ftp://a:1"])
def test_no_scheduler(path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody answers, or that is none, is named."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(running, "PATIENCE", 1)
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="does not answer"):
        run(Misbehaving(("work",)), results, scheduler=scheduler)
