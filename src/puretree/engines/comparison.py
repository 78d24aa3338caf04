"""Engines compared on the same table: what each guarantees, what it found, and how long it took.

The systems of the paper's Table 1 have different objectives: the smallest tree, the shallowest, the most accurate of a
given depth. Each gets the same binary problem and the same time; its tree is checked on the raw rows, and its bounds
are in the units of its own objective. An engine's tree may be that of a heuristic which it started from and could not
improve: the table names who found it.
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
from ..problem import Constraints, OnConflict, Prepared, nodes_of, prepare
from ..table import label_array
from . import ENGINES, Engine, Guarantees, make_engine, options_of, solve

DEPTHS = (2, 3, 4)  # for engines with a depth option, as in the paper

HEADER = ("engine", "objective", "size", "found by", "depth", "accuracy", "bounds", "status", "seconds")


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of one engine.

    Parameters
    ----------
    engine : str
        The name, with options.
    guarantees : Guarantees
        What the engine guarantees.
    outcome : Outcome or None
        With the tree over raw columns. None if the engine could not run.
    accuracy : float or None
        The training accuracy of the tree, on all rows, contradictory ones included.
    status : str
        The status of the outcome; ``infeasible`` if it is proved that no tree satisfies the constraints,
        ``unsupported`` if the engine does not support a constraint or is not installed, ``failed`` after an error.
    error : str, optional
        Why there is no outcome, or why the engine stopped early.
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
            "found_by": None if outcome is None or tree is None else outcome.found_by,
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
        """Return the entry as a row of a table with the header :data:`HEADER`."""
        outcome = self.outcome
        tree = None if outcome is None else outcome.tree
        size, depth = ("–", "–") if tree is None else (str(tree.n_nodes), str(tree.depth))
        found_by = (None if outcome is None else outcome.found_by) or "–"
        accuracy = "–" if self.accuracy is None else f"{self.accuracy:.1%}"
        bounds, seconds = ("–", "–") if outcome is None else (_bounds(outcome), f"{outcome.seconds:.1f}")
        status = "proved" if self.status == "optimal" else self.status.replace("_", " ")
        return (self.engine, self.guarantees.objective, size, found_by, depth, accuracy, bounds, status, seconds)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Sequence[Entry]):
    """The results of several engines, in their order.

    Parameters
    ----------
    entries : tuple of Entry
    is_complete : bool
        False if the comparison was interrupted.
    """

    entries: tuple[Entry, ...]
    is_complete: bool = True

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, which: Any) -> Any:
        """Return an entry by its index, or by the name of its engine."""
        if not isinstance(which, str):
            return self.entries[which]
        for entry in self.entries:
            if entry.engine == which:
                return entry
        raise KeyError(
            f"{which!r} was not compared; the engines are {', '.join(entry.engine for entry in self.entries)}"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary of plain values for each engine, for a data frame."""
        return [entry.as_dict() for entry in self.entries]

    def notes(self) -> list[str]:
        """Return the errors of the engines that did not run or failed."""
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
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = None,
    time_limit: float | None = 60.0,
    memory_limit: float | None = None,
    on_engine: Callable[[str, Guarantees], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Comparison:
    """Run engines on the same table, one after the other.

    Parameters
    ----------
    X, y, binarize, on_conflict, max_depth, max_leaf_nodes, min_samples_leaf, root, forbidden, on_progress
        As for :func:`minimum_tree`.
    engines : "all" or collection of str or Engine, default="all"
        Names, with options as in ``["search", "dtmax(depth=3)"]``. ``all``: every engine; those with a depth option
        with depth 2, 3 and 4.
    time_limit : float or None, default=60
        Seconds for each engine. None: no limit.
    memory_limit : float, optional
        Bytes that the process may use, for engines that support a limit; half of the machine's memory by default.
    on_engine : callable, optional
        Called with the name and the guarantees of each engine before it starts.

    Returns
    -------
    Comparison
        ``print`` shows it as a table. An engine that cannot run, because it does not support a constraint or is not
        installed, has an entry with the error. After Ctrl-C the entries so far are returned.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> comparison = compare(rows, ["stop", "go", "go"], engines=["search", "mindt"])
    >>> [(entry.engine, entry.outcome.n_nodes, entry.accuracy) for entry in comparison]
    [('search', 5, 1.0), ('mindt', 5, 1.0)]
    """
    named_engines = _make_engines([*all_engines()] if engines == "all" else engines, memory_limit)
    Clock.of(time_limit)  # reject an invalid limit before any work
    prepared = prepare(
        X, y, binarize=binarize, on_conflict=on_conflict, root=root, forbidden=forbidden, memory_limit=memory_limit
    )
    constraints = Constraints(
        max_depth, prepared.roots, max_nodes=nodes_of(max_leaf_nodes), min_samples_leaf=min_samples_leaf
    )
    entries: list[Entry] = []
    try:
        for name, engine in named_engines:
            if on_engine is not None:
                on_engine(name, engine.guarantees)
            clock = Clock.of(time_limit)
            entries.append(_entry(name, engine, prepared, constraints, clock, memory_limit, on_progress))
            if clock.is_stopped:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not entries:
            raise
        return Comparison(tuple(entries), is_complete=False)
    return Comparison(tuple(entries))


def all_engines() -> Iterator[str]:
    """Yield the names of all engines; those with a depth option with each depth."""
    for name, make in ENGINES.items():
        if "depth" in options_of(make()):
            yield from (f"{name}(depth={depth})" for depth in DEPTHS)
        else:
            yield name


def _make_engines(engines: str | Collection[str | Engine], memory_limit: float | None) -> list[tuple[str, Engine]]:
    if isinstance(engines, str):
        raise InputError(
            "is unknown; use 'all', or a list such as ['search', 'maxsat']", parameter="engines", value=engines
        )
    named = [(item if isinstance(item, str) else repr(item), make_engine(item, memory_limit)) for item in engines]
    if not named:
        raise InputError("is empty; use 'all', or a list such as ['search', 'maxsat']", parameter="engines", value=[])
    return named


def _entry(
    name: str,
    engine: Engine,
    prepared: Prepared,
    constraints: Constraints,
    clock: Clock,
    memory_limit: float | None,
    on_progress: OnProgress | None,
) -> Entry:
    """Run one engine; its errors do not stop the others."""
    try:
        with prepared.decoding_errors():
            outcome = solve(
                prepared.problem,
                engine,
                constraints=constraints,
                clock=clock,
                on_progress=on_progress,
                memory_limit=memory_limit,
            )
        return _evaluate(name, engine, prepared, prepared.decode(outcome))
    except SolverError as error:
        return _evaluate(name, engine, prepared, error.outcome, str(error))
    except InfeasibleError as error:
        return Entry(name, engine.guarantees, None, None, "infeasible", str(error))
    except InputError as error:
        return Entry(name, engine.guarantees, None, None, "unsupported", str(error))
    except PuretreeError as error:
        return Entry(name, engine.guarantees, None, None, "failed", str(error))


def _evaluate(name: str, engine: Engine, prepared: Prepared, outcome: Outcome, error: str | None = None) -> Entry:
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
