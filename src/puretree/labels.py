"""The column to predict: any scikit-learn target, as numbered classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .errors import InputError, InputTypeError, shorten
from .predicate import is_missing


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The class of each row.

    Parameters
    ----------
    classes : ndarray
        The different labels, sorted.
    codes : ndarray of int32
        The place of each row's label in ``classes``.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]


def read_labels(y: Any, n_rows: int) -> Labels:
    """Read a target column and number its classes.

    Parameters
    ----------
    y : array-like or series of length n_rows
        Labels: strings, integers, booleans; none may be missing.
    n_rows : int
        How many labels there must be.

    Returns
    -------
    Labels
    """
    if y is None:
        raise InputError("requires y to be passed, but the target y is None; give one label per row")
    y = column_or_1d(y, warn=True)
    if len(y) != n_rows:
        raise InputError(f"the table has {n_rows} rows but y has {len(y)} labels; give one per row")
    missing = _missing_rows(y)
    if missing:
        raise InputError(f"y contains NaN or None (rows {shorten(missing)}); drop these rows or label them")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        rows = np.flatnonzero(~np.isfinite(y)).tolist()
        raise InputError(f"y contains infinity (rows {shorten(rows)}); labels must be finite")
    check_classification_targets(y)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in y})
        raise InputTypeError(f"y mixes labels of kinds {shorten(kinds)}; convert them to one kind") from error
    return Labels(classes, codes.astype(np.int32))


def _missing_rows(y: NDArray[Any]) -> list[int]:
    if y.dtype.kind == "f":
        rows: list[int] = np.flatnonzero(np.isnan(y)).tolist()
        return rows
    if y.dtype.kind == "O":
        return [row for row, label in enumerate(y) if is_missing(label)]
    return []
