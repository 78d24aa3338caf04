"""Saving that fails: the tree is shown all the same, the old run stays, and a line says what failed and why."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command_line import Puretree
from helpers.command_server import CANNOT, Server, World, has_ended

from puretree.runs import atomic, is_run, load_run
from puretree.runs.store import FILES
from puretree.runs.temporary import ENDING

NOBODY = 65534


def fit(data: Path, folder: Path, *options: object) -> list[object]:
    """Return a command that keeps a run."""
    return ["fit", data, "-t", "risk", "--random-state", 0, "--out", folder, *options]


def said(world: World) -> tuple[str, str]:
    """Return what a command printed: data, and everything else."""
    return Path(str(world.log)).read_text("utf-8"), Path(f"{world.log}.err").read_text("utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Read a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Make a folder that others can look into, unlike pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_full_disk(server: Server, loans: Path, tmp_path: Path) -> None:
    """A disk of 16 kB: the tree is shown, a line names the folder and the cause, and nothing is left on the disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    world = World(log=str(tmp_path / "log"), small_disk=str(disk))
    (code,) = server.run(fit(loans, disk / "run"), worlds=(world,))
    if code == CANNOT:
        pytest.skip("the system lets no process have disks of its own")
    out, err = said(world)
    assert code == 2
    assert err == f"error: {disk / 'run'}: No space left on device\n"
    assert "proved minimum" in out
    assert contents(Path(f"{disk}.seen")) == {}


@pytest.mark.parametrize("has_old", [False, True])
def test_a_file_that_may_not_grow(server: Server, loans: Path, tmp_path: Path, has_old: bool) -> None:
    """A quota is a full disk for one person: likewise, and what was there stays."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    if has_old:
        assert server.run(fit(loans, folder)) == [0]
    before = contents(folder) if has_old else None
    world = World(log=str(tmp_path / "log"), largest_file=500, stdout="/dev/null")
    assert server.run(fit(loans, folder, "--force"), worlds=(world,)) == [2]
    assert said(world)[1] == f"error: {folder}: File too large\n"
    assert [path.name for path in folder.parent.iterdir()] == ["run"] * has_old
    if has_old:
        assert contents(folder) == before


def test_standard_output_on_a_full_disk(server: Server, loans: Path, tmp_path: Path) -> None:
    """The run is kept first, so it is there although the tree could not be shown."""
    world = World(log=str(tmp_path / "log"), stdout="/dev/full")
    assert server.run(fit(loans, tmp_path / "run", "--quiet"), worlds=(world,)) == [2]
    assert said(world)[1] == "error: standard output: No space left on device\n"
    assert load_run(tmp_path / "run").outcome.status == "optimal"


def test_a_read_only_disk(server: Server, loans: Path, tmp_path: Path) -> None:
    """A disk that takes nothing is told as such, and the old run on it stays."""
    disk = tmp_path / "disk"
    disk.mkdir()
    assert server.run(fit(loans, disk / "run")) == [0]
    before = contents(disk / "run")
    world = World(log=str(tmp_path / "log"), read_only=str(disk))
    (code,) = server.run(fit(loans, disk / "run", "--force"), worlds=(world,))
    if code == CANNOT:
        pytest.skip("the system lets no process have disks of its own")
    out, err = said(world)
    assert (code, err) == (2, f"error: {disk / 'run'}: Read-only file system\n")
    assert "proved minimum" in out
    assert contents(disk / "run") == before


def test_a_folder_of_somebody_else(server: Server, open_folder: Path) -> None:
    """A folder that one may not write to: the tree is shown, the line names the folder that was given."""
    (open_folder / "logs").mkdir()
    world = World(log=str(open_folder / "logs" / "log"), user=NOBODY if os.geteuid() == 0 else None)
    open_folder.chmod(0o555)
    command: list[object] = ["fit", "formula:mux6", "--out", open_folder / "run"]
    assert server.run(command, worlds=(world,)) == [2]
    out, err = said(world)
    assert err == f"error: {open_folder / 'run'}: Permission denied\n"
    assert "proved minimum" in out


def test_ctrl_c_while_saving(puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each call to the system: the tree is shown, and the folder is as it was or holds all of the new run."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    assert puretree(*fit(loans, folder)).code == 0
    before, calls, step = contents(folder), 0, 0
    seen = set()
    for name in ("write_and_sync", "_sync", "_rename_over"):
        real = getattr(atomic, name)

        def call(*arguments: object, real: object = real) -> None:
            nonlocal calls
            real(*arguments)  # type: ignore[operator]
            calls += 1
            if calls == step:
                raise KeyboardInterrupt

        monkeypatch.setattr(atomic, name, call)
    for step in range(1, 9):  # noqa: B007  heard above
        calls = 0
        ended = puretree(*fit(loans, folder, "--force", "--selection", "first"))
        assert ended.code == 130
        assert ended.err == f"error: interrupted while saving: {folder} is as it was before, or holds all of this\n"
        assert "proved minimum" in ended.out
        assert [path.name for path in folder.parent.iterdir()] == ["run"]
        is_old = contents(folder) == before
        assert is_old or load_run(folder).parameters["selection"] == "first"
        seen.add(is_old)
    assert seen == {True, False}


def test_ctrl_c_as_a_signal(server: Server, loans: Path, tmp_path: Path) -> None:
    """The same from outside: whatever moment it hits, the run is whole or not there."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    for pause in (0.0, 0.002, 0.005, 0.01):
        (process,) = server.start(fit(loans, folder, "--force"))
        while not any(folder.parent.iterdir()) and not has_ended(process):
            pass
        time.sleep(pause)
        os.kill(process, signal.SIGINT)
        assert server.wait()[0] in (0, 130)
        if folder.exists():
            load_run(folder)
            shutil.rmtree(folder)


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_reader_that_is_gone(server: Server, loans: Path, tmp_path: Path, json: list[str]) -> None:
    """Nobody reads what is shown: no complaint, the code of a broken pipe, and the run is kept."""
    world = World(log=str(tmp_path / "log"), stdout="gone")
    assert server.run(fit(loans, tmp_path / "run", "--quiet", *json), worlds=(world,)) == [141]
    assert said(world)[1] == ""
    assert is_run(tmp_path / "run")


def test_no_standard_output(loans: Path, tmp_path: Path) -> None:
    """A process that was started without one (``>&-``) keeps its run, and says nothing to nobody."""
    command = [sys.executable, "-m", "puretree", *map(str, fit(loans, tmp_path / "run", "--quiet"))]
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert is_run(tmp_path / "run")


def test_two_at_once(server: Server, loans: Path, tmp_path: Path) -> None:
    """With --force both end well, and the folder holds one of them, whole."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    for _ in range(5):
        two = [fit(loans, folder, "--force", "--selection", selection) for selection in ("first", "consensus")]
        assert server.run(*two) == [0, 0]
        assert sorted(contents(folder)) == sorted(FILES)
        assert load_run(folder).parameters["selection"] in ("first", "consensus")
        assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_two_at_once_without_force(server: Server, loans: Path, tmp_path: Path) -> None:
    """One of them is kept; the other is refused, shows its tree if it had begun, and says why."""
    for number in range(5):
        folder = tmp_path / f"runs {number}" / "run"
        folder.parent.mkdir()
        worlds = tuple(World(log=str(tmp_path / name)) for name in ("one", "other"))
        codes = server.run(fit(loans, folder), fit(loans, folder), worlds=worlds)
        assert sorted(codes) == [0, 2], codes
        assert f"{folder} holds" in said(worlds[codes.index(2)])[1]
        assert load_run(folder).outcome.status == "optimal"
        assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_a_folder_that_appears_at_the_last_moment(
    puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last look and the last step: without --force what somebody put there is never replaced."""
    folder = tmp_path / "run"
    real = atomic._rename_over

    def too_late(*arguments: object) -> None:
        folder.mkdir()
        (folder / "model.json").write_text("mine")
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic, "_rename_over", too_late)
    ended = puretree(*fit(loans, folder))
    assert ended.code == 2
    assert ended.err == f"error: {folder} holds something by now; use another folder, or --force to replace it\n"
    assert "proved minimum" in ended.out
    assert contents(folder) == {"model.json": b"mine"}


def test_leftovers_are_swept_away(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Those of the same name, whose writer is dead; and nothing that is anybody else's."""
    folder = tmp_path / "runs" / "run"
    for name in ("run.0123abcd" + ENDING, "run.0123abcd", "other.0123abcd" + ENDING, "run.notes" + ENDING):
        (folder.parent / f".{name}").mkdir(parents=True)
    (folder.parent / f".tree.svg.0123abcd{ENDING}").write_text("half a picture")
    assert puretree(*fit(loans, folder)).code == 0
    assert puretree("export", folder, "--format", "svg", "--out", folder.parent / "tree.svg").code == 0
    left = [".other.0123abcd.puretree", ".run.0123abcd", ".run.notes.puretree", "run", "tree.svg"]
    assert sorted(path.name for path in folder.parent.iterdir()) == left


def test_what_is_being_written_is_left_alone(loans: Path, tmp_path: Path, puretree: Puretree) -> None:
    """A writer that is alive holds a lock, so nobody sweeps away what it has written so far."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    with atomic.temporary_folder(folder) as beside, atomic.temporary_file(folder) as file:
        assert puretree(*fit(loans, folder)).code == 0
        assert beside.is_dir()
        assert file.is_file()
    assert [path.name for path in folder.parent.iterdir()] == ["run"]
