"""The smallest piece of an experiment, and the line that it leaves: one engine on one sample, one method on one table.

A cell is plain data, so that it can be sent to another process or machine, and known again in a file of results. What
tells it apart from others is its key; where its data lie, and what earlier cells found, is not part of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, get_args

from ..errors import FormatError

Key = dict[str, str | int | float | None]
Values = dict[str, Any]  # plain values, as JSON has them
Tell = Callable[[Values], None]
"""Keeps something that a measurement has found so far, whatever happens to it later."""

Status = Literal["done", "time_limit", "memory_limit", "crashed", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement to be made.

    Parameters
    ----------
    experiment : str
        Which one it is a part of.
    key : dict
        What is measured, by plain values: equal keys are the same measurement.
    seconds : float
        How long it may take. It keeps to that by itself, and is ended soon after if it does not.
    memory : float, optional
        Bytes that it and its child processes may take together.
    context : dict
        What is needed besides, such as the folder of data.
    """

    experiment: str
    key: Key
    seconds: float
    memory: float | None = None
    context: Values = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The key as a line of text, to look it up by."""
        return cell_id(self.experiment, self.key)

    def __str__(self) -> str:
        """Tell it to people.

        >>> print(Cell("runtime", {"dataset": "iris", "share": 0.4, "engine": "search"}, 20.0))
        iris 0.4 search
        """
        return " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in self.key.values())


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a cell: there is one for each, whatever happened.

    Parameters
    ----------
    experiment, key
        Of the cell.
    status : {"done", "time_limit", "memory_limit", "crashed", "failed", "lost"}
        ``done`` if the measurement was made, also if an engine ended without a proof. Else it was ended because it did
        not keep to its time or memory, its process died, it went wrong, or no machine could be found for it.
    reason : str
        Why, in words; empty if there is nothing to say.
    seconds : float
        On the wall.
    processor_seconds : float or None
        Of its processes, the solvers' included.
    peak_bytes : int or None
        The most memory that it took above what its process began with, plus that of its largest child process.
    told : list of dict
        What it told on the way, such as each better bound.
    values : dict
        What was measured. Without ``done`` that is what a cell kept that was asked to stop, if anything.
    """

    experiment: str
    key: Key
    status: Status
    reason: str
    seconds: float
    processor_seconds: float | None = None
    peak_bytes: int | None = None
    told: list[Values] = field(default_factory=list)
    values: Values = field(default_factory=dict)

    @property
    def id(self) -> str:
        """That of the cell."""
        return cell_id(self.experiment, self.key)

    def to_dict(self) -> Values:
        """Return it as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Any) -> Row:
        """Read it from plain values; FormatError if they are not a row's."""
        try:
            row = cls(**plain)
        except TypeError as error:
            raise FormatError(f"this is not a row of results: {error}") from None
        if not (
            isinstance(row.experiment, str)
            and row.status in get_args(Status)
            and isinstance(row.seconds, int | float)
            and isinstance(row.told, list)
            and all(isinstance(each, dict) for each in (row.key, row.values, *row.told))
        ):
            raise FormatError("this is not a row of results: one of its fields is of another kind")
        return row


class Experiment(Protocol):
    """A set of cells, and what they add up to. Its options are its fields."""

    @property
    def name(self) -> str:
        """The name of the command, which every cell bears."""

    @property
    def n_cells(self) -> int:
        """How many cells there will be."""

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return the cells that can be measured with what is known, those done already among them.

        Parameters
        ----------
        done : mapping of str to Row
            The rows so far, by the id of their cells. What they say may be needed by other cells: this is asked again
            when all cells of the first answer are done, until there are no more.
        """


def cell_id(experiment: str, key: Mapping[str, Any]) -> str:
    """Return a line of text that is the same for the same measurement."""
    return json.dumps([experiment, key], sort_keys=True, ensure_ascii=False)


def module_of(experiment: str) -> str:
    """Return the module that measures an experiment's cells: one of ours, or any by its full name.

    >>> module_of("scale"), module_of("my.experiment")
    ('puretree.bench.scale', 'my.experiment')
    """
    return experiment if "." in experiment else f"{__package__}.{experiment}"


# A table of results, before anybody decided whether it is printed, typeset or read by a program.


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its standard error, None where there is no more than one draw."""

    mean: float
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """Our figure with the paper's beside it; None where one of them does not exist."""

    ours: int | float | Estimate | None
    paper: int | float | None


Value = str | int | float | Estimate | Beside | None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Columns under a header.

    Parameters
    ----------
    name : str
        For the name of its file: ``table3``, ``differences``.
    caption : str
        What it shows, in a sentence.
    header : tuple of str
    rows : tuple of tuple
        As many values as the header has names.
    groups : tuple of (str, int), default=()
        A line above the header, as the paper's Table 4 has: words over so many columns each.
    rules : tuple of int, default=()
        The rows before which a line is drawn: where means follow, or another sample size begins.
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
        """The names in the header, with the words above them: each column has its own.

        >>> ResultTable("t", "", ("data set", "size", "size"), (), (("", 1), ("psk", 1), ("ask", 1))).columns
        ('data set', 'psk size', 'ask size')
        """
        above = [words for words, n_columns in self.groups or (("", len(self.header)),) for _ in range(n_columns)]
        return tuple(f"{words} {name}".strip() for words, name in zip(above, self.header, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, each row by the names of the columns."""
        rows = [dict(zip(self.columns, values, strict=True)) for values in asdict(self)["rows"]]
        return {"name": self.name, "caption": self.caption, "rows": rows}


# The cells that could not be measured, told beside those that were: no figure is missing without a reason.


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
