"""The engine protocol, and :func:`solve`, which runs any engine: bounds first, then the engine, then the outcome."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from .._support.clock import Clock
from ..bounds.lower import least_depth, least_nodes, least_value, pair_cover_bounds
from ..bounds.upper import Heuristic, starting_trees
from ..errors import InfeasibleError, InputError, SolverError
from ..outcome import Aim, OnProgress, Outcome, Status
from ..problem import BinaryProblem, Constraints
from ..sat import make_oracle
from ..tree import Tree
from .incumbent import Incumbent

if TYPE_CHECKING:
    from .maxsat import OpenFormula
    from .search import OpenSearch

PAIR_COVER_SHARE = 0.2  # of the time left
DEPTH_SECONDS = 2.0  # for the depth that an error message names

TRIVIAL_BOUND, MAJORITY_CLASS, GREEDY_OF_DEPTH = "trivial bound", "majority class", "scikit-learn"
HEURISTIC_SOURCES = frozenset({*get_args(Heuristic), TRIVIAL_BOUND, MAJORITY_CLASS, GREEDY_OF_DEPTH})
"""Those values of ``Outcome.found_by`` that name a starting tree, which no engine searched for."""


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What an engine guarantees: a row of the paper's Table 1.

    Parameters
    ----------
    aim : {"nodes", "depth", "depth-then-nodes", "errors"}, default="nodes"
        The objective. With "errors" trees need not be pure.
    proves : bool, default=True
        Whether the engine can prove optimality.
    max_depth, max_nodes : int, optional
        Constraints that the engine's options imply; every tree is checked against them.
    """

    aim: Literal["nodes", "depth", "depth-then-nodes", "errors"] = "nodes"
    proves: bool = True
    max_depth: int | None = None
    max_nodes: int | None = None

    @property
    def objective(self) -> str:
        """The objective in the words of the paper's table."""
        words = {"nodes": "size", "depth": "depth", "depth-then-nodes": "depth, size", "errors": "accuracy"}
        if self.aim == "errors":
            return "max. accuracy" if self.proves else "high accuracy"
        return f"{'min.' if self.proves else 'small'} {words[self.aim]}"

    @property
    def is_pure(self) -> bool:
        """Whether its trees classify every example correctly."""
        return self.aim != "errors"

    @property
    def is_minimum(self) -> bool:
        """Whether it proves that no smaller pure tree exists."""
        return self.proves and self.aim == "nodes"

    def limit(self, constraints: Constraints) -> Constraints:
        """Return the constraints with those of the engine added."""
        depths = [depth for depth in (constraints.max_depth, self.max_depth) if depth is not None]
        nodes = [nodes for nodes in (constraints.max_nodes, self.max_nodes) if nodes is not None]
        return replace(constraints, max_depth=min(depths, default=None), max_nodes=min(nodes, default=None))


class Engine(Protocol):
    """A method that finds minimum pure trees, or trees with another objective."""

    @property
    def name(self) -> str:
        """The name, as in ``engine="search"``."""

    @property
    def source(self) -> str:
        """The authors and the year."""

    @property
    def guarantees(self) -> Guarantees:
        """What the engine guarantees."""

    @property
    def starts_from(self) -> tuple[Heuristic, ...]:
        """The heuristics to run first for an initial incumbent."""

    def search(self, incumbent: Incumbent) -> Status:
        """Improve the incumbent, and prove it optimal if possible.

        Parameters
        ----------
        incumbent : Incumbent
            The problem, the constraints, the clock, the best tree and the bounds. The engine offers trees and raises
            the lower bound as soon as it finds them. They are attributed to the engine, and with
            :meth:`Incumbent.credit` to one of its stages.

        Returns
        -------
        {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
            ``optimal`` is reported only if :meth:`Incumbent.prove` was called.
        """


def solve(
    problem: BinaryProblem,
    engine: Engine,
    *,
    constraints: Constraints | None = None,
    clock: Clock | None = None,
    pair_cover: bool = False,
    on_progress: OnProgress | None = None,
    search: OpenSearch | None = None,
    memory_limit: float | None = None,
    formula: OpenFormula | None = None,
) -> Outcome:
    """Run an engine on a problem, and return the best tree with its bounds, whatever happens.

    Parameters
    ----------
    problem : BinaryProblem
    engine : Engine
    constraints : Constraints, optional
    clock : Clock, optional
        No time limit by default. Ctrl-C stops it, also at the instant of the proof, when the status is ``optimal``:
        nothing that the caller does with the clock afterwards gets any time.
    pair_cover : bool, default=False
        Spend up to a fifth of the time on the pair-cover lower bound first; only for engines that minimise the size.
    on_progress : callable, optional
        Called with the bounds whenever one improves.
    search : OpenSearch, optional
        The exact search to use, if the caller continues it afterwards. Its constraints must be ``constraints``.
    memory_limit : float, optional
        Bytes that the process and its children may use, for engines without this option; half of the machine's memory
        by default.
    formula : OpenFormula, optional
        Receives the formula of a proof by :class:`~puretree.engines.maxsat.MaxSat`, if the caller extracts trees from
        it; the caller closes it. Other engines leave it empty.

    Raises
    ------
    InfeasibleError
        If no pure tree satisfies the constraints.
    FeaturesTooLargeError
        If the engine needs all features of a large table at once, and they exceed the memory limit.
    SolverError
        If a solver fails; its ``outcome`` is the best tree so far.
    """
    clock = clock or Clock()
    constraints = engine.guarantees.limit(constraints or Constraints())
    aim = _aim(engine, constraints)
    incumbent = Incumbent(problem, constraints, clock, on_progress, aim, search, memory_limit, formula)
    incumbent.source = engine.name
    try:
        _begin(incumbent, engine)
        if pair_cover and engine.guarantees.aim == "nodes" and not incumbent.is_proved:
            _cover_pairs(incumbent)
        if incumbent.is_proved or (clock.is_over and incumbent.tree is not None):
            return incumbent.outcome("time_limit", engine.name)
        status = engine.search(incumbent)
        if status == "memory_limit" and incumbent.tree is None:
            _ = problem.features  # if they are too large, this is an error with a remedy
        if status == "interrupted":
            clock.stop()
        _prove_if_bounds_meet(incumbent)
        return incumbent.outcome(status, engine.name)
    except InfeasibleError:
        raise constraints.infeasible(_least_depth_of_feasible_trees(incumbent)) from None
    except KeyboardInterrupt:
        clock.stop()
        _prove_if_bounds_meet(incumbent)
        return incumbent.outcome("interrupted", engine.name)
    except SolverError as error:
        error.outcome = incumbent.outcome("failed", engine.name)
        raise


def _aim(engine: Engine, constraints: Constraints) -> Aim:
    """Return the objective: the engine's, refined by ``constraints.minimise`` if that is the size."""
    if engine.guarantees.aim == "nodes":
        return constraints.minimise
    if constraints.minimise != "nodes":
        objective = engine.guarantees.objective
        raise InputError(
            f"has the objective {objective!r}, not {constraints.minimise!r}",
            parameter="engine",
            value=engine.name,
            use={"engine": "auto"},
        )
    return engine.guarantees.aim


def _begin(incumbent: Incumbent, engine: Engine) -> None:
    """Set the bounds that are computed without search."""
    problem, constraints = incumbent.problem, incumbent.constraints
    with incumbent.credit(TRIVIAL_BOUND):
        if problem.n_classes == 1:
            incumbent.offer(Tree.leaf(int(problem.labels[0]), problem.classes))
            incumbent.prove()
            return
        if engine.guarantees.is_pure and constraints.most_nodes(problem) < least_nodes(problem):
            raise constraints.infeasible()
        incumbent.raise_lower(_least(incumbent))
    for heuristic in engine.starts_from:
        with incumbent.credit(heuristic):
            for tree in starting_trees(problem, constraints, incumbent.clock, (heuristic,)):
                incumbent.offer(tree)
    _prove_if_bounds_meet(incumbent)


def _least_depth_of_feasible_trees(incumbent: Incumbent) -> int | None:
    """Return a lower bound on the depth of the pure trees that satisfy the other constraints, for an error message."""
    from .search import prove_depth  # it imports this module

    if incumbent.constraints.max_depth is None:
        return None
    clock = Clock(min(DEPTH_SECONDS, incumbent.clock.left))
    memory_limit = incumbent.search.memory_limit if incumbent.search else None
    return prove_depth(incumbent.problem, incumbent.constraints, clock, memory_limit)


def _least(incumbent: Incumbent) -> int:
    """Return a lower bound of the first criterion that needs no search."""
    if incumbent.aim == "errors":
        return 0
    if incumbent.aim in ("depth", "depth-then-nodes"):
        return least_depth(incumbent.problem)
    return least_value(incumbent.problem, incumbent.constraints, least_nodes(incumbent.problem))


def _cover_pairs(incumbent: Incumbent) -> None:
    oracle = make_oracle()
    clock = incumbent.clock.part(PAIR_COVER_SHARE)
    most = incumbent.problem.n_features if incumbent.tree is None else len(incumbent.tree.features)
    try:
        with incumbent.credit("pair-cover"):
            for n_nodes in pair_cover_bounds(incumbent.problem, oracle, clock, most=most):
                incumbent.raise_lower(least_value(incumbent.problem, incumbent.constraints, n_nodes))
    finally:
        oracle.close()
    _prove_if_bounds_meet(incumbent)


def _prove_if_bounds_meet(incumbent: Incumbent) -> None:
    """Mark the tree as optimal if the bounds are equal and there is no second criterion."""
    if incumbent.aim in ("nodes", "depth", "errors") and incumbent.upper == incumbent.lower and not incumbent.is_proved:
        incumbent.prove()
