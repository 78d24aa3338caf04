"""The data sets of the experiment, and their folds.

Choices such as default parameters are made on some data sets only. The others are reserved: results on them are looked
at once, after all choices, so that they show what a user can expect.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from ...datasets import load
from ...datasets.files import find_folder, load_file, read_manifest
from ...table import Table, read_labels
from ..options import require_known

N_FOLDS = 5
MIN_ROWS, MAX_ROWS = 80, 2000
RESERVED_SHARE = 3  # one of three data sets

PARTS = ("design", "reserved", "all")
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows of a data set with their classes.

    Parameters
    ----------
    table : Table
        The raw columns, without weights.
    codes : ndarray of int32
        The class of each row, a number below ``n_classes``.
    n_classes : int
        The number of classes of the data set; a part of its rows may have fewer.
    """

    table: Table
    codes: Codes
    n_classes: int

    @classmethod
    def load(cls, name: str, folder: str | None) -> Self:
        """Load a data set; rows that were merged are repeated."""
        dataset = load(name, folder=folder)
        labels = read_labels(dataset.target, dataset.n_rows)
        return cls(dataset.table.repeated(), np.repeat(labels.codes, dataset.table.row_weights), len(labels.classes))

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return some of the rows."""
        return type(self)(self.table.take(rows), self.codes[rows], self.n_classes)

    def folds(self, seed: int) -> list[tuple[Self, Self]]:
        """Return the training rows and the test rows of each stratified fold."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class may have fewer rows than there are folds
            split = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(self.codes, self.codes))
        return [(self.take(training), self.take(test)) for training, test in split]


def is_reserved(name: str) -> bool:
    """Return whether a data set is reserved, which depends on its name alone.

    >>> is_reserved("iris"), is_reserved("car")
    (True, False)
    """
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % RESERVED_SHARE == 0


def datasets_of(part: str, folder: str | None) -> tuple[str, ...]:
    """Return the data sets of the folder with 80 to 2000 rows.

    Parameters
    ----------
    part : {"design", "reserved", "all"}
        Those for design decisions, the reserved ones, or all.
    folder : str, optional
        The folder of the data sets; by default the one in PURETREE_DATA.
    """
    require_known("part", (part,), PARTS)
    path = find_folder(folder)
    return tuple(
        name
        for name in read_manifest(path)
        if part == "all" or is_reserved(name) == (part == "reserved")
        if MIN_ROWS <= load_file(name, path).n_rows <= MAX_ROWS
    )
