"""The methods of the paper's accuracy table by name, and the trees that each of them produces.

Variants of mpdt have minimum trees: one, some that a SAT solver extracts, or all as a forest. DT(max) has the one tree
of its depth with fewest errors. The trees of scikit-learn, as many as mpdt has, come from the module of baselines.
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
from .baselines import Grown, of_every_size, of_size, pure
from .selection import TrainingPart, Verdicts

SEVERAL = ("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay")
"""The variants that extract several trees: scikit-learn gets as many seeds as the most of them."""

MINIMUM = ("mpdt-nd", "mpdt-lay-nd", "mpdt-1", "mpdt", "mpdt-lay", "all")
"""The methods whose trees are minimum trees."""

BASELINES = ("psk", "lsk", "ask")
MATCHED = ("n_seeds", "n_nodes")
"""What baselines match of the minimum trees that were found: their number and their size."""

DEPTHS = {"dtmax-2": 2, "dtmax-3": 3, "dtmax-4": 4}
METHODS = (*BASELINES, *MINIMUM, *DEPTHS)
"""In the order of the paper's table."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a method is to do.

    Parameters
    ----------
    method : str
        One of METHODS.
    n_trees : int
        How many trees a variant that extracts several is asked for.
    limit : float
        Seconds.
    memory : float, optional
        Bytes that the process may take; half of the machine's by default.
    seed : int, default=0
        Of what a method leaves to chance.
    n_seeds : int, optional
        How many trees of each size scikit-learn grows; ``n_trees`` by default.
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
class Produced:
    """Trees to choose from.

    Parameters
    ----------
    trees : Verdicts or Forest
    values : dict
        How they were come by, as plain values: ``n_trees``, ``n_nodes`` (the minimum, where it is proved),
        ``status``, ``ending``, ``seconds``.
    """

    trees: Verdicts | Forest
    values: Values = field(default_factory=dict)


def produce(request: Request, part: TrainingPart) -> Produced:
    """Let a method find its trees."""
    clock = Clock(request.limit)
    make = _minimum if request.method in MINIMUM else _most_accurate if request.method in DEPTHS else _greedy
    produced = make(request, part, clock)
    produced.values["seconds"] = clock.seconds
    return produced


def _minimum(request: Request, part: TrainingPart, clock: Clock) -> Produced:
    numbers: dict[str, Number] = {"mpdt-1": 1, "all": "all"}
    plan = Plan(
        make_engine("auto", request.memory),
        numbers.get(request.method, request.n_trees),
        VARIANTS[request.method],
        "forest" if request.method == "all" else "sat",
    )
    random = RandomState(request.seed)
    found = find_candidates(part.prepared, Constraints(), plan, Limits(clock, request.memory), random)
    candidates, outcome = found.trees, found.outcome
    values: Values = {
        "n_trees": int(candidates.count),
        "n_nodes": outcome.n_nodes if outcome.is_minimum else None,
        "lower_bound": outcome.lower_bound,
        "status": outcome.status,
        "ending": found.stopped,
    }
    if isinstance(candidates, TreeList):
        return Produced(Verdicts.of_trees(candidates, part.table, part.rest), values)
    return Produced(candidates, values)


def _most_accurate(request: Request, part: TrainingPart, clock: Clock) -> Produced:
    engine = make_engine(f"dtmax(depth={DEPTHS[request.method]})", request.memory)
    outcome = part.prepared.decode(solve(part.prepared.problem, engine, clock=clock))
    if outcome.tree is None:
        raise UnfinishedError(f"{request.method} found no tree in {request.limit:g} s; allow more time", outcome)
    values: Values = {
        "n_trees": 1,
        "n_nodes": None,
        "train_errors": outcome.n_errors,
        "status": outcome.status,
        "ending": "enough" if outcome.status == "optimal" else "limit",
    }
    return Produced(Verdicts.of_trees(TreeList([outcome.tree]), part.table, part.rest), values)


def _greedy(request: Request, part: TrainingPart, clock: Clock) -> Produced:
    n_seeds = request.n_trees if request.n_seeds is None else request.n_seeds
    grow: dict[str, Callable[[], Grown]] = {
        "psk": lambda: pure(part, n_seeds, clock),
        "lsk": lambda: of_size(part, request.n_nodes, n_seeds, clock),
        "ask": lambda: of_every_size(part, n_seeds, clock),
    }
    grown = grow[request.method]()
    values: Values = {
        "n_trees": int(grown.verdicts.n_trees.sum()),
        "n_seeds": grown.n_seeds,
        "n_nodes": None,
        "status": "unproved",
        "ending": "enough" if grown.n_seeds == n_seeds else "limit",
    }
    return Produced(grown.verdicts, values)
