"""``puretree compare`` and ``puretree engines``."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree
from puretree.engines import ENGINES


def test_a_table(puretree: Puretree, loans: Path) -> None:
    """A line for each engine on standard output."""
    ended = puretree("compare", loans, "--target", "risk", "--engines", "search,mindt(isolated=False)")
    assert (ended.code, ended.err) == (0, "")
    header, *lines = ended.out.splitlines()
    assert header.split() == ["engine", "objective", "size", "depth", "accuracy", "bounds", "status", "seconds"]
    assert [line.split()[0] for line in lines] == ["search", "mindt(isolated=False)"]
    assert all("size = 5" in line and "100.0%" in line and "proved" in line for line in lines)


def test_json_and_csv_tell_the_same(puretree: Puretree, loans: Path) -> None:
    """One document or one table of values; JSON has the trees as well."""
    told = json.loads(puretree("compare", loans, "-t", "risk", "--engines", "search", "--json").out)
    (row,) = csv.DictReader(puretree("compare", loans, "-t", "risk", "--engines", "search", "--csv").out.splitlines())
    assert Tree.from_dict(told[0]["tree"]).n_nodes == told[0]["n_nodes"] == int(row["n_nodes"]) == 5
    assert (row["engine"], row["status"], row["accuracy"], row["upper_bound"]) == ("search", "optimal", "1.0", "5")
    assert puretree("compare", loans, "-t", "risk", "--json", "--csv").code == 2


def test_bounds_are_told_with_the_name_of_the_engine(puretree: Puretree, loans: Path) -> None:
    """With --verbose a line for each bound, on standard error."""
    ended = puretree("compare", loans, "-t", "risk", "--engines", "search", "--verbose")
    assert "search: nodes 5 ≤ min ≤ 5" in ended.err


def test_what_did_not_run_is_told(puretree: Puretree, loans: Path) -> None:
    """The reason stands on standard error, with the name of the engine."""
    ended = puretree("compare", loans, "-t", "risk", "--engines", "search", "--max-depth", 1)
    assert ended.code == 0
    assert "infeasible" in ended.out
    assert "search: there is no pure tree" in ended.err
    ended = puretree("compare", loans, "-t", "risk", "--engines", "search", "--max-depth", 1, "--quiet")
    assert "infeasible" in ended.out
    assert ended.err == ""


@pytest.mark.parametrize("engines", ["nonsense", "search,", "search((", "search)x", "", " ", "all,search"])
def test_engines_that_are_none(puretree: Puretree, loans: Path, engines: str) -> None:
    """A line that says so, and exit code 2."""
    ended = puretree("compare", loans, "-t", "risk", "--engines", engines)
    assert (ended.code, ended.out) == (2, "")
    assert "engine" in ended.err


def test_engines_are_listed_with_what_they_promise(puretree: Puretree) -> None:
    """The paper's Table 1, from the registry."""
    told = {each["name"]: each for each in json.loads(puretree("engines", "--json").out)}
    assert list(told) == list(ENGINES)
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
        assert (told[name]["objective"], told[name]["pure"], told[name]["minimum"]) == line
    lines = puretree("engines").out.splitlines()
    assert lines[0].split() == ["engine", "objective", "pure", "minimum", "source"]
    assert any(line.split()[:5] == ["mindt", "min.", "size", "yes", "yes"] for line in lines)
