"""The problem of a run, made again from its data: certificates and reports are about the same rows and questions."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..problem import Prepared, prepare
from ..selection import Rows
from .run import Run

HOW_ASKED = ("binarize", "on_conflict", "root", "forbidden", "costs")


def rebuild_problem(run: Run, rows: Rows) -> Prepared:
    """Ask the rows that trained as the run did.

    Parameters
    ----------
    run : Run
    rows : Rows
        All rows of its data.
    """
    numbers = rows.numbers if run.training_rows is None else np.array(run.training_rows, dtype=np.intp)
    if numbers.max(initial=0) >= len(rows.numbers):
        raise InputError(
            f"the run trained on row {numbers.max()}, and the data have {len(rows.numbers)} rows; fit again"
        )
    training = rows.take(numbers)
    asked = {name: run.parameters[name] for name in HOW_ASKED if run.parameters.get(name) is not None}
    return prepare(training.table, training.labels, row_numbers=numbers, **asked)
