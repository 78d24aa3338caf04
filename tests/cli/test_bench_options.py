"""``puretree bench``: what it refuses, in the words of the command line, and what it says of cells tried again."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree.bench.cell import Row
from puretree.bench.runtime import Runtime

FORMULA = ("--datasets", "formula:mux6")


@pytest.mark.parametrize(
    ("told", "arguments"),
    [
        ("--shares 140: write percents from 1 to 100", ("runtime", *FORMULA, "--shares", "140")),
        ("--shares nan: write percents", ("runtime", *FORMULA, "--shares", "nan")),
        ("--engines all is not for measurements; name those", ("runtime", *FORMULA, "--engines", "all")),
        ("--engines dtmax is for max. accuracy", ("runtime", *FORMULA, "--engines", "dtmax")),
        ("--limit inf must be a finite number of seconds above 0", ("accuracy", *FORMULA, "--limit", "inf")),
    ],
)
def test_what_is_refused(puretree: Puretree, tmp_path: Path, told: str, arguments: tuple[str, ...]) -> None:
    """A wrong option is told by its name and its remedy, and nothing is written."""
    ended = puretree("bench", *arguments, "--out", tmp_path / "out")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert told in ended.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.data
def test_a_data_set_that_is_not_there(puretree: Puretree, paper_folder: Path, tmp_path: Path) -> None:
    """A name that is mistyped is refused at once, not in every cell."""
    for command in ("runtime", "accuracy"):
        ended = puretree("bench", command, "--data", paper_folder, "--datasets", "iriss", "--out", tmp_path)
        assert (ended.code, ended.out) == (2, "")
        assert "--datasets iriss is not in the folder of data sets (did you mean 'iris'?)" in ended.err


@pytest.mark.slow
def test_what_is_tried_again_is_not_counted_twice(puretree: Puretree, tmp_path: Path) -> None:
    """Of one cell, which crashed before, the first is done after the second try."""
    cells = Runtime(datasets=("formula:mux6",), engines=("search",), shares=(0.4,), samples=1, time_limit=5.0).cells({})
    crashed = Row("runtime", cells[0].key, "crashed", "ended by SIGSEGV", 0.5)
    (tmp_path / "results.jsonl").write_text(json.dumps(crashed.to_dict()) + "\n")
    options = ("--engines", "search,search", "--shares", "40,40", "--samples", 1, "--limit", 5, "--jobs", 1)
    ended = puretree("bench", "runtime", *FORMULA, *options, "--retry", "--verbose", "--out", tmp_path)
    assert ended.code == 0
    assert ended.err.startswith("1 of 1: formula:mux6 0.4 0 search 5.0: done (")


@pytest.mark.slow
def test_a_name_that_is_no_text(puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose name is not UTF-8 is written to like others; of the command the odd byte is kept by its number."""
    folder = tmp_path / "odd\udcff"
    monkeypatch.setattr("sys.argv", ["puretree", "bench", "--out", str(folder)])
    options = ("--engines", "search", "--shares", 40, "--samples", 1, "--limit", 5, "--jobs", 1, "--quiet")
    assert puretree("bench", "runtime", *FORMULA, *options, "--out", folder).code == 0
    first, *_ = (folder / "results.jsonl").read_text().splitlines()
    assert json.loads(first)["session"]["command"].endswith("odd\\udcff'")
