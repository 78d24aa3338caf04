"""The questions of the benchmark of the front, as puretree answers them: one function for each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from contenders import Timer
from front_peers import Answer
from front_tables import FrontTable

import puretree

BINARIZE = "thresholds"  # every cut between two values of a column; a column of 0 and 1 has one


@dataclass(frozen=True, slots=True)
class OwnFront:
    """The proved part of a front.

    Parameters
    ----------
    errors : tuple of int
        The fewest errors with at most k = 0, 1, … tests, up to the last k before one that is not proved.
    is_whole : bool
        Whether all points are proved.
    """

    errors: tuple[int, ...]
    is_whole: bool

    @property
    def most_tests(self) -> int:
        """The greatest k that is proved; -1 if there is none."""
        return len(self.errors) - 1


def read_front(front: Any) -> OwnFront:
    """Return the proved part of a front."""
    errors: list[int] = []
    for point in front.points:
        if point.status != "optimal":
            return OwnFront(tuple(errors), False)
        # A number of tests without a point of its own gains nothing.
        errors += errors[-1:] * ((point.n_nodes - 1) // 2 - len(errors))
        errors.append(int(point.errors))
    return OwnFront(tuple(errors), True)


FrontQuestion = Callable[[Timer], OwnFront]


def ask_front(
    table: FrontTable,
    limit: float,
    *,
    max_tests: int | None = None,
    max_depth: int | None = None,
    memory: float | None = None,
) -> FrontQuestion:
    """Ask for the front, as a whole by default."""

    def answer(timer: Timer) -> OwnFront:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a result at the time limit is recognised by its points
            return read_front(
                timer(
                    lambda: puretree.front(
                        table.rows,
                        table.labels,
                        binarize=BINARIZE,
                        max_nodes=None if max_tests is None else 2 * max_tests + 1,
                        max_depth=max_depth,
                        time_limit=limit,
                        memory_limit=memory,
                    )
                )
            )

    return answer


def ask_price(table: FrontTable, price: float, limit: float) -> Callable[[Timer], Answer]:
    """Ask for the least sum of the errors and a price, in errors, for each leaf."""

    def answer(timer: Timer) -> Answer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # likewise
            outcome = timer(
                lambda: puretree.minimum_tree(
                    table.rows, table.labels, binarize=BINARIZE, alpha=price / table.n_rows, time_limit=limit
                )
            )
        leaves = None if outcome.n_nodes is None else (outcome.n_nodes + 1) // 2
        return Answer(outcome.status == "optimal", outcome.n_errors, leaves)

    return answer


def send_front(
    table: FrontTable, limit: float, max_tests: int | None, memory: float, send: Callable[[Any], None]
) -> None:
    """Send the wall seconds and a front; run in a process of its own, whose memory is measured."""
    start = monotonic()
    own = ask_front(table, limit, max_tests=max_tests, memory=memory)(lambda function: function())
    send((monotonic() - start, own))
