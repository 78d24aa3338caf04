"""Solvers that are not there, or that fail: a line says which and what to do, and no old run is touched."""

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
    "maxsat(backend='nope')": (2, "backend='nope' is not known; use one of linear"),
    "nope": (2, "--engine nope is not known; use one of auto"),
}


@pytest.mark.parametrize(("engine", "code", "message"), [(engine, *told) for engine, told in MISSING.items()])
def test_a_solver_that_is_not_there(
    puretree: Puretree, loans: Path, tmp_path: Path, engine: str, code: int, message: str
) -> None:
    """Programs, solvers of python-sat, MaxSAT solvers and engines, by wrong names."""
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
    """What was known before a program failed is shown: the tree and both bounds."""
    command = ["fit", loans, "-t", "risk", "--engine", "maxsat(backend='external:false')"]
    ended = puretree(*command)
    assert ended.code == 1
    assert "nodes, not proved: the minimum lies between" in ended.out
    assert "false ended with exit code 1 without an answer" in ended.err
    told = json.loads(puretree(*command, "--json").out)
    assert (told["status"], told["n_nodes"]) == ("failed", told["upper_bound"])
    assert Tree.from_dict(told["tree"]).n_nodes == told["n_nodes"] > told["lower_bound"]


@pytest.mark.skipif(importlib.util.find_spec("hermax") is not None, reason="hermax is installed")
def test_a_package_that_is_not_installed(puretree: Puretree, loans: Path) -> None:
    """The remedy is the command that installs it."""
    ended = puretree("fit", loans, "-t", "risk", "--engine", "maxsat(backend='hermax:UWrMaxSAT')")
    assert ended.code == 2
    assert 'pip install "puretree[hermax]"' in ended.err
