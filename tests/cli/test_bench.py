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

SMALL = ("--datasets", "formula:mux6", "--time-limit", 2)


@pytest.mark.slow
def test_accuracy(puretree: Puretree, tmp_path: Path) -> None:
    """Rows, tables in three formats and a plot are written, with the difference to psk; no cell is measured twice."""
    out = tmp_path / "bench"
    methods = ("--methods", "psk,mpdt-nd,mpdt,all-mdsol")
    command = ("bench", "accuracy", *SMALL, *methods, "--n-trees", 5, "--splits", 3, "--out", out, "--verbose")
    result = puretree(*command)
    assert result.code == 0
    assert "4 of 4: formula:mux6 0 psk" in result.err
    (line,) = [line for line in result.out.splitlines() if line.split()[:2] == ["mpdt", "psk"]]
    assert len(line.split()) >= 7
    names = {path.name for path in out.iterdir()}
    assert {"results.jsonl", "accuracy.csv", "accuracy.parquet", "accuracy.md", "table4.tex"} <= names
    assert "accuracy_against_size.png" in names
    assert "command: puretree" in (out / "accuracy.md").read_text("utf-8")
    repeated = puretree(*command)
    assert repeated.out == result.out
    assert "of 4:" not in repeated.err


@pytest.mark.slow
def test_runtime(puretree: Puretree, tmp_path: Path) -> None:
    """The comparison is printed as JSON: both engines prove the minimum of the multiplexer, so they tie."""
    result = puretree(
        *("bench", "runtime", *SMALL, "--engines", "search,maxsat", "--samples", 1, "--shares", "60"),
        *("--out", tmp_path, "--json", "--quiet"),
    )
    assert (result.code, result.err) == (0, "")
    tables = {table["name"]: table["rows"] for table in json.loads(result.out)["tables"]}
    assert [row["rank"] for row in tables["table3"]] == ["1=", "1="]
    assert tables["ordering"][0] == {
        **{"Solver": "search", "of all engines 60%": 1, "of all engines all": 1},
        **{"of encodings 60%": None, "of encodings all": None},
    }


@pytest.mark.slow
def test_classifiers(puretree: Puretree, tmp_path: Path) -> None:
    """Every fold is measured with each method; the tables compare them with pruned CART, and a plot is drawn."""
    methods = ("--methods", "pure,cart,cart-ccp,rf", "--repetitions", 2)
    command = ("bench", "classifiers", *SMALL, *methods, "--out", tmp_path, "--json", "--quiet")
    result = puretree(*command)
    assert (result.code, result.err) == (0, "")
    tables = {table["name"]: table["rows"] for table in json.loads(result.out)["tables"]}
    assert [row["method"] for row in tables["classifiers"]] == ["pure", "cart", "cart-ccp", "rf"]
    assert {row["n"] for row in tables["effort"]} == {10}
    assert "failed" not in tables
    assert (tmp_path / "accuracy_against_size.png").exists()
    assert puretree(*command).out == result.out


@pytest.mark.slow
def test_scale(puretree: Puretree, tmp_path: Path) -> None:
    """A family of generated problems needs no data sets."""
    result = puretree(
        *("bench", "scale", "--families", "classes", "--engines", "search", "--seeds", 1, "--time-limit", 2),
        *("--out", tmp_path, "--json", "--quiet"),
    )
    assert result.code == 0
    assert {row["what grows"] for row in json.loads(result.out)["tables"][0]["rows"]} == {"classes"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("accuracy",), "there is no folder of data sets"),
        (("accuracy", *SMALL, "--methods", "magic"), "--methods magic is unknown; choose from psk"),
        (("accuracy", *SMALL, "--methods", ","), "cannot be parsed; use comma-separated names"),
        (("accuracy", *SMALL, "--train-seeds", 0), "--train-seeds 0 must be an integer of at least 1"),
        (("accuracy", *SMALL, "--n-trees", "paper"), "--n-trees paper is for the data sets of the paper's Table 4"),
        (("accuracy", *SMALL, "--n-trees", "many"), "--n-trees many must be an integer of at least 1"),
        (("accuracy", *SMALL, "--engine", "dtmax"), "--engine dtmax has the objective 'max. accuracy'"),
        (("accuracy", *SMALL, "--backend", "magic"), "--backend magic is unknown"),
        (("accuracy", *SMALL, "--dtmax-encoding", "x"), "--dtmax-encoding x is unknown; choose from complete, layout"),
        (("accuracy", *SMALL, "--binarize", "thresholds"), "--binarize thresholds is unknown"),
        (("accuracy", *SMALL, "--pace", "slow"), "--pace slow is unknown; choose from prove, share"),
        (("classifiers",), "there is no folder of data sets"),
        (("classifiers", *SMALL, "--methods", "magic"), "--methods magic is unknown; choose from front-cv"),
        (("classifiers", *SMALL, "--repetitions", 0), "--repetitions 0 must be an integer of at least 1"),
        (("classifiers", *SMALL, "--part", "all"), "--part and --datasets exclude each other; choose one"),
        (("runtime", *SMALL, "--engines", "magic"), "--engines magic is unknown; use one of auto, search"),
        (("runtime", *SMALL, "--shares", "many"), "--shares 'many' cannot be parsed"),
        (("runtime", *SMALL, "--n-jobs", 999), "--n-jobs 999 is too many: this machine has"),
        (("runtime", "--datasets", "formula:magic"), "magic"),
        (("scale", "--families", "magic"), "--families magic"),
        (("scale", "--time-limit", "nan"), "--time-limit nan"),
    ],
)
def test_invalid_options_exit_with_code_2(
    puretree: Puretree, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    """An invalid option is reported under its name on the command line, before anything is measured."""
    result = puretree("bench", *arguments, "--out", tmp_path / "bench")
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.slow
def test_interrupted_experiments_resume(tmp_path: Path) -> None:
    """After Ctrl-C the finished cells are shown, with exit code 10; the same command measures the others."""
    command = ("bench", "runtime", "--datasets", "formula:mux11", "--engines", "search,mindt", "--shares", "40,60")
    options = ("--samples", 1, "--time-limit", 6, "--n-jobs", 1, "--out", tmp_path, "--verbose")
    process = start(*command, *options, start_new_session=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("1 of 4")
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 10, err
    assert "run the same command to resume" in err
    assert "search" in out
    _, err = start(*command, *options).communicate(timeout=120)
    assert "4 of 4" in err
    assert "1 of 4" not in err


@pytest.mark.slow
def test_a_terminal_shows_a_progress_bar(tmp_path: Path) -> None:
    """The bar shows the number of finished cells and the estimated time remaining."""
    shown = on_terminal("bench", "runtime", *SMALL, "--engines", "search", "--samples", 3, "--out", tmp_path / "bench")
    assert re.search("[1-8]/9", shown), shown
    assert "left:" in shown
