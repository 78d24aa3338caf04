"""``puretree datasets``."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree.datasets.builtin import FORMULAS


@pytest.fixture
def small_folder(tmp_path: Path) -> Path:
    """Write a folder with one of the paper's data sets, made from a formula."""
    dataset = FORMULAS["balloons3"]()
    columns = dataset.table.to_dict()
    rows = zip(*columns.values(), dataset.target, strict=True)
    lines = [",".join([*columns, "class"]), *(",".join(row) for row in rows)]
    (tmp_path / "balloons3.csv").write_text("\n".join(lines))
    (tmp_path / "MANIFEST.csv").write_text(
        "name,paper_name,continuous_columns,paper_counts\nballoons3,balloons3,,5/5/2/16\n"
    )
    return tmp_path


def test_the_exit_code_of_table2_depends_on_the_comparison(puretree: Puretree, small_folder: Path) -> None:
    """It is 0 if all numbers match and else 1; a line that differs shows the paper's numbers."""
    result = puretree("datasets", "table2", "--data", small_folder)
    assert result.code == 0
    assert "1 of 1 data sets match the paper's table as copied in" in result.out
    assert "(4 numbers compared)" in result.out
    manifest = small_folder / "MANIFEST.csv"
    manifest.write_text(manifest.read_text().replace("5/5/2/16", "5/5/2/17"))
    result = puretree("datasets", "table2", "--data", small_folder)
    assert result.code == 1
    assert "paper: (5, 5, 2, 17)" in result.out


def test_a_file_without_the_table_is_rejected(puretree: Puretree, small_folder: Path) -> None:
    """A wrong --paper is an error, not a silent comparison with other numbers."""
    wrong = small_folder / "README.md"
    wrong.write_text("no table")
    result = puretree("datasets", "table2", "--data", small_folder, "--paper", wrong)
    assert (result.code, result.out) == (2, "")
    assert "does not contain the paper's table of data sets" in result.err


def test_table2_as_json(puretree: Puretree, small_folder: Path) -> None:
    """--json prints one object per data set, and nothing else."""
    (item,) = json.loads(puretree("datasets", "table2", "--data", small_folder, "--json").out)
    assert item["name"] == "balloons3"
    assert item["ours"]["rows"] == 16
    assert item["matches"] is True


def test_list_prints_all_names(puretree: Puretree, small_folder: Path) -> None:
    """The list contains formulas, scikit-learn's data sets and those of the folder; list is the default."""
    assert {"mux11", "iris", "balloons3"} <= set(puretree("datasets", "list", "--data", small_folder).out.split())
    assert "mux11" in json.loads(puretree("datasets", "list", "--data", small_folder, "--json").out)
    assert puretree("datasets").out == puretree("datasets", "list").out
    assert "iris" in json.loads(puretree("datasets", "--json").out)
