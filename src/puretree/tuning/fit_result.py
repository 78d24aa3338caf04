"""The result of a fit that allows errors: one tree of a point of the front, the point, and how it was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._support.clock import Clock
from .._support.text import quantity
from ..errors import UnfinishedError, UnfinishedWarning, warn
from ..forest import TreeList
from ..outcome import Outcome
from ..pareto import Front, FrontPoint
from ..pareto.curves import count_errors
from ..pareto.front import REASONS
from ..selection.candidates import CandidateSet
from ..selection.fit_result import FitResult, not_chosen
from .target import Target, Tuned
from .vote import Vote, Voters

TREES_SHARE = 0.5  # of the time left, to collect the trees of the point; the rest is for the choice


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalFitResult(FitResult):
    """A tree chosen among those of a point of the front.

    Parameters
    ----------
    prepared, constraints, candidates, choice, rule, smoothing
        As for :class:`~puretree.FitResult`.
    front : Front
    tuned : Tuned
        The point, and the cross-validation.
    voters : Voters, optional
        The trees that vote.
    """

    front: Front
    tuned: Tuned
    voters: Voters | None = None

    @property
    def point(self) -> FrontPoint:
        """The chosen point."""
        return self.tuned.point

    @property
    def outcome(self) -> Outcome:
        """What is proved of the chosen tree: of two trees of the same cost, one may have more errors."""
        return replace(self.candidates.outcome, tree=self.tree, n_errors=count_errors(self.tree))

    def with_all_trees(self, time_limit: float | None = None, memory_limit: float | None = None) -> OptimalFitResult:
        """Return the result with all trees of the point, computed now if they are not known; it must be proved.

        Raises
        ------
        UnfinishedError
            If a limit is reached before all of them are found.
        """
        if self.candidates.forest is not None:
            return self
        forest = self.point.forest(time_limit=time_limit, memory_limit=memory_limit)
        return replace(self, candidates=replace(self.candidates, forest=forest))


def trees_of_point(front: Front, point: FrontPoint, clock: Clock, memory_limit: float | None) -> CandidateSet:
    """Collect the trees of a point, or take its own tree if it is not proved or a limit is reached.

    Parameters
    ----------
    front : Front
    point : FrontPoint
    clock : Clock
        An interrupt stops it.
    memory_limit : float or None
    """
    outcome = Outcome(
        tree=point.tree,
        lower_bound=point.lower_bound,
        upper_bound=point.upper_bound,
        status=point.status,
        history=(),
        seconds=clock.seconds,
        minimised=front.prepared.minimised,
        n_errors=point.errors,
        engine="search",
    )
    if point.status == "optimal":
        try:
            forest = point.forest(time_limit=clock.part(TREES_SHARE), memory_limit=memory_limit)
            return CandidateSet(outcome, forest, "exhausted", forest)
        except UnfinishedError:
            pass
        except KeyboardInterrupt:
            clock.stop()
    return CandidateSet(outcome, TreeList([point.tree]), "limit")


def warn_if_incomplete(result: OptimalFitResult, target: Target, vote: Vote, clock: Clock) -> None:
    """Warn if a limit was reached before the proofs, or before the tree was chosen.

    Parameters
    ----------
    result : OptimalFitResult
    target : Target
    vote : "point", float or None
        The trees that were to vote.
    clock : Clock
        The clock of the fit, which an interrupt has stopped.
    """
    found = [*_open_point(result), *_open_validation(result, target, clock)]
    if result.point.status == "optimal" and result.candidates.stopped == "limit":
        found.append("a limit was reached before all trees of this size were found, so there was no choice among them")
    elif not result.is_chosen:
        found.append(not_chosen(result, clock))
    found += _missing_voters(result, vote)
    if found:
        warn(UnfinishedWarning(f"{'; '.join(found)}; allow more time, or a smaller max_leaf_nodes"))


def _missing_voters(result: OptimalFitResult, vote: Vote) -> list[str]:
    voters = result.voters
    if vote is None:
        return []
    if voters is None:
        return ["the trees that vote were not all found, so the chosen tree predicts alone"]
    wanted = 0.0 if vote == "point" else float(vote)
    if voters.fraction >= wanted:
        return []
    band = f"of up to {100 * voters.fraction:g} % more" if voters.fraction else "with as few errors"
    return [f"the trees of up to {100 * wanted:g} % more errors were not all found, so those {band} vote"]


def _open_point(result: OptimalFitResult) -> list[str]:
    point = result.point
    if point.status == "optimal":
        return []
    unit = "number of errors" if result.front.counts_errors else "cost"
    return [
        f"{REASONS.get(point.status, 'the search ended')} before the tree was proved optimal: it has "
        f"{quantity(point.n_nodes, 'node')}, for which the least {unit} lies between {point.lower_bound:g} and "
        f"{point.upper_bound:g}"
    ]


def _open_validation(result: OptimalFitResult, target: Target, clock: Clock) -> list[str]:
    validated = result.tuned.validated
    if not target.is_validated or (validated is not None and validated.is_complete):
        return []
    if validated is None:
        return [f"{clock.reason} before the cross-validation: the size is that at which each leaf saves two rows"]
    found = [f"{quantity(validated.n_missing, 'fold')} had no time"] if validated.n_missing else []
    if validated.n_skipped:
        found.append(f"{quantity(validated.n_skipped, 'size')} had no time in every fold")
    if n_open := int((validated.n_proved < len(validated.fronts)).sum()):
        n_sizes = quantity(len(validated.sizes), "size")
        found.append(f"the trees of {n_open} of {n_sizes} are not proved optimal in every fold")
    return found
