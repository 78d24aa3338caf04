"""The command line as a process: exit codes, pipes that break, Ctrl-C, terminals."""

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

COMMAND = [sys.executable, "-m", "puretree"]
PLAIN = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "PURETREE_DATA", "NO_COLOR")}


def start(*arguments: object, command: Sequence[object] = COMMAND, **options: object) -> subprocess.Popen[str]:
    """Start a command with its own standard output and error."""
    return subprocess.Popen(
        [*map(str, command), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=PLAIN | {"PYTHONIOENCODING": "ascii"},
        **options,  # type: ignore[call-overload]
    )


def test_the_script_exits_by_the_outcome(tmp_path: Path) -> None:
    """``puretree`` is a command; an error leaves standard output empty, and needs no locale to be told."""
    process = start("fit", tmp_path / "ü.csv", "-t", "y", command=[Path(sys.executable).with_name("puretree")])
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err == f"error: there is no file {tmp_path / 'ü.csv'}\n"


def test_a_reader_that_leaves_early() -> None:
    """``| head -1`` gets its line, and nobody complains."""
    with start("trees", "sklearn:iris", "--list", 200) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("5,616 trees")
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_ctrl_c_keeps_the_best_tree(tmp_path: Path) -> None:
    """The tree so far is printed and kept, with both bounds; the exit code is 10."""
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
    while "≤ min ≤" not in (line := process.stderr.readline()):
        assert line, "no bounds were told"
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 10, err
    told = json.loads(out)
    assert told["status"] == "interrupted"
    assert told["lower_bound"] < told["upper_bound"] == told["n_nodes"]
    assert json.loads((tmp_path / "run" / "outcome.json").read_text())["status"] == "interrupted"


def on_terminal(*arguments: object) -> str:
    """Run a command on a terminal of its own, and return all that it shows."""
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
        except OSError:  # Linux tells the end of a terminal so
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    assert process.wait(timeout=60) in (0, 2, 10)
    return shown.decode()


def test_a_terminal_shows_the_part_of_a_certificate_at_hand(tmp_path: Path) -> None:
    """While it is made and while it is checked; the line is gone when what came of the part is printed."""
    run = tmp_path / "run"
    on_terminal("fit", "formula:mux6", "--out", run, "--quiet")
    for command in ("certify", "verify"):
        shown = on_terminal(command, run)
        for part in ("purity", "bound", "refutation"):
            line, result = re.search(rf"{part}( \(Ctrl-C .*\))?: at work · 0 s", shown), shown.rindex(f"{part}: ")
            assert line
            assert "\x1b[2K" in shown[line.start() : result]  # erased


def test_a_terminal_shows_colour_and_a_line_that_lives() -> None:
    """Bounds and seconds while the search goes on; then the tree, with its proof in green."""
    shown = on_terminal("fit", "formula:mux11", "--binarize", "bits", "--time-limit", 2, "--engine", "mindt")
    assert "≤ min ≤" in shown
    assert " · 1 s" in shown
    assert "\x1b[" in shown
    assert "not proved" in shown
