"""What scikit-learn remembers of the columns an estimator was trained on, for every kind of table that comes in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ..errors import InputError
from .reading import read_table
from .table import Table


def read_columns_of(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Read a table for an estimator.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Gets ``n_features_in_`` and ``feature_names_in_``, or has them already.
    X : data frame, 2-D array, list of rows or Table
    reset : bool
        Whether to learn the columns, in training, or to hold the table against those learnt.
    """
    table = read_table(X)
    if not isinstance(X, Table):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    elif reset:
        _learn(estimator, table)
    else:
        _check(estimator, table)
    return table


@contextmanager
def unchanged_by_failure(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was if training fails: fitted to the older data, columns included, or not at all."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _learn(estimator: Any, table: Table) -> None:
    estimator.n_features_in_ = len(table.columns)
    if table.has_names:
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _check(estimator: Any, table: Table) -> None:
    names = getattr(estimator, "feature_names_in_", None)
    is_known = list(names) == list(table.names) if names is not None else len(table.columns) == estimator.n_features_in_
    if not is_known:
        raise InputError("the columns are not those of the training table, or in another order")
