"""scikit-learn's column validation (``n_features_in_``, ``feature_names_in_``) for every supported kind of table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ..errors import InputError
from .reading import as_frame, read_table
from .table import Table


def read_columns_of(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Read a table, and set or check the columns of an estimator.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or checked.
    X : data frame, 2-D array, list of rows or Table
    reset : bool
        Whether to set these attributes, in ``fit``, or to check the table against them.
    """
    X = as_frame(X)
    table = read_table(X)
    if not isinstance(X, Table):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    elif reset:
        _set_columns(estimator, table)
    else:
        _check_columns(estimator, table)
    return table


@contextmanager
def unchanged_by_failure(estimator: Any) -> Iterator[None]:
    """Restore the attributes of an estimator if ``fit`` fails: it stays fitted to the earlier data, or unfitted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _set_columns(estimator: Any, table: Table) -> None:
    estimator.n_features_in_ = len(table.columns)
    if table.has_names:
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _check_columns(estimator: Any, table: Table) -> None:
    names = getattr(estimator, "feature_names_in_", None)
    is_same = list(names) == list(table.names) if names is not None else len(table.columns) == estimator.n_features_in_
    if not is_same:
        raise InputError("the columns differ from those of the training table in their names, number or order")
