"""What every engine looks like, and what is done around each of them."""

from __future__ import annotations

from typing import Protocol

from ..bounds.lower import least_nodes, least_value
from ..bounds.pair_cover import pair_cover_bounds
from ..bounds.upper import starting_trees
from ..clock import Clock
from ..errors import SolverError
from ..outcome import OnProgress, Outcome, Status
from ..problem import BinaryProblem
from ..record import Record
from ..sat import make_oracle
from ..steering import Steering
from ..tree import Tree

PAIR_COVER_SHARE = 0.2  # of the time left


class Engine(Protocol):
    """A way to find minimum pure trees."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    @property
    def starts_with_iti(self) -> bool:
        """Whether it is worth its time to begin with the tree of incremental induction as well."""

    def search(self, record: Record) -> Status:
        """Look for better trees than the record holds, and for proof that there are none.

        Parameters
        ----------
        record : Record
            Holds the problem, the wishes, the clock, the best tree and the bounds; trees and bounds go there as soon
            as they are known.

        Returns
        -------
        {"optimal", "time_limit", "memory_limit", "interrupted"}
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
    """Find a minimum pure tree of a problem: bounds first, then the engine, and an answer whatever happens.

    Parameters
    ----------
    problem : BinaryProblem
    engine : Engine
    steering : Steering, optional
    clock : Clock, optional
        No limit without it.
    pair_cover : bool, default=False
        Spend up to a fifth of the time on the pair-cover bound first.
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
    record = Record(problem, steering or Steering(), clock, on_progress)
    try:
        _begin(record, engine)
        if pair_cover and not record.is_proved:
            _cover_pairs(record)
        if record.is_proved or clock.is_over:
            return record.outcome("time_limit")
        return record.outcome(engine.search(record))
    except KeyboardInterrupt:
        return record.outcome("interrupted")
    except SolverError as error:
        error.outcome = record.outcome("failed")
        raise


def _begin(record: Record, engine: Engine) -> None:
    """Write down the bounds that cost next to nothing."""
    problem, steering = record.problem, record.steering
    if problem.n_classes == 1:
        record.offer(Tree.leaf(int(problem.labels[0]), problem.classes))
        record.prove()
        return
    if steering.most_nodes(problem) < least_nodes(problem):
        raise steering.refuse()
    record.raise_lower(least_value(problem, steering, least_nodes(problem)))
    for tree in starting_trees(problem, steering, record.clock, iti=engine.starts_with_iti):
        record.offer(tree)
    _prove_if_met(record)


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
    if record.steering.minimise == "nodes" and record.upper == record.lower:
        record.prove()
