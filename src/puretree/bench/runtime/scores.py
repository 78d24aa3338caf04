"""Scores of anytime engines.

The paper counts how often an engine has the smallest tree at the time limit. That ignores proofs and the time to find
the tree, so there are three further scores: PAR2, the mean time to the proof, counting twice the limit if there is
none; the time to the best tree; and the primal integral, the mean gap to the best tree over time (Berthold, *Measuring
the impact of primal heuristics*, Operations Research Letters 41, 2013).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from ..cell import Row


@dataclass(frozen=True, slots=True)
class History:
    """The bounds of an engine on an instance over time.

    Parameters
    ----------
    bounds : tuple of (float, int, int or None)
        Seconds, lower bound, upper bound, by ascending time. The upper bound is None before the first tree.
    has_failed : bool, default=False
        Whether the engine stopped for another reason than a proof or a limit of its own.
    sources : tuple of str, default=()
        Who made each of the bounds: a solver, or a stage of the engine.
    """

    bounds: tuple[tuple[float, int, int | None], ...]
    has_failed: bool = False
    sources: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, row: Row, limit: float) -> History:
        """Read the bounds reported within the time limit, whatever the status of the row."""
        steps = [step for step in row.progress if "lower" in step and step["seconds"] <= limit]
        bounds = tuple((float(step["seconds"]), step["lower"], step["upper"]) for step in steps)
        has_failed = row.status != "done" or row.values.get("status") == "failed"
        return cls(bounds, has_failed, tuple(step.get("by", "") for step in steps))

    @property
    def upper(self) -> int | None:
        """The final upper bound: the number of nodes of the best tree."""
        return self.bounds[-1][2] if self.bounds else None

    @property
    def is_proved(self) -> bool:
        """Whether the best tree is proved minimum."""
        return self.proof is not None

    @property
    def proof(self) -> float | None:
        """Seconds until the bounds met; None if they did not."""
        return next((seconds for seconds, lower, upper in self.bounds if lower == upper), None)

    @property
    def improved_by(self) -> list[str]:
        """Who made each tree that is smaller than the one before; the first tree is no improvement."""
        uppers = pairwise(upper for _, _, upper in self.bounds)
        steps = zip(uppers, self.sources[1:], strict=False)
        return [source for (before, after), source in steps if before is not None and after != before]

    @property
    def proved_by(self) -> str | None:
        """Who made the bounds meet; None without a proof."""
        steps = zip(self.bounds, self.sources, strict=False)
        return next((source for (_, lower, upper), source in steps if lower == upper), None)

    def time_to(self, n_nodes: int) -> float | None:
        """Return the seconds until the first tree with at most ``n_nodes`` nodes."""
        return next((seconds for seconds, _, upper in self.bounds if upper is not None and upper <= n_nodes), None)

    def gap_at(self, seconds: float, best: int | None) -> float:
        """Return the gap of the upper bound at a time: (upper − best) / upper; 1 before the first tree."""
        uppers = [upper for time, _, upper in self.bounds if time <= seconds]
        return _gap(uppers[-1] if uppers else None, best)

    def primal_integral(self, best: int | None, limit: float) -> float:
        """Return the mean gap from the start to the limit: 0 if the best tree is there at once, 1 without a tree."""
        steps = [(0.0, 1.0), *((seconds, _gap(upper, best)) for seconds, _, upper in self.bounds), (limit, 0.0)]
        return sum(gap * (after - before) for (before, gap), (after, _) in pairwise(steps)) / limit


def _gap(upper: int | None, best: int | None) -> float:
    return 1.0 if upper is None or best is None else (upper - best) / upper


InstanceHistories = Mapping[str, History]
"""The history of each engine on one instance."""


def best_upper(histories: InstanceHistories, engines: Iterable[str]) -> int | None:
    """Return the smallest upper bound of the engines."""
    return min((upper for engine in engines if (upper := histories[engine].upper) is not None), default=None)


def best_engines(histories: InstanceHistories, engines: Sequence[str]) -> list[str]:
    """Return the engines with the smallest upper bound, including ties; none if no engine has a tree.

    >>> best_engines({"a": History(((1.0, 3, 9),)), "b": History(((0.5, 3, 9),)), "c": History(())}, ["a", "b", "c"])
    ['a', 'b']
    """
    best = best_upper(histories, engines)
    return [engine for engine in engines if best is not None and histories[engine].upper == best]


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of an engine over several instances.

    Parameters
    ----------
    n_best, n_alone : int
        Instances on which no engine has a smaller tree; of these, those on which no other engine has one of equal size.
    n_proved : int
        Instances on which the engine proved its tree minimum.
    par2 : float
        Mean seconds to the proof, counting twice the limit if there is none.
    time_to_best : float or None
        Median seconds to the best tree, over the instances on which the engine has it; None if there are none.
    primal_integral : float
        Mean over the instances, between 0 and 1: see :meth:`History.primal_integral`.
    n_failed : int
        Instances on which the engine failed; its bounds up to the failure still count.
    """

    n_best: int
    n_alone: int
    n_proved: int
    par2: float
    time_to_best: float | None
    primal_integral: float
    n_failed: int


def score(instances: Sequence[InstanceHistories], engines: Sequence[str], limit: float) -> dict[str, Score]:
    """Score each engine over instances, all of which have a history for it; empty without instances."""
    if not instances:
        return {}
    best = [best_engines(histories, engines) for histories in instances]
    return {engine: _score(engine, instances, best, engines, limit) for engine in engines}


def _score(
    engine: str,
    instances: Sequence[InstanceHistories],
    best: Sequence[Sequence[str]],
    engines: Sequence[str],
    limit: float,
) -> Score:
    histories = [of_instance[engine] for of_instance in instances]
    uppers = [best_upper(of_instance, engines) for of_instance in instances]
    times_to_best = [
        history.time_to(upper)
        for history, upper, names in zip(histories, uppers, best, strict=True)
        if upper is not None and engine in names
    ]
    proofs = [history.proof for history in histories]
    return Score(
        n_best=len(times_to_best),
        n_alone=sum(list(names) == [engine] for names in best),
        n_proved=sum(history.is_proved for history in histories),
        par2=fmean(2 * limit if proof is None else proof for proof in proofs),
        time_to_best=median(seconds for seconds in times_to_best if seconds is not None) if times_to_best else None,
        primal_integral=fmean(
            history.primal_integral(upper, limit) for history, upper in zip(histories, uppers, strict=True)
        ),
        n_failed=sum(history.has_failed for history in histories),
    )


def ranks(counts: Mapping[str, int]) -> dict[str, str]:
    """Return the rank of each name by its count, largest first; equal counts share a rank.

    >>> ranks({"a": 5, "b": 7, "c": 7})
    {'b': '1=', 'c': '1=', 'a': '3'}
    """
    order = sorted(counts, key=lambda name: -counts[name])
    values = list(counts.values())
    return {
        name: f"{1 + sum(value > counts[name] for value in values)}{'=' if values.count(counts[name]) > 1 else ''}"
        for name in order
    }


def mean_gaps(
    instances: Sequence[InstanceHistories], engines: Sequence[str], times: Sequence[float]
) -> dict[str, list[float]]:
    """Return the mean gap of each engine to the final best tree, at each of the times."""
    uppers = [best_upper(histories, engines) for histories in instances]
    return {
        engine: [
            fmean(histories[engine].gap_at(seconds, upper) for histories, upper in zip(instances, uppers, strict=True))
            for seconds in times
        ]
        for engine in engines
    }
