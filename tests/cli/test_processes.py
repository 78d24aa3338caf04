"""The command line as a process: exit codes, broken pipes, Ctrl-C, terminals."""

import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "puretree"]
SCRIPT = [sys.executable, Path(sys.executable).with_name("puretree")]
PLAIN = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "PURETREE_DATA", "NO_COLOR")}


def start(*arguments: object, command: Sequence[object] = COMMAND, **options: object) -> subprocess.Popen[str]:
    """Start a command with pipes for standard output and standard error."""
    return subprocess.Popen(
        [*map(str, command), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=PLAIN | {"PYTHONIOENCODING": "ascii"},
        **options,  # type: ignore[call-overload]
    )


def test_errors_of_the_installed_script(tmp_path: Path) -> None:
    """An error leaves standard output empty, and is printed in UTF-8 in every locale."""
    process = start("fit", tmp_path / "ü.csv", "-t", "y", command=[Path(sys.executable).with_name("puretree")])
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err == f"error: there is no file {tmp_path / 'ü.csv'}\n"


def test_a_broken_pipe_is_not_an_error() -> None:
    """``| head -1`` gets its line, without an error message; the exit code is 141."""
    with start("trees", "sklearn:iris", "--list", 200) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("5,616 trees")
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_ctrl_c_saves_the_best_tree(tmp_path: Path) -> None:
    """The best tree so far is printed and saved with both bounds; the exit code is 10."""
    process = start(
        "fit",
        "formula:mux11",
        "--binarize",
        "bits",
        "--verbose",
        "--out",
        tmp_path / "run",
        "--json",
        "--engine",
        "mindt",
        start_new_session=True,
    )
    assert process.stderr is not None
    while " nodes · at least " not in (line := process.stderr.readline()):
        assert line, "no bounds were printed"
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 10, err
    summary = json.loads(out)
    assert summary["status"] == "interrupted"
    assert summary["lower_bound"] < summary["upper_bound"] == summary["n_nodes"]
    assert json.loads((tmp_path / "run" / "outcome.json").read_text())["status"] == "interrupted"


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0, 0.5, 3])
def test_ctrl_c_after_the_proof_saves_the_proved_tree(seconds: float, tmp_path: Path) -> None:
    """From the instant of the proof on, the proved tree is printed and saved; the exit code is 0."""
    rows = list(itertools.product("01", repeat=10))
    lines = [",".join([bit for bit in row for _ in range(10)]) + f",{row.count('1') % 2}" for row in rows]
    table = tmp_path / "parity.csv"
    table.write_text("\n".join([",".join(f"x{i}" for i in range(100)) + ",y", *lines]))
    arguments = ["fit", table, "-t", "y", "--verbose", "--time-limit", "none", "--json", "--out", tmp_path / "run"]
    process = start(*arguments, start_new_session=True)
    assert process.stderr is not None
    while "2,047 nodes, proved minimum" not in (line := process.stderr.readline()):
        assert line, "no proof was printed"
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    for text in (out, (tmp_path / "run" / "outcome.json").read_text()):
        summary = json.loads(text)
        assert (summary["status"], summary["n_nodes"], summary["selection"]["is_exact"]) == ("optimal", 2047, False)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
@pytest.mark.parametrize("library", ["numpy", "scipy", "sklearn"])
@pytest.mark.parametrize("command", [COMMAND, SCRIPT], ids=["module", "script"])
def test_ctrl_c_during_the_import_is_one_line(command: Sequence[object], library: str) -> None:
    """While Python imports the libraries, Ctrl-C ends the command with one line and exit code 130."""
    process = start(
        *("fit", "formula:mux11", "--engine", "mindt"),
        command=command,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # the tests may run in the background
    )
    while f"/{library}/" not in Path(f"/proc/{process.pid}/maps").read_text():
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "error: interrupted before there was a result\n")


def on_terminal(*arguments: object) -> str:
    """Run a command on a pseudo-terminal, and return everything it prints."""
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=PLAIN | {"TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:  # Linux signals the end of a terminal with this error
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    assert process.wait(timeout=60) in (0, 2, 10)
    return shown.decode()


@pytest.mark.slow
def test_a_terminal_shows_the_current_step_of_a_certificate(tmp_path: Path) -> None:
    """Each step is shown while it runs, and its line is erased before its result is printed."""
    run = tmp_path / "run"
    on_terminal("fit", "formula:mux6", "--out", run, "--quiet")
    for command in ("certify", "verify"):
        shown = on_terminal(command, run)
        for part in ("purity", "bound", "refutation"):
            line, result = re.search(rf"{part}( \(.*Ctrl-C .*\))? · 0 s", shown), shown.rindex(f"{part}: ")
            assert line
            assert "\x1b[2K" in shown[line.start() : result]  # erased


def test_a_terminal_shows_colours_and_a_live_line() -> None:
    """Rows, bounds and seconds left are shown during the search, and then the tree in colours."""
    shown = on_terminal("fit", "formula:mux11", "--binarize", "bits", "--time-limit", 2, "--engine", "mindt")
    assert "2,048 rows · " in shown
    assert " nodes · at least " in shown
    assert " · 1 s left" in shown
    assert "\x1b[" in shown
    assert "not proved" in shown
