"""``puretree compare`` and ``puretree engines``."""

import csv
import json
import re
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree
from puretree.engines import ENGINES
from puretree.engines.comparison import HEADER


def test_compare_prints_a_table(puretree: Puretree, loans: Path) -> None:
    """Standard output is a table with a line for each engine."""
    result = puretree("compare", loans, "--target", "risk", "--engines", "search,mindt(isolated=False)")
    assert (result.code, result.err) == (0, "")
    header, *lines = result.out.splitlines()
    assert re.split("  +", header.strip()) == list(HEADER)
    assert [line.split()[0] for line in lines] == ["search", "mindt(isolated=False)"]
    assert all("size = 5" in line and "100.0%" in line and "proved" in line for line in lines)


def test_json_and_csv_contain_the_same_values(puretree: Puretree, loans: Path) -> None:
    """Both contain the same values, and JSON also the trees; they exclude each other."""
    entries = json.loads(puretree("compare", loans, "-t", "risk", "--engines", "search", "--json").out)
    (row,) = csv.DictReader(puretree("compare", loans, "-t", "risk", "--engines", "search", "--csv").out.splitlines())
    assert Tree.from_dict(entries[0]["tree"]).n_nodes == entries[0]["n_nodes"] == int(row["n_nodes"]) == 5
    assert (row["engine"], row["status"], row["accuracy"], row["upper_bound"]) == ("search", "optimal", "1.0", "5")
    assert puretree("compare", loans, "-t", "risk", "--json", "--csv").code == 2


def test_bounds_are_printed_with_the_name_of_the_engine(puretree: Puretree, loans: Path) -> None:
    """With --verbose, every improved bound is a line on standard error."""
    result = puretree("compare", loans, "-t", "risk", "--engines", "search", "--verbose")
    assert "search: 6 rows · 5 nodes, proved minimum" in result.err


def test_reasons_for_missing_trees_are_printed(puretree: Puretree, loans: Path) -> None:
    """The reason is printed on standard error with the name of the engine, unless --quiet."""
    result = puretree("compare", loans, "-t", "risk", "--engines", "search", "--max-depth", 1)
    assert result.code == 0
    assert "infeasible" in result.out
    assert "search: there is no pure tree" in result.err
    result = puretree("compare", loans, "-t", "risk", "--engines", "search", "--max-depth", 1, "--quiet")
    assert "infeasible" in result.out
    assert result.err == ""


@pytest.mark.parametrize("engines", ["nonsense", "search,", "search((", "search)x", "", " ", "all,search"])
def test_invalid_engine_lists_are_rejected(puretree: Puretree, loans: Path, engines: str) -> None:
    """An unknown engine and a list that cannot be parsed exit with code 2."""
    result = puretree("compare", loans, "-t", "risk", "--engines", engines)
    assert (result.code, result.out) == (2, "")
    assert "engine" in result.err


def test_engines_are_listed_with_their_guarantees(puretree: Puretree) -> None:
    """The list of engines reproduces the paper's Table 1 from the registry."""
    engines = {entry["name"]: entry for entry in json.loads(puretree("engines", "--json").out)}
    assert list(engines) == list(ENGINES)
    table_1 = {
        "maxsat": ("min. size", True, True),
        "mindt": ("min. size", True, True),
        "bessiere": ("min. size", True, True),
        "dtfinder": ("min. size", True, True),
        "infer-depth": ("min. depth", True, False),
        "infer-size": ("min. depth, size", True, False),
        "dtmax": ("max. accuracy", False, False),
    }
    for name, line in table_1.items():
        assert (engines[name]["objective"], engines[name]["pure"], engines[name]["minimum"]) == line
    lines = puretree("engines").out.splitlines()
    assert lines[0].split() == ["engine", "objective", "pure", "minimum", "source"]
    assert any(line.split()[:5] == ["mindt", "min.", "size", "yes", "yes"] for line in lines)
