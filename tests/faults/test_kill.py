"""A fit that is killed at any moment leaves a complete old or new run, and does not block the next fit."""

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from helpers.command_server import CommandServer, has_ended

from puretree.runs import load_run
from puretree.runs.store import FILES

N_KILLS = 50


def fit(data: Path, folder: Path, selection: str) -> list[object]:
    """Return a command that saves a run with this selection rule."""
    return ["fit", data, "-t", "risk", "--out", folder, "--force", "--selection", selection, "--random-state", 0]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a folder, by name; empty if it does not exist."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def require_complete(folder: Path, selection: str) -> None:
    """Fail unless a folder is a complete run of this selection; loading it compares the tree with its digest."""
    assert sorted(contents(folder)) == sorted(FILES)
    assert load_run(folder).parameters["selection"] == selection


def temporary_names(folder: Path) -> list[str]:
    """Return the names of the temporary folders for a target."""
    return [path.name for path in folder.parent.iterdir() if path.name.startswith(f".{folder.name}.")]


def wait_for_writing(process: int, folder: Path) -> None:
    """Wait until a temporary folder exists, that is, until the run is being written, or the process has ended."""
    while not temporary_names(folder) and not has_ended(process):
        pass


def wait(seconds: float) -> None:
    """Wait more precisely than ``time.sleep``."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        pass


class KillTest:
    """Fits that are killed, with counts of the results.

    Parameters
    ----------
    server : CommandServer
    data : Path
        The data file.
    folder : Path
        The run folder.
    """

    def __init__(self, server: CommandServer, data: Path, folder: Path) -> None:
        self.server, self.data, self.folder = server, data, folder
        self.n_killed = self.n_interrupted = self.n_old = self.n_new = 0
        folder.parent.mkdir()
        self.complete_fit()
        self.seconds, self.seconds_writing = map(min, zip(*(self.time_fit() for _ in range(3)), strict=True))

    def complete_fit(self) -> None:
        """Run a fit, which must succeed and leave no temporary folder."""
        assert self.server.run(fit(self.data, self.folder, "first")) == [0]
        require_complete(self.folder, "first")
        assert temporary_names(self.folder) == []

    def time_fit(self) -> tuple[float, float]:
        """Return the seconds of a fit, and of its writing."""
        start = time.monotonic()
        (process,) = self.server.start(fit(self.data, self.folder, "first"))
        wait_for_writing(process, self.folder)
        begin = time.monotonic()
        while temporary_names(self.folder):
            pass
        end = time.monotonic()
        assert self.server.wait() == [0]
        return end - start, end - begin

    def kill_fit(self, rng: random.Random, *, has_old: bool, is_writing: bool) -> None:
        """Start another fit and kill it; the run folder must be complete, and the next fit must succeed."""
        if not has_old:
            shutil.rmtree(self.folder)
        before = contents(self.folder)
        (process,) = self.server.start(fit(self.data, self.folder, "consensus"))
        if is_writing:
            wait_for_writing(process, self.folder)
        wait(rng.uniform(0, self.seconds_writing if is_writing else self.seconds))
        os.kill(process, signal.SIGKILL)
        self.n_killed += self.server.wait() == [-signal.SIGKILL]
        self.n_interrupted += bool(temporary_names(self.folder))
        if contents(self.folder) == before:
            self.n_old += 1
        else:
            self.n_new += 1
            require_complete(self.folder, "consensus")
        self.complete_fit()


@pytest.mark.slow
def test_fifty_kills(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """Kills at 50 random moments, half of them during writing, never leave a mixture of two runs."""
    rng, kills = random.Random(0), KillTest(server, loans, tmp_path / "runs" / "run")
    for number in range(N_KILLS):
        kills.kill_fit(rng, has_old=number % 4 < 2, is_writing=number % 2 == 1)
    assert kills.n_old + kills.n_new == N_KILLS
    # Most kills come before the end of the process, and some during writing.
    assert kills.n_killed >= N_KILLS / 2
    assert kills.n_interrupted >= N_KILLS / 10


@pytest.mark.parametrize("has_old", [False, True])
def test_a_kill(server: CommandServer, loans: Path, tmp_path: Path, has_old: bool) -> None:
    """Three kills during writing never leave a mixture of two runs."""
    rng, kills = random.Random(1), KillTest(server, loans, tmp_path / "runs" / "run")
    for _ in range(3):
        kills.kill_fit(rng, has_old=has_old, is_writing=True)
    assert kills.n_old + kills.n_new == 3
