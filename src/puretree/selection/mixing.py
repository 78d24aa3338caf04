"""Rows that nobody measured but that look like the table's: where minimum trees can disagree, and a choice can be made.

All pure trees say the same of the training rows. Off them they differ, so a rule without a selection set needs rows of
its own. Each is made of two training rows: every column takes its value from one of them. So each value is real, and
most of what belongs together stays together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..table import Table


def mix_rows(table: Table, n_rows: int, random: np.random.RandomState) -> Table:
    """Make rows, each of two rows of a table.

    Parameters
    ----------
    table : Table
    n_rows : int
        How many to make.
    random : RandomState
    """
    parents = random.randint(table.n_rows, size=(2, n_rows))
    columns = []
    for column in table:
        of_first = random.randint(2, size=n_rows) == 1
        columns.append(replace(column, values=column.values[np.where(of_first, *parents)]))
    return Table(tuple(columns), n_rows, table.has_names)
