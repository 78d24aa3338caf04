"""Missing or failing solvers: the error names the solver and the remedy, and an existing run is kept."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree

MISSING = {
    "maxsat(backend='external:nope')": (1, "nope cannot be started: nope was not found.*install it"),
    "maxsat(backend='external:false')": (1, "false ended with exit code 1 without an answer"),
    "maxsat(solver='nope')": (2, "there is no solver 'nope'; use one of cadical"),
    "maxsat(backend='nope')": (2, "backend='nope' is unknown; use one of linear"),
    "nope": (2, "--engine nope is unknown; use one of auto"),
}


@pytest.mark.parametrize(("engine", "code", "message"), [(engine, *expected) for engine, expected in MISSING.items()])
def test_a_solver_that_is_not_there(
    puretree: Puretree, loans: Path, tmp_path: Path, engine: str, code: int, message: str
) -> None:
    """Unknown programs, python-sat solvers, MaxSAT backends and engines are reported in one line."""
    command = ["fit", loans, "-t", "risk", "--out", tmp_path / "run", "--force"]
    assert puretree(*command).code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    ended = puretree(*command, "--engine", engine, "--quiet")
    assert ended.code == code
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert re.search(message, ended.err)
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_a_solver_that_fails_leaves_the_best_tree(puretree: Puretree, loans: Path) -> None:
    """If a solver fails, the best tree and both bounds are printed."""
    command = ["fit", loans, "-t", "risk", "--engine", "maxsat(backend='external:false')"]
    ended = puretree(*command)
    assert ended.code == 1
    assert "nodes, not proved: the minimum lies between" in ended.out
    assert "false ended with exit code 1 without an answer" in ended.err
    report = json.loads(puretree(*command, "--json").out)
    assert (report["status"], report["n_nodes"]) == ("failed", report["upper_bound"])
    assert Tree.from_dict(report["tree"]).n_nodes == report["n_nodes"] > report["lower_bound"]


@pytest.mark.skipif(importlib.util.find_spec("hermax") is not None, reason="hermax is installed")
def test_a_package_that_is_not_installed(puretree: Puretree, loans: Path) -> None:
    """The error names the command that installs the package."""
    ended = puretree("fit", loans, "-t", "risk", "--engine", "maxsat(backend='hermax:UWrMaxSAT')")
    assert ended.code == 2
    assert 'pip install "puretree[hermax]"' in ended.err
