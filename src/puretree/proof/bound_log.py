"""The exact search's own proof of a lower bound, as a log that :mod:`puretree.proof.checkers.bound` checks.

The search is run afresh for nodes alone and asked for the log when it knows the bound: what it did on the way is not
needed, so it is as fast as ever, and the log holds just what the bound rests on.
"""

from __future__ import annotations

from dataclasses import replace

from .._support.clock import Clock
from .._support.resources import free_bytes
from ..engines.search import OpenSearch
from ..errors import CannotSearchError, UnfinishedError
from ..problem import BinaryProblem, Constraints

LOG_SHARE = 0.5  # of the memory that is free when the search is done


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
        The wishes for a root and for a depth take part in the proof.
    lower_bound : int
        Nodes.
    clock : Clock
    memory_limit : float, optional
        Bytes that the process may take, half of the machine's by default.

    Raises
    ------
    CannotSearchError
        If the bound does not hold for all trees with the root and the depth that are asked for: if it rests on
        another wish.
    UnfinishedError
        If the time or the memory is not enough.
    """
    n_tests = max(0, lower_bound // 2)
    plain = replace(constraints, minimise="nodes", max_nodes=None, min_samples_leaf=1)
    search = OpenSearch(problem, plain, memory_limit).native
    known = 0

    def hear_lower(value: int) -> None:
        nonlocal known
        known = max(known, value)

    is_done = search.run(n_tests, hear_lower, lambda *tree: None, clock.left)
    if is_done is None:
        raise UnfinishedError("the time was over before the bound was proved again; allow more time", None)
    if known < n_tests:
        raise CannotSearchError(
            f"{lower_bound} nodes are no bound for all pure trees, which may have {2 * known + 1}: it rests on a wish "
            "(min_samples_leaf) that a log cannot speak for; leave the wish out"
        )
    try:
        log = search.proof(n_tests, int(LOG_SHARE * free_bytes(memory_limit)), clock.left)
    except MemoryError:
        raise UnfinishedError("the log of the proof is too large for the memory; allow more of it", None) from None
    if log is None:
        raise UnfinishedError("the time was over before the log of the proof was written; allow more time", None)
    return log
