"""The tables of the benchmark of the front between size and errors.

Tables of bits are given to every contender as the same 0/1 matrix: the paper's binary features, without those that are
equal, complementary or constant. Of contradictory rows the majority is kept, as in the paper; equal rows stay as many
as they are. Numeric tables are given as they are, with all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puretree import BinaryProblem
from puretree.datasets import load
from puretree.datasets.paper_parts import IN_TABLE_4, binary_table

BIT_TABLES = (
    *("house-votes-84", "spect", "heart-statlog", "hepatitis"),
    *("anneal-cp4im", "kr-vs-kp", "hypothyroid-cp4im", "tic-tac-toe-cp4im"),
)
NUMERIC_TABLES = ("bupa", "haberman", "heart-statlog", "wine", "new-thyroid", "australian")
ROWS = (200, 400, 800, 1600, 3196)  # of kr-vs-kp
COLUMNS = (6, 12, 24, 36, 49)  # of anneal
CLASSES = (2, 3, 5, 8, 13, 26)  # of letter
LETTER_ROWS = 1000
SEED = 0  # of every sample below


@dataclass(frozen=True, slots=True, eq=False)
class FrontTable:
    """A named table of numbers, often only 0 and 1, with the code of each row's class."""

    name: str
    rows: NDArray[np.float64]
    labels: NDArray[np.intc]

    @property
    def n_rows(self) -> int:
        """The number of rows, each as often as it occurs."""
        return len(self.labels)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.rows.shape[1])

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.labels.max()) + 1

    @property
    def shape(self) -> str:
        """The shape as text: ``435 × 16``."""
        return f"{self.n_rows} × {self.n_columns}"

    def take(self, name: str, rows: NDArray[np.intp], n_columns: int | None = None) -> FrontTable:
        """Return some rows, and the first columns."""
        _, labels = np.unique(self.labels[rows], return_inverse=True)
        return FrontTable(name, self.rows[rows, :n_columns], labels.astype(np.intc))

    def with_thresholds(self) -> NDArray[np.intc]:
        """Return a 0/1 column for each cut of a column that splits the rows in a way of its own."""
        cuts = [column > value for column in self.rows.T for value in np.unique(column)[:-1]]
        return np.unique(np.array(cuts, dtype=np.intc), axis=0).T.copy()

    def write(self, path: Path) -> None:
        """Write the table as the prototypes read it: a row a line, the class first."""
        numbers = np.column_stack([self.labels, self.rows])
        path.write_text("".join(f"{' '.join(map(repr_short, row))}\n" for row in numbers.tolist()))


def repr_short(value: float) -> str:
    """Format a number exactly, without the decimal point of integers.

    >>> repr_short(2.0), repr_short(0.1)
    ('2', '0.1')
    """
    return str(int(value)) if value.is_integer() else repr(value)


def from_problem(name: str, problem: BinaryProblem) -> FrontTable:
    """Return the examples of a problem, each as often as it occurs."""
    rows = np.repeat(problem.examples.unpack(), problem.weights, axis=0)
    return FrontTable(name, rows.astype(np.float64), np.repeat(problem.labels, problem.weights).astype(np.intc))


def bit_table(name: str, folder: Path) -> FrontTable:
    """Return a data set with the paper's binary features."""
    return from_problem(name, binary_table(name, folder).problem())


def training_tables(folder: Path, seed: int) -> Iterator[FrontTable]:
    """Yield the paper's 19 training sets: 64 % of the rows, stratified."""
    for name in IN_TABLE_4:
        table = binary_table(name, folder)
        yield from_problem(f"{name}, seed {seed}", table.problem(table.training_part(seed)))


def numeric_table(name: str, folder: Path) -> FrontTable:
    """Return a data set of numbers, with all its rows."""
    dataset = load(name, folder=folder)
    columns = [column.as_numbers().values for column in dataset.table.columns]
    _, labels = np.unique(dataset.target, return_inverse=True)
    return FrontTable(name, np.column_stack(columns), labels.astype(np.intc))


def growing_rows(folder: Path, sizes: Sequence[int] = ROWS) -> Iterator[FrontTable]:
    """Yield kr-vs-kp with nested, growing sets of rows."""
    table = bit_table("kr-vs-kp", folder)
    order = np.random.default_rng(SEED).permutation(table.n_rows)
    for n_rows in sizes:
        yield table.take(f"kr-vs-kp, {n_rows} rows", np.sort(order[:n_rows]))


def growing_columns(folder: Path, sizes: Sequence[int] = COLUMNS) -> Iterator[FrontTable]:
    """Yield anneal with a growing number of columns, in a random order."""
    table = bit_table("anneal-cp4im", folder)
    order = np.random.default_rng(SEED).permutation(table.n_columns)
    shuffled = FrontTable(table.name, table.rows[:, order], table.labels)
    for n_columns in sizes:
        yield shuffled.take(f"anneal, {n_columns} columns", np.arange(table.n_rows), n_columns)


def growing_classes(folder: Path, sizes: Sequence[int] = CLASSES) -> Iterator[FrontTable]:
    """Yield samples of equal size of the first letters of letter, with a bit for each half of a column."""
    dataset = load("letter", folder=folder)
    values = np.column_stack([column.as_numbers().values for column in dataset.table.columns])
    bits = np.column_stack([values > quantile for quantile in np.quantile(values, (0.25, 0.5, 0.75), axis=0)])
    classes, labels = np.unique(dataset.target, return_inverse=True)
    table = FrontTable("letter", bits.astype(np.float64), labels.astype(np.intc))
    order = np.random.default_rng(SEED).permutation(len(labels))
    for n_classes in sizes:
        of_classes = order[labels[order] < min(n_classes, len(classes))]
        yield table.take(f"letter, {n_classes} classes", np.sort(of_classes[:LETTER_ROWS]))
