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
    """

    name: str
    table: Table
    target: NDArray[Any]
    target_name: str = "class"
    source: str = ""
    missing_values: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n_classes = len(set(self.target.tolist()))
        rows, columns = quantity(self.n_rows, "row"), quantity(len(self.table.columns), "column")
        return f"<Dataset {self.name}: {rows} × {columns}, {quantity(n_classes, 'class', 'classes')}>"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return a data set with these rows only."""
        return replace(self, table=self.table.take(rows), target=self.target[rows])

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return columns and target as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame; it must be installed.
        """
        columns = {name: values.tolist() for name, values in self.table.to_dict().items()}
        columns[self.target_name] = self.target.tolist()
        return nw.from_dict(columns, backend=backend).to_native()
