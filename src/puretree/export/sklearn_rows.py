"""The training rows as scikit-learn takes them, with the names of their columns where there are any.

scikit-learn knows names from data frames only: a model that saw an array takes any frame by place, and one whose
columns stand in another order gets wrong answers. So a table with names becomes a data frame again, of whichever
library is there: who trained on a data frame has one.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.utils.fixes import parse_version

from ..table import Table, TableColumn
from .inputs import is_text

LIBRARIES: tuple[Literal["pandas", "polars"], ...] = ("pandas", "polars")


def rows_by_name(X: Any, table: Table) -> Any:
    """Return the rows as they were given, those of a table with names as a data frame."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    if not isinstance(X, Table):
        return X
    library = next(filter(find_spec, LIBRARIES), None)
    if library is None or not table.has_names:
        return rows_by_place(table)
    columns = {column.name: _cells(column) for column in table.columns}
    return nw.from_dict(columns, backend=library).to_native()


def rows_by_place(table: Table) -> NDArray[Any]:
    """Return the rows as an array, which has no names."""
    columns = list(table.to_dict().values())
    return np.array([[column[row] for column in columns] for row in range(table.n_rows)], dtype=object)


def can_choose_by_name(rows: Any) -> bool:
    """Whether a ColumnTransformer can be told columns of the rows by name."""
    if not hasattr(rows, "columns") or not all(isinstance(name, str) for name in rows.columns):
        return False
    # scikit-learn 1.7 finds the names of pandas only.
    return hasattr(rows.columns, "get_loc") or parse_version(sklearn.__version__) >= parse_version("1.8")


def _cells(column: TableColumn) -> Any:
    """Return what a data frame makes text or floats of, whatever the library."""
    if not is_text(column):
        return column.as_numbers().values
    return [None if np.isnan(place) else column.levels[int(place)] for place in column.values]
