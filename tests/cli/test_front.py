"""``puretree front``."""

import csv
import json
import sys
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import front
from puretree.datasets import load


def test_the_front_is_a_table(puretree: Puretree) -> None:
    """Each point is a line; the last one says that all are proved."""
    result = puretree("front", "sklearn:iris")
    assert (result.code, result.err) == (0, "")
    iris = load("sklearn:iris")
    assert result.out == f"{front(iris.table, iris.target)}\n"
    assert "    7       4       3     98.0%" in result.out


def test_json_and_csv_have_the_numbers_of_the_points(puretree: Puretree, tmp_path: Path) -> None:
    """They are equal, on standard output and in a file."""
    options = ["front", "sklearn:iris", "--max-nodes", 7, "--class-weight", "balanced"]
    found = json.loads(puretree(*options, "--json").out)
    assert found["status"] == "optimal"
    assert [point["errors"] for point in found["points"]] == [100, 50, 6, 3]
    lines = list(csv.DictReader(puretree(*options, "--csv").out.splitlines()))
    assert [{name: str(value) for name, value in point.items()} for point in found["points"]] == lines
    result = puretree(*options, "--csv", "--out", tmp_path / "front.csv")
    assert result.out == ""
    assert "written to" in result.err
    assert list(csv.DictReader((tmp_path / "front.csv").read_text().splitlines())) == lines


def test_an_open_front_has_exit_code_10(puretree: Puretree) -> None:
    """The points that are not proved have a lower bound and a status."""
    result = puretree("front", "sklearn:breast-cancer", "--time-limit", 0.5)
    assert result.code == 10
    assert "at least" in result.out
    assert "time_limit" in result.out


def test_constraints_restrict_the_front(puretree: Puretree) -> None:
    """They are those of the function; a column that does not exist is an error."""
    options = ["--max-depth", 2, "--root", "petal width", "--forbidden", "petal length", "--min-samples-leaf", 5]
    found = json.loads(puretree("front", "sklearn:iris", *options, "--json").out)
    assert [point["n_nodes"] for point in found["points"]] == [1, 3, 5]
    assert puretree("front", "sklearn:iris", "--root", "x").code == 2
    assert puretree("front", "sklearn:iris", "--json", "--csv").code == 2
    assert puretree("front", "sklearn:iris", "--class-weight", "x").code == 2


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_the_picture_is_a_file(puretree: Puretree, tmp_path: Path, name: str, start: bytes) -> None:
    """Its ending is the format; the same front gives the same SVG."""
    pytest.importorskip("matplotlib").use("agg")
    contents = []
    for _ in range(2):
        assert puretree("front", "sklearn:iris", "--picture", tmp_path / name, "--quiet").code == 0
        contents.append((tmp_path / name).read_bytes())
    assert contents[0].startswith(start)
    assert contents[0] == contents[1] or name == "a.png"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("option", ["--out", "--picture"])
def test_a_missing_folder_is_an_error_before_the_search(puretree: Puretree, tmp_path: Path, option: str) -> None:
    """Nothing is printed then."""
    result = puretree("front", "sklearn:iris", option, tmp_path / "missing" / "a.svg")
    assert (result.code, result.out) == (2, "")
    assert "there is no folder" in result.err


def test_a_picture_that_cannot_be_drawn_is_an_error_before_the_search(
    puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another ending, or no matplotlib."""
    assert "must end in .svg, .png, .pdf" in puretree("front", "sklearn:iris", "--picture", tmp_path / "a.txt").err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = puretree("front", "sklearn:iris", "--picture", tmp_path / "a.svg")
    assert (result.code, result.out) == (2, "")
    assert 'pip install "puretree[plot]"' in result.err
