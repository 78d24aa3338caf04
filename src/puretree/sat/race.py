"""Several questions at once, each with a solver of its own, until one of them finds what is looked for.

The solvers run in processes of their own, so threads are enough to wait for them: nothing is copied to other Pythons,
and a question can be ended from here, as soon as another is answered yes, at Ctrl-C, and when one fails. When the race
is over, no solver is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Condition
from typing import Generic, TypeVar

from joblib import Parallel, delayed

from .._support.clock import TimeIsOver
from .isolated import IsolatedOracle
from .oracle import DEFAULT_SOLVER, Oracle, make_oracle

Question = TypeVar("Question")
Found = TypeVar("Found")


def first_found(
    questions: Iterable[Question],
    ask: Callable[[Question, Oracle], Found | None],
    *,
    n_jobs: int = 1,
    solver: str = DEFAULT_SOLVER,
    isolated: bool = True,
) -> Found | None:
    """Return what the first question with a good answer finds; None if it is settled that none does.

    Parameters
    ----------
    questions : iterable
        Asked in this order.
    ask : callable
        Gets a question and a fresh solver, in any thread; raises TimeIsOver if the answer is open.
    n_jobs : int, default=1
        How many are asked at once, as joblib counts: -1 is as many as there are processors. With more than one, the
        solvers must be isolated.
    solver : str, default="cadical195"
    isolated : bool, default=True

    Raises
    ------
    TimeIsOver
        If nothing was found and a question is open.
    """
    race = _Race(ask, lambda: make_oracle(solver, isolated=isolated))
    # threads whatever backend a caller has set up: the race is run in this memory
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator_unordered")
    try:
        for _ in parallel(delayed(race.take_part)(question) for question in race.until_over(questions)):
            pass  # joblib warns of results that nobody fetches, and those left over come at once
    finally:
        race.end()
    if race.found is None and race.is_open:
        raise TimeIsOver
    return race.found


class _Race(Generic[Question, Found]):
    """What the runners know of each other."""

    def __init__(self, ask: Callable[[Question, Oracle], Found | None], start: Callable[[], Oracle]) -> None:
        self.found: Found | None = None
        self.is_open = False  # whether a question was left without an answer
        self._ask = ask
        self._start = start
        self._is_over = False
        self._running: set[Oracle] = set()
        self._news = Condition()

    def until_over(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Yield the questions while it is worth it."""
        for question in questions:
            yield question
            if self._is_over:
                return

    def take_part(self, question: Question) -> None:
        """Ask one question, unless the race is over."""
        with self._news:
            if self._is_over:
                return
            oracle = self._start()
            self._running.add(oracle)
        try:
            self._hear(self._ask(question, oracle))
        except TimeIsOver:
            self.is_open = True
            self._stop()
        finally:
            oracle.close()
            with self._news:
                self._running.discard(oracle)
                self._news.notify_all()

    def _hear(self, found: Found | None) -> None:
        if found is not None:
            with self._news:
                self.found = found if self.found is None else self.found
            self._stop()

    def _stop(self) -> None:
        with self._news:
            self._is_over = True
            for oracle in self._running:
                if isinstance(oracle, IsolatedOracle):
                    oracle.interrupt()

    def end(self) -> None:
        """Let no runner be left."""
        self._stop()
        with self._news:
            self._news.wait_for(lambda: not self._running)
