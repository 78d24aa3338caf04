"""If saving fails, the tree is still printed, the old run is kept, and the error names the folder and the cause."""

import os
import re
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
from helpers.command_server import NOT_SUPPORTED, CommandServer, Conditions, has_ended

from puretree.runs import atomic, is_run, load_run
from puretree.runs.store import FILES
from puretree.runs.temporary import SUFFIX

NOBODY = 65534


def fit(data: Path, folder: Path, *options: object) -> list[object]:
    """Return a command that saves a run."""
    return ["fit", data, "-t", "risk", "--random-state", 0, "--out", folder, *options]


def read_output(condition: Conditions) -> tuple[str, str]:
    """Return the standard output and the standard error of a command."""
    return Path(str(condition.log)).read_text("utf-8"), Path(f"{condition.log}.err").read_text("utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Create a folder that other users can read, unlike pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_full_disk(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """On a full disk the tree is printed, the error names the folder and the cause, and nothing is left on the disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    condition = Conditions(log=str(tmp_path / "log"), small_disk=str(disk))
    (code,) = server.run(fit(loans, disk / "run"), conditions=(condition,))
    if code == NOT_SUPPORTED:
        pytest.skip("the system does not support mounts in a process")
    out, err = read_output(condition)
    assert code == 2
    assert err == f"error: {disk / 'run'}: No space left on device\n"
    assert "proved minimum" in out
    assert contents(Path(f"{disk}.copy")) == {}


@pytest.mark.parametrize("has_old", [False, True])
def test_a_file_that_may_not_grow(server: CommandServer, loans: Path, tmp_path: Path, has_old: bool) -> None:
    """If a file exceeds the allowed size, the error says so, and the old run is kept."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    if has_old:
        assert server.run(fit(loans, folder)) == [0]
    before = contents(folder) if has_old else None
    condition = Conditions(log=str(tmp_path / "log"), largest_file=500, stdout="/dev/null")
    assert server.run(fit(loans, folder, "--force"), conditions=(condition,)) == [2]
    assert read_output(condition)[1] == f"error: {folder}: File too large\n"
    assert [path.name for path in folder.parent.iterdir()] == ["run"] * has_old
    if has_old:
        assert contents(folder) == before


def test_standard_output_on_a_full_disk(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """The run is saved before printing, so it exists although the tree could not be printed."""
    condition = Conditions(log=str(tmp_path / "log"), stdout="/dev/full")
    assert server.run(fit(loans, tmp_path / "run", "--quiet"), conditions=(condition,)) == [2]
    assert read_output(condition)[1] == "error: standard output: No space left on device\n"
    assert load_run(tmp_path / "run").outcome.status == "optimal"


def test_a_read_only_disk(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """A read-only disk is reported, and the old run on it is kept."""
    disk = tmp_path / "disk"
    disk.mkdir()
    assert server.run(fit(loans, disk / "run")) == [0]
    before = contents(disk / "run")
    condition = Conditions(log=str(tmp_path / "log"), read_only=str(disk))
    (code,) = server.run(fit(loans, disk / "run", "--force"), conditions=(condition,))
    if code == NOT_SUPPORTED:
        pytest.skip("the system does not support mounts in a process")
    out, err = read_output(condition)
    assert (code, err) == (2, f"error: {disk / 'run'}: Read-only file system\n")
    assert "proved minimum" in out
    assert contents(disk / "run") == before


def test_a_folder_of_somebody_else(server: CommandServer, open_folder: Path) -> None:
    """Without write permission the tree is printed, and the error names the target folder."""
    (open_folder / "logs").mkdir()
    condition = Conditions(log=str(open_folder / "logs" / "log"), user=NOBODY if os.geteuid() == 0 else None)
    open_folder.chmod(0o555)
    command: list[object] = ["fit", "formula:mux6", "--out", open_folder / "run"]
    assert server.run(command, conditions=(condition,)) == [2]
    out, err = read_output(condition)
    assert err == f"error: {open_folder / 'run'}: Permission denied\n"
    assert "proved minimum" in out


def test_ctrl_c_while_saving(puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C at any step of saving, the tree is printed, and the folder holds the complete old or new run."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    assert puretree(*fit(loans, folder)).code == 0
    before, calls, step = contents(folder), 0, 0
    outcomes = set()
    for name in ("write_and_sync", "_sync_folder", "_rename_over"):
        real = getattr(atomic, name)

        def call(*arguments: object, real: object = real) -> None:
            nonlocal calls
            real(*arguments)  # type: ignore[operator]
            calls += 1
            if calls == step:
                raise KeyboardInterrupt

        monkeypatch.setattr(atomic, name, call)
    for step in range(1, 9):  # noqa: B007  read in call above
        calls = 0
        ended = puretree(*fit(loans, folder, "--force", "--selection", "first"))
        assert ended.code == 130
        assert ended.err == f"error: interrupted while saving: {folder} is unchanged, or contains the complete run\n"
        assert "proved minimum" in ended.out
        assert [path.name for path in folder.parent.iterdir()] == ["run"]
        is_old = contents(folder) == before
        assert is_old or load_run(folder).parameters["selection"] == "first"
        outcomes.add(is_old)
    assert outcomes == {True, False}


def test_sigint_while_saving(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """After SIGINT at any moment the run is complete or does not exist."""
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
def test_a_reader_that_is_gone(server: CommandServer, loans: Path, tmp_path: Path, json: list[str]) -> None:
    """If the reader of the output is gone, the exit code is that of a broken pipe, and the run is saved."""
    condition = Conditions(log=str(tmp_path / "log"), stdout="broken pipe")
    assert server.run(fit(loans, tmp_path / "run", "--quiet", *json), conditions=(condition,)) == [141]
    assert read_output(condition)[1] == ""
    assert is_run(tmp_path / "run")


def test_no_standard_output(loans: Path, tmp_path: Path) -> None:
    """A process without standard output (``>&-``) saves its run and prints nothing."""
    command = [sys.executable, "-m", "puretree", *map(str, fit(loans, tmp_path / "run", "--quiet"))]
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert is_run(tmp_path / "run")


def test_two_at_once(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """Two processes with --force both succeed, and the folder holds one complete run."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    for _ in range(5):
        two = [fit(loans, folder, "--force", "--selection", selection) for selection in ("first", "consensus")]
        assert server.run(*two) == [0, 0]
        assert sorted(contents(folder)) == sorted(FILES)
        assert load_run(folder).parameters["selection"] in ("first", "consensus")
        assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_two_at_once_without_force(server: CommandServer, loans: Path, tmp_path: Path) -> None:
    """Without --force one run is saved; the other command fails with the reason."""
    for number in range(5):
        folder = tmp_path / f"runs {number}" / "run"
        folder.parent.mkdir()
        conditions = tuple(Conditions(log=str(tmp_path / name)) for name in ("first", "second"))
        codes = server.run(fit(loans, folder), fit(loans, folder), conditions=conditions)
        assert sorted(codes) == [0, 2], codes
        error = read_output(conditions[codes.index(2)])[1]
        assert re.search(rf"{re.escape(str(folder))} (already holds a run|is no longer empty)", error)
        assert load_run(folder).outcome.status == "optimal"
        assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_a_folder_that_appears_at_the_last_moment(
    puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --force a folder that is created just before the rename is not replaced."""
    folder = tmp_path / "run"
    real = atomic._rename_over

    def create_folder_first(*arguments: object) -> None:
        folder.mkdir()
        (folder / "model.json").write_text("mine")
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic, "_rename_over", create_folder_first)
    ended = puretree(*fit(loans, folder))
    assert ended.code == 2
    assert ended.err == f"error: {folder} is no longer empty; use another folder, or --force to replace it\n"
    assert "proved minimum" in ended.out
    assert contents(folder) == {"model.json": b"mine"}


def test_stale_temporary_files_are_removed(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Temporary files of dead processes for the same target are removed, and no other files."""
    folder = tmp_path / "runs" / "run"
    for name in ("run.0123abcd" + SUFFIX, "run.0123abcd", "other.0123abcd" + SUFFIX, "run.notes" + SUFFIX):
        (folder.parent / f".{name}").mkdir(parents=True)
    (folder.parent / f".tree.svg.0123abcd{SUFFIX}").write_text("half a picture")
    assert puretree(*fit(loans, folder)).code == 0
    assert puretree("export", folder, "--format", "svg", "--out", folder.parent / "tree.svg").code == 0
    expected = [".other.0123abcd.puretree", ".run.0123abcd", ".run.notes.puretree", "run", "tree.svg"]
    assert sorted(path.name for path in folder.parent.iterdir()) == expected


def test_locked_temporary_files_are_kept(loans: Path, tmp_path: Path, puretree: Puretree) -> None:
    """The temporary files of a running process are locked, so another process does not remove them."""
    folder = tmp_path / "runs" / "run"
    folder.parent.mkdir()
    with atomic.temporary_folder(folder) as temporary, atomic.temporary_file(folder) as file:
        assert puretree(*fit(loans, folder)).code == 0
        assert temporary.is_dir()
        assert file.is_file()
    assert [path.name for path in folder.parent.iterdir()] == ["run"]
