"""The paper's table of data sets."""

from dataclasses import astuple
from pathlib import Path

import pytest

from puretree.datasets.builtin import FORMULAS
from puretree.datasets.dataset import Dataset
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
    """Data sets by formula, which need no files, have the numbers of the paper's table."""
    assert astuple(count(FORMULAS[name]())) == counts


def test_iris_needs_the_older_binning_rule() -> None:
    """With exact edges a row of iris contradicts others and is left out; with tolerant edges all 150 rows are kept."""
    from puretree.datasets.builtin import load_bundled

    iris = load_bundled("iris")
    assert count(iris).rows == 150
    assert count(Dataset("flowers", iris.table, iris.target)).rows == 149


@pytest.mark.parametrize("n_rows", [1, 2, 5, 14, 150, 19931])
def test_the_parts_add_up(n_rows: int) -> None:
    """Training, selection and test rows add up to all rows."""
    train, selection, test = split_sizes(n_rows)
    assert train + selection + test == n_rows
    assert test == -(-n_rows // 5)


@pytest.mark.data
def test_all_52_data_sets_match_the_paper(paper_folder: Path) -> None:
    """Every number of the paper's table is reproduced from the raw tables."""
    sources = sorted((paper_folder.parent / "paper").glob("*.tex"))
    comparisons = list(table2(paper_folder, sources[0] if sources else None))
    assert len(comparisons) == 52
    assert [item.name for item in comparisons if not item.matches] == []
    n_numbers = 7 if sources else 4
    assert {len(item.paper) for item in comparisons} == {n_numbers}


def test_the_latex_table_is_read(tmp_path: Path) -> None:
    """Lines of the table are found, commented out or not, and no other lines."""
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
