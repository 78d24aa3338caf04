"""The methods of the paper's Table 4, and the candidate trees that each of them produces.

The mpdt methods produce minimum trees: one, several extracted by a SAT solver, or all of them as a forest. DT(max)
produces the single most accurate tree of its depth. The scikit-learn baselines grow as many trees as mpdt finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from numpy.random import RandomState

from ..._support.clock import Clock
from ...engines import make_engine, solve
from ...errors import UnfinishedError
from ...forest import Forest, TreeList
from ...mpdt import VARIANTS
from ...problem import Constraints
from ...selection.candidates import Limits, Number, Plan, find_candidates
from ..cell import Values
from .baselines import BaselineTrees, grow_ask, grow_lsk, grow_psk
from .evaluation import Correctness, TrainingPart

EXTRACTING = ("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay")
"""The methods that extract several trees. The baselines use as many seeds as the largest number of trees extracted."""

MINIMUM = ("mpdt-nd", "mpdt-lay-nd", "mpdt-1", "mpdt", "mpdt-lay", "all")
"""The methods that produce minimum trees."""

BASELINES = ("psk", "lsk", "ask")
MATCHED = ("n_seeds", "n_nodes")
"""The key entries of the baselines that depend on the minimum trees: their number and their size."""

DEPTHS = {"dtmax-2": 2, "dtmax-3": 3, "dtmax-4": 4}
METHODS = (*BASELINES, *MINIMUM, *DEPTHS)
"""In the order of the paper's table."""


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """A method and its parameters.

    Parameters
    ----------
    method : str
        One of METHODS.
    n_trees : int
        Number of trees to extract, for the methods that extract several.
    limit : float
        Time limit in seconds.
    memory : float, optional
        Memory limit of the process in bytes; by default half of the machine's memory.
    seed : int, default=0
        Random state.
    n_seeds : int, optional
        Number of seeds of the baselines; ``n_trees`` by default.
    n_nodes : int, optional
        The size of lsk's trees.
    """

    method: str
    n_trees: int
    limit: float
    memory: float | None = None
    seed: int = 0
    n_seeds: int | None = None
    n_nodes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """The candidate trees of a method.

    Parameters
    ----------
    trees : Correctness or Forest
    values : dict
        JSON-compatible: ``n_trees``, ``n_nodes`` (the minimum, if proved), ``status``, ``stopped``, ``seconds``.
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


def _minimum(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    numbers: dict[str, Number] = {"mpdt-1": 1, "all": "all"}
    plan = Plan(
        make_engine("auto", settings.memory),
        numbers.get(settings.method, settings.n_trees),
        VARIANTS[settings.method],
        "forest" if settings.method == "all" else "sat",
    )
    random = RandomState(settings.seed)
    candidate_set = find_candidates(part.prepared, Constraints(), plan, Limits(clock, settings.memory), random)
    candidates, outcome = candidate_set.trees, candidate_set.outcome
    values: Values = {
        "n_trees": int(candidates.count),
        "n_nodes": outcome.n_nodes if outcome.is_minimum else None,
        "lower_bound": outcome.lower_bound,
        "status": outcome.status,
        "stopped": candidate_set.stopped,
    }
    if isinstance(candidates, TreeList):
        return MethodResult(Correctness.from_trees(candidates, part.table, part.held_out), values)
    return MethodResult(candidates, values)


def _most_accurate(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    engine = make_engine(f"dtmax(depth={DEPTHS[settings.method]})", settings.memory)
    outcome = part.prepared.decode(solve(part.prepared.problem, engine, clock=clock))
    if outcome.tree is None:
        raise UnfinishedError(
            f"{settings.method} found no tree within {settings.limit:g} s; increase the limit", outcome
        )
    values: Values = {
        "n_trees": 1,
        "n_nodes": None,
        "train_errors": outcome.n_errors,
        "status": outcome.status,
        "stopped": "enough" if outcome.status == "optimal" else "limit",
    }
    return MethodResult(Correctness.from_trees(TreeList([outcome.tree]), part.table, part.held_out), values)


def _baseline(settings: MethodSettings, part: TrainingPart, clock: Clock) -> MethodResult:
    n_seeds = settings.n_trees if settings.n_seeds is None else settings.n_seeds
    grow: dict[str, Callable[[], BaselineTrees]] = {
        "psk": lambda: grow_psk(part, n_seeds, clock),
        "lsk": lambda: grow_lsk(part, settings.n_nodes, n_seeds, clock),
        "ask": lambda: grow_ask(part, n_seeds, clock),
    }
    trees = grow[settings.method]()
    values: Values = {
        "n_trees": int(trees.correctness.n_trees.sum()),
        "n_seeds": trees.n_seeds,
        "n_nodes": None,
        "status": "unproved",
        "stopped": "enough" if trees.n_seeds == n_seeds else "limit",
    }
    return MethodResult(trees.correctness, values)
