"""What every engine looks like, and what is done around each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from .._support.clock import Clock
from ..bounds.lower import least_depth, least_nodes, least_value, pair_cover_bounds
from ..bounds.upper import Heuristic, starting_trees
from ..errors import InputError, SolverError
from ..outcome import Aim, OnProgress, Outcome, Status
from ..problem import BinaryProblem, Constraints
from ..sat import make_oracle
from ..tree import Tree
from .incumbent import Incumbent

PAIR_COVER_SHARE = 0.2  # of the time left


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What an engine can be relied on for: a line of the paper's Table 1.

    Parameters
    ----------
    aim : {"nodes", "depth", "depth-then-nodes", "errors"}, default="nodes"
        What it makes as small as possible. With "errors" its trees need not be pure.
    proves : bool, default=True
        Whether it can prove that it did.
    max_depth, max_nodes : int, optional
        Limits that its options set, and that every tree of its is held against.
    """

    aim: Literal["nodes", "depth", "depth-then-nodes", "errors"] = "nodes"
    proves: bool = True
    max_depth: int | None = None
    max_nodes: int | None = None

    @property
    def objective(self) -> str:
        """The aim in the words of the paper's table."""
        words = {"nodes": "size", "depth": "depth", "depth-then-nodes": "depth, size", "errors": "accuracy"}
        if self.aim == "errors":
            return "max. accuracy" if self.proves else "high accuracy"
        return f"{'min.' if self.proves else 'small'} {words[self.aim]}"

    @property
    def is_pure(self) -> bool:
        """Whether its trees are right on every example."""
        return self.aim != "errors"

    @property
    def is_minimum(self) -> bool:
        """Whether it goes on until no smaller pure tree can exist."""
        return self.proves and self.aim == "nodes"

    def limit(self, constraints: Constraints) -> Constraints:
        """Return wishes with these limits among them."""
        depths = [depth for depth in (constraints.max_depth, self.max_depth) if depth is not None]
        nodes = [nodes for nodes in (constraints.max_nodes, self.max_nodes) if nodes is not None]
        return replace(constraints, max_depth=min(depths, default=None), max_nodes=min(nodes, default=None))


class Engine(Protocol):
    """A way to find good trees, most of all minimum pure ones."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    @property
    def source(self) -> str:
        """Who thought of it, and when."""

    @property
    def guarantees(self) -> Guarantees:
        """What it can be relied on for."""

    @property
    def starts_from(self) -> tuple[Heuristic, ...]:
        """The heuristics whose trees it is worth its time to begin with; none if only its own trees shall count."""

    def search(self, incumbent: Incumbent) -> Status:
        """Look for better trees than the incumbent holds, and for proof that there are none.

        Parameters
        ----------
        incumbent : Incumbent
            Holds the problem, the wishes, the clock, the best tree and the bounds; trees and bounds go there as soon
            as they are known.

        Returns
        -------
        {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
            ``optimal`` counts only if :meth:`Incumbent.prove` was called.
        """


def solve(
    problem: BinaryProblem,
    engine: Engine,
    *,
    constraints: Constraints | None = None,
    clock: Clock | None = None,
    pair_cover: bool = False,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find the tree that an engine stands for: bounds first, then the engine, and an answer whatever happens.

    Parameters
    ----------
    problem : BinaryProblem
    engine : Engine
    constraints : Constraints, optional
    clock : Clock, optional
        No limit without it.
    pair_cover : bool, default=False
        Spend up to a fifth of the time on the pair-cover bound first, which is one of size.
    on_progress : callable, optional
        Gets the bounds whenever one improves.

    Raises
    ------
    InfeasibleError
        If no pure tree keeps to the wishes.
    SolverError
        If a solver fails; the best tree so far is in its ``outcome``.
    """
    clock = clock or Clock()
    constraints = engine.guarantees.limit(constraints or Constraints())
    incumbent = Incumbent(problem, constraints, clock, on_progress, _aim(engine, constraints))
    try:
        _begin(incumbent, engine)
        if pair_cover and engine.guarantees.aim == "nodes" and not incumbent.is_proved:
            _cover_pairs(incumbent)
        if incumbent.is_proved or (clock.is_over and incumbent.tree is not None):
            return incumbent.outcome("time_limit")
        status = engine.search(incumbent)
        _prove_if_met(incumbent)
        return incumbent.outcome(status)
    except KeyboardInterrupt:
        return incumbent.outcome("interrupted")
    except SolverError as error:
        error.outcome = incumbent.outcome("failed")
        raise


def _aim(engine: Engine, constraints: Constraints) -> Aim:
    """Return what is minimised: what the engine stands for, or more exactly what the wishes say."""
    if engine.guarantees.aim == "nodes":
        return constraints.minimise
    if constraints.minimise != "nodes":
        objective = engine.guarantees.objective
        raise InputError(f"engine={engine.name!r} is for {objective}, not {constraints.minimise!r}; use engine='auto'")
    return engine.guarantees.aim


def _begin(incumbent: Incumbent, engine: Engine) -> None:
    """Write down the bounds that cost next to nothing."""
    problem, constraints = incumbent.problem, incumbent.constraints
    if problem.n_classes == 1:
        incumbent.offer(Tree.leaf(int(problem.labels[0]), problem.classes))
        incumbent.prove()
        return
    if engine.guarantees.is_pure and constraints.most_nodes(problem) < least_nodes(problem):
        raise constraints.refuse()
    incumbent.raise_lower(_least(incumbent))
    for tree in starting_trees(problem, constraints, incumbent.clock, engine.starts_from):
        incumbent.offer(tree)
    _prove_if_met(incumbent)


def _least(incumbent: Incumbent) -> int:
    """Return a lower bound of what is minimised first that takes no search."""
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
        for n_nodes in pair_cover_bounds(incumbent.problem, oracle, clock, most=most):
            incumbent.raise_lower(least_value(incumbent.problem, incumbent.constraints, n_nodes))
    finally:
        oracle.close()
    _prove_if_met(incumbent)


def _prove_if_met(incumbent: Incumbent) -> None:
    """Take equal bounds for the proof they are, where nothing else is to be minimised."""
    if incumbent.aim in ("nodes", "depth", "errors") and incumbent.upper == incumbent.lower and not incumbent.is_proved:
        incumbent.prove()
