"""Tables of results, independent of the output format: terminal, LaTeX, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .cell import Cell, Row


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its standard error; None if there is only one draw."""

    mean: float
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A reproduced value and the published value, None if there is none; a mark is explained in the caption."""

    ours: int | float | Estimate | None
    paper: int | float | None
    mark: str = ""


Value = str | int | float | Estimate | Reproduction | None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table with a header.

    Parameters
    ----------
    name : str
        Used as the file name: ``table3``, ``differences``.
    caption : str
    header : tuple of str
    rows : tuple of tuple
        Each row has one value per column.
    groups : tuple of (str, int), default=()
        A second header line above the first, as in the paper's Table 4: titles and the number of columns each spans.
    rules : tuple of int, default=()
        Indices of the rows that have a horizontal rule above them.
    digits : int, default=2
        Decimals of floats.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    rules: tuple[int, ...] = ()
    digits: int = 2

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, prefixed by the titles of their groups.

        >>> ResultTable("t", "", ("data set", "size", "size"), (), (("", 1), ("psk", 1), ("ask", 1))).columns
        ('data set', 'psk size', 'ask size')
        """
        titles = [title for title, n_columns in self.groups or (("", len(self.header)),) for _ in range(n_columns)]
        return tuple(f"{title} {name}".strip() for title, name in zip(titles, self.header, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON-compatible values, each row as a dictionary by column name."""
        rows = [dict(zip(self.columns, values, strict=True)) for values in asdict(self)["rows"]]
        return {"name": self.name, "caption": self.caption, "rows": rows}


def failed_cells(rows: Sequence[Row]) -> ResultTable | None:
    """Return a table of the cells that were not measured, with reasons; None if all were.

    Reported with every experiment, so that no value is missing without a reason.

    >>> failed_cells([Row("scale", {"family": "random", "size": 8}, "crashed", "killed by signal 9", 2.5)]).rows
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
