"""Run several SAT subproblems concurrently, each with its own solver, until one of them yields a result.

The solvers run in child processes, so threads suffice to wait for them: nothing is copied to other Python processes,
and a call can be interrupted from here when another subproblem yields a result, on Ctrl-C, and when one fails. No
solver is running any more when the race ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Condition
from typing import Generic, TypeVar

from joblib import Parallel, delayed

from .._support.clock import TimeLimitReached
from .isolated import IsolatedOracle
from .oracle import DEFAULT_SOLVER, Oracle, make_oracle

Subproblem = TypeVar("Subproblem")
Result = TypeVar("Result")


def first_result(
    subproblems: Iterable[Subproblem],
    solve: Callable[[Subproblem, Oracle], Result | None],
    *,
    n_jobs: int = 1,
    solver: str = DEFAULT_SOLVER,
    isolated: bool = True,
    max_bytes: int | None = None,
) -> Result | None:
    """Return the first result of a subproblem; None if all subproblems are proved to have none.

    Parameters
    ----------
    subproblems : iterable
        Started in this order.
    solve : callable
        Called with a subproblem and a new solver, in any thread; returns a result or None, and raises TimeLimitReached
        if it cannot decide.
    n_jobs : int, default=1
        Number of subproblems solved concurrently, as in joblib: -1 means all processors. With more than one, the
        solvers must be isolated.
    solver : str, default="cadical195"
    isolated : bool, default=True
    max_bytes : int, optional
        Memory limit of each solver, if it is isolated.

    Raises
    ------
    TimeLimitReached
        If there is no result and a subproblem is undecided.
    """
    race = _Race(solve, lambda: make_oracle(solver, isolated=isolated, max_bytes=max_bytes))
    # threads, regardless of the joblib backend configured by the caller: the race shares memory
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator_unordered")
    try:
        for _ in parallel(delayed(race.run)(subproblem) for subproblem in race.until_over(subproblems)):
            pass  # joblib warns about results that are not consumed; the remaining ones return at once
    finally:
        race.end()
    if race.result is None and race.is_undecided:
        raise TimeLimitReached
    return race.result


class _Race(Generic[Subproblem, Result]):
    """The state shared by the threads."""

    def __init__(self, solve: Callable[[Subproblem, Oracle], Result | None], start: Callable[[], Oracle]) -> None:
        self.result: Result | None = None
        self.is_undecided = False  # whether a subproblem reached its time limit
        self._solve = solve
        self._start = start
        self._is_over = False
        self._running: set[Oracle] = set()
        self._changed = Condition()

    def until_over(self, subproblems: Iterable[Subproblem]) -> Iterator[Subproblem]:
        """Yield the subproblems until the race is over."""
        for subproblem in subproblems:
            yield subproblem
            if self._is_over:
                return

    def run(self, subproblem: Subproblem) -> None:
        """Solve a subproblem, unless the race is over."""
        with self._changed:
            if self._is_over:
                return
            oracle = self._start()
            self._running.add(oracle)
        try:
            self._finish(self._solve(subproblem, oracle))
        except TimeLimitReached:
            self.is_undecided = True
            self._stop()
        finally:
            oracle.close()
            with self._changed:
                self._running.discard(oracle)
                self._changed.notify_all()

    def _finish(self, result: Result | None) -> None:
        if result is not None:
            with self._changed:
                self.result = result if self.result is None else self.result
            self._stop()

    def _stop(self) -> None:
        with self._changed:
            self._is_over = True
            for oracle in self._running:
                if isinstance(oracle, IsolatedOracle):
                    oracle.interrupt()

    def end(self) -> None:
        """Interrupt all solvers and wait until none is running."""
        self._stop()
        with self._changed:
            self._changed.wait_for(lambda: not self._running)
