"""The paper's data table."""

import json
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest

from puretree.datasets.__main__ import main
from puretree.datasets.dataset import Dataset
from puretree.datasets.formulas import FORMULAS
from puretree.datasets.paper import count, read_paper_table, split_sizes, table2


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("mux6", (7, 7, 2, 128, 81, 21, 26)),
        ("corral", (7, 7, 2, 160, 102, 26, 32)),
        ("balloons1", (5, 5, 2, 20, 12, 4, 4)),
        ("balloons3", (5, 5, 2, 16, 9, 3, 4)),
    ],
)
def test_formulas_count_as_in_the_paper(name: str, counts: tuple[int, ...]) -> None:
    """The twin without files: data sets by formula have the numbers of the paper's table."""
    assert astuple(count(FORMULAS[name]())) == counts


def test_iris_needs_the_older_binning_rule() -> None:
    """With exact edges a row of iris contradicts another and is lost, with tolerant ones all 150 stay."""
    from puretree.datasets.bundled import load_bundled

    iris = load_bundled("iris")
    assert count(iris).rows == 150
    assert count(Dataset("flowers", iris.table, iris.target)).rows == 149


@pytest.mark.parametrize("n_rows", [1, 2, 5, 14, 150, 19931])
def test_the_parts_add_up(n_rows: int) -> None:
    """Training, selection and test rows are all the rows."""
    train, selection, test = split_sizes(n_rows)
    assert train + selection + test == n_rows
    assert test == -(-n_rows // 5)


@pytest.mark.data
def test_all_52_data_sets_match_the_paper(paper_folder: Path) -> None:
    """Every number of the paper's table comes out of the raw tables."""
    sources = sorted((paper_folder.parent / "paper").glob("*.tex"))
    comparisons = list(table2(paper_folder, sources[0] if sources else None))
    assert len(comparisons) == 52
    assert [item.name for item in comparisons if not item.matches] == []
    n_numbers = 7 if sources else 4
    assert {len(item.paper) for item in comparisons} == {n_numbers}


def test_the_latex_table_is_read(tmp_path: Path) -> None:
    """Lines of the table are found, commented out or not, and nothing else is."""
    source = tmp_path / "paper.tex"
    source.write_text(
        "mux6 & 7 & 7 & 2 & 128 & 81 & 21 & 26 \\\\\n"
        "% lung\\_cancer     &  19 & 73 & 2 & 59 & 37 & 10 & 12 \\\\ % TODO\n"
        "other & 1 & 2 \\\\\n"
    )
    assert read_paper_table(source) == {
        "mux6": (7, 7, 2, 128, 81, 21, 26),
        "lung_cancer": (19, 73, 2, 59, 37, 10, 12),
    }


@pytest.fixture
def small_folder(tmp_path: Path) -> Path:
    """Make a folder with one data set of the paper, by formula, and one number wrong on purpose."""
    dataset = FORMULAS["balloons3"]()
    columns = dataset.table.to_dict()
    rows = zip(*columns.values(), dataset.target, strict=True)
    lines = [",".join([*columns, "class"]), *(",".join(row) for row in rows)]
    (tmp_path / "balloons3.csv").write_text("\n".join(lines))
    (tmp_path / "MANIFEST.csv").write_text(
        "name,paper_name,continuous_columns,paper_counts\nballoons3,balloons3,,5/5/2/16\n"
    )
    return tmp_path


def test_table2_prints_and_exits_by_the_outcome(small_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 when all numbers match, 1 when one does not; the line that differs shows the paper's numbers."""
    assert main(["table2", "--data", str(small_folder)]) == 0
    printed = capsys.readouterr().out
    assert "1 of 1 data sets match the paper's table as copied in" in printed
    assert "(4 numbers compared)" in printed
    manifest = small_folder / "MANIFEST.csv"
    manifest.write_text(manifest.read_text().replace("5/5/2/16", "5/5/2/17"))
    assert main(["table2", "--data", str(small_folder)]) == 1
    assert "paper: (5, 5, 2, 17)" in capsys.readouterr().out


def test_a_file_without_the_table_is_no_match(small_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong --paper is an error, not a silent comparison with something else."""
    wrong = small_folder / "README.md"
    wrong.write_text("nothing to see")
    assert main(["table2", "--data", str(small_folder), "--paper", str(wrong)]) == 2
    captured = capsys.readouterr()
    assert "does not hold the paper's data table" in captured.err
    assert captured.out == ""


def test_table2_as_json(small_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints one object per data set, and nothing else."""
    assert main(["table2", "--data", str(small_folder), "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)
    assert item["name"] == "balloons3"
    assert item["ours"]["rows"] == 16
    assert item["matches"] is True


def test_the_command_line_says_what_is_wrong(tmp_path: Path) -> None:
    """As a program: an error on standard error, exit code 2, no traceback."""
    run = subprocess.run(
        [sys.executable, "-m", "puretree.datasets", "table2", "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "has no MANIFEST.csv" in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_list_names_what_is_known(capsys: pytest.CaptureFixture[str], small_folder: Path) -> None:
    """The list has formulas, scikit-learn's data sets and the folder's."""
    assert main(["list", "--data", str(small_folder)]) == 0
    assert {"mux11", "iris", "balloons3"} <= set(capsys.readouterr().out.split())
    assert main(["list", "--data", str(small_folder), "--json"]) == 0
    assert "mux11" in json.loads(capsys.readouterr().out)
