"""The exact search's own proof of a lower bound, as a log that :mod:`puretree.proof.checkers.bound` checks.

The search runs once more, minimising nodes only, and writes the log after it has reached the bound. It records nothing
while it searches, so it runs at full speed, and the log holds only what the bound depends on.
"""

from __future__ import annotations

from dataclasses import replace

from .._support.clock import Clock
from .._support.resources import free_bytes
from ..engines.search import OpenSearch
from ..errors import CannotSearchError, UnfinishedError
from ..problem import BinaryProblem, Constraints

LOG_FRACTION = 0.5  # of the memory that is free after the search


def bound_log(
    problem: BinaryProblem,
    constraints: Constraints,
    lower_bound: int,
    clock: Clock,
    memory_limit: float | None = None,
) -> bytes:
    """Prove that no pure tree has fewer nodes, and return the log of the proof.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        The root and the maximum depth are part of the proof; other constraints are ignored.
    lower_bound : int
        Number of nodes.
    clock : Clock
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.

    Raises
    ------
    CannotSearchError
        If the bound does not hold for all trees that satisfy the root and depth constraints, because it depends on
        another constraint.
    UnfinishedError
        If the time or memory limit is reached.
    """
    n_tests = max(0, lower_bound // 2)
    plain = replace(constraints, minimise="nodes", max_nodes=None, min_samples_leaf=1)
    try:
        search = OpenSearch(problem, plain, memory_limit).native
    except MemoryError:
        raise UnfinishedError("the search for the proof does not fit in memory; allow more memory", None) from None
    best_bound = 0

    def on_lower_bound(value: int) -> None:
        nonlocal best_bound
        best_bound = max(best_bound, value)

    is_done = search.run(n_tests, on_lower_bound, lambda *tree: None, clock.left)
    if is_done is None:
        raise UnfinishedError("time limit reached before the search proved the bound; allow more time", None)
    if best_bound < n_tests:
        raise CannotSearchError(
            f"{lower_bound} nodes is not a lower bound for all pure trees, which may have {2 * best_bound + 1}: it "
            "depends on min_samples_leaf, which the log cannot prove; fit without that constraint"
        )
    try:
        log = search.proof(n_tests, int(LOG_FRACTION * free_bytes(memory_limit)), clock.left)
    except MemoryError:
        raise UnfinishedError("the log of the proof does not fit in memory; allow more memory", None) from None
    if log is None:
        raise UnfinishedError("time limit reached before the log of the proof was written; allow more time", None)
    return log
