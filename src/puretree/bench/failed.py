"""The cells that could not be measured, told beside those that were: no figure is missing without a reason."""

from __future__ import annotations

from collections.abc import Sequence

from .cell import Cell, Row
from .result_table import ResultTable


def failed_rows(rows: Sequence[Row]) -> ResultTable | None:
    """Return the rows that are not done, with their reasons; None if all are.

    >>> failed_rows([Row("scale", {"family": "random", "size": 8}, "crashed", "killed by signal 9", 2.5)]).rows
    (('random 8', 'crashed', 'killed by signal 9', 2.5),)
    """
    failed = [row for row in rows if row.status != "done"]
    if not failed:
        return None
    return ResultTable(
        name="failed",
        caption=f"{len(failed)} of {len(rows)} cells were not measured.",
        header=("cell", "status", "reason", "seconds"),
        rows=tuple((str(Cell(row.experiment, row.key, 0.0)), row.status, row.reason, row.seconds) for row in failed),
    )
