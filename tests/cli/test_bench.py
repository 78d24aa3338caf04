"""``puretree bench``: the experiments as commands, on tables that need no files."""

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest
from cli.test_processes import on_terminal, start
from helpers.command_line import Puretree

SMALL = ("--datasets", "formula:mux6", "--limit", 2)


@pytest.mark.slow
def test_accuracy(puretree: Puretree, tmp_path: Path) -> None:
    """Rows, tables in three forms and a picture are written; the difference to psk is told beside the paper's."""
    out = tmp_path / "bench"
    methods = ("--methods", "psk,mpdt-nd,mpdt,all")
    ended = puretree("bench", "accuracy", *SMALL, *methods, "--trees", 5, "--splits", 3, "--out", out, "--verbose")
    assert ended.code == 0
    assert "4 of 4: formula:mux6 0 psk" in ended.err
    (line,) = [line for line in ended.out.splitlines() if line.split()[:2] == ["mpdt", "psk"]]
    assert len(line.split()) >= 7
    names = {path.name for path in out.iterdir()}
    assert {"results.jsonl", "accuracy.csv", "accuracy.parquet", "accuracy.md", "table4.tex"} <= names
    assert "accuracy_against_size.png" in names
    assert "command: puretree" in (out / "accuracy.md").read_text("utf-8")
    again = puretree("bench", "accuracy", *SMALL, *methods, "--trees", 5, "--splits", 3, "--out", out, "--verbose")
    assert again.out == ended.out
    assert "of 4:" not in again.err, "nothing is measured twice"


@pytest.mark.slow
def test_runtime(puretree: Puretree, tmp_path: Path) -> None:
    """The race is told as JSON: both engines prove the multiplexer's minimum, so they tie."""
    ended = puretree(
        *("bench", "runtime", *SMALL, "--engines", "search,maxsat", "--samples", 1, "--shares", "60"),
        *("--out", tmp_path, "--json", "--quiet"),
    )
    assert (ended.code, ended.err) == (0, "")
    tables = {table["name"]: table["rows"] for table in json.loads(ended.out)["tables"]}
    assert [row["rank"] for row in tables["table3"]] == ["1=", "1="]
    assert tables["ordering"][0]["by # best UB"] == "search = maxsat"


@pytest.mark.slow
def test_scale(puretree: Puretree, tmp_path: Path) -> None:
    """A family is measured without any data."""
    ended = puretree(
        *("bench", "scale", "--families", "classes", "--engines", "search", "--seeds", 1, "--limit", 2),
        *("--out", tmp_path, "--json", "--quiet"),
    )
    assert ended.code == 0
    assert {row["what grows"] for row in json.loads(ended.out)["tables"][0]["rows"]} == {"classes"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("accuracy",), "there is no folder of data sets"),
        (("accuracy", *SMALL, "--methods", "magic"), "--methods magic is unknown; choose from psk"),
        (("accuracy", *SMALL, "--methods", ","), "cannot be read; write names with commas between"),
        (("accuracy", *SMALL, "--train-seeds", 0), "--train-seeds 0 must be an integer of at least 1"),
        (("runtime", *SMALL, "--engines", "magic"), "--engines magic is unknown; use one of auto, search"),
        (("runtime", *SMALL, "--shares", "many"), "--shares 'many' cannot be read"),
        (("runtime", *SMALL, "--jobs", 999), "--jobs 999: this machine has"),
        (("runtime", "--datasets", "formula:magic"), "magic"),
        (("scale", "--families", "magic"), "--families magic"),
        (("scale", "--limit", "nan"), "--limit nan"),
    ],
)
def test_what_is_refused(puretree: Puretree, tmp_path: Path, arguments: tuple[object, ...], words: str) -> None:
    """A wrong option is told in the words of the command line before anything is measured."""
    ended = puretree("bench", *arguments, "--out", tmp_path / "bench")
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


@pytest.mark.slow
def test_ctrl_c_and_resume(tmp_path: Path) -> None:
    """What is done when a person stops it is shown, with exit code 10; the same command does the rest."""
    command = ("bench", "runtime", "--datasets", "formula:mux11", "--engines", "search,mindt", "--shares", "40,60")
    options = ("--samples", 1, "--limit", 6, "--jobs", 1, "--out", tmp_path, "--verbose")
    process = start(*command, *options, start_new_session=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("1 of 4")
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 10, err
    assert "the same command goes on from there" in err
    assert "search" in out
    ended = start(*command, *options).communicate(timeout=120)
    assert "4 of 4" in ended[1]
    assert "1 of 4" not in ended[1]


@pytest.mark.slow
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    """How many cells are done of how many, and how long it will take, is seen while it works."""
    shown = on_terminal("bench", "runtime", *SMALL, "--engines", "search", "--samples", 3, "--out", tmp_path / "bench")
    assert re.search("[1-8]/9", shown), shown
    assert "left:" in shown
