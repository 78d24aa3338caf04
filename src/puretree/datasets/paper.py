"""The paper's table of data sets, recomputed from the raw tables.

The preprocessing was inferred by reproducing the numbers: 8 uniform bins for continuous columns, missing values as a
separate value, constant columns dropped, rows that contradict the majority of their group left out, a fifth (rounded
up) of the rows for testing, and a fifth of the rest for selection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from math import ceil
from pathlib import Path
from typing import Literal

import numpy as np

from ..binarize import BitsBinarizer, OneHotBinarizer
from ..binarize.cuts import Edges
from ..binarize.value_codes import ValueBinarizer
from ..errors import FormatError
from ..problem import BinaryProblem
from .dataset import Dataset
from .files import ManifestEntry, load_file, read_manifest

# The version of scikit-learn that binned the data for the paper makes a difference in one data set only: iris.
EDGES: dict[str, Edges] = {"iris": "tolerant"}

BinaryEncoding = Literal["bits", "onehot"]
"""The two encodings that the paper measured, of the same bins and levels. It reports the results of the bits."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of the paper's Table 2; as there, the class is counted as a column."""

    binary: int
    onehot: int
    labels: int
    rows: int
    train: int
    selection: int
    test: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our line and the paper's, as far as the latter is known."""

    name: str
    ours: TableRow
    paper: tuple[int, ...]

    @property
    def matches(self) -> bool:
        """Whether all known numbers of the paper are equal to ours."""
        return astuple(self.ours)[: len(self.paper)] == self.paper


def load_paper(name: str, folder: Path) -> Dataset:
    """Load a data set as the paper used it: its version of car has two labels."""
    dataset = load_file(name, folder)
    if name != "car":
        return dataset
    target = np.where(dataset.target == "unacc", "unacc", "acc")
    return Dataset(name, dataset.table, target, dataset.target_name, dataset.source)


def paper_binarizer(name: str, binarize: BinaryEncoding = "bits") -> ValueBinarizer:
    """Return the binary encoding that the paper used for a data set, or its one-hot encoding."""
    binarizer = BitsBinarizer if binarize == "bits" else OneHotBinarizer
    return binarizer(edges=EDGES.get(name, "exact"))


def split_sizes(n_rows: int) -> tuple[int, int, int]:
    """Return the numbers of rows for training, selection and testing.

    >>> split_sizes(150)
    (96, 24, 30)
    """
    test = ceil(n_rows / 5)
    selection = ceil((n_rows - test) / 5)
    return n_rows - test - selection, selection, test


def count(dataset: Dataset) -> TableRow:
    """Count a data set as the paper's table does."""
    bits = paper_binarizer(dataset.name).fit(dataset.table)
    onehot = paper_binarizer(dataset.name, "onehot").fit(dataset.table)
    problem = BinaryProblem.from_bits(bits.transform_bits(dataset.table), dataset.target, on_conflict="majority")
    n_rows = len(problem.kept_rows)
    return TableRow(
        len(bits.features_) + 1,
        len(onehot.features_) + 1,
        len(problem.classes),
        n_rows,
        *split_sizes(n_rows),
    )


def table2(folder: Path, paper_source: Path | None = None) -> Iterator[Comparison]:
    """Yield the comparison of every data set of the folder that is in the paper.

    Parameters
    ----------
    folder : Path
        The folder of data sets.
    paper_source : Path, optional
        The paper's LaTeX source. If given, all seven numbers are compared, else the four in the manifest.
    """
    published = read_paper_table(paper_source) if paper_source else {}
    for entry in sorted(read_manifest(folder).values(), key=lambda entry: entry.name):
        if entry.paper_name:
            ours = count(load_paper(entry.name, folder))
            yield Comparison(entry.name, ours, _paper_counts(entry, published))


def _paper_counts(entry: ManifestEntry, published: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    return published.get(entry.paper_name, entry.paper_counts)


def read_paper_table(source: Path) -> dict[str, tuple[int, ...]]:
    """Read the table of data sets from the paper's LaTeX source, including lines that are commented out."""
    line = re.compile(r"^%?\s*(?P<name>[\w\\-]+)\s*(?P<counts>(?:&\s*\d+\s*){7})\\\\", re.MULTILINE)
    table = {
        match["name"].replace("\\", ""): tuple(map(int, re.findall(r"\d+", match["counts"])))
        for match in line.finditer(source.read_text(encoding="utf-8"))
    }
    if not table:
        raise FormatError(
            f"{source} does not contain the paper's table of data sets: there is no line with a name and seven numbers"
        )
    return table
