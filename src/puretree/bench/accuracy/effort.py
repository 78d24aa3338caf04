"""What the trees of each method took, and where the time was too short: an accuracy of fewer trees is told as such."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..cell import Values
from ..result_table import ResultTable, Value
from .figures import Figures


def effort_table(figures: Figures, methods: Sequence[str], n_splits: int) -> ResultTable:
    """Return a line for each method.

    Parameters
    ----------
    figures : Figures
    methods : sequence of str
    n_splits : int
        In how many splits all trees should have been asked.
    """
    of_method = {
        method: [values for (each, _, _), values in figures.done.items() if each == method] for method in methods
    }
    return ResultTable(
        name="effort",
        caption="Of the n cells of each method: those whose result is proved, those that the time ended before they "
        "had all the trees they were asked for, and those that chose from a sample of all trees in some splits; "
        "median trees, and mean seconds to find them.",
        header=("method", "n", "proved", "cut short", "sampled", "trees", "seconds"),
        rows=tuple(_line(method, cells, n_splits) for method, cells in of_method.items()),
    )


def _line(method: str, cells: Sequence[Values], n_splits: int) -> tuple[Value, ...]:
    if not cells:
        return (method, 0, 0, 0, 0, None, None)
    return (
        method,
        len(cells),
        sum(values["status"] == "optimal" for values in cells),
        sum(values["ending"] == "limit" for values in cells),
        sum(values["n_exact_splits"] < n_splits for values in cells),
        sorted(values["n_trees"] for values in cells)[len(cells) // 2],
        float(np.mean([values["seconds"] for values in cells])),
    )
