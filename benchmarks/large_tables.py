"""The tables of the benchmark of large tables, and what is required on each.

A table is made from a seed and a scale: with the scale 0.1 it has a tenth of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from puretree.datasets import load

Labelled = tuple[Any, NDArray[Any]]
GRACE = 1.0  # seconds after the time limit in which a fit must return
N_LEVELS = (4, 4, 4, 4, 4, 4, 4, 3)  # of the categorical columns: 49,152 distinct rows
TARGET = "label"
BATCH = 500_000  # rows of a Parquet file that are in memory at once


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold on a table; None where nothing is required.

    Parameters
    ----------
    seconds : float
        The fit returns within this time.
    gigabytes : float, optional
        The peak memory is below.
    peer_ratio : float, optional
        The number of nodes is below this multiple of that of the smallest scikit-learn tree.
    nodes : int, optional
        The tree has at most as many nodes.
    proved : bool, default=False
        The tree is proved minimum.
    """

    seconds: float
    gigabytes: float | None = None
    peer_ratio: float | None = None
    nodes: int | None = None
    proved: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A table with a time limit.

    Parameters
    ----------
    name : str
    title : str
    limit : float
        Seconds.
    requirement : Requirement
    make : callable
        Returns the table and the labels for a seed, a scale and the folder of data sets. None: the table is written to
        a Parquet file by :func:`write_categories`, and fitted by the command line.
    has_peer : bool, default=True
        scikit-learn's trees are fitted, too.
    one_core : bool, default=False
        All processes run on one processor.
    """

    name: str
    title: str
    limit: float
    requirement: Requirement
    make: Callable[[int, float, Path | None], Labelled] | None
    has_peer: bool = True
    one_core: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the table is a Parquet file."""
        return self.make is None


def floats(n_rows: int) -> Callable[[int, float, Path | None], Labelled]:
    """Return a maker of 20 columns of floats, 8 of which are informative."""

    def make(seed: int, scale: float, folder: Path | None) -> Labelled:
        table, labels = make_classification(round(scale * n_rows), 20, n_informative=8, random_state=seed)
        return table, labels

    return make


def letter(seed: int, scale: float, folder: Path | None) -> Labelled:
    """Return the data set letter: 16 columns of integers, 26 classes."""
    dataset = load("file:letter", folder=folder)
    rows = np.arange(dataset.n_rows)[: round(scale * dataset.n_rows)]
    return np.column_stack([column.values for column in dataset.table])[rows], dataset.target[rows]


def rule(*, noise: float, is_binary: bool) -> Callable[[int, float, Path | None], Labelled]:
    """Return a maker of 30 columns and a tree of 7 nodes over three of them, with a fraction of the labels flipped."""

    def make(seed: int, scale: float, folder: Path | None) -> Labelled:
        rng, n_rows = np.random.default_rng(seed), round(scale * 500_000)
        if is_binary:
            table: NDArray[Any] = rng.integers(0, 2, (n_rows, 30), dtype=np.int8)
            root, no, yes = (table[:, i] == 1 for i in range(3))
        else:
            table = rng.random((n_rows, 30))
            root, no, yes = table[:, 0] <= 0.5, table[:, 1] <= 0.3, table[:, 2] <= 0.7
        return table, np.where(root, yes, no) ^ (rng.random(n_rows) < noise)

    return make


def mixed(seed: int, scale: float, folder: Path | None) -> Labelled:
    """Return floats, integers and strings with missing values, and a rule with 1 % of the labels flipped."""
    import pandas as pd

    rng, n_rows = np.random.default_rng(seed), round(scale * 1_000_000)
    colours = np.array(["red", "green", "blue", "white", "black"], dtype=object)
    columns: dict[str, Any] = {f"float {i}": rng.normal(size=n_rows) for i in range(4)}
    columns |= {f"integer {i}": rng.integers(0, 100, n_rows).astype(float) for i in range(3)}
    columns |= {f"string {i}": rng.choice(colours, n_rows) for i in range(3)}
    is_red, is_high = columns["string 0"] == "red", columns["float 0"] > 0.5
    labels = np.where(is_red, is_high, columns["integer 0"] < 30) ^ (rng.random(n_rows) < 0.01)
    for name, cells in columns.items():
        cells[rng.random(n_rows) < 0.05] = None if name.startswith("string") else np.nan
    return pd.DataFrame(columns), np.where(labels, "yes", "no")


def write_categories(path: Path, n_rows: int, seed: int) -> None:
    """Write a Parquet file of categorical columns in batches, with a rule of 15 nodes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(seed), None
    for start in range(0, n_rows, BATCH):
        codes = [rng.integers(0, n, min(BATCH, n_rows - start)) for n in N_LEVELS]
        columns = {f"c{i}": _strings(column, n) for i, (column, n) in enumerate(zip(codes, N_LEVELS, strict=True))}
        batch = pa.table({**columns, TARGET: _strings(_rule_of_15_nodes(codes).astype(np.intp), 2)})
        writer = writer or pq.ParquetWriter(path, batch.schema)
        writer.write_table(batch)
    assert writer is not None
    writer.close()


def read_batches(path: Path) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield a Parquet file as data frames with their labels, without reading it as a whole."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(BATCH):
            frame = batch.to_pandas()
            yield frame.drop(columns=TARGET), frame[TARGET].to_numpy()


def _strings(codes: NDArray[np.intp], n_levels: int) -> Any:
    import pyarrow as pa

    names = pa.array([f"level {code}" for code in range(n_levels)])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names).cast(pa.string())


def _rule_of_15_nodes(codes: list[NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Return the labels of a complete tree of depth 3 over seven columns; each is needed, so none is smaller."""
    first = [column == 0 for column in codes]
    upper = np.where(first[1], first[3], first[4])
    lower = np.where(first[2], first[5], first[6])
    labels: NDArray[np.bool_] = np.where(first[0], upper, ~lower)
    return labels


def _rules() -> Iterator[Case]:
    for kind, is_binary in (("bits", True), ("floats", False)):
        title = f"500,000 × 30 {kind}, 7-node rule"
        noisy, clean = rule(noise=0.01, is_binary=is_binary), rule(noise=0, is_binary=is_binary)
        needed = Requirement(60 + GRACE, 4, 1.0)
        yield Case(f"noisy-rule-{kind}", f"{title}, 1 % noise", 60, needed, noisy)
        yield Case(f"clean-rule-{kind}", title, 60, Requirement(10, proved=True), clean)


CASES = {
    case.name: case
    for case in (
        Case("floats-20k", "20,000 × 20 floats", 10, Requirement(10 + GRACE, 1, 1.0), floats(20_000)),
        Case("floats-50k", "50,000 × 20 floats", 60, Requirement(60 + GRACE, 2, 0.95), floats(50_000)),
        Case("letter", "letter, one processor", 60, Requirement(60 + GRACE, nodes=3500), letter, one_core=True),
        *_rules(),
        Case("mixed", "1,000,000 × 10 mixed, gaps", 120, Requirement(120 + GRACE, 6), mixed),
        Case(
            *("parquet", "Parquet, 20,000,000 × 8 categories, 15-node rule", 300),
            Requirement(300 + GRACE, 2, nodes=15, proved=True),
            *(None, False),
        ),
    )
}
