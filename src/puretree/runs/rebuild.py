"""The binary problem of a run, rebuilt from its data: certificates and reports are about the same rows and features."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..problem import Prepared, prepare
from ..selection import Rows
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
    numbers = rows.numbers if run.training_rows is None else np.array(run.training_rows, dtype=np.intp)
    if numbers.max(initial=0) >= len(rows.numbers):
        raise InputError(
            f"the run was trained on row {numbers.max()}, but the data have {len(rows.numbers)} rows; fit again"
        )
    training = rows.take(numbers)
    options = {name: run.parameters[name] for name in PARAMETERS if run.parameters.get(name) is not None}
    if options.get("on_conflict") == "warn":  # the fit has warned
        options["on_conflict"] = "majority"
    return prepare(training.table, training.labels, row_numbers=numbers, **options)
