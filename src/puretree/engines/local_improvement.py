"""Local improvement: parts of a pure tree are replaced by smaller trees of the same rows, for tables of any size.

Schidler and Szeider, *SAT-based Decision Tree Learning for Large Data Sets*, AAAI 2021 and JAIR 2024: the paper points
to it for tables that are too large for one formula.

What they do: they take a subtree of a heuristic tree, or a subtree with its branches cut off at some depth, each branch
as a class of its own; a SAT solver finds a smaller tree for these rows, and the branches are appended again. This
repeats until the time limit. Parts that did not improve are remembered.

What we do: the same, with the exact search instead of SAT, and a third way to replace a part: another greedy tree with
random columns, whose small subtrees are replaced by minimum ones. At the root that is a restart from another first
tree. Which parts come next, and how they are tried, is decided in C++ (``native/codes/improvement.hpp``) by the
expected gain per unit of work. Work is counted, not measured, so the result after a number of steps depends on the seed
alone.

Where it differs: the size is minimised, while they minimise the depth first; trees are pure from the start; parts that
do not overlap are tried in parallel.

Parts are independent of each other and of the table: their rows travel as arrays of codes. So joblib may solve them in
threads of this process (the C++ code releases the interpreter lock), or on a cluster::

    with joblib.parallel_config(backend="dask"):
        minimum_tree(X, y, engine="local-improvement(n_jobs=-1)")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import LEAST_BYTES, MOST_BYTES, require_memory_limit, require_n_jobs
from ..bounds.upper import Heuristic
from ..errors import InputError, PuretreeError, SolverError, warn
from ..outcome import Status
from ..problem import CodeTree
from ..tree import Tree
from .base import Guarantees
from .first_trees import offer_first_trees
from .incumbent import Incumbent

SUPPORTED_CONSTRAINTS = ("max_depth", "max_nodes", "root")
MAX_PART_BYTES = 2**26  # of the exact search of a part
# A tree that is offered is checked on all examples: so many seconds lie between two, and so many times that of a check.
OFFER_SECONDS, OFFER_PAUSE = 0.3, 20
PATIENCE = 20_000  # steps without an improvement after which the engine ends
MIN_IDLE_WORK = 200_000  # without an improvement, before another first tree is improved: about a second
PROMISING_SECONDS = 1.0
# Of the time, for other trees than the incumbent's; for each of them at most, and at least.
OTHERS_SHARE, OTHERS_SECONDS, LEAST_SECONDS = 0.01, 0.5, 0.02
RESTART_TICKS = 10**7
MAX_PARTS = 10**6
MAX_TESTS = 2**40
MAX_DEPTH = 2**16 - 2  # of the native code
MAX_RESULT_SECONDS = 120.0  # to wait for the next result of a parallel backend
GRACE = 1.0  # seconds after the time limit in which parts end

Ints = NDArray[np.int32]
PartArguments = tuple[Any, ...]
PartResult = tuple[tuple[Ints, Ints, Ints, Ints] | None, float, bool]


@dataclass(frozen=True, slots=True)
class LocalImprovement:
    """Small pure trees of large tables by local improvement.

    Parameters
    ----------
    seed : int, default=0
        Seed of the random columns.
    max_steps : int, optional
        Number of parts to try. By default until the time limit, or until 20,000 steps in a row improve nothing.
    n_jobs : int, optional
        Number of parts that are tried at the same time; -1 for all processors. 1 by default, or the number of the
        active :func:`joblib.parallel_config`. It does not change the result after a number of steps.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """

    seed: int = 0
    max_steps: int | None = None
    n_jobs: int | None = None
    memory_limit: float | None = None
    name: ClassVar[str] = "local-improvement"
    source: ClassVar[str] = "Schidler, Szeider 2021"
    guarantees: ClassVar[Guarantees] = Guarantees(proves=False)
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)
        require_n_jobs(self.n_jobs)
        for name, value, least in (("seed", self.seed, 0), ("max_steps", self.max_steps, 1)):
            is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (is_integer and least <= value < 2**63):
                raise InputError(f"is not an integer of at least {least}", parameter=name, value=value)

    def search(self, incumbent: Incumbent) -> Status:
        """Improve the best first tree; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *SUPPORTED_CONSTRAINTS)
        offer_first_trees(incumbent)
        improvement = OpenImprovement(incumbent, self.seed, self.n_jobs, self.memory_limit)
        return improvement.run(incumbent.clock, self.max_steps)


class _Run:
    """The improvement of one tree.

    Parameters
    ----------
    native : _native.Improvement
    """

    def __init__(self, native: _native.Improvement) -> None:
        self.native = native
        self._work = 0.0
        self._idle_work = 0.0  # since the tree improved

    def apply(self, index: int, result: PartResult) -> None:
        """Take the result of a part."""
        n_saved = self.native.apply(index, *result)
        self._work += result[1]
        self._idle_work = 0.0 if n_saved else self._idle_work + result[1]

    @property
    def is_stuck(self) -> bool:
        """Whether a large part of the work, at the end, improved nothing."""
        return self._idle_work > max(MIN_IDLE_WORK, self._work / 2)


class OpenImprovement:
    """The local improvement of an incumbent, which can be continued.

    Parameters
    ----------
    incumbent : Incumbent
        Its tree is improved. If it gets a better tree from elsewhere, that one is improved next.
    seed, n_jobs, memory_limit
        As for :class:`LocalImprovement`.
    """

    def __init__(
        self, incumbent: Incumbent, seed: int = 0, n_jobs: int | None = None, memory_limit: float | None = None
    ) -> None:
        self._incumbent = incumbent
        self._seed = seed
        self._n_jobs = effective_n_jobs(n_jobs)
        self._memory_limit = incumbent.memory_limit if memory_limit is None else memory_limit
        self._n_steps = 0
        self._n_idle = 0  # steps since the best tree improved
        self._n_restarts = 0
        self._seconds = self._seconds_to_best = 0.0  # of all runs, and until the best tree
        self._seconds_of_others = 0.0  # of trees that are not the incumbent's
        self._n_tests: int  # of the best tree
        self._best: _Run
        self._current: _Run

    @property
    def promising_seconds(self) -> float:
        """How long to continue: as long again as it took to the best tree; negative if that has passed."""
        return max(PROMISING_SECONDS, 2 * self._seconds_to_best) - self._seconds

    @staticmethod
    def supports(incumbent: Incumbent) -> bool:
        """Return whether the constraints and the objective allow it."""
        return incumbent.aim == "nodes" and incumbent.constraints.min_samples_leaf == 1

    def run(self, clock: Clock, max_steps: int | None = None) -> Status:
        """Improve the tree until a limit, or until nothing has improved it for a while.

        Parameters
        ----------
        clock : Clock
        max_steps : int, optional
            Number of parts to try.

        Raises
        ------
        SolverError
            If a part cannot be solved; the incumbent has the best tree.
        """
        if self._incumbent.tree is None:
            return "unproved"  # there is nothing to improve
        self._follow_incumbent()
        start = clock.seconds
        next_offer = start + OFFER_SECONDS
        try:
            while not clock.is_over:
                n_left = MAX_PARTS if max_steps is None else max_steps - self._n_steps
                if n_left == 0 or self._n_idle > PATIENCE:
                    return "unproved"
                n_parts = self._current.native.next_batch(n_left)
                for index, result in self._solve(self._current.native, n_parts, clock):
                    self._current.apply(index, result)
                    self._n_steps += 1
                    self._n_idle += 1
                if self._current.native.n_tests < self._n_tests:
                    self._best, self._n_tests, self._n_idle = self._current, self._current.native.n_tests, 0
                    self._seconds_to_best = self._seconds + clock.seconds - start
                if not clock.is_over and (n_parts == 0 or self._current.is_stuck):
                    self._n_idle += n_parts == 0
                    self._restart(clock)
                if (now := clock.seconds) > next_offer:
                    self._offer()
                    next_offer = clock.seconds + max(OFFER_SECONDS, OFFER_PAUSE * (clock.seconds - now))
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        except PuretreeError:
            raise
        except Exception as error:
            raise SolverError(f"local improvement failed: {type(error).__name__}: {error}") from error
        finally:
            self._seconds += clock.seconds - start
            self._offer()

    def improve(self, tree: Tree) -> bool:
        """Improve another tree for a short time; return whether the incumbent's became smaller.

        A tree that the exact search completes has most of the structure of a minimum tree, so that this often ends a
        proof: where the search reports such trees only at its end, it had to find the last test itself.
        """
        clock, n_nodes = self._incumbent.clock, self._incumbent.upper
        start = clock.seconds
        seconds = min(OTHERS_SHARE * start - self._seconds_of_others, OTHERS_SECONDS, clock.left)
        if seconds < LEAST_SECONDS:
            return False
        self._current = self._open(self._incumbent.problem.codes_of_tree(tree))
        self.run(Clock(seconds))
        self._current = self._best
        self._seconds_of_others += clock.seconds - start
        return self._incumbent.upper != n_nodes

    def _follow_incumbent(self) -> None:
        """Open the improvement of the incumbent's tree, unless a tree here is as small."""
        tree = self._incumbent.tree
        assert tree is not None
        if not hasattr(self, "_best") or 2 * self._n_tests + 1 > tree.n_nodes:
            self._best = self._current = self._open(self._incumbent.problem.codes_of_tree(tree))
            self._n_tests = self._best.native.n_tests

    def _open(self, tree: CodeTree) -> _Run:
        problem, constraints = self._incumbent.problem, self._incumbent.constraints
        native = _native.Improvement(
            problem.codes.values,
            problem.codes.is_ordered,
            problem.labels,
            len(problem.classes),
            *tree,
            self._max_depth,
            constraints.root is not None,
            self._seed,
        )
        return _Run(native)

    def _restart(self, clock: Clock) -> None:
        """Improve another first tree next, which is grown with random columns; without such a tree, the best one."""
        self._n_restarts += 1
        problem, constraints = self._incumbent.problem, self._incumbent.constraints
        tree: PartResult = (None, 0.0, False)
        if constraints.root is None:
            codes, n_classes, seed = problem.codes, len(problem.classes), self._seed + self._n_restarts
            rows = (codes.is_ordered, codes.values, problem.labels, n_classes)
            tree = try_part((*rows, MAX_TESTS, self._max_depth, seed, RESTART_TICKS, self._max_bytes, clock.left))
        self._current = self._best if tree[0] is None else self._open(CodeTree(*tree[0]))

    def _offer(self) -> None:
        """Offer the tree, unless it is not better."""
        tree = self._incumbent.tree
        native = min((self._best.native, self._current.native), key=lambda native: native.n_tests)
        if tree is None or 2 * native.n_tests + 1 < tree.n_nodes:
            with self._incumbent.credit(LocalImprovement.name):
                self._incumbent.offer(self._incumbent.problem.tree_of_codes(CodeTree(*native.tree())))

    @property
    def _max_depth(self) -> int | None:
        max_depth = self._incumbent.constraints.max_depth
        return None if max_depth is None else min(max_depth, MAX_DEPTH)

    @property
    def _max_bytes(self) -> int:
        # Whatever the number of jobs, and whatever is free now: a part has one result.
        limit = MOST_BYTES if self._memory_limit is None else self._memory_limit
        return int(max(LEAST_BYTES / 16, min(MAX_PART_BYTES, limit / 32)))

    def _solve(self, native: _native.Improvement, n_parts: int, clock: Clock) -> Iterator[tuple[int, PartResult]]:
        """Try the parts of a batch, and yield their results in order, until the clock reaches its limit."""
        n_solved = 0
        if self._n_jobs > 1 and n_parts > 1:
            try:
                for result in self._solve_in_parallel(native, n_parts, clock):
                    yield n_solved, result
                    n_solved += 1
            except Exception as error:  # of any backend, or of a part; then it fails here, too
                if not clock.is_over:
                    self._n_jobs = 1
                    reason = f"{type(error).__name__}: {error}".rstrip(": ")
                    warn(RuntimeWarning(f"joblib failed ({reason}); local improvement continues without n_jobs"))
        while n_solved < n_parts and not clock.is_over:
            yield n_solved, try_part(self._arguments(native, n_solved, clock))
            n_solved += 1

    def _solve_in_parallel(self, native: _native.Improvement, n_parts: int, clock: Clock) -> Iterable[PartResult]:
        # Threads by default, because the native code releases the interpreter lock; the caller's joblib backend if one
        # is active. Dask's does not report tasks that it gives up, so there is a limit for the next result.
        parallel = Parallel(
            n_jobs=self._n_jobs,
            prefer="threads",
            return_as="generator",
            timeout=min(MAX_RESULT_SECONDS, clock.left + GRACE),
        )
        parts = (self._arguments(native, index, clock) for index in range(n_parts))
        results: Iterable[PartResult] = parallel(delayed(try_part)(part) for part in parts)
        return results

    def _arguments(self, native: _native.Improvement, index: int, clock: Clock) -> PartArguments:
        """Return the arguments for a part.

        One tuple for all of them: joblib's Dask backend stores large arrays on one worker each, and they would be lost
        with that worker. Tuples travel with the task, which is repeated elsewhere.
        """
        return self._incumbent.problem.codes.is_ordered, *native.part(index), self._max_bytes, clock.left


def try_part(arguments: PartArguments) -> PartResult:
    """Look for a tree with fewer tests than the cutoff; a function of its arguments, to be called by any process.

    Parameters
    ----------
    arguments : tuple
        ``is_ordered, codes, labels, n_labels``: the rows of the part. ``cutoff``: the number of its tests.
        ``max_depth``. ``seed``: of a regrown tree; None for the exact search. ``max_ticks, max_bytes, seconds``: the
        limits.

    Returns
    -------
    tree : tuple of ndarray or None
        As in :class:`~puretree.problem.CodeTree`.
    work : float
        The work done, about proportional to the time.
    is_minimum : bool
        Whether it is proved that no tree is smaller.
    """
    is_ordered, codes, labels, n_labels, cutoff, max_depth, seed, *limits = arguments
    if seed is None:
        return _native.solve_part(codes, is_ordered, labels, n_labels, cutoff, max_depth, *limits)
    return _native.regrow_part(codes, is_ordered, labels, n_labels, cutoff, max_depth, seed, *limits)
