"""The exceptions and warnings of puretree.

::

    PuretreeError
    ├── InputError (ValueError)          the table, the labels or a parameter cannot be used
    │   ├── ConflictError                contradictory rows: equal features, different labels
    │   ├── CannotSearchError            not supported by the exact search, but by other engines
    │   └── NotKeptError (AttributeError)  a loaded classifier lacks the training rows
    ├── InputTypeError (TypeError)       a value has an unsupported type
    ├── FormatError (ValueError)         a file or dictionary does not have the expected format
    ├── RejectedError (ValueError)       a certificate is not valid
    ├── InfeasibleError (ValueError)     no pure tree satisfies the constraints
    ├── UnfinishedError (RuntimeError)   a time or memory limit was reached; carries the best tree so far
    ├── SolverError (RuntimeError)       a solver crashed or returned a wrong answer; carries the best tree so far
    ├── ClusterLostError (RuntimeError)  the scheduler of a cluster is gone; finished measurements are kept
    └── DataNotFoundError (LookupError)  a data set does not exist, or its server does not respond

    ConflictWarning (UserWarning)        rows were dropped because they contradict others
    MissingValuesWarning (UserWarning)   cells of a file are read as missing values, such as NA
    MixedColumnWarning (UserWarning)     a column of a file holds almost only numbers, and is read as categories
    NoisyLabelsWarning (UserWarning)     a pure tree has far more leaves than the rows justify
    UnfinishedWarning (UserWarning)      a limit was reached before the proof, or before all trees were found

A message names the cause (column, row, parameter) and the remedy.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any


def as_keyword(name: str, value: Any) -> str:
    """Write a parameter with its value as in a Python call.

    >>> as_keyword("engine", "search")
    "engine='search'"
    """
    return f"{name}={value!r}"


class PuretreeError(Exception):
    """Base class of all exceptions of puretree."""


class InputError(PuretreeError, ValueError):
    """The table, the labels or a parameter cannot be used.

    Parameters
    ----------
    reason : str
        What is wrong, and the remedy if it is not in ``use``. With ``parameter``, the rest of a sentence about it.
    parameter : str, optional
        The parameter that is wrong.
    value : object, optional
        Its value.
    use : mapping of str to object, optional
        Parameters that are a remedy, with their values.

    Examples
    --------
    >>> error = InputError("does not support root", parameter="engine", value="dl85", use={"engine": "auto"})
    >>> str(error)
    "engine='dl85' does not support root; use engine='auto'"
    >>> error.describe(lambda name, value: f"--{name} {value}")
    '--engine dl85 does not support root; use --engine auto'
    """

    def __init__(
        self,
        reason: str,
        *,
        parameter: str | None = None,
        value: Any = None,
        use: Mapping[str, Any] | None = None,
    ) -> None:
        self.reason, self.parameter, self.value, self.use = reason, parameter, value, dict(use or {})
        super().__init__(self.describe())

    def describe(self, write: Callable[[str, Any], str] = as_keyword) -> str:
        """Return the message, with parameters as ``write`` writes them."""
        subject = "" if self.parameter is None else f"{write(self.parameter, self.value)} "
        remedy = " or ".join(write(name, value) for name, value in self.use.items())
        return f"{subject}{self.reason}" + (f"; use {remedy}" if remedy else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason,), {**vars(self), "args": self.args}


class CannotSearchError(InputError):
    """The exact search does not support the request, but other engines do."""


class FeaturesTooLargeError(InputError, MemoryError):
    """The features of a large table do not fit into memory at once; some engines do not need them."""


class NotKeptError(InputError, AttributeError):
    """A classifier that was loaded from a file lacks the training rows; ``hasattr`` returns False then."""


class InputTypeError(PuretreeError, TypeError):
    """A value has an unsupported type."""


class FormatError(PuretreeError, ValueError):
    """A file or dictionary does not have the expected format."""


class RejectedError(PuretreeError, ValueError):
    """A certificate is not valid."""


class InfeasibleError(PuretreeError, ValueError):
    """No pure tree satisfies the constraints; this is proved."""


class SolverError(PuretreeError, RuntimeError):
    """A solver crashed, returned a wrong answer, or printed output that cannot be parsed.

    Attributes
    ----------
    outcome : Outcome or None
        The best tree found before, with its bounds.
    """

    outcome: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, {"outcome": self.outcome}


class UnfinishedError(PuretreeError, RuntimeError):
    """A time or memory limit was reached before there was a result.

    Attributes
    ----------
    outcome : Outcome
        The best tree found before, with its bounds.
    """

    def __init__(self, message: str, outcome: Any) -> None:
        super().__init__(message)
        self.outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.outcome)


class ClusterLostError(PuretreeError, RuntimeError):
    """The scheduler of a cluster is gone; measurements that were finished are kept."""


class DataNotFoundError(PuretreeError, LookupError):
    """A data set does not exist, or its server does not respond."""


class ConflictError(InputError):
    """Contradictory rows: they have equal features and different labels, so no tree is pure.

    Attributes
    ----------
    conflicts : sequence of Conflict
        The groups of contradictory rows.
    """

    def __init__(self, message: str, conflicts: Sequence[Any]) -> None:
        super().__init__(message)
        self.conflicts = conflicts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.conflicts)


class ConflictWarning(UserWarning):
    """Rows were dropped because more rows with equal features have another label.

    Attributes
    ----------
    conflicts : sequence of Conflict
        The groups of contradictory rows.
    """

    def __init__(self, message: str, conflicts: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.conflicts = conflicts


class MissingValuesWarning(UserWarning):
    """Cells of a file that are not empty are read as missing values, such as NA.

    Attributes
    ----------
    found : str
        Which cells: how many, in which columns.
    """

    def __init__(self, found: str) -> None:
        super().__init__(f"{found}; pass missing_values=() to read them as text, or a list of other spellings")
        self.found = found


class MixedColumnWarning(UserWarning):
    """A column of a file is read as categories because a few of its values are not numbers."""


ALLOW_ERRORS = "OptimalTreeClassifier, the tree with the fewest errors of a size that cross-validation chooses"


class NoisyLabelsWarning(UserWarning):
    """A pure tree has far more leaves than the rows justify: some labels are probably wrong, or random.

    Attributes
    ----------
    found : str
        The size of the tree, and of a pruned one.
    rows : tuple of int
        Rows that the pruned tree misclassifies, the most suspicious ones first; empty if the labels look random. Of a
        large table only the first rows are examined.
    """

    def __init__(self, found: str, rows: Sequence[int] = ()) -> None:
        self.found, self.rows = found, tuple(rows)
        super().__init__(self.describe())

    def describe(
        self, name_rows: Callable[[Sequence[int]], str] | None = None, remedy: str = "OptimalTreeClassifier()"
    ) -> str:
        """Return the message.

        Parameters
        ----------
        name_rows : callable, optional
            Names some rows, for example by the lines of a file; by default by their numbers.
        remedy : str, default="OptimalTreeClassifier()"
            What finds the tree with the fewest errors for its size.
        """
        advice = f"allow errors with {remedy}, the tree with the fewest errors for its size"
        if not self.rows:
            return f"{self.found}; check that the columns can predict the labels, or {advice}"
        some = self.rows[:5]
        rows = f"rows {', '.join(map(str, some))}" if name_rows is None else name_rows(some)
        return f"{self.found}; check for example {rows}, or {advice}"


class UnfinishedWarning(UserWarning):
    """A limit was reached: the tree is not proved minimum, or not chosen among all; or a stage was skipped."""


def warn(warning: Warning) -> None:
    """Issue a warning that points to the caller's code: the first frame outside this package."""
    folder, level, frame = f"{Path(__file__).parent}{os.sep}", 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(folder):
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]  # None at the end, which the loop checks
    warnings.warn(warning, stacklevel=level)


def shorten(items: Iterable[object], limit: int = 5) -> str:
    """Join the first items, and count the others.

    >>> shorten([3, 1, 4, 1, 5, 9, 2])
    '3, 1, 4, 1, 5 and 2 more'
    """
    shown = [str(item) for item in items]
    more = len(shown) - limit
    text = ", ".join(shown[:limit])
    return f"{text} and {more} more" if more > 0 else text


def near(name: str, known: Iterable[str]) -> str:
    """Suggest a similar name, if there is one.

    >>> near("colr", ["colour", "size"])
    " (did you mean 'colour'?)"
    """
    of_lower = {item.lower(): item for item in known}
    matches = get_close_matches(name.lower(), of_lower, 1)
    return f" (did you mean {of_lower[matches[0]]!r}?)" if matches else ""
