"""Cells, the single measurements of an experiment, and rows, their stored results.

A cell is one engine on one sample, or one method on one training part. It is plain data, so it can be sent to another
process or machine and matched with its row in a results file. Its key identifies it; the location of the data and the
results of earlier cells are not part of the key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol, get_args

from .._support.strict_json import long_integers_as_text, read_integers
from ..errors import FormatError

Key = dict[str, str | int | float | None]
Values = dict[str, Any]  # JSON-compatible
OnProgress = Callable[[Values], None]
"""Stores an intermediate result of a measurement, which is kept even if the measurement fails later."""

Status = Literal["done", "time_limit", "memory_limit", "crashed", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement to make.

    Parameters
    ----------
    experiment : str
        The experiment it belongs to.
    key : dict
        What is measured. Cells with equal keys are the same measurement.
    seconds : float
        The time limit. The measurement is expected to stop by itself; it is killed soon after the limit if it does not.
    memory : float, optional
        The memory limit in bytes, for the process and its child processes together.
    context : dict
        Further input that is not part of the key, such as the data folder.
    """

    experiment: str
    key: Key
    seconds: float
    memory: float | None = None
    context: Values = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The experiment and key as a string, used for lookup."""
        return cell_id(self.experiment, self.key)

    def __str__(self) -> str:
        """Return a short description.

        >>> print(Cell("runtime", {"dataset": "iris", "share": 0.4, "engine": "search"}, 20.0))
        iris 0.4 search
        """
        return " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in self.key.values())


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a cell. Every cell gets one, even if its measurement fails.

    Parameters
    ----------
    experiment, key
        Those of the cell.
    status : {"done", "time_limit", "memory_limit", "crashed", "failed", "lost"}
        ``done`` if the measurement was completed, even if the engine stopped without a proof. Otherwise: a limit was
        exceeded, the process died, an exception was raised, or no worker could run the cell.
    reason : str
        The reason for a status other than ``done``; may be empty.
    seconds : float
        Wall time.
    processor_seconds : float or None
        CPU time, including child processes such as solvers.
    peak_bytes : int or None
        Peak memory beyond what the process started with, plus the peak of its largest child process.
    progress : list of dict
        Intermediate results, such as each improved bound.
    values : dict
        The measured values. If the status is not ``done``: what the cell returned after the request to stop, if
        anything.
    """

    experiment: str
    key: Key
    status: Status
    reason: str
    seconds: float
    processor_seconds: float | None = None
    peak_bytes: int | None = None
    progress: list[Values] = field(default_factory=list)
    values: Values = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id of the cell."""
        return cell_id(self.experiment, self.key)

    def to_dict(self) -> Values:
        """Return the row as JSON-compatible values; very long numbers of trees are strings of digits."""
        return asdict(self) | {"values": long_integers_as_text(self.values)}

    @classmethod
    def from_dict(cls, plain: Any) -> Row:
        """Read a row from JSON-compatible values; raise FormatError if they are not a row."""
        try:
            row = cls(**plain)
        except TypeError as error:
            raise FormatError(f"not a row of results: {error}") from None
        if not (
            isinstance(row.experiment, str)
            and row.status in get_args(Status)
            and isinstance(row.seconds, int | float)
            and isinstance(row.progress, list)
            and all(isinstance(item, dict) for item in (row.key, row.values, *row.progress))
        ):
            raise FormatError("not a row of results: a field has the wrong type")
        return replace(row, values=read_integers(row.values))


class Experiment(Protocol):
    """A set of cells. The options of an experiment are its fields."""

    @property
    def name(self) -> str:
        """The name of the command, stored in every cell."""

    @property
    def n_cells(self) -> int:
        """The total number of cells."""

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells that can be measured given the rows so far, including those already measured.

        Parameters
        ----------
        done : mapping of str to Row
            The rows so far, by the id of their cells. Some cells may depend on the rows of others: the runner calls
            this method again once all listed cells are measured, until it lists no new ones.
        """


def cell_id(experiment: str, key: Mapping[str, Any]) -> str:
    """Return a string that is equal for equal measurements."""
    return json.dumps([experiment, key], sort_keys=True, ensure_ascii=False)


def module_of(experiment: str) -> str:
    """Return the module that measures an experiment's cells: one of this package, or any other by its full name.

    >>> module_of("scale"), module_of("my.experiment")
    ('puretree.bench.scale', 'my.experiment')
    """
    return experiment if "." in experiment else f"{__package__}.{experiment}"
