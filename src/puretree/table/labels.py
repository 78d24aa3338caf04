"""The target column: any scikit-learn target, encoded as class codes.

Labels are all strings, all booleans or all integers. NumPy would convert ``["a", nan]`` to two strings and ``["1", 1]``
to one distinct string; here lists and series are checked cell by cell before they become an array.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from .._support.text import quantity
from ..errors import InputError, InputTypeError, shorten
from .column import Level, is_missing, plain_level
from .reading import as_frame


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The class of each row.

    Parameters
    ----------
    classes : tuple of str, bool, int or float
        The distinct labels, sorted.
    codes : ndarray of int32
        The index of each row's label in ``classes``.
    """

    classes: tuple[Level, ...]
    codes: NDArray[np.int32]


def read_labels(y: Any, n_rows: int) -> Labels:
    """Read a target column and encode its labels.

    Parameters
    ----------
    y : array-like or series of length n_rows, or Labels
        Also a lazy frame with one column, or a Dask series. Strings, booleans or integers, without missing values.
    n_rows : int
        The required number of labels.

    Returns
    -------
    Labels
    """
    if y is None:
        raise InputError("requires y to be passed, but the target y is None; pass one label per row")
    labels = y if isinstance(y, Labels) else _encode(_to_1d(y))
    if len(labels.codes) != n_rows:
        raise InputError(
            f"the table has {quantity(n_rows, 'row')} but y has {quantity(len(labels.codes), 'label')}; "
            "pass one per row"
        )
    return labels


def label_array(labels: Sequence[Level]) -> NDArray[Any]:
    """Return labels as an array that holds exactly these values: of dtype object where NumPy would change them."""
    array = np.array(labels)
    values = array.tolist()
    if values == list(labels) and [type(a) for a in values] == [type(b) for b in labels]:
        return array
    return _objects(labels)


def _to_1d(y: Any) -> NDArray[Any]:
    """Return y as a 1-D array, without converting its cells."""
    y = _computed(y)
    if nw.dependencies.is_into_series(y):
        return _objects(nw.from_native(y, series_only=True).to_list())
    if isinstance(y, list | tuple) and not any(isinstance(label, list | tuple | np.ndarray) for label in y):
        return _objects(y)
    array: NDArray[Any] = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; pass one label per row",
            DataConversionWarning,
            stacklevel=4,
        )
        array = array[:, 0]
    if array.ndim != 1:
        got = f"an array of shape {array.shape}" if array.ndim else f"a {type(y).__name__}"
        raise InputError(f"y should be a 1d array, got {got} instead; pass one label per row")
    masked = np.flatnonzero(np.ma.getmaskarray(y)) if isinstance(y, np.ma.MaskedArray) else np.empty(0)
    if masked.size:
        raise InputError(f"y is masked (rows {shorten(masked.tolist())}); drop these rows or label them")
    return array if array.dtype.kind in "biufU" else _objects(array)


def _computed(y: Any) -> Any:
    """Return the rows of a Dask series or array, and the column of a lazy frame with one column."""
    if type(y).__module__.partition(".")[0] == "dask" and hasattr(y, "compute") and getattr(y, "ndim", 2) == 1:
        return y.compute()
    frame = as_frame(y)
    if frame is y or not nw.dependencies.is_into_dataframe(frame):
        return y
    columns = nw.from_native(frame, eager_only=True)
    if columns.shape[1] != 1:
        raise InputError(f"y should have one column, got a lazy frame of {columns.shape[1]}; select one of them")
    return columns[:, 0].to_native()


def _objects(cells: Any) -> NDArray[Any]:
    # Cell by cell: NumPy would convert a list that is assigned at once.
    return np.fromiter(cells, dtype=object, count=len(cells))


def _encode(y: NDArray[Any]) -> Labels:
    missing = np.flatnonzero([is_missing(label) for label in y]) if y.dtype.kind in "fO" else np.empty(0)
    if missing.size:
        raise InputError(f"y contains NaN or None (rows {shorten(missing.tolist())}); drop these rows or label them")
    if y.dtype.kind == "O":
        return _encode_objects([plain_level(label) for label in y])
    if y.dtype.kind == "f":
        _require_integers(y)
    classes, codes = np.unique(y, return_inverse=True)
    return Labels(tuple(classes.tolist()), codes.astype(np.int32))


def _encode_objects(labels: list[Level | None]) -> Labels:
    kinds = {_kind(label): row for row, label in reversed(list(enumerate(labels)))}
    if len(kinds) > 1 or None in kinds:
        types = shorten(f"{kind or 'something else'} (row {row})" for kind, row in kinds.items())
        raise InputTypeError(
            f"y holds {types}: labels must be all strings, all booleans or all integers; convert them to one type"
        )
    if kinds.keys() == {"number"}:
        _require_integers(np.array([label for label in labels if isinstance(label, float)], dtype=np.float64))
    classes = sorted(set(labels))  # type: ignore[type-var]  # one kind, so they can be compared
    code_of = {label: code for code, label in enumerate(classes)}
    codes = np.array([code_of[label] for label in labels], dtype=np.int32)
    return Labels(tuple(classes), codes)  # type: ignore[arg-type]  # None was rejected above


def _kind(label: Level | None) -> str | None:
    if isinstance(label, bool):
        return "boolean"
    if isinstance(label, str):
        return "string"
    return "number" if isinstance(label, int | float) else None


def _require_integers(numbers: NDArray[np.float64]) -> None:
    if not np.isfinite(numbers).all():
        rows = np.flatnonzero(~np.isfinite(numbers)).tolist()
        raise InputError(f"y contains infinity (rows {shorten(rows)}); labels must be finite")
    if (numbers != np.floor(numbers)).any():
        row = int(np.flatnonzero(numbers != np.floor(numbers))[0])
        raise InputError(
            f"Unknown label type: continuous (row {row} is {numbers[row]}); a classifier needs classes: "
            "bin a continuous target first"
        )
