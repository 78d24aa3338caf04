"""The binary problem of a run, rebuilt from its data: certificates and reports are about the same rows and features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._support.clock import Clock
from ..errors import InputError
from ..problem import Prepared, PreparedCosts, prepare
from ..selection import Rows
from ..tuning import FrontParameters
from .run import Run

PARAMETERS = ("binarize", "on_conflict", "root", "forbidden", "feature_costs")


def rebuild_problem(run: Run, rows: Rows) -> Prepared:
    """Prepare the training rows as the run did.

    Parameters
    ----------
    run : Run
    rows : Rows
        All rows of its data.
    """
    training, _ = training_rows(run, rows)
    options = {name: run.parameters[name] for name in PARAMETERS if run.parameters.get(name) is not None}
    if options.get("on_conflict") == "warn":  # the fit has warned
        options["on_conflict"] = "majority"
    return prepare(training.table, training.labels, row_numbers=training.numbers, **options)


def rebuild_costs(run: Run, rows: Rows) -> PreparedCosts:
    """Prepare the training rows as a run did that allows errors."""
    names = ("binarize", "root", "forbidden", "class_weight")
    options: dict[str, Any] = {name: run.parameters[name] for name in names if run.parameters.get(name) is not None}
    return FrontParameters(**options).prepare(training_rows(run, rows)[0], Clock())


def training_rows(run: Run, rows: Rows) -> tuple[Rows, Rows]:
    """Return the training rows of a run, and those that it held out.

    Parameters
    ----------
    run : Run
    rows : Rows
        All rows of its data.
    """
    numbers = rows.numbers if run.training_rows is None else np.array(run.training_rows, dtype=np.intp)
    if numbers.max(initial=0) >= len(rows.numbers):
        raise InputError(
            f"the run was trained on row {numbers.max()}, but the data have {len(rows.numbers)} rows; fit again"
        )
    if run.training_weights is None:
        return rows.take(numbers), rows.take(np.setdiff1d(rows.numbers, numbers))
    all_weights, weights = rows.table.row_weights, np.zeros(len(rows.numbers), dtype=np.int64)
    weights[numbers] = run.training_weights
    if (weights > all_weights).any():
        raise InputError("the run was trained on more rows than the data have; fit again")
    return rows.with_weights(weights), rows.with_weights(all_weights - weights)
