"""What every engine looks like, and what is done around each of them."""

from __future__ import annotations

from typing import Protocol

from ..bounds.lower import least_nodes, least_value
from ..bounds.upper import starting_trees
from ..clock import NO_LIMIT, Clock
from ..errors import SolverError
from ..outcome import OnProgress, Outcome, Status
from ..problem import BinaryProblem
from ..record import Record
from ..steering import Steering
from ..tree import Tree


class Engine(Protocol):
    """A way to find minimum pure trees."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    def search(self, record: Record) -> Status:
        """Look for better trees than the record holds, and for proof that there are none.

        Parameters
        ----------
        record : Record
            Holds the problem, the wishes, the clock, the best tree and the bounds; trees and bounds go there as soon
            as they are known.

        Returns
        -------
        {"optimal", "time_limit", "interrupted"}
            ``optimal`` counts only if :meth:`Record.prove` was called.
        """


def solve(
    problem: BinaryProblem,
    engine: Engine,
    *,
    steering: Steering | None = None,
    clock: Clock = NO_LIMIT,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Find a minimum pure tree of a problem: bounds first, then the engine, and an answer whatever happens.

    Parameters
    ----------
    problem : BinaryProblem
    engine : Engine
    steering : Steering, optional
    clock : Clock
    on_progress : callable, optional
        Gets the bounds whenever one improves.

    Raises
    ------
    InfeasibleError
        If no pure tree keeps to the wishes.
    SolverError
        If a solver fails; the best tree so far is in its ``outcome``.
    """
    record = Record(problem, steering or Steering(), clock, on_progress)
    try:
        if _begin(record):
            return record.outcome("optimal")
        return record.outcome(engine.search(record))
    except KeyboardInterrupt:
        if record.tree is None:
            raise
        return record.outcome("interrupted")
    except SolverError as error:
        error.outcome = record.outcome("failed")
        raise


def _begin(record: Record) -> bool:
    """Write down the bounds that cost next to nothing; True if they settle it."""
    problem, steering = record.problem, record.steering
    if problem.n_classes == 1:
        record.offer(Tree.leaf(int(problem.labels[0]), problem.classes))
        record.prove()
        return True
    record.raise_lower(least_value(problem, steering, least_nodes(problem)))
    for tree in starting_trees(problem, steering, record.clock):
        record.offer(tree)
    if steering.minimise == "nodes" and record.upper == record.lower:
        record.prove()
    return record.is_proved
