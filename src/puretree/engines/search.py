"""The exact search: minimum pure trees by dynamic programming with bounds, in C++.

It solves a small sample of the examples exactly, evaluates the resulting tree on all examples, adds misclassified ones
to the sample, and repeats until none is left: then a tree of all examples meets the lower bound of the sample. The
techniques are documented in ``native/search``; start with ``refinement.hpp`` and ``solver.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import LEAST_BYTES, free_bytes, require_memory_limit, require_n_jobs
from ..bounds.lower import least_depth
from ..bounds.upper import Heuristic
from ..errors import CannotSearchError, SolverError
from ..outcome import Status
from ..problem import BinaryProblem, CodeTree, Constraints, Minimise, OrdinalProblem
from ..tree import Tree
from .base import Guarantees
from .first_trees import offer_first_trees
from .incumbent import Incumbent
from .local_improvement import OpenImprovement

# The time is shared with local improvement in turns, each twice as long as the one before, from FIRST_SECONDS on; those
# of more than TURN_SECONDS are at most half as long as the time so far. Few long turns are better: whenever the search
# continues, it bounds the splits on its way to the open sets again.
FIRST_SECONDS, TURN_SECONDS = 0.5, 8.0
# The share of local improvement while a proof is unlikely; later, while it still improves the tree or the bounds are
# not very close; and after that.
LARGE_SHARE, MEDIUM_SHARE, SMALL_SHARE = 0.75, 0.25, 0.02
# The ratio of the lower to the upper bound from which a proof is expected. A forecast from the speed of the lower bound
# was wrong about proofs that take a minute.
CLOSE, VERY_CLOSE = 0.4, 0.6
EXCLUSIVE_SECONDS = 3.0  # of the search, if a proof is expected

LARGEST_VALUE = 2**60  # values are machine words
FEATURE_BYTES = 64  # of a feature in the sample

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Search:
    """Minimum pure trees by exact search.

    Parameters
    ----------
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default. When the limit is reached, the search
        evicts cached results, cheapest first, which costs time but not correctness.
    n_jobs : int, optional
        Number of processors for the local improvement of large trees, as for :class:`LocalImprovement`; the proof uses
        one.
    """

    memory_limit: float | None = None
    n_jobs: int | None = None
    name: ClassVar[str] = "search"
    source: ClassVar[str] = "puretree"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)  # the search finds better trees sooner than ITI does

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)
        require_n_jobs(self.n_jobs)

    def search(self, incumbent: Incumbent) -> Status:
        """Run the search; see :class:`Engine`."""
        search = OpenSearch.of(incumbent, self.memory_limit)
        return prove_and_improve(search, incumbent, incumbent.clock, self.n_jobs)


def prove_and_improve(search: OpenSearch, incumbent: Incumbent, clock: Clock, n_jobs: int | None = None) -> Status:
    """Run the exact search, and share the time with local improvement if the proof is not found at once.

    A smaller tree also helps the proof: the search looks for nothing that is not smaller still.
    """
    start, seconds = clock.seconds, FIRST_SECONDS
    status = search.run(incumbent, Clock(min(seconds, clock.left)))
    if status == "optimal" or clock.is_over:
        return status
    if incumbent.tree is None or not OpenImprovement.supports(incumbent):
        return status if status == "memory_limit" else search.run(incumbent, clock)
    improvement: OpenImprovement | None = None
    while not clock.is_over and status in ("time_limit", "memory_limit"):
        ratio = incumbent.lower / (incumbent.upper or inf) if status == "time_limit" else 0.0
        if ratio >= CLOSE and clock.seconds - start < EXCLUSIVE_SECONDS:
            status = search.run(incumbent, Clock(min(seconds, clock.left)))
            seconds *= 2
            continue
        if improvement is None:
            offer_first_trees(incumbent)
            improvement = OpenImprovement(incumbent, n_jobs=n_jobs, memory_limit=search.memory_limit)
        of_improvement = LARGE_SHARE * seconds
        if status == "memory_limit":
            of_improvement = seconds
        elif ratio >= CLOSE:
            of_improvement = MEDIUM_SHARE * seconds
        if ratio >= VERY_CLOSE:
            of_improvement = max(SMALL_SHARE * seconds, min(of_improvement, improvement.promising_seconds))
        improved = improvement.run(Clock(min(of_improvement, clock.left)))
        if status == "time_limit":
            status = search.run(incumbent, Clock(min(seconds - of_improvement, clock.left)), improvement.improve)
        elif improved != "time_limit":
            return status  # nothing is left to try
        seconds = min(2 * seconds, max(TURN_SECONDS, (clock.seconds - start) / 2))
    return status


@dataclass(frozen=True, slots=True)
class Scale:
    """The objective as one number, the value: the sum of a weight for each test.

    A lexicographic objective becomes one number by a weight of the first criterion that exceeds any sum of the second.

    Parameters
    ----------
    minimise : {"nodes", "nodes-then-cost", "cost"}
    weights : ndarray of int64
        The weight of a test of each feature; empty if all weights are 1.
    unit : int
        The weight of one inner node (or of one unit of cost, if cost comes first).
    """

    minimise: Minimise
    weights: NDArray[np.int64]
    unit: int

    @classmethod
    def of(cls, problem: BinaryProblem, minimise: Minimise) -> Scale:
        """Return the scale for a problem."""
        if minimise == "nodes":
            return cls(minimise, np.empty(0, dtype=np.int64), 1)
        largest_cost = int(problem.costs.max(initial=0))
        unit = largest_cost * problem.n_examples + 1 if minimise == "nodes-then-cost" else problem.n_examples + 1
        largest_weight = unit + largest_cost if minimise == "nodes-then-cost" else unit * largest_cost + 1
        if largest_weight * problem.n_examples > LARGEST_VALUE:
            raise CannotSearchError(
                f"feature_costs up to {largest_cost} for {problem.n_examples} examples are too large for "
                "engine='search'; use smaller costs (only their ratios matter) or engine='maxsat'"
            )
        weights = unit + problem.costs if minimise == "nodes-then-cost" else unit * problem.costs + 1
        return cls(minimise, weights, unit)

    def value(self, tree: Tree) -> int:
        """Return the value of a tree over the problem's features."""
        tests = tree.feature[tree.left >= 0]
        return int(self.weights[tests].sum()) if len(self.weights) else len(tests)

    def value_of_tests(self, n_tests: int) -> int:
        """Return the least value of a tree with ``n_tests`` tests; nodes must come first."""
        return n_tests * self.unit

    def first_criterion(self, value: int) -> int:
        """Convert a lower bound of the value to one of the first criterion, nodes or cost."""
        return value // self.unit if self.minimise == "cost" else 2 * (value // self.unit) + 1


class OpenSearch:
    """A search of one problem that keeps what it learns: it can be continued, or collect all minimum trees.

    The native search is created when it is first needed.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """

    def __init__(self, problem: BinaryProblem, constraints: Constraints, memory_limit: float | None = None) -> None:
        self.problem = problem
        self.constraints = constraints
        self.memory_limit = memory_limit

    @classmethod
    def of(cls, incumbent: Incumbent, memory_limit: float | None) -> OpenSearch:
        """Return the search that the incumbent's caller opened, or open one."""
        limit = incumbent.memory_limit if memory_limit is None else memory_limit
        return incumbent.search or cls(incumbent.problem, incumbent.constraints, limit)

    @cached_property
    def native(self) -> _native.Search:
        """The native search over features."""
        return _open(self.problem, self.constraints, self.memory_limit)

    @cached_property
    def _native_of_codes(self) -> _native.CodeSearch:
        """The native search over codes."""
        problem, codes, root = self.problem, self.problem.codes, self.constraints.root
        may_be_root = [] if root is None else [int(first) in root for first in codes.first_feature]
        return _native.CodeSearch(
            codes.values,
            codes.is_ordered,
            problem.labels,
            len(problem.classes),
            np.array(may_be_root, dtype=np.uint8),
            _effective_depth(problem, self.constraints),
            int(free_bytes(self.memory_limit)),
        )

    @property
    def _uses_codes(self) -> bool:
        """Whether the features of the problem are not made at once."""
        is_supported = self.constraints.minimise == "nodes" and self.constraints.min_samples_leaf == 1
        return isinstance(self.problem, OrdinalProblem) and is_supported

    def _run(
        self, cutoff: int, on_lower: Callable[[int], None], on_tree: Callable[[Tree], None], seconds: float
    ) -> bool | None:
        """Run the native search, and report trees over the problem's features; see ``_native.Search.run``."""
        problem = self.problem
        if self._uses_codes:

            def on_code_tree(column: Ints, code: Ints, left: Ints, label: Ints) -> None:
                on_tree(problem.tree_of_codes(CodeTree(column, code, left, label)))

            return self._native_of_codes.run(cutoff, on_lower, on_code_tree, seconds)

        def on_grown_tree(feature: Ints, left: Ints, label: Ints) -> None:
            on_tree(Tree(feature, left, label, problem.classes))

        return self.native.run(cutoff, on_lower, on_grown_tree, seconds)

    def run(self, incumbent: Incumbent, clock: Clock, improve: Callable[[Tree], bool] = lambda tree: False) -> Status:
        """Improve the incumbent until it is proved optimal or the clock reaches its limit.

        Parameters
        ----------
        incumbent : Incumbent
        clock : Clock
        improve : callable, optional
            Called with trees of the search that are as small as the incumbent's; returns whether it improved the
            incumbent. By default nothing does.
        """
        scale = Scale.of(self.problem, self.constraints.minimise)

        def on_lower_bound(value: int) -> None:
            incumbent.raise_lower(scale.first_criterion(value))

        def on_tree(tree: Tree) -> None:
            if self.constraints.allows(tree, self.problem):
                incumbent.offer(tree)
                if improve(tree):
                    raise _TreeFound

        try:
            is_done = self._run(_cutoff(incumbent, scale), on_lower_bound, on_tree, clock.left)
        except _TreeFound:
            return self.run(incumbent, clock, improve)  # for a tree that is smaller still
        except MemoryError:
            return "memory_limit"
        if is_done is None:
            return "time_limit"
        if not is_done or incumbent.tree is None:
            raise self.constraints.infeasible()
        incumbent.prove()
        return "optimal"

    def require_minimum(self, n_tests: int, engine: str, clock: Clock) -> None:
        """Look for a tree with fewer tests than an engine proved possible, until the clock reaches its limit.

        A search that proved the minimum itself returns at once. For any other engine this is a check, not a proof.

        Raises
        ------
        SolverError
            If there is such a tree: the proof of the engine is wrong.
        """

        def on_tree(tree: Tree) -> None:
            is_valid = self.problem.is_pure(tree) and self.constraints.allows(tree, self.problem)
            if is_valid and tree.n_nodes < 2 * n_tests + 1:  # the search also reports trees that are no better
                raise SolverError(
                    f"engine {engine!r} reported a minimum of {2 * n_tests + 1} nodes, but there is a pure tree of "
                    f"{tree.n_nodes} nodes"
                )

        if n_tests:
            self._run(n_tests, lambda value: None, on_tree, clock.left)

    def all_trees(self, n_tests: int, extra: int, clock: Clock) -> tuple[NDArray[Any], ...] | None:
        """Return the AND/OR graph of all trees with ``n_tests`` to ``n_tests + extra`` inner nodes.

        ``n_tests`` must be the proved minimum, by whatever engine. None if the clock reaches its limit first.

        Raises
        ------
        MemoryError
            If the graph does not fit into the memory limit.
        """
        return self.native.forest(n_tests, extra, int(free_bytes(self.memory_limit)), clock.left)


def prove_depth(
    problem: BinaryProblem, constraints: Constraints, clock: Clock, memory_limit: float | None = None
) -> int | None:
    """Return a proved lower bound on the depth of the pure trees that satisfy the constraints other than the depth.

    There must be no tree of depth ``constraints.max_depth``. Greater depths are tried until there is a tree or the
    clock reaches its limit, so the bound is exact or the best that is proved by then. None if there is no tree of any
    depth.
    """
    assert constraints.max_depth is not None
    depth = max(int(constraints.max_depth) + 1, least_depth(problem))
    deepest = min(problem.n_features, problem.n_examples - 1)  # of trees without useless tests
    if constraints.max_nodes is not None:
        deepest = min(deepest, (constraints.max_nodes - 1) // 2)
    try:
        while depth <= deepest:
            deeper = OpenSearch(problem, replace(constraints, max_depth=depth, minimise="nodes"), memory_limit)
            if clock.is_over or not _is_infeasible(deeper, clock):
                return depth
            depth += 1
    except KeyboardInterrupt:  # the constraints are infeasible all the same
        return depth
    return None


class _TreeFound(Exception):  # noqa: N818  not an error: it ends the search
    pass


def _is_infeasible(search: OpenSearch, clock: Clock) -> bool:
    """Return whether the search proves, before the clock reaches its limit, that no pure tree is allowed."""
    problem, constraints = search.problem, search.constraints

    def on_tree(tree: Tree) -> None:
        if constraints.allows(tree, problem):
            raise _TreeFound

    cutoff = _cutoff(Incumbent(problem, constraints, clock), Scale.of(problem, "nodes"))
    try:
        return search._run(cutoff, lambda value: None, on_tree, clock.left) is not None
    except _TreeFound:
        return False


def _open(problem: BinaryProblem, constraints: Constraints, memory_limit: float | None) -> _native.Search:
    if constraints.minimise == "cost" and constraints.max_nodes is not None:
        raise CannotSearchError(
            "does not support max_leaf_nodes with minimise='cost'",
            parameter="engine",
            value="search",
            use={"engine": "maxsat"},
        )
    copies = 2 * problem.examples.words.nbytes + FEATURE_BYTES * problem.n_features  # that the search makes
    max_bytes = free_bytes(memory_limit)
    if copies > max(max_bytes, LEAST_BYTES):
        raise MemoryError("the exact search needs two copies of the examples, which exceed the memory limit")
    is_root = np.empty(0, dtype=np.uint8)
    if constraints.root is not None:
        is_root = np.isin(np.arange(problem.n_features), list(constraints.root)).astype(np.uint8)
    return _native.Search(
        problem.examples.words,
        problem.n_features,
        problem.labels,
        len(problem.classes),
        problem.weights,
        Scale.of(problem, constraints.minimise).weights,
        is_root,
        _effective_depth(problem, constraints),
        min(int(constraints.min_samples_leaf), LARGEST_VALUE),
        int(max(max_bytes - copies, min(max_bytes, LEAST_BYTES))),
    )


def _effective_depth(problem: BinaryProblem, constraints: Constraints) -> int | None:
    """Return the maximum depth; None if it has no effect, which is so from n_features and n_examples - 1 on."""
    deepest = min(problem.n_features, problem.n_examples - 1)
    is_void = constraints.max_depth is None or constraints.max_depth >= deepest
    return None if is_void else constraints.max_depth


def _cutoff(incumbent: Incumbent, scale: Scale) -> int:
    """Return the value that a tree must stay below to be of use."""
    if incumbent.tree is not None:
        return scale.value(incumbent.tree)
    if incumbent.constraints.max_nodes is not None:
        return scale.value_of_tests((incumbent.constraints.max_nodes - 1) // 2 + 1)
    return LARGEST_VALUE
