"""What every engine looks like, and what is done around each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ..bounds.lower import least_depth, least_nodes, least_value
from ..bounds.pair_cover import pair_cover_bounds
from ..bounds.upper import Start, starting_trees
from ..clock import Clock
from ..errors import InputError, SolverError
from ..outcome import Aim, OnProgress, Outcome, Status
from ..problem import BinaryProblem
from ..record import Record
from ..sat import make_oracle
from ..steering import Steering
from ..tree import Tree

PAIR_COVER_SHARE = 0.2  # of the time left


@dataclass(frozen=True, slots=True)
class Promise:
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

    def limit(self, steering: Steering) -> Steering:
        """Return wishes with these limits among them."""
        depths = [depth for depth in (steering.max_depth, self.max_depth) if depth is not None]
        nodes = [nodes for nodes in (steering.max_nodes, self.max_nodes) if nodes is not None]
        return replace(steering, max_depth=min(depths, default=None), max_nodes=min(nodes, default=None))


class Engine(Protocol):
    """A way to find good trees, most of all minimum pure ones."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    @property
    def source(self) -> str:
        """Who thought of it, and when."""

    @property
    def promise(self) -> Promise:
        """What it can be relied on for."""

    @property
    def starts_from(self) -> tuple[Start, ...]:
        """The heuristics whose trees it is worth its time to begin with; none if only its own trees shall count."""

    def search(self, record: Record) -> Status:
        """Look for better trees than the record holds, and for proof that there are none.

        Parameters
        ----------
        record : Record
            Holds the problem, the wishes, the clock, the best tree and the bounds; trees and bounds go there as soon
            as they are known.

        Returns
        -------
        {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
            ``optimal`` counts only if :meth:`Record.prove` was called.
        """


def solve(
    problem: BinaryProblem,
    engine: Engine,
    *,
    steering: Steering | None = None,
    clock: Clock | None = None,
    pair_cover: bool = False,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find the tree that an engine stands for: bounds first, then the engine, and an answer whatever happens.

    Parameters
    ----------
    problem : BinaryProblem
    engine : Engine
    steering : Steering, optional
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
    steering = engine.promise.limit(steering or Steering())
    record = Record(problem, steering, clock, on_progress, _aim(engine, steering))
    try:
        _begin(record, engine)
        if pair_cover and engine.promise.aim == "nodes" and not record.is_proved:
            _cover_pairs(record)
        if record.is_proved or (clock.is_over and record.tree is not None):
            return record.outcome("time_limit")
        status = engine.search(record)
        _prove_if_met(record)
        return record.outcome(status)
    except KeyboardInterrupt:
        return record.outcome("interrupted")
    except SolverError as error:
        error.outcome = record.outcome("failed")
        raise


def _aim(engine: Engine, steering: Steering) -> Aim:
    """Return what is minimised: what the engine stands for, or more exactly what the wishes say."""
    if engine.promise.aim == "nodes":
        return steering.minimise
    if steering.minimise != "nodes":
        objective = engine.promise.objective
        raise InputError(f"engine={engine.name!r} is for {objective}, not {steering.minimise!r}; use engine='auto'")
    return engine.promise.aim


def _begin(record: Record, engine: Engine) -> None:
    """Write down the bounds that cost next to nothing."""
    problem, steering = record.problem, record.steering
    if problem.n_classes == 1:
        record.offer(Tree.leaf(int(problem.labels[0]), problem.classes))
        record.prove()
        return
    if engine.promise.is_pure and steering.most_nodes(problem) < least_nodes(problem):
        raise steering.refuse()
    record.raise_lower(_least(record))
    for tree in starting_trees(problem, steering, record.clock, engine.starts_from):
        record.offer(tree)
    _prove_if_met(record)


def _least(record: Record) -> int:
    """Return a lower bound of what is minimised first that takes no search."""
    if record.aim == "errors":
        return 0
    if record.aim in ("depth", "depth-then-nodes"):
        return least_depth(record.problem)
    return least_value(record.problem, record.steering, least_nodes(record.problem))


def _cover_pairs(record: Record) -> None:
    oracle = make_oracle()
    clock = record.clock.part(PAIR_COVER_SHARE)
    most = record.problem.n_features if record.tree is None else len(record.tree.features)
    try:
        for n_nodes in pair_cover_bounds(record.problem, oracle, clock, most=most):
            record.raise_lower(least_value(record.problem, record.steering, n_nodes))
    finally:
        oracle.close()
    _prove_if_met(record)


def _prove_if_met(record: Record) -> None:
    """Take equal bounds for the proof they are, where nothing else is to be minimised."""
    if record.aim in ("nodes", "depth", "errors") and record.upper == record.lower and not record.is_proved:
        record.prove()
