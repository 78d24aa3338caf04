"""Every engine on the same table, side by side: what each promises, what it found, and what that took.

The systems of the paper's Table 1 answer different questions: the smallest tree, the shallowest, the most accurate of
a depth. Here each gets the same binary problem and the same time, its tree is checked on the raw rows, and its bounds
are told in the units of its own question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._support.clock import Clock
from .._support.text import text_table
from ..binarize import Binarizer
from ..errors import InfeasibleError, InputError, PuretreeError, SolverError
from ..outcome import UNITS, OnProgress, Outcome
from ..problem import Constraints, OnConflict, Prepared, prepare
from ..table import label_array
from . import ENGINES, Engine, Guarantees, make_engine, options_of, solve

DEPTHS = (2, 3, 4)  # of the engines that take one, as in the paper

HEADER = ("engine", "objective", "size", "depth", "accuracy", "bounds", "status", "seconds")


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine's part.

    Parameters
    ----------
    engine : str
        As it was asked for.
    guarantees : Guarantees
        What it can be relied on for.
    outcome : Outcome or None
        Its tree is told in the words of the raw table. None if it could not run.
    accuracy : float or None
        The share of all training rows that the tree is right on, rows that a conflict left out included.
    status : str
        That of the outcome; ``infeasible`` if it is proved that no tree keeps to the wishes, ``refused`` if the engine
        cannot keep to one of them or is not installed, ``failed`` if it went wrong.
    error : str, optional
        Why there is no outcome, or why it ended early.
    """

    engine: str
    guarantees: Guarantees
    outcome: Outcome | None
    accuracy: float | None
    status: str
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain values."""
        outcome = self.outcome
        tree = None if outcome is None else outcome.tree
        return {
            "engine": self.engine,
            "objective": self.guarantees.objective,
            "pure": self.guarantees.is_pure,
            "minimum": self.guarantees.is_minimum,
            "n_nodes": None if tree is None else tree.n_nodes,
            "depth": None if tree is None else tree.depth,
            "accuracy": self.accuracy,
            "n_errors": None if outcome is None or tree is None else outcome.n_errors,
            "minimised": None if outcome is None else outcome.minimised,
            "lower_bound": None if outcome is None else outcome.lower_bound,
            "upper_bound": None if outcome is None else outcome.upper_bound,
            "status": self.status,
            "seconds": None if outcome is None else round(outcome.seconds, 3),
            "error": self.error,
        }

    def cells(self) -> tuple[str, ...]:
        """Return the entry as a line of a table, under :data:`HEADER`."""
        outcome = self.outcome
        tree = None if outcome is None else outcome.tree
        size, depth = ("–", "–") if tree is None else (str(tree.n_nodes), str(tree.depth))
        accuracy = "–" if self.accuracy is None else f"{self.accuracy:.1%}"
        bounds, seconds = ("–", "–") if outcome is None else (_bounds(outcome), f"{outcome.seconds:.1f}")
        status = "proved" if self.status == "optimal" else self.status.replace("_", " ")
        return (self.engine, self.guarantees.objective, size, depth, accuracy, bounds, status, seconds)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Sequence[Entry]):
    """What came out, in the order that was asked for.

    Parameters
    ----------
    entries : tuple of Entry
    is_complete : bool
        False if Ctrl-C came before all engines were asked.
    """

    entries: tuple[Entry, ...]
    is_complete: bool = True

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, which: Any) -> Any:
        """Return an entry by its place, or by the name that its engine was asked for."""
        if not isinstance(which, str):
            return self.entries[which]
        for entry in self.entries:
            if entry.engine == which:
                return entry
        raise KeyError(f"{which!r} was not compared; there are {', '.join(entry.engine for entry in self.entries)}")

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict of plain values for each engine, ready for a data frame."""
        return [entry.as_dict() for entry in self.entries]

    def notes(self) -> list[str]:
        """Return why engines did not run, or failed."""
        return [f"{entry.engine}: {entry.error}" for entry in self.entries if entry.error]

    def __str__(self) -> str:
        lines = text_table(HEADER, [entry.cells() for entry in self.entries])
        return "\n".join([*lines, *self.notes()])

    __repr__ = __str__


def compare(
    X: Any,
    y: Any,
    *,
    engines: str | Collection[str | Engine] = "all",
    time_limit: float | None = 30.0,
    memory_limit: float | None = None,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
    max_depth: int | None = None,
    root: str | int | None = None,
    forbidden: Collection[str | int] = (),
    on_engine: Callable[[str, Guarantees], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Comparison:
    """Let engines answer for the same table, one after the other.

    Parameters
    ----------
    X, y, binarize, on_conflict, max_depth, root, forbidden, on_progress
        As for :func:`minimum_tree`.
    engines : "all" or collection of str or Engine, default="all"
        By name, with options if need be: ``["search", "dtmax(depth=3)"]``. ``all``: each one there is; those for a
        given depth for 2, 3 and 4.
    time_limit : float or None, default=30
        Seconds for each of them.
    memory_limit : float, optional
        Bytes that engines which count them may take; half of the machine's by default.
    on_engine : callable, optional
        Gets the name and the guarantees of each engine before it begins.

    Returns
    -------
    Comparison
        ``print`` shows it as a table. An engine that cannot run, be it that a wish is none that it keeps or that its
        package is missing, has an entry that says so. After Ctrl-C the entries so far are returned.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> comparison = compare(rows, ["stop", "go", "go"], engines=["search", "mindt"])
    >>> [(entry.engine, entry.outcome.n_nodes, entry.accuracy) for entry in comparison]
    [('search', 5, 1.0), ('mindt', 5, 1.0)]
    """
    asked = _made([*all_engines()] if engines == "all" else engines, memory_limit)
    Clock.of(time_limit)  # a wrong limit is told before anything is done
    prepared = prepare(X, y, binarize=binarize, on_conflict=on_conflict, root=root, forbidden=forbidden)
    constraints = Constraints(max_depth, prepared.roots)
    entries: list[Entry] = []
    try:
        for name, engine in asked:
            if on_engine is not None:
                on_engine(name, engine.guarantees)
            entries.append(_entry(name, engine, prepared, constraints, Clock.of(time_limit), on_progress))
            if entries[-1].outcome is not None and entries[-1].outcome.status == "interrupted":
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not entries:
            raise
        return Comparison(tuple(entries), is_complete=False)
    return Comparison(tuple(entries))


def all_engines() -> Iterator[str]:
    """Yield every engine's name; with a depth where it takes one."""
    for name, make in ENGINES.items():
        if "depth" in options_of(make()):
            yield from (f"{name}(depth={depth})" for depth in DEPTHS)
        else:
            yield name


def _made(engines: str | Collection[str | Engine], memory_limit: float | None) -> list[tuple[str, Engine]]:
    if isinstance(engines, str):
        raise InputError(f"engines={engines!r} is not known; use 'all', or a list such as ['search', 'maxsat']")
    made = [(each if isinstance(each, str) else repr(each), make_engine(each, memory_limit)) for each in engines]
    if not made:
        raise InputError("engines is empty; use 'all', or a list such as ['search', 'maxsat']")
    return made


def _entry(
    name: str,
    engine: Engine,
    prepared: Prepared,
    constraints: Constraints,
    clock: Clock,
    on_progress: OnProgress | None,
) -> Entry:
    """Ask one engine; what stops it does not stop the others."""
    try:
        with prepared.decoding_errors():
            outcome = solve(prepared.problem, engine, constraints=constraints, clock=clock, on_progress=on_progress)
        return _told(name, engine, prepared, prepared.decode(outcome))
    except SolverError as error:
        return _told(name, engine, prepared, error.outcome, str(error))
    except InfeasibleError as error:
        return Entry(name, engine.guarantees, None, None, "infeasible", str(error))
    except InputError as error:
        return Entry(name, engine.guarantees, None, None, "refused", str(error))
    except PuretreeError as error:
        return Entry(name, engine.guarantees, None, None, "failed", str(error))


def _told(name: str, engine: Engine, prepared: Prepared, outcome: Outcome, error: str | None = None) -> Entry:
    accuracy = None
    if outcome.tree is not None:
        labels = label_array(prepared.labels.classes)[prepared.labels.codes]
        accuracy = float(np.mean(outcome.tree.predict(prepared.table) == labels))
    return Entry(name, engine.guarantees, outcome, accuracy, outcome.status, error)


def _bounds(outcome: Outcome) -> str:
    lower, upper, unit = outcome.lower_bound, outcome.upper_bound, UNITS[outcome.minimised]
    if lower == upper:
        return f"{unit} = {lower}"
    return f"{lower} ≤ {unit}{'' if upper is None else f' ≤ {upper}'}"
