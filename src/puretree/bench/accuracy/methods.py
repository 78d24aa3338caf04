"""The methods of the paper's Table 4, ours beside them, and the candidate trees that each of them produces.

The mpdt methods produce minimum trees: one, or several extracted by a SAT solver. Ours draw them from the forest: all
minimum trees, or k trees of which each is proved to be the farthest from those before. DT(max) produces the single most
accurate tree of its depth. The scikit-learn baselines grow as many trees as mpdt finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from numpy.random import RandomState

from ..._support.clock import Clock
from ...engines import make_engine, solve
from ...engines.dtmax import DtMax, EncodingName
from ...errors import UnfinishedError
from ...extraction import Pace, mean_hamming
from ...forest import Forest, TreeList
from ...mpdt import VARIANTS
from ...problem import Constraints
from ...selection.candidates import Limits, Plan, find_candidates, stop_reason
from ..cell import Values
from .baselines import BaselineTrees, grow_ask, grow_lsk, grow_psk
from .evaluation import Correctness, TrainingPart

EXTRACTING = ("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay")
"""The methods that extract several trees. The baselines use as many seeds as the largest number of trees extracted."""

DIVERSE = ("mpdt", "mpdt-lay")
"""The methods that extract diverse trees, by MDSOL."""

SEVERAL = (*EXTRACTING, "all-mdsol")
"""The methods that produce a given number of trees."""

MINIMUM = ("mpdt-nd", "mpdt-lay-nd", "mpdt-1", "mpdt", "mpdt-lay", "all", "all-mdsol")
"""The methods that produce minimum trees; the last two are not the paper's."""

BASELINES = ("psk", "lsk", "ask")
MATCHED = ("n_seeds", "n_nodes")
"""The key entries of the baselines that depend on the minimum trees: their number and their size."""

DEPTHS = {"dtmax-2": 2, "dtmax-3": 3, "dtmax-4": 4}
METHODS = (*BASELINES, *MINIMUM, *DEPTHS)
"""In the order of the paper's table."""


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """A method and its parameters; those that a method does not have are ignored.

    Parameters
    ----------
    method : str
        One of METHODS.
    limit : float
        Time limit in seconds.
    memory : float, optional
        Memory limit of the process in bytes; by default half of the machine's memory.
    seed : int, default=0
        Random state.
    engine : str, default="auto"
        Proves the minimum, for the methods in MINIMUM.
    n_trees : int, default=1000
        Number of trees, for the methods in SEVERAL.
    pace : {"prove", "share"}, default="prove"
        For the methods in DIVERSE: prove that a tree is the farthest before the next one, or share the time.
    backend : str, default="linear"
        The MaxSAT solver of DT(max). As in all experiments, the linear search does not take over from it.
    dtmax_encoding : {"complete", "layout"}, default="complete"
        The formula of DT(max).
    n_seeds : int, default=1
        Number of seeds of the baselines.
    n_nodes : int, optional
        The size of lsk's trees.
    """

    method: str
    limit: float
    memory: float | None = None
    seed: int = 0
    engine: str = "auto"
    n_trees: int = 1000
    pace: Pace = "prove"
    backend: str = "linear"
    dtmax_encoding: EncodingName = "complete"
    n_seeds: int = 1
    n_nodes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """The candidate trees of a method.

    Parameters
    ----------
    trees : Correctness or Forest
    values : dict
        JSON-compatible: ``n_trees``, ``n_unproved`` (those not proved farthest), ``n_nodes`` (the minimum, if proved),
        ``status`` (``optimal`` if the minimum size, or for DT(max) the minimum number of errors, is proved),
        ``lower_bound``, ``upper_bound``, ``found_by`` (who found the tree of the upper bound: the engine, one of its
        stages or a heuristic), ``stopped``, ``mean_hamming`` (of several trees), ``seconds``.
    """

    trees: Correctness | Forest
    values: Values = field(default_factory=dict)


def run_method(settings: MethodSettings, part: TrainingPart) -> MethodResult:
    """Run a method on a training part."""
    clock = Clock(settings.limit)
    run = _minimum if settings.method in MINIMUM else _most_accurate if settings.method in DEPTHS else _baseline
    result = run(settings, part, clock)
    result.values["seconds"] = clock.seconds
    return result


def _plan(settings: MethodSettings) -> Plan:
    engine = make_engine(settings.engine, settings.memory, lazy=False, takeover=False)
    if settings.method == "all":
        return Plan(engine, "all")
    if settings.method == "all-mdsol":
        return Plan(engine, settings.n_trees, "mdsol", "forest")
    n_trees = 1 if settings.method == "mpdt-1" else settings.n_trees
    return Plan(engine, n_trees, VARIANTS[settings.method], "sat", pace=settings.pace)


def _minimum(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    random = RandomState(settings.seed)
    limits = Limits(clock, settings.memory)
    candidate_set = find_candidates(part.prepared, Constraints(), _plan(settings), limits, random)
    candidates, outcome = candidate_set.trees, candidate_set.outcome
    values: Values = {
        "n_trees": int(candidates.count),
        "n_unproved": candidate_set.n_unproved,
        "n_nodes": outcome.n_nodes if outcome.is_minimum else None,
        "lower_bound": outcome.lower_bound,
        "upper_bound": outcome.upper_bound,
        "found_by": outcome.found_by,
        "status": outcome.status,
        "stopped": candidate_set.stopped,
    }
    if settings.method == "all" and isinstance(candidates, Forest):
        return MethodResult(candidates, values)
    trees = list(candidates)  # a forest only if it has no more trees than requested
    values["mean_hamming"] = mean_hamming(trees) if len(trees) > 1 else None
    return MethodResult(Correctness.from_trees(TreeList(trees), part.table, part.held_out), values)


def _most_accurate(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    engine = DtMax(DEPTHS[settings.method], settings.backend, encoding=settings.dtmax_encoding, takeover=False)
    outcome = solve(part.prepared.problem, engine, clock=clock, memory_limit=settings.memory)
    outcome = part.prepared.decode(outcome)
    if outcome.tree is None:
        raise UnfinishedError(
            f"{settings.method} found no tree within {settings.limit:g} s; increase the limit", outcome
        )
    values: Values = {
        "n_trees": 1,
        "n_unproved": 0,
        "n_nodes": None,
        "lower_bound": outcome.lower_bound,
        "upper_bound": outcome.upper_bound,
        "found_by": outcome.found_by,
        "train_errors": outcome.n_errors,
        "status": outcome.status,
        "stopped": stop_reason(outcome),
    }
    return MethodResult(Correctness.from_trees(TreeList([outcome.tree]), part.table, part.held_out), values)


def _baseline(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    n_seeds = settings.n_seeds
    grow: dict[str, Callable[[], BaselineTrees]] = {
        "psk": lambda: grow_psk(part, n_seeds, clock),
        "lsk": lambda: grow_lsk(part, settings.n_nodes, n_seeds, clock),
        "ask": lambda: grow_ask(part, n_seeds, clock),
    }
    trees = grow[settings.method]()
    values: Values = {
        "n_trees": int(trees.correctness.n_trees.sum()),
        "n_unproved": 0,
        "n_seeds": trees.n_seeds,
        "n_nodes": None,
        "status": "unproved",
        "stopped": "enough" if trees.n_seeds == n_seeds else "limit",
    }
    return MethodResult(trees.correctness, values)
