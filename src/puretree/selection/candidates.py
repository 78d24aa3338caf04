"""The trees to choose from: all minimum trees as a forest, some of them, or the one that the time allowed.

The forest is what the exact search gives for little more than the proof. The SAT solver extracts trees one by one, as
the paper does: for those who want the paper's trees, or prove the minimum by MaxSAT.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from numpy.random import RandomState

from .._support.clock import Clock
from ..engines import Auto, Engine, MaxSat, Search, solve
from ..errors import InputError, UnfinishedError
from ..extraction import DEFAULT_DEPTH, Ending, Extractor
from ..forest import Forest, TreeList, grow_forest
from ..forest.forest import Measure
from ..outcome import OnProgress, Outcome
from ..problem import Constraints, Prepared
from ..tree import Tree

Diversity = Literal["none", "mdsol", "max-min", "layouts", "layouts-mdsol"]
Source = Literal["forest", "sat"]
DRAWING_SHARE = 0.5  # of the time left, to draw some trees from the forest: the choice takes some, too

Number = int | Literal["all"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to come by trees.

    Parameters
    ----------
    engine : Engine
        Proves the minimum.
    n_trees : int or "all"
        How many trees to choose from.
    diversity : {"none", "mdsol", "max-min", "layouts", "layouts-mdsol"}
        How different they should be: however they come, the paper's greatest sum of distances, the greatest least
        distance (forest only), or equally many for each layout of the upper nodes (SAT only), without and with mdsol.
    source : {"forest", "sat"}
        Where they come from.
    """

    engine: Engine
    n_trees: Number = "all"
    diversity: Diversity = "none"
    source: Source = "forest"

    def __post_init__(self) -> None:
        if self.diversity not in get_args(Diversity):
            raise InputError(f"diversity={self.diversity!r} is not known; use one of {', '.join(get_args(Diversity))}")
        is_number = isinstance(self.n_trees, int) and not isinstance(self.n_trees, bool) and self.n_trees >= 1
        if not is_number and self.n_trees != "all":
            raise InputError(f"n_trees={self.n_trees!r} is not a number of trees; use 1, 2 … or 'all'")
        guarantees = self.engine.guarantees
        if guarantees.aim != "nodes":
            raise InputError(
                f"engine={self.engine.name!r} is for {guarantees.objective}: there are no smallest trees to choose from; "
                "use compare for its one tree, or engine='auto'"
            )
        if self.source == "sat" and self.n_trees == "all":
            raise InputError("n_trees='all' is for the forest; extract a number of trees, such as n_trees=100")
        if self.source == "forest" and self.diversity.startswith("layouts"):
            raise InputError(
                f"diversity={self.diversity!r} is had from SAT: it needs a number of trees, such as n_trees=100, and "
                "no costs of columns"
            )
        if self.n_trees == "all" and self.diversity != "none":
            raise InputError(f"diversity={self.diversity!r} is of a number of trees; give one, such as n_trees=100")
        if self.source == "sat" and self.diversity == "max-min":
            raise InputError("diversity='max-min' is for the forest; use 'mdsol' with engine='maxsat'")

    @classmethod
    def of(cls, engine: Engine, n_trees: Number, diversity: Diversity, source: Source | None = None) -> Plan:
        """Make a plan; unless told, what MaxSAT proved is extracted by SAT, and layouts are."""
        if source is None:
            is_sat = diversity.startswith("layouts") or (isinstance(engine, MaxSat) and diversity != "max-min")
            source = "sat" if is_sat and n_trees != "all" else "forest"
        return cls(engine, n_trees, diversity, source)


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The trees to choose from.

    Parameters
    ----------
    outcome : Outcome
        The proof, or the bounds so far.
    candidates : Forest or TreeList
    ending : {"enough", "exhausted", "limit"}
        As many as were asked for; all there are; or what was found before the time or the memory was over.
    forest : Forest or None
        All smallest trees, where they are known.
    """

    outcome: Outcome
    candidates: Forest | TreeList
    ending: Ending
    forest: Forest | None = None

    @property
    def n_smallest(self) -> int | None:
        """How many smallest trees there are; None if that is not known."""
        if self.forest is not None:
            return self.forest.count
        return self.candidates.count if self.ending == "exhausted" else None


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be used up.

    Parameters
    ----------
    clock : Clock
    memory_limit : float, optional
        In bytes; half of the machine's by default.
    on_progress : callable, optional
        Gets the bounds whenever one improves.
    """

    clock: Clock
    memory_limit: float | None = None
    on_progress: OnProgress | None = None


def find_candidates(
    prepared: Prepared, constraints: Constraints, plan: Plan, limits: Limits, random: RandomState
) -> CandidateSet:
    """Prove the minimum, and find trees that attain it.

    Raises
    ------
    UnfinishedError
        If not even one tree was found in time that keeps to the wishes.
    """
    with prepared.decoding_errors():
        if plan.n_trees == 1:
            return _only(prepared, _prove(prepared, constraints, plan.engine, limits), "enough")
        if plan.source == "sat":
            return _extract(prepared, constraints, plan, limits)
        return _from_forest(prepared, constraints, plan, limits, random)


def _from_forest(
    prepared: Prepared, constraints: Constraints, plan: Plan, limits: Limits, random: RandomState
) -> CandidateSet:
    try:
        forest = _grow(prepared, constraints, plan.engine, limits)
    except UnfinishedError as error:
        return _only(prepared, error.outcome, "limit")
    k = plan.n_trees
    if k == "all" or k >= forest.count:
        return CandidateSet(forest.outcome, forest, "exhausted", forest)
    try:
        trees = _some_of(forest, k, plan.diversity, limits.clock, random)
    except KeyboardInterrupt:  # the proof is there, and one tree with it
        trees = [forest[0]]
    return CandidateSet(forest.outcome, TreeList(trees), "enough" if len(trees) == k else "limit", forest)


def _some_of(forest: Forest, k: int, diversity: Diversity, clock: Clock, random: RandomState) -> list[Tree]:
    if diversity == "none":
        return forest.sample(k, random)
    measure: Measure = "max-min" if diversity == "max-min" else "mdsol"
    return forest.diverse(k, measure, time_limit=clock.part(DRAWING_SHARE).left)


def _grow(prepared: Prepared, constraints: Constraints, engine: Engine, limits: Limits) -> Forest:
    """Find all trees by exact search; an engine of another kind proves the minimum first."""
    if isinstance(engine, Auto | Search):
        return find_forest(prepared, constraints, limits, then_maxsat=isinstance(engine, Auto))
    proof = _prove(prepared, constraints, engine, limits)
    if proof.status != "optimal":
        raise UnfinishedError("the minimum is not proved", proof)
    return find_forest(prepared, constraints, limits)


def find_forest(
    prepared: Prepared, constraints: Constraints, limits: Limits, *, extra: int = 0, then_maxsat: bool = False
) -> Forest:
    """Find all smallest trees by exact search; of these the cheapest, if cost comes second.

    Parameters
    ----------
    prepared : Prepared
    constraints : Constraints
    limits : Limits
    extra : int, default=0
        Also the trees with up to so many inner nodes more.
    then_maxsat : bool, default=False
        Where the search does not prove the minimum in most of the time, let MaxSAT go on.

    Raises
    ------
    UnfinishedError
        If the time or the memory is not enough; its outcome is over the problem's features.
    """
    outcome, graph = grow_forest(
        prepared.problem,
        replace(constraints, minimise="nodes"),
        extra,
        limits.clock,
        limits.memory_limit,
        limits.on_progress,
        then_maxsat,
    )
    forest = Forest(prepared, graph, prepared.decode(outcome))
    return forest if constraints.minimise == "nodes" else forest.cheapest()


def _extract(prepared: Prepared, constraints: Constraints, plan: Plan, limits: Limits) -> CandidateSet:
    outcome = _prove(prepared, constraints, plan.engine, limits)
    if outcome.status != "optimal":
        return _only(prepared, outcome, "limit")
    told = prepared.decode(outcome)
    assert isinstance(plan.n_trees, int)
    extractor = Extractor(
        diversity="mdsol" if plan.diversity.endswith("mdsol") else "none",
        layout_depth=DEFAULT_DEPTH if plan.diversity.startswith("layouts") else None,
    )
    extraction = extractor.extract(prepared, told, plan.n_trees, constraints=constraints, clock=limits.clock)
    return CandidateSet(told, TreeList(extraction.trees), extraction.ending)


def _prove(prepared: Prepared, constraints: Constraints, engine: Engine, limits: Limits) -> Outcome:
    return solve(prepared.problem, engine, constraints=constraints, clock=limits.clock, on_progress=limits.on_progress)


def _only(prepared: Prepared, outcome: Outcome, ending: Ending) -> CandidateSet:
    """Return the one tree that is known."""
    if outcome.tree is None:
        remedy = "use engine='auto'" if outcome.status == "unproved" else "allow more time"
        raise UnfinishedError(f"no tree that keeps to the wishes was found; {remedy}", outcome)
    told = prepared.decode(outcome)
    assert told.tree is not None
    return CandidateSet(told, TreeList([told.tree]), ending)
