"""The parts of the paper's data sets that its experiments use: samples of rows, and training, selection and test parts.

As in the paper's row counts, a data set is binarised as a whole, and rows that contradict the majority of their group
are left out before any part is drawn. Which rows the paper drew is not published; here a seed determines them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ..binarize.bitmatrix import BitMatrix
from ..errors import DataNotFoundError, near
from ..problem import BinaryProblem
from . import load
from .files import find_folder, read_manifest
from .paper import BinaryEncoding, load_paper, paper_binarizer, split_sizes

Rows = NDArray[np.intp]

IN_TABLE_4 = (
    *("appendicitis", "audiology-cp4im", "backache", "corral", "haberman", "hayes-roth", "hepatitis"),
    *("house-votes-84", "iris", "irish", "lymphography", "monks-1", "monks-3", "mushroom-cp4im", "mux6"),
    *("new-thyroid", "spect", "wine", "zoo"),
)
"""The data sets of the paper's accuracy table, in its order."""


@dataclass(frozen=True, slots=True, eq=False)
class BinaryTable:
    """A data set in one of the paper's binary encodings.

    Parameters
    ----------
    name : str
    bits : BitMatrix
        A row for each feature.
    labels : ndarray
        The label of each row of the table.
    kept : ndarray of int
        The rows that do not contradict the majority of their group, in ascending order; parts are drawn from these.
    """

    name: str
    bits: BitMatrix
    labels: NDArray[Any]
    kept: Rows

    def problem(self, rows: Rows | None = None) -> BinaryProblem:
        """Return the problem of some rows; by default all kept rows."""
        rows = self.kept if rows is None else rows
        bits = self.bits.transpose().take(rows).transpose()
        return BinaryProblem.from_bits(bits, self.labels[rows], on_conflict="raise")

    def table(self, rows: Rows) -> NDArray[np.bool_]:
        """Return some rows as Boolean values, with a column for each feature."""
        unpacked: NDArray[np.bool_] = self.bits.transpose().take(rows).unpack().astype(np.bool_)
        return unpacked

    def sample(self, fraction: float, seed: int) -> Rows:
        """Draw a fraction of the rows, not stratified: the paper's samples for its Table 3."""
        n_rows = round(fraction * len(self.kept))
        return np.sort(np.random.default_rng(seed).permutation(self.kept)[:n_rows])

    def training_part(self, seed: int) -> Rows:
        """Draw a stratified training part of 64 % of the rows."""
        n_train, *_ = split_sizes(len(self.kept))
        labels = self.labels[self.kept]
        train, _ = train_test_split(np.arange(len(labels)), train_size=n_train, stratify=labels, random_state=seed)
        rows: Rows = self.kept[np.sort(train)]
        return rows

    def resplits(self, training: Rows, n_splits: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
        """Yield selection and test parts of the remaining rows, stratified if possible."""
        rest = np.setdiff1d(self.kept, training)
        _, _, n_test = split_sizes(len(self.kept))
        classes, n_of_class = np.unique(self.labels[rest], return_counts=True)
        can_stratify = n_of_class.min() >= 2 and min(n_test, len(rest) - n_test) >= len(classes)
        stratify = self.labels[rest] if can_stratify else None
        for split in range(n_splits):
            selection, test = train_test_split(
                rest, test_size=n_test, stratify=stratify, random_state=np.random.RandomState([seed, split])
            )
            yield np.sort(selection), np.sort(test)


def require_datasets(names: Iterable[str], folder: Path | None = None) -> None:
    """Raise DataNotFoundError for unknown names, before any data set is processed."""
    for name in names:
        if ":" in name:
            load(name, folder=folder)
        elif name not in (known := read_manifest(find_folder(folder))):
            raise DataNotFoundError(f"the data set {name!r} is not in the folder of data sets{near(name, known)}")


@lru_cache(maxsize=8)
def binary_table(name: str, folder: Path | None = None, binarize: BinaryEncoding = "bits") -> BinaryTable:
    """Binarise a data set as the paper does.

    Parameters
    ----------
    name : str
        A data set of the folder, or a name with a source as for :func:`puretree.datasets.load`: ``formula:monks-1``.
    folder : Path, optional
        The folder of data sets; by default the environment variable PURETREE_DATA.
    binarize : {"bits", "onehot"}, default="bits"
        The encoding of bins and levels. Both distinguish the same rows, so the kept rows and all parts are the same.
    """
    dataset = load(name, folder=folder) if ":" in name else load_paper(name, find_folder(folder))
    binarizer = paper_binarizer(name, binarize)
    bits = binarizer.fit(dataset.table).transform_bits(dataset.table)
    kept = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority").kept_rows
    return BinaryTable(name, bits, dataset.target, kept)
