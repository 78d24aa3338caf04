"""What a race of anytime engines says of each of them.

The paper counts how often an engine has the smallest tree at the end. That forgets whether it was proved, and when it
was found, so there are three more measures: PAR2, the mean time to the proof with twice the limit where there is none;
the time to the best tree; and the primal integral (Berthold, *Measuring the impact of primal heuristics*, Operations
Research Letters 41, 2013), the mean gap to the best tree over the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from ..cell import Row


@dataclass(frozen=True, slots=True)
class History:
    """The bounds of an engine on an instance, each with its time.

    Parameters
    ----------
    bounds : tuple of (float, int, int or None)
        Seconds, lower bound, upper bound; in the order of time. None while there is no tree.
    has_failed : bool, default=False
        It ended otherwise than by a proof or a limit of its own.
    """

    bounds: tuple[tuple[float, int, int | None], ...]
    has_failed: bool = False

    @classmethod
    def of(cls, row: Row, limit: float) -> History:
        """Read what was told on the way until the limit, whatever happened then: what comes later does not count."""
        bounds = ((float(each["seconds"]), each["lower"], each["upper"]) for each in row.told if "lower" in each)
        has_failed = row.status != "done" or row.values.get("status") == "failed"
        return cls(tuple(each for each in bounds if each[0] <= limit), has_failed)

    @property
    def upper(self) -> int | None:
        """The nodes of the best tree at the end."""
        return self.bounds[-1][2] if self.bounds else None

    @property
    def is_proved(self) -> bool:
        """Whether no smaller tree can be."""
        return self.proof is not None

    @property
    def proof(self) -> float | None:
        """Seconds until the bounds met; None if they did not."""
        return next((seconds for seconds, lower, upper in self.bounds if lower == upper), None)

    def reached(self, n_nodes: int) -> float | None:
        """Return the seconds until there was a tree of at most so many nodes."""
        return next((seconds for seconds, _, upper in self.bounds if upper is not None and upper <= n_nodes), None)

    def gap_at(self, seconds: float, best: int | None) -> float:
        """Return how far the tree at a time was from the best of all: (its size − best) / its size; 1 without one."""
        uppers = [upper for told, _, upper in self.bounds if told <= seconds]
        return _gap(uppers[-1] if uppers else None, best)

    def primal_integral(self, best: int | None, limit: float) -> float:
        """Return the mean gap from the start to the limit: 0 if the best tree was there at once, 1 if none ever was."""
        steps = [(0.0, 1.0), *((seconds, _gap(upper, best)) for seconds, _, upper in self.bounds), (limit, 0.0)]
        return sum(gap * (after - before) for (before, gap), (after, _) in pairwise(steps)) / limit


def _gap(upper: int | None, best: int | None) -> float:
    return 1.0 if upper is None or best is None else (upper - best) / upper


Race = Mapping[str, History]
"""One instance: the history of each engine."""


def best_upper(race: Race, among: Iterable[str]) -> int | None:
    """Return the nodes of the smallest tree that any of the engines has."""
    return min((upper for engine in among if (upper := race[engine].upper) is not None), default=None)


def winners(race: Race, among: Sequence[str]) -> list[str]:
    """Return the engines that have the smallest tree: all that tie, and nobody where there is no tree.

    >>> winners({"a": History(((1.0, 3, 9),)), "b": History(((0.5, 3, 9),)), "c": History(())}, ["a", "b", "c"])
    ['a', 'b']
    """
    best = best_upper(race, among)
    return [engine for engine in among if best is not None and race[engine].upper == best]


@dataclass(frozen=True, slots=True)
class Score:
    """What an engine did in a number of races.

    Parameters
    ----------
    n_best, n_alone : int
        Races in which no engine has a smaller tree; of these, in which no other has one as small.
    n_proved : int
        Races in which it proved its tree minimum.
    par2 : float
        Mean seconds to the proof, twice the limit where there is none.
    time_to_best : float or None
        Median seconds to its last tree in the races where it is the best; None if there are none.
    primal_integral : float
        Mean over the races, between 0 and 1: see :meth:`History.primal_integral`.
    n_failed : int
        Races that it did not end by itself; what it had found until then counts all the same.
    """

    n_best: int
    n_alone: int
    n_proved: int
    par2: float
    time_to_best: float | None
    primal_integral: float
    n_failed: int


def score(races: Sequence[Race], engines: Sequence[str], limit: float) -> dict[str, Score]:
    """Score each engine by the races, each of which has them all; no scores without races."""
    if not races:
        return {}
    won = [winners(race, engines) for race in races]
    return {engine: _score(engine, races, won, engines, limit) for engine in engines}


def _score(
    engine: str, races: Sequence[Race], won: Sequence[Sequence[str]], engines: Sequence[str], limit: float
) -> Score:
    own = [race[engine] for race in races]
    bests = [best_upper(race, engines) for race in races]
    to_best = [
        history.reached(best)
        for history, best, names in zip(own, bests, won, strict=True)
        if best is not None and engine in names
    ]
    proofs = [history.proof for history in own]
    return Score(
        n_best=len(to_best),
        n_alone=sum(list(names) == [engine] for names in won),
        n_proved=sum(history.is_proved for history in own),
        par2=fmean(2 * limit if proof is None else proof for proof in proofs),
        time_to_best=median(seconds for seconds in to_best if seconds is not None) if to_best else None,
        primal_integral=fmean(history.primal_integral(best, limit) for history, best in zip(own, bests, strict=True)),
        n_failed=sum(history.has_failed for history in own),
    )


def ranks(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the place of each by its count, the largest first; equal counts share a place.

    >>> ranks({"a": 5, "b": 7, "c": 7})
    {'b': '1=', 'c': '1=', 'a': '3'}
    """
    order = sorted(counts, key=lambda name: -counts[name])
    values = list(counts.values())
    return {
        name: f"{1 + sum(value > counts[name] for value in values)}{'=' if values.count(counts[name]) > 1 else ''}"
        for name in order
    }


def ordering(counts: Mapping[str, int]) -> str:
    """Write who is before whom.

    >>> ordering({"a": 5, "b": 7, "c": 7})
    'b = c > a'
    """
    order = sorted(counts, key=lambda name: -counts[name])
    rest = (f"{'=' if counts[one] == counts[other] else '>'} {other}" for one, other in pairwise(order))
    return " ".join([*order[:1], *rest])


def mean_gaps(races: Sequence[Race], engines: Sequence[str], times: Sequence[float]) -> dict[str, list[float]]:
    """Return the mean gap of each engine to the best tree at the end, at each of the times."""
    bests = [best_upper(race, engines) for race in races]
    return {
        engine: [
            fmean(race[engine].gap_at(seconds, best) for race, best in zip(races, bests, strict=True))
            for seconds in times
        ]
        for engine in engines
    }
