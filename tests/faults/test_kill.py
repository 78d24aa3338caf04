"""A fit that is killed at any moment: the run folder is the old one or the new one, whole; nothing is in the way."""

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from helpers.command_server import Server, has_ended

from puretree.runs import load_run
from puretree.runs.store import FILES

N_KILLS = 50


def fit(data: Path, folder: Path, selection: str) -> list[object]:
    """Return a command whose run can be told from that of another selection."""
    return ["fit", data, "-t", "risk", "--out", folder, "--force", "--selection", selection, "--random-state", 0]


def contents(folder: Path) -> dict[str, bytes]:
    """Read a folder; nothing if it is not there."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def require_whole(folder: Path, selection: str) -> None:
    """Fail unless a folder is a run of this selection; its tree is held against the hash in the certificate."""
    assert sorted(contents(folder)) == sorted(FILES)
    assert load_run(folder).parameters["selection"] == selection


def left_beside(folder: Path) -> list[str]:
    """Return what lies beside a folder under a hidden name."""
    return [path.name for path in folder.parent.iterdir() if path.name.startswith(f".{folder.name}.")]


def wait_for_writing(process: int, folder: Path) -> None:
    """Wait until something lies beside a folder: it is being written; or until that is done."""
    while not left_beside(folder) and not has_ended(process):
        pass


def wait(seconds: float) -> None:
    """Wait for less than a sleeper would sleep."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        pass


class Killing:
    """Fits that are killed, and what came of them.

    Parameters
    ----------
    server : Server
    data : Path
        A table.
    folder : Path
        Where the runs are kept.
    """

    def __init__(self, server: Server, data: Path, folder: Path) -> None:
        self.server, self.data, self.folder = server, data, folder
        self.n_killed = self.n_left_beside = self.n_old = self.n_new = 0
        folder.parent.mkdir()
        self.fit_to_the_end()
        self.seconds, self.seconds_writing = map(min, zip(*(self.time_one() for _ in range(3)), strict=True))

    def fit_to_the_end(self) -> None:
        """Fit, which must succeed whatever lies here, and leave nothing beside."""
        assert self.server.run(fit(self.data, self.folder, "first")) == [0]
        require_whole(self.folder, "first")
        assert left_beside(self.folder) == []

    def time_one(self) -> tuple[float, float]:
        """Return how long a fit takes, and how long it writes."""
        start = time.monotonic()
        (process,) = self.server.start(fit(self.data, self.folder, "first"))
        wait_for_writing(process, self.folder)
        begin = time.monotonic()
        while left_beside(self.folder):
            pass
        end = time.monotonic()
        assert self.server.wait() == [0]
        return end - start, end - begin

    def kill_one(self, rng: random.Random, *, has_old: bool, is_writing: bool) -> None:
        """Start another fit and kill it; what is under the name must be whole, and the next fit must succeed."""
        if not has_old:
            shutil.rmtree(self.folder)
        before = contents(self.folder)
        (process,) = self.server.start(fit(self.data, self.folder, "consensus"))
        if is_writing:
            wait_for_writing(process, self.folder)
        wait(rng.uniform(0, self.seconds_writing if is_writing else self.seconds))
        os.kill(process, signal.SIGKILL)
        self.n_killed += self.server.wait() == [-signal.SIGKILL]
        self.n_left_beside += bool(left_beside(self.folder))
        if contents(self.folder) == before:
            self.n_old += 1
        else:
            self.n_new += 1
            require_whole(self.folder, "consensus")
        self.fit_to_the_end()


@pytest.mark.slow
def test_fifty_kills(server: Server, loans: Path, tmp_path: Path) -> None:
    """At 50 random moments, half of them while it writes, over an old run and where there was none: never a mixture."""
    rng, killing = random.Random(0), Killing(server, loans, tmp_path / "runs" / "run")
    for number in range(N_KILLS):
        killing.kill_one(rng, has_old=number % 4 < 2, is_writing=number % 2 == 1)
    assert killing.n_old + killing.n_new == N_KILLS
    # The moments are well chosen: most come before the end, some between the first file and the last step.
    assert killing.n_killed >= N_KILLS / 2
    assert killing.n_left_beside >= N_KILLS / 10


@pytest.mark.parametrize("has_old", [False, True])
def test_a_kill(server: Server, loans: Path, tmp_path: Path, has_old: bool) -> None:
    """The small twin: three kills while it writes."""
    rng, killing = random.Random(1), Killing(server, loans, tmp_path / "runs" / "run")
    for _ in range(3):
        killing.kill_one(rng, has_old=has_old, is_writing=True)
    assert killing.n_old + killing.n_new == 3
