"""Built-in data sets."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from puretree.datasets.builtin import FORMULAS
from puretree.datasets.files import load_file

ROWS = {
    "mux6": 128, "mux11": 2048, "monks-1": 432, "monks-2": 432, "monks-3": 432, "corral": 160,
    "balloons1": 20, "balloons2": 20, "balloons3": 16, "balloons4": 20,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_formulas_have_the_published_rows(name: str) -> None:
    """Each formula has the published number of rows, and no contradictory rows."""
    dataset = FORMULAS[name]()
    assert dataset.name == name
    assert dataset.n_rows == len(dataset.target) == ROWS[name]
    columns = dataset.table.to_dict().values()
    rows = list(zip(*columns, strict=True))
    assert len(set(rows)) == len(set(zip(rows, dataset.target, strict=True)))
    assert {column.kind for column in dataset.table} == {"category"}


@pytest.mark.parametrize(("name", "n_positive"), [("monks-1", 216), ("monks-2", 142), ("monks-3", 228)])
def test_monks_have_the_published_class_sizes(name: str, n_positive: int) -> None:
    """The class sizes of the 432-row test files (Thrun et al. 1991)."""
    assert Counter(FORMULAS[name]().target)["1"] == n_positive


def test_the_multiplexer_selects_the_addressed_bit() -> None:
    """The class of every row is the data bit at its address."""
    dataset = FORMULAS["mux11"]()
    columns = np.array(list(dataset.table.to_dict().values()))
    address = (columns[:3].astype(int) * [[4], [2], [1]]).sum(axis=0)
    np.testing.assert_array_equal(columns[3 + address, np.arange(2048)], dataset.target)


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(set(FORMULAS) - {"mux11"}))
def test_formulas_agree_with_the_files(name: str, paper_folder: Path) -> None:
    """Formula and file agree on the class of every row of the file, except for the published noise of monks-3."""
    formula, file = FORMULAS[name](), load_file(name, paper_folder)
    rows = zip(*formula.table.to_dict().values(), strict=True)
    label_of = dict(zip(rows, formula.target, strict=True))
    file_rows = zip(*file.table.to_dict().values(), strict=True)
    n_different = sum(label_of[row] != label for row, label in zip(file_rows, file.target, strict=True))
    assert n_different == (6 if name == "monks-3" else 0)
