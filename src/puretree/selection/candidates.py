"""The trees to choose from: all minimum trees as a forest, some of them, or the best tree found within the limits.

The exact search yields the forest for little more than the proof. SAT extraction yields trees one by one, as in the
paper: for those who want the paper's trees, or who prove the minimum by MaxSAT. After a proof by the linear search, the
same solver extracts the trees: the paper's chain, over the original features throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from numpy.random import RandomState

from .._support.clock import Clock
from ..engines import Engine, MaxSat, solve
from ..engines.maxsat import OpenFormula
from ..errors import InputError, UnfinishedError
from ..extraction import DEFAULT_DEPTH, Extractor, Pace, StopReason, with_original_features
from ..forest import Forest, TreeList, grow_forest
from ..maxsat import Linear, make_backend
from ..maxsat.mdsol import require_pace, require_positive
from ..outcome import OnProgress, Outcome
from ..problem import Constraints, Prepared
from ..tree import Tree

Diversity = Literal["none", "mdsol", "max-min", "layouts", "layouts-mdsol"]
Source = Literal["forest", "sat"]
DRAWING_SHARE = 0.5  # of the time left, to draw trees from the forest; the rest is for the choice

Number = int | Literal["all"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to obtain candidate trees.

    Parameters
    ----------
    engine : Engine
        Proves the minimum.
    n_trees : int or "all"
        The number of candidates.
    diversity : {"none", "mdsol", "max-min", "layouts", "layouts-mdsol"}
        How candidates are spread: not at all; with the greatest sum of distances, as in the paper; with the greatest
        minimum distance (forest only); or equally over all layouts of the upper nodes (SAT only), without and with
        mdsol.
    source : {"forest", "sat"}
        Whether they are drawn from the forest or extracted by SAT.
    layout_depth : int, default=2
        The depth down to which layouts are distinguished.
    pace : {"prove", "share"}, default="prove"
        Whether SAT proves that each diverse tree is the farthest before it takes the next, or shares the time among
        them; see :class:`~puretree.extraction.Extractor`.
    """

    engine: Engine
    n_trees: Number = "all"
    diversity: Diversity = "none"
    source: Source = "forest"
    layout_depth: int = DEFAULT_DEPTH
    pace: Pace = "prove"

    def __post_init__(self) -> None:
        require_positive("layout_depth", self.layout_depth)
        require_pace(self.pace)
        if self.diversity not in get_args(Diversity):
            raise self._error(f"is unknown; use one of {', '.join(get_args(Diversity))}", "diversity")
        is_number = isinstance(self.n_trees, int) and not isinstance(self.n_trees, bool) and self.n_trees >= 1
        if not is_number and self.n_trees != "all":
            raise self._error("is not a number of trees; use 1, 2 … or 'all'", "n_trees")
        guarantees = self.engine.guarantees
        if guarantees.aim != "nodes":
            raise InputError(
                f"has the objective {guarantees.objective!r}, so there are no minimum trees to choose from; run it "
                "with compare, or minimise the size",
                parameter="engine",
                value=self.engine.name,
                use={"engine": "auto"},
            )
        if self.source == "sat" and self.n_trees == "all":
            raise self._error("requires the forest; SAT extracts a number of trees", "n_trees", n_trees=100)
        if self.source == "forest" and self.diversity.startswith("layouts"):
            raise self._error(
                "requires SAT extraction, and so a number of trees and no feature costs", "diversity", n_trees=100
            )
        if self.n_trees == "all" and self.diversity != "none":
            raise self._error("requires a number of trees", "diversity", n_trees=100)
        if self.source == "sat" and self.diversity == "max-min":
            raise self._error("requires the forest", "diversity", diversity="mdsol")

    def _error(self, reason: str, parameter: str, **use: Any) -> InputError:
        return InputError(reason, parameter=parameter, value=getattr(self, parameter), use=use)

    @classmethod
    def of(
        cls,
        engine: Engine,
        n_trees: Number,
        diversity: Diversity,
        source: Source | None = None,
        *,
        layout_depth: int = DEFAULT_DEPTH,
        pace: Pace = "prove",
    ) -> Plan:
        """Make a plan; by default SAT extracts layouts and, if MaxSAT proves the minimum, two trees or more."""
        if source is None:
            is_maxsat = isinstance(engine, MaxSat) and diversity != "max-min" and n_trees != 1
            is_sat = diversity.startswith("layouts") or is_maxsat
            source = "sat" if is_sat and n_trees != "all" else "forest"
        return cls(engine, n_trees, diversity, source, layout_depth, pace)

    @property
    def continues_proof(self) -> bool:
        """Whether SAT extracts the trees from the formula of the proof: that of the linear search."""
        is_linear = isinstance(self.engine, MaxSat) and isinstance(make_backend(self.engine.backend), Linear)
        return is_linear and self.source == "sat"


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The trees to choose from.

    Parameters
    ----------
    outcome : Outcome
        The proof, or the bounds so far.
    trees : Forest or TreeList
    stopped : {"enough", "exhausted", "limit"}
        Why no more trees were collected: as many as requested; all that exist; or a limit was reached, which may be
        before the minimum was proved.
    forest : Forest or None
        All minimum trees, if they are known.
    n_unproved : int, default=0
        The number of diverse trees that are not proved to be the farthest from those before.
    is_one_requested : bool, default=False
        Whether no other tree was requested.
    """

    outcome: Outcome
    trees: Forest | TreeList
    stopped: StopReason
    forest: Forest | None = None
    n_unproved: int = 0
    is_one_requested: bool = False

    @property
    def lacks_trees(self) -> bool:
        """Whether a limit was reached before as many trees as requested were collected."""
        return self.stopped == "limit" and not self.is_one_requested

    @property
    def known(self) -> Tree:
        """One of the trees, which no computation is needed for: of a forest the one that the proof found."""
        tree = self.outcome.tree if self.trees is self.forest else None
        return self.trees[0] if tree is None else tree

    @property
    def n_minimum_trees(self) -> int | None:
        """The number of minimum trees; None if unknown."""
        if self.forest is not None:
            return self.forest.count
        return self.trees.count if self.stopped == "exhausted" else None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a request.

    Parameters
    ----------
    clock : Clock
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    on_progress : callable, optional
        Called with the bounds whenever one improves.
    """

    clock: Clock
    memory_limit: float | None = None
    on_progress: OnProgress | None = None


def find_candidates(
    prepared: Prepared, constraints: Constraints, plan: Plan, limits: Limits, random: RandomState
) -> CandidateSet:
    """Prove the minimum, and find trees that attain it; after the proof, no limit and no interrupt loses its tree.

    Raises
    ------
    UnfinishedError
        If no tree that satisfies the constraints was found within the limits.
    """
    if plan.continues_proof:
        prepared, constraints = with_original_features(prepared, constraints)
    with prepared.decoding_errors():
        if plan.n_trees == 1:
            outcome = _prove(prepared, constraints, plan.engine, limits)
            return replace(_single(prepared, outcome, stop_reason(outcome)), is_one_requested=True)
        if plan.source == "sat":
            return _extract(prepared, constraints, plan, limits)
        forest = None
        try:
            forest = grow_forest(
                prepared,
                constraints,
                plan.engine,
                clock=limits.clock,
                memory_limit=limits.memory_limit,
                on_progress=limits.on_progress,
            )
            return _draw(forest, plan, limits.clock, random)
        except UnfinishedError as error:
            return _single(prepared, error.outcome, "limit")
        except KeyboardInterrupt:
            if forest is None:
                raise
            limits.clock.stop()
            assert forest.outcome.tree is not None
            return CandidateSet(forest.outcome, TreeList([forest.outcome.tree]), "limit", forest)


def stop_reason(outcome: Outcome) -> StopReason:
    """Return why there is only the tree of an outcome where one tree was requested."""
    return "limit" if outcome.status in ("time_limit", "memory_limit", "interrupted") else "enough"


def _draw(forest: Forest, plan: Plan, clock: Clock, random: RandomState) -> CandidateSet:
    k = plan.n_trees
    if k == "all" or k >= forest.count:
        return CandidateSet(forest.outcome, forest, "exhausted", forest)
    trees = _some_of(forest, k, plan.diversity, clock.part(DRAWING_SHARE), random)
    return CandidateSet(forest.outcome, TreeList(trees), "enough" if len(trees) == k else "limit", forest)


def _some_of(forest: Forest, k: int, diversity: Diversity, clock: Clock, random: RandomState) -> list[Tree]:
    """Draw trees, as many as the time allows; at least one."""
    if diversity == "none":
        return forest.sample(k, random, time_limit=clock.left)
    return forest.diverse(k, "max-min" if diversity == "max-min" else "mdsol", time_limit=clock.left)


def _extract(prepared: Prepared, constraints: Constraints, plan: Plan, limits: Limits) -> CandidateSet:
    assert isinstance(plan.n_trees, int)
    extractor = Extractor(
        diversity="mdsol" if plan.diversity.endswith("mdsol") else "none",
        layout_depth=plan.layout_depth if plan.diversity.startswith("layouts") else None,
        pace=plan.pace,
        warm_start=not isinstance(plan.engine, MaxSat) or plan.engine.warm_start,
    )
    with OpenFormula() as formula:
        outcome = _prove(prepared, constraints, plan.engine, limits, formula if plan.continues_proof else None)
        if outcome.status != "optimal":
            return _single(prepared, outcome, "limit")
        try:
            decoded = prepared.decode(outcome)
            extraction = extractor.extract(
                prepared, decoded, plan.n_trees, constraints=constraints, clock=limits.clock, formula=formula
            )
            if extraction.trees:
                trees = TreeList(extraction.trees)
                return CandidateSet(decoded, trees, extraction.stopped, n_unproved=extraction.n_unproved)
        except KeyboardInterrupt:
            limits.clock.stop()
        return _single(prepared, outcome, "limit")


def _prove(
    prepared: Prepared, constraints: Constraints, engine: Engine, limits: Limits, formula: OpenFormula | None = None
) -> Outcome:
    return solve(
        prepared.problem,
        engine,
        constraints=constraints,
        clock=limits.clock,
        on_progress=limits.on_progress,
        memory_limit=limits.memory_limit,
        formula=formula,
    )


def _single(prepared: Prepared, outcome: Outcome, stopped: StopReason) -> CandidateSet:
    """Return the best tree found as the only candidate."""
    if outcome.tree is None:
        remedy = "use another engine" if outcome.status == "unproved" else "allow more time"
        raise UnfinishedError(f"no tree that satisfies the constraints was found; {remedy}", outcome)
    decoded = prepared.decode_result(outcome)
    assert decoded.tree is not None
    return CandidateSet(decoded, TreeList([decoded.tree]), stopped)
