"""The part of a data set that every method of the accuracy experiment trains on, and the rows that are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...datasets.paper_parts import BinaryTable, Rows
from ...pipeline import prepare
from ...prepared import Prepared


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPart:
    """Rows to train on.

    Parameters
    ----------
    table : BinaryTable
        All rows.
    training, rest : ndarray of int
        The rows that train, and those that do not, ascending.
    prepared : Prepared
        Those that train, in the paper's bits.
    """

    table: BinaryTable
    training: Rows
    rest: Rows
    prepared: Prepared

    @classmethod
    def draw(cls, table: BinaryTable, seed: int) -> TrainingPart:
        """Draw 64 % of the rows, of each class alike; a seed always gives the same."""
        return cls.of(table, table.training_part(seed))

    @classmethod
    def of(cls, table: BinaryTable, training: Rows) -> TrainingPart:
        """Train on rows that were drawn already."""
        prepared = prepare(table.table(training), table.labels[training], binarize="bits")
        return cls(table, training, np.setdiff1d(table.kept, training), prepared)
