"""Read tables from pandas, polars, pyarrow, Dask, NumPy and lists; no other module depends on the container.

No value is reinterpreted: strings stay categories even if they look like numbers, and columns of mixed types and
numbers with more digits than a float are rejected. Error messages name the column and the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array

from .._support.text import quantity
from ..errors import InputError, InputTypeError, shorten
from .column import MISSING_TYPES, Column, Floats, Level, is_missing, plain_level
from .table import Table, TableColumn

# Above it, neighbouring integers become the same float.
LARGEST_EXACT_INTEGER = 2**53


def read_table(X: Any) -> Table:
    """Read a table from any supported container.

    Parameters
    ----------
    X : Table, data frame (pandas, polars, pyarrow or any that narwhals supports), 2-D array or list of rows
        Columns of numbers are read as numbers, columns of booleans or strings as categories, ordered pandas
        categoricals and polars enums as ordered categories. Lazy frames (of polars, Dask and others) are computed. A
        Table is returned as it is.

    Returns
    -------
    Table
    """
    if isinstance(X, Table):
        return X
    source = _open(X)
    columns = tuple(source.column(index).copied() for index in range(len(source.names)))
    return Table(columns, source.n_rows, source.has_names)


def read_fitted_columns(X: Any, columns: Sequence[Column], n_columns: int) -> tuple[list[Floats], int]:
    """Read only some fitted columns: by name from a data frame, by position if one side has no names.

    Parameters
    ----------
    X : Table, data frame, 2-D array or list of rows
        A table with the training columns; a data frame may have them in any order, and additional ones.
    columns : sequence of Column
        The fitted columns to read.
    n_columns : int
        The number of columns of the training table.

    Returns
    -------
    values : list of ndarray
        One per column, in the encoding of the fitted column.
    n_rows : int
    """
    source = _open(X)
    indices = _indices_in_source(columns, source, n_columns)
    values = [source.column(index).encoded_as(column) for index, column in zip(indices, columns, strict=True)]
    return values, source.n_rows


def _indices_in_source(columns: Sequence[Column], source: _Source, n_columns: int) -> list[int]:
    absent = [column.name for column in columns if column.name not in source.names]
    if source.has_names and not absent:
        return [source.names.index(column.name) for column in columns]
    names_are_generated = all(column.name == _generated_name(column.index) for column in columns)
    if source.has_names and not names_are_generated:
        near = {name for column in absent for name in get_close_matches(column, source.names, 1)}
        hint = f" (it has {shorten(map(repr, sorted(near)))})" if near else ""
        raise InputError(
            f"the table lacks columns that the tree uses: {shorten(map(repr, absent))}{hint}; add or rename columns"
        )
    if len(source.names) != n_columns:
        raise InputError(
            f"the table has {quantity(len(source.names), 'column')}, but the training table had {n_columns}; "
            "pass the same columns in the same order"
        )
    return [column.index for column in columns]


def read_columns(columns: Mapping[str, Any]) -> Table:
    """Read columns by name: arrays of numbers, or lists of strings, booleans or numbers with None for missing values.

    Raises
    ------
    InputError
        If there are no columns, or their lengths differ.
    """
    read = [
        _read_numbers(name, cells) if _is_numeric(cells) else _read_cells(name, list(cells))
        for name, cells in columns.items()
    ]
    lengths = {len(column.values) for column in read}
    if len(lengths) != 1:
        raise InputError(f"the columns must have the same length, got {shorten(sorted(lengths)) or 'no columns'}")
    return Table(tuple(column.copied() for column in read), lengths.pop())


@dataclass(frozen=True, slots=True)
class _Source:
    """A table whose columns are read on demand."""

    names: tuple[str, ...]
    n_rows: int
    column: Callable[[int], TableColumn]
    has_names: bool


def _open(X: Any) -> _Source:
    if isinstance(X, Table):
        return _Source(X.names, X.n_rows, X.columns.__getitem__, X.has_names)
    X = as_frame(X)
    if nw.dependencies.is_into_dataframe(X):
        return _open_frame(X)
    if hasattr(X, "table"):
        raise InputError(f"a {type(X).__name__} is not a table; pass its .table")
    is_list_of_dicts = isinstance(X, list | tuple) and any(isinstance(row, Mapping) for row in X)
    is_mapping = isinstance(X, Mapping) and not issparse(X)  # some sparse matrices are mappings
    if X is None or is_list_of_dicts or is_mapping or isinstance(X, str | bytes | set):
        raise InputError(
            f"Expected 2D array or data frame, got {type(X).__name__}; make a data frame of it first, for example "
            "with pandas.DataFrame or pandas.read_csv"
        )
    return _open_array(X)


def as_frame(X: Any) -> Any:
    """Return a container that is read at once: a lazy frame as its rows, a RecordBatch of pyarrow as its Table.

    Anything else is returned as it is. The rows of a lazy frame are computed: call this once.
    """
    pyarrow = nw.dependencies.get_pyarrow()  # None if it is not imported
    if pyarrow is not None and isinstance(X, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([X])
    if isinstance(X, Table | np.ndarray | list | tuple) or nw.dependencies.is_into_dataframe(X):
        return X
    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return a copy of some rows in the container and with the types that they were passed in.

    None if the table as read says the same: for arrays of numbers, and for unknown containers.
    """
    X = as_frame(X)
    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X, eager_only=True)[rows.tolist(), :].to_native()
    if isinstance(X, list | tuple):
        return _rows_of_objects(X)[rows]
    has_objects = isinstance(X, np.ndarray) and (X.dtype.kind not in "biuf" or isinstance(X, np.ma.MaskedArray))
    return X[rows] if has_objects else None


def _open_frame(X: Any) -> _Source:
    # Not by narwhals, which rejects repeated names with its own error. The columns of a pyarrow Table are its data.
    columns = X.column_names if nw.dependencies.is_pyarrow_table(X) else getattr(X, "columns", None)
    names = tuple(map(str, nw.from_native(X).columns if columns is None else columns))
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise InputError(f"duplicated column names: {shorten(map(repr, repeated))}; give every column its own name")
    frame = nw.from_native(X, eager_only=True)
    if 0 in frame.shape:
        n_rows, n_columns = frame.shape
        axis = "sample(s)" if n_rows == 0 else "feature(s)"
        raise InputError(
            f"the table is empty: 0 {axis} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
        )
    # By position: a pandas column may have the name 0, which narwhals would take for a row.
    return _Source(names, len(frame), lambda i: _read_series(names[i], frame[:, i]), has_names=True)


def _open_array(X: Any) -> _Source:
    # A list of rows goes through objects: NumPy would turn ["red", 1.5] into two strings.
    if isinstance(X, list | tuple):
        X = _rows_of_objects(X)
    if isinstance(X, np.ma.MaskedArray):
        cells: NDArray[Any] = X.data.astype(object)
        cells[np.ma.getmaskarray(X)] = None  # masked cells are missing
        X = cells
    X = check_array(X, dtype=None, ensure_all_finite=False)
    if X.dtype.kind in "mM":
        raise InputTypeError(f"the table holds dates or times ({X.dtype}); convert them to numbers or strings first")
    names = tuple(map(_generated_name, range(X.shape[1])))
    read = _read_numbers if X.dtype.kind in "biuf" else _read_objects
    return _Source(names, X.shape[0], lambda i: read(names[i], X[:, i]), has_names=False)


def _generated_name(index: int) -> str:
    """Return scikit-learn's name for a column without a name."""
    return f"x{index}"


def _read_series(name: str, series: nw.Series[Any]) -> TableColumn:
    dtype = series.dtype
    if dtype.is_integer():
        _require_exact(name, series.min(), series.max())
    if isinstance(dtype, nw.Decimal):
        return _read_number_cells(name, series.to_list())
    if dtype.is_numeric():
        values = series.cast(nw.Float64()).to_numpy()
        return TableColumn(name, "number", np.asarray(values, dtype=np.float64))
    if isinstance(dtype, nw.Enum):
        return _read_ordered(name, series.to_list(), list(dtype.categories))
    if series.is_null().all():
        return TableColumn(name, "number", np.full(len(series), np.nan))
    if isinstance(dtype, nw.Boolean | nw.String | nw.Categorical | nw.Object):
        column = _read_cells(name, series.to_list())
        return column.as_category() if isinstance(dtype, nw.Categorical) else column
    raise InputTypeError(
        f"column {name!r} holds {dtype} values ({series.to_list()[0]!r}), which are neither numbers nor categories; "
        "convert it first, for example a date to its year or to the days since a reference date"
    )


def _rows_of_objects(rows: Sequence[Any]) -> NDArray[np.object_]:
    lengths = {len(row) for row in rows if hasattr(row, "__len__") and not isinstance(row, str)}
    if len(lengths) > 1:
        raise InputError(
            f"the rows differ in length: {shorten(sorted(lengths))} values; every row needs one value per column"
        )
    return np.asarray(rows, dtype=object)


def _is_numeric(cells: Any) -> bool:
    return isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf"


def _read_objects(name: str, cells: NDArray[Any]) -> TableColumn:
    return _read_cells(name, cells.tolist())


def _read_numbers(name: str, cells: NDArray[Any]) -> TableColumn:
    cells = np.require(cells, dtype=cells.dtype.newbyteorder("="), requirements="A")  # as native code reads it
    if cells.dtype.kind == "b":
        return TableColumn(name, "category", cells.astype(np.float64), (False, True))
    if cells.dtype.kind in "iu":
        _require_exact(name, cells.min(), cells.max())
    if cells.dtype == np.float32:
        return TableColumn(name, "number", cells)  # not copied: prediction compares single precision directly
    values = cells.astype(np.float64, copy=False)
    if cells.dtype.itemsize > values.dtype.itemsize:
        _require_double_precision(name, cells, (values == cells) | np.isnan(cells))
    return TableColumn(name, "number", values)


def _require_exact(name: str, smallest: Any, largest: Any) -> None:
    bounds = [int(x) for x in (smallest, largest) if not is_missing(x)]
    if any(abs(bound) > LARGEST_EXACT_INTEGER for bound in bounds):
        raise InputError(
            f"column {name!r} holds integers beyond 2**53, which floats cannot represent exactly; "
            "pass it as strings if they are identifiers, or scale it down if they are quantities"
        )


def _read_cells(name: str, cells: list[Any]) -> TableColumn:
    """Read Python objects: all numbers, all booleans, all strings or all intervals, with missing values among them."""
    types = {kind for kind in set(map(type, cells)) if kind.__name__ not in MISSING_TYPES}
    if all(_is_number(kind) for kind in types):
        return _read_number_cells(name, cells)
    try:
        distinct = [cell for cell in set(cells) if not is_missing(cell)]
    except TypeError:  # a list or dict in a cell
        raise InputTypeError(_mixed_message(name, cells)) from None
    types = set(map(type, distinct))
    if all(issubclass(kind, bool | np.bool_) for kind in types):
        return _read_levels(name, cells, (False, True))
    if all(issubclass(kind, str) for kind in types):
        return _read_levels(name, cells, sort_levels({str(level) for level in distinct}))
    if all(kind.__name__ == "Interval" for kind in types):
        return _read_ordered(name, cells, sorted(distinct))
    raise InputTypeError(_mixed_message(name, cells))


def _read_number_cells(name: str, cells: list[Any]) -> TableColumn:
    try:
        values = np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.array([_to_float(cell) for cell in cells])
    if (np.abs(values) >= LARGEST_EXACT_INTEGER).any():
        integers = [cell for cell in cells if isinstance(cell, int | np.integer)]
        _require_exact(name, min(integers, default=0), max(integers, default=0))
    if any(issubclass(kind, Decimal | np.longdouble) for kind in set(map(type, cells))):
        is_exact = [_is_double(cell, value) for cell, value in zip(cells, values.tolist(), strict=True)]
        _require_double_precision(name, cells, np.array(is_exact))
    return TableColumn(name, "number", values)


def _to_float(cell: Any) -> float:
    """Return a number as a float: NaN if it is missing, infinity if it is too large."""
    try:
        return math.nan if is_missing(cell) else float(cell)
    except OverflowError:
        return math.inf


def _is_double(cell: Any, value: float) -> bool:
    """Whether a float stands for a number: it is equal, or prints as the digits of a decimal."""
    if isinstance(cell, Decimal):
        return cell.is_nan() or Decimal(repr(value)) == cell
    return bool(np.isnan(value) or value == cell) if isinstance(cell, np.longdouble) else True


def _require_double_precision(name: str, cells: Any, is_exact: NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(~is_exact)
    if rows.size:
        raise InputError(
            f"column {name!r} holds numbers with more digits than double precision can hold, the first "
            f"{cells[rows[0]]!s} in row {rows[0]}; round them, or subtract a constant"
        )


def _is_number(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal | np.integer | np.floating) and not issubclass(kind, bool)


def _mixed_message(name: str, cells: list[Any]) -> str:
    first_row: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if not is_missing(cell):
            first_row.setdefault(type(cell).__name__, row)
    types = shorten(f"{kind} (row {row})" for kind, row in first_row.items())
    return (
        f"every column of the argument must be all strings, all booleans or all numbers, but {name!r} holds {types}; "
        "convert it to one type"
    )


def _read_levels(name: str, cells: list[Any], levels: tuple[Level, ...]) -> TableColumn:
    return TableColumn(name, "category", _codes(cells, levels), levels)


def _codes(cells: list[Any], levels: Sequence[Any]) -> Floats:
    """Return the index of each cell in the levels, NaN for missing values."""
    # Missing values are looked up like levels: a Python loop over the cells takes four times as long.
    code_of: dict[Any, float] = {cell: np.nan for cell in set(cells) if is_missing(cell)}
    code_of |= {level: float(code) for code, level in enumerate(levels)}
    return np.fromiter(map(code_of.__getitem__, cells), dtype=np.float64, count=len(cells))


def _read_ordered(name: str, cells: list[Any], categories: list[Any]) -> TableColumn:
    """Read levels in the order of the categories; intervals are converted to text."""
    levels = [plain_level(category) for category in categories]
    unsupported = [type(category).__name__ for category in categories if plain_level(category) is None]
    if unsupported:
        raise InputTypeError(
            f"column {name!r} has categories of type {unsupported[0]}; convert them to strings, numbers or booleans"
        )
    # Categories are looked up, not their text: pandas turns (0, 3] into (0.0, 3.0] beside a missing value.
    return TableColumn(name, "ordered", _codes(cells, categories), tuple(levels))  # type: ignore[arg-type]  # no None


def sort_levels(levels: Collection[str]) -> tuple[str, ...]:
    """Sort levels: by number if all of them are numbers, otherwise as text.

    >>> sort_levels({"10", "9", "2"}), sort_levels({"b", "a", "10"})
    (('2', '9', '10'), ('10', 'a', 'b'))
    """
    try:
        number_of = {level: float(level) for level in levels}
    except ValueError:
        return tuple(sorted(levels))
    if not all(map(math.isfinite, number_of.values())):
        return tuple(sorted(levels))
    return tuple(sorted(levels, key=lambda level: (number_of[level], level)))
