"""All minimum trees of a table: an engine proves the minimum, then the exact search collects the trees of that size.

The engine and the collection share one :class:`~puretree.engines.search.OpenSearch`: if the engine is the search, it
has already computed most of what the graph needs. The proof of any other engine is used as it is; the search does not
repeat it.

After the proof, neither a limit nor Ctrl-C loses it: an UnfinishedError carries it, whatever step was not finished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .._support.clock import Clock, TimeLimitReached
from .._support.resources import free_bytes
from .._support.text import quantity
from ..engines import Engine, Search, solve
from ..engines.search import OpenSearch
from ..errors import InputError, SolverError, UnfinishedError
from ..outcome import OnProgress, Outcome
from ..problem import BinaryProblem, Constraints, Prepared
from .forest import Forest
from .graph import Graph, n_original_features

Grown = TypeVar("Grown")

CHECK_SECONDS = 1.0  # to look for a tree smaller than the minimum that another engine proved
BYTES_PER_EDGE = 32  # of the forest over original features, and of what is computed on it


def grow_forest(
    prepared: Prepared,
    constraints: Constraints,
    engine: Engine | None = None,
    *,
    proof: Outcome | None = None,
    extra: int = 0,
    clock: Clock | None = None,
    memory_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> Forest:
    """Find all minimum trees of a table; with ``minimise="nodes-then-cost"`` the cheapest of them.

    Parameters
    ----------
    prepared : Prepared
    constraints : Constraints
    engine, extra, clock, memory_limit, on_progress
        As for :func:`grow_graph`.
    proof : Outcome, optional
        An outcome, already decoded, that proves the minimum; then no engine runs.

    Raises
    ------
    UnfinishedError
        If a limit was reached or the user interrupted; its ``outcome`` is ``proof`` or, without one, over the problem's
        features.
    """
    clock = clock or Clock()
    nodes_only = replace(constraints, minimise="nodes") if constraints.minimise == "nodes-then-cost" else constraints
    search = OpenSearch(prepared.problem, nodes_only, memory_limit)
    is_proved = proof is not None and proof.is_minimum
    outcome = proof if is_proved else _prove(search, engine, extra, clock, on_progress)
    assert outcome is not None

    def grow() -> Forest:
        graph = _collect(search, outcome, extra, clock)
        n_edges = int(n_original_features(graph, prepared.problem.merge, prepared.policy.is_root).sum())
        if n_edges * BYTES_PER_EDGE > free_bytes(memory_limit):
            raise MemoryError
        forest = Forest(prepared, graph, outcome if is_proved else prepared.decode(outcome), clock)
        return forest.cheapest(clock) if constraints.minimise == "nodes-then-cost" else forest

    return _keeping(outcome, clock, grow)


def grow_graph(
    problem: BinaryProblem,
    constraints: Constraints | None = None,
    engine: Engine | None = None,
    *,
    extra: int = 0,
    clock: Clock | None = None,
    memory_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[Outcome, Graph]:
    """Find all minimum trees of a binary problem.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints, optional
        Must minimise nodes.
    engine : Engine, optional
        Proves the minimum; :class:`Search` by default.
    extra : int, default=0
        Include trees with up to this many inner nodes more than the minimum.
    clock : Clock, optional
        No time limit by default.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    on_progress : callable, optional
        Called with the bounds while the engine works.

    Returns
    -------
    outcome : Outcome
        The engine's, with its proof, bounds and history.
    graph : Graph
        The trees, over the problem's features.

    Raises
    ------
    UnfinishedError
        If a limit was reached or the user interrupted; its ``outcome`` holds the best tree and the bounds.
    """
    clock = clock or Clock()
    search = OpenSearch(problem, constraints or Constraints(), memory_limit)
    outcome = _prove(search, engine, extra, clock, on_progress)
    return _keeping(outcome, clock, lambda: (outcome, _collect(search, outcome, extra, clock)))


def _prove(
    search: OpenSearch, engine: Engine | None, extra: int, clock: Clock, on_progress: OnProgress | None
) -> Outcome:
    """Prove the minimum; the parameters are those of :func:`grow_graph`."""
    problem, constraints = search.problem, search.constraints
    if constraints.minimise != "nodes":
        raise InputError(
            f"a forest contains the trees with the fewest nodes, not those of least {constraints.minimise!r}"
        )
    if not isinstance(extra, int) or isinstance(extra, bool) or extra < 0:
        raise InputError("is not a number of inner nodes; use 0, 1, 2 …", parameter="extra", value=extra)
    outcome = solve(
        problem,
        engine or Search(),
        constraints=constraints,
        clock=clock,
        on_progress=on_progress,
        search=search,
        memory_limit=search.memory_limit,
    )
    if not outcome.is_minimum:
        raise UnfinishedError(f"the minimum is not proved: {outcome}; allow more time", outcome)
    return outcome


def _collect(search: OpenSearch, outcome: Outcome, extra: int, clock: Clock) -> Graph:
    """Collect all trees of the minimum size that an outcome proves, and up to ``extra`` more inner nodes."""
    assert outcome.n_nodes is not None
    max_nodes = search.constraints.max_nodes
    most = outcome.n_nodes + 2 * extra if max_nodes is None else max_nodes
    extra = min(extra, (most - outcome.n_nodes) // 2)
    clock.require_time()
    search.require_minimum((outcome.n_nodes - 1) // 2, outcome.engine, Clock(min(CHECK_SECONDS, clock.left)))
    arrays = search.all_trees((outcome.n_nodes - 1) // 2, extra, clock)
    if arrays is None:
        raise TimeLimitReached
    return Graph(*arrays)


def _keeping(outcome: Outcome, clock: Clock, grow: Callable[[], Grown]) -> Grown:
    """Call a function that needs a proof, without losing the proof to a limit or an interrupt."""
    assert outcome.n_nodes is not None
    minimum = f"the minimum is {quantity(outcome.n_nodes, 'node')}"
    try:
        return grow()
    except SolverError as error:
        error.outcome = outcome
        raise
    except MemoryError:
        raise UnfinishedError(
            f"{minimum}, but the trees of that size do not fit into memory; raise the memory limit, add constraints "
            "(a root, a depth, fewer columns), or compute a single tree with minimum_tree",
            outcome,
        ) from None
    except KeyboardInterrupt:
        clock.stop()
    except TimeLimitReached:
        pass
    raise UnfinishedError(f"{minimum}, but {clock.reason} before all trees were found", outcome)
