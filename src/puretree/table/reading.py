"""What a person has, in any of the usual containers: the one place that knows pandas, polars, NumPy and lists apart.

Nothing is reinterpreted on the way: strings stay categories even if they look like numbers, a column that mixes kinds
is refused, and integers too large for a float are refused too. What cannot be used is named by column and row.
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

from ..errors import InputError, InputTypeError, shorten
from .column import MISSING_TYPES, Column, Floats, Kind, Level, is_missing, plain_level
from .table import Table, TableColumn

# Beyond this, neighbouring integers become the same float.
LARGEST_EXACT_INTEGER = 2**53


def read_table(X: Any) -> Table:
    """Read a table from whatever holds it.

    Parameters
    ----------
    X : Table, data frame (pandas, polars, or what else narwhals knows), 2-D array or list of rows
        Columns of numbers are numbers, of booleans or strings categories, ordered pandas categoricals and polars
        enums ordered categories.

    Returns
    -------
    Table
    """
    source = _open(X)
    columns = tuple(source.column(place).copied() for place in range(len(source.names)))
    return Table(columns, source.n_rows, source.has_names)


def read_known(X: Any, columns: Sequence[Column], n_columns: int) -> tuple[list[Floats], int]:
    """Read only the columns asked for: by name from a data frame, by place where either has no names.

    Parameters
    ----------
    X : Table, data frame, 2-D array or list of rows
        A table like the training table; a data frame may have its columns in any order, and others besides.
    columns : sequence of Column
        The fitted columns.
    n_columns : int
        How many columns the training table had.

    Returns
    -------
    values : list of ndarray
        One per column, as the fitted column numbers them.
    n_rows : int
    """
    source = _open(X)
    places = _places_of(columns, source, n_columns)
    values = [source.column(place).as_known(column) for place, column in zip(places, columns, strict=True)]
    return values, source.n_rows


def _places_of(columns: Sequence[Column], source: _Source, n_columns: int) -> list[int]:
    lost = [column.name for column in columns if column.name not in source.names]
    if source.has_names and not lost:
        return [source.names.index(column.name) for column in columns]
    names_were_made_up = all(column.name == _made_up_name(column.index) for column in columns)
    if source.has_names and not names_were_made_up:
        near = {name for column in lost for name in get_close_matches(column, source.names, 1)}
        hint = f" (it has {shorten(map(repr, sorted(near)))})" if near else ""
        raise InputError(
            f"the table lacks what the tree asks for: {shorten(map(repr, lost))}{hint}; add or rename columns"
        )
    if len(source.names) != n_columns:
        raise InputError(
            f"the table has {len(source.names)} columns, but the tree was made for {n_columns}; "
            "give it the columns of the training table"
        )
    return [column.index for column in columns]


def read_columns(columns: Mapping[str, Any]) -> Table:
    """Read columns by name: arrays of numbers, or lists of strings, booleans or numbers with None for gaps.

    Raises
    ------
    InputError
        If there are none, or they are not equally long.
    """
    read = [
        _read_numbers(name, cells) if _is_numeric(cells) else _read_cells(name, list(cells))
        for name, cells in columns.items()
    ]
    lengths = {len(column.values) for column in read}
    if len(lengths) != 1:
        raise InputError(f"a table needs columns of one length, got {shorten(sorted(lengths)) or 'no columns'}")
    return Table(tuple(read), lengths.pop())


@dataclass(frozen=True, slots=True)
class _Source:
    """A table whose columns are read when asked for."""

    names: tuple[str, ...]
    n_rows: int
    column: Callable[[int], TableColumn]
    has_names: bool


def _open(X: Any) -> _Source:
    if isinstance(X, Table):
        return _Source(X.names, X.n_rows, X.columns.__getitem__, X.has_names)
    if nw.dependencies.is_into_dataframe(X):
        return _open_frame(X)
    if hasattr(X, "collect"):
        raise InputError("a lazy table has no rows yet; call its collect() first")
    if hasattr(X, "table"):
        raise InputError(f"a {type(X).__name__} is not a table but has one; pass its .table")
    is_list_of_dicts = isinstance(X, list | tuple) and any(isinstance(row, Mapping) for row in X)
    is_mapping = isinstance(X, Mapping) and not issparse(X)  # some sparse matrices are mappings
    if X is None or is_list_of_dicts or is_mapping or isinstance(X, str | bytes | set):
        raise InputError(
            f"Expected 2D array or data frame, got {type(X).__name__}; make a data frame of it first, for example "
            "with pandas.DataFrame or pandas.read_csv"
        )
    return _open_array(X)


def _open_frame(X: Any) -> _Source:
    names = tuple(map(str, X.columns if hasattr(X, "columns") else nw.from_native(X).columns))
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise InputError(f"duplicated column names: {shorten(map(repr, repeated))}; give every column its own name")
    frame = nw.from_native(X, eager_only=True)
    if 0 in frame.shape:
        n_rows, n_columns = frame.shape
        nothing = "sample(s)" if n_rows == 0 else "feature(s)"
        raise InputError(
            f"the table is empty: 0 {nothing} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
        )
    # By place: a column of pandas may be called 0, which narwhals would take for a row.
    return _Source(names, len(frame), lambda i: _read_series(names[i], frame[:, i]), has_names=True)


def _open_array(X: Any) -> _Source:
    # A list of rows goes through objects: NumPy would turn ["red", 1.5] into two strings.
    if isinstance(X, list | tuple):
        X = _rows_of_objects(X)
    if isinstance(X, np.ma.MaskedArray):
        cells: NDArray[Any] = X.data.astype(object)
        cells[np.ma.getmaskarray(X)] = None  # what is masked is missing
        X = cells
    X = check_array(X, dtype=None, ensure_all_finite=False)
    if X.dtype.kind in "mM":
        raise InputTypeError(f"the table holds dates or times ({X.dtype}); convert them to numbers or strings first")
    names = tuple(map(_made_up_name, range(X.shape[1])))
    read = _read_numbers if X.dtype.kind in "biuf" else _read_objects
    return _Source(names, X.shape[0], lambda i: read(names[i], X[:, i]), has_names=False)


def _made_up_name(place: int) -> str:
    """Name a column that has no name, as scikit-learn does."""
    return f"x{place}"


def _read_series(name: str, series: nw.Series[Any]) -> TableColumn:
    dtype = series.dtype
    if dtype.is_integer():
        _require_exact(name, series.min(), series.max())
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
        "convert it first, a date for example to its year or to days since another"
    )


def _rows_of_objects(rows: Sequence[Any]) -> NDArray[np.object_]:
    lengths = {len(row) for row in rows if hasattr(row, "__len__") and not isinstance(row, str)}
    if len(lengths) > 1:
        raise InputError(
            f"the rows are not equally long: {shorten(sorted(lengths))} values; every row needs one value per column"
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
        return TableColumn(name, "number", cells)  # predicting from it needs no copy
    values = cells.astype(np.float64, copy=False)
    if cells.dtype.itemsize > values.dtype.itemsize and ((values != cells) & ~np.isnan(values)).any():
        raise InputError(f"column {name!r} holds numbers that double precision cannot hold; round them first")
    return TableColumn(name, "number", values)


def _require_exact(name: str, smallest: Any, largest: Any) -> None:
    bounds = [int(x) for x in (smallest, largest) if not is_missing(x)]
    if any(abs(bound) > LARGEST_EXACT_INTEGER for bound in bounds):
        raise InputError(
            f"column {name!r} holds integers beyond 2**53, which floats cannot tell apart; "
            "pass it as strings if they are names, or scale it down if they are amounts"
        )


def _read_cells(name: str, cells: list[Any]) -> TableColumn:
    """Read Python objects: all numbers, all booleans, all strings or all intervals, and gaps among them."""
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
    except (TypeError, OverflowError):
        gaps_filled = [0 if is_missing(cell) else cell for cell in cells]
        _require_exact(name, min(gaps_filled), max(gaps_filled))
        values = np.array([np.nan if is_missing(cell) else cell for cell in cells], dtype=np.float64)
    if (np.abs(values) >= LARGEST_EXACT_INTEGER).any():
        whole = [cell for cell in cells if isinstance(cell, int | np.integer)]
        _require_exact(name, min(whole, default=0), max(whole, default=0))
    return TableColumn(name, "number", values)


def _is_number(kind: type) -> bool:
    return issubclass(kind, int | float | Decimal | np.integer | np.floating) and not issubclass(kind, bool)


def _mixed_message(name: str, cells: list[Any]) -> str:
    first_row: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if not is_missing(cell):
            first_row.setdefault(type(cell).__name__, row)
    seen = shorten(f"{kind} (row {row})" for kind, row in first_row.items())
    return (
        f"every column of the argument must be all strings, all booleans or all numbers, but {name!r} holds {seen}; "
        "convert it to one of them"
    )


def _read_levels(name: str, cells: list[Any], levels: tuple[Level, ...], kind: Kind = "category") -> TableColumn:
    # Every distinct gap is looked up like a level: a loop over the cells in Python takes four times as long.
    place_of: dict[Any, float] = dict.fromkeys(set(cells), np.nan)
    place_of |= {level: float(place) for place, level in enumerate(levels)}
    values = np.fromiter(map(place_of.__getitem__, cells), dtype=np.float64, count=len(cells))
    return TableColumn(name, kind, values, levels)


def _read_ordered(name: str, cells: list[Any], categories: list[Any]) -> TableColumn:
    """Read levels in the order of the categories; intervals become text."""
    levels = [plain_level(category) for category in categories]
    strange = [type(category).__name__ for category in categories if plain_level(category) is None]
    if strange:
        raise InputTypeError(
            f"column {name!r} has categories of type {strange[0]}; convert them to strings, numbers or booleans first"
        )
    plain_cells = [None if is_missing(cell) else plain_level(cell) for cell in cells]
    return _read_levels(name, plain_cells, tuple(levels), "ordered")  # type: ignore[arg-type]  # no None in them


def sort_levels(levels: Collection[str]) -> tuple[str, ...]:
    """Order names of categories: as numbers where all of them are, else as text.

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
