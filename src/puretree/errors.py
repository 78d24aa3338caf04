"""Everything puretree raises on purpose, as a tree.

::

    PuretreeError
    ├── InputError (ValueError)          the table, the labels or an option cannot be used as given
    │   ├── ConflictError                equal rows with different labels: no pure tree exists
    │   ├── CannotSearchError            what is asked is beyond the exact search, though not beyond other engines
    │   └── NotKeptError (AttributeError)  a classifier was read from a file that does not hold what is asked of it
    ├── InputTypeError (TypeError)       a value of a kind that has no meaning here
    ├── FormatError (ValueError)         a file or dictionary is not what it says it is
    ├── RejectedError (ValueError)       a certificate does not hold
    ├── InfeasibleError (ValueError)     no pure tree keeps to what was asked of it
    ├── UnfinishedError (RuntimeError)   the time or the memory was over; what was found is kept
    ├── SolverError (RuntimeError)       a solver died, lied or could not be understood; what was found is kept
    ├── ClusterLostError (RuntimeError)  the machines that were measuring are gone; what was measured is kept
    └── DataNotFoundError (LookupError)  a data set that is not here, or a place that does not answer

    ConflictWarning (UserWarning)        rows were left out because others contradict them
    MixedColumnWarning (UserWarning)     a column of a file is nearly all numbers, and is read as categories
    UnfinishedWarning (UserWarning)        a limit was reached before the proof, or before all trees were found

A message names the cause (column, row, option) and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class PuretreeError(Exception):
    """Base class: catch it to catch everything puretree raises on purpose."""


class InputError(PuretreeError, ValueError):
    """The table, the labels or an option cannot be used as given."""


class CannotSearchError(InputError):
    """What is asked is beyond the exact search, though not beyond other engines."""


class NotKeptError(InputError, AttributeError):
    """A classifier was read from a file that does not hold what is asked of it; ``hasattr`` says that it has it not."""


class InputTypeError(PuretreeError, TypeError):
    """A value is of a kind that has no meaning here."""


class FormatError(PuretreeError, ValueError):
    """A file or dictionary is not what it says it is."""


class RejectedError(PuretreeError, ValueError):
    """A certificate does not hold: it was changed, or it never did."""


class InfeasibleError(PuretreeError, ValueError):
    """No pure tree keeps to what was asked of it: this is proved, not guessed."""


class SolverError(PuretreeError, RuntimeError):
    """A solver died, lied, or printed what cannot be understood.

    Attributes
    ----------
    outcome : Outcome or None
        The best tree known when it happened, with its bounds.
    """

    outcome: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, {"outcome": self.outcome}


class UnfinishedError(PuretreeError, RuntimeError):
    """The time or the memory was over before there was anything to return.

    Attributes
    ----------
    outcome : Outcome
        The best tree known when it happened, with its bounds.
    """

    def __init__(self, message: str, outcome: Any) -> None:
        super().__init__(message)
        self.outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.outcome)


class ClusterLostError(PuretreeError, RuntimeError):
    """The scheduler of a cluster is gone; what was measured until then is kept."""


class ConflictWarning(UserWarning):
    """Rows were left out because others with equal features have another label more often."""


class MixedColumnWarning(UserWarning):
    """A column of a file is read as categories since a few of its values are no numbers, though nearly all are."""


class UnfinishedWarning(UserWarning):
    """A limit was reached: a pure tree is kept that is not proved to be smallest, or not chosen among all that are."""


class DataNotFoundError(PuretreeError, LookupError):
    """A data set is not here, or the place that has it does not answer."""


class ConflictError(InputError):
    """Equal rows carry different labels, so no tree can be right on all of them.

    Attributes
    ----------
    conflicts : sequence of Conflict
        Every group of rows that contradict each other.
    """

    def __init__(self, message: str, conflicts: Sequence[Any]) -> None:
        super().__init__(message)
        self.conflicts = conflicts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.conflicts)


def shorten(items: Iterable[object], limit: int = 5) -> str:
    """Join the first few items and say how many more there are.

    >>> shorten([3, 1, 4, 1, 5, 9, 2])
    '3, 1, 4, 1, 5 and 2 more'
    """
    shown = [str(item) for item in items]
    more = len(shown) - limit
    text = ", ".join(shown[:limit])
    return f"{text} and {more} more" if more > 0 else text


def near(name: str, known: Iterable[str]) -> str:
    """Ask whether another name was meant, if one is near; else say nothing.

    >>> near("colr", ["colour", "size"])
    " (did you mean 'colour'?)"
    """
    of_lower = {item.lower(): item for item in known}
    found = get_close_matches(name.lower(), of_lower, 1)
    return f" (did you mean {of_lower[found[0]]!r}?)" if found else ""
