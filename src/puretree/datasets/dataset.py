"""A table with labels and a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from .._support.text import quantity
from ..table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A table with labels and a name.

    Parameters
    ----------
    name : str
        Name of the data set.
    table : Table
        The raw columns.
    target : ndarray
        The label of each row.
    target_name : str
        Name of the label column.
    source : str
        Where the data come from.
    missing_values : tuple of str
        The texts that were read as missing values, besides empty cells, if the data come from a CSV file.
    positions : ndarray of int64, optional
        If the data come from a file, where each row occurs first: its line in a CSV file, else its number from 0.
    """

    name: str
    table: Table
    target: NDArray[Any]
    target_name: str = "class"
    source: str = ""
    missing_values: tuple[str, ...] = ()
    positions: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        n_classes = len(set(self.target.tolist()))
        total = "" if self.table.weights is None else f"{self.table.total_weight:,} rows, distinct: "
        rows, columns = total + quantity(self.n_rows, "row"), quantity(len(self.table.columns), "column")
        return f"<Dataset {self.name}: {rows} × {columns}, {quantity(n_classes, 'class', 'classes')}>"

    @property
    def n_rows(self) -> int:
        """The number of rows of the table; equal rows of a file may be merged: see ``table.total_weight``."""
        return self.table.n_rows

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return a data set with these rows only."""
        positions = None if self.positions is None else self.positions[rows]
        return replace(self, table=self.table.take(rows), target=self.target[rows], positions=positions)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return columns and target as a data frame; merged rows are repeated as often as they occur in the file.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame; it must be installed.
        """
        columns = {name: values.tolist() for name, values in self.table.repeated().to_dict().items()}
        columns[self.target_name] = np.repeat(self.target, self.table.row_weights).tolist()
        return nw.from_dict(columns, backend=backend).to_native()
