"""One size after the other: is there a pure tree of exactly n nodes? Downwards from the upper bound.

That there is none of n nodes proves that there is none of fewer: a smaller pure tree could be grown by splitting a
leaf on a feature its path has not asked, and only a complete tree over all features, or of the depth allowed, has no
such leaf. So whoever answers must not leave out trees because a test of theirs is of no use.
"""

from __future__ import annotations

from collections.abc import Callable

from ..clock import TimeIsOver
from ..outcome import Status
from ..record import Record
from ..tree import Tree


def ask_by_size(record: Record, tree_of: Callable[[int], Tree | None]) -> Status:
    """Ask for smaller trees until there is none; upwards from the lower bound where no tree is known.

    Parameters
    ----------
    record : Record
    tree_of : callable
        Gets a number of nodes and returns a pure tree of exactly so many that keeps to the wishes, or None if there is
        none; raises TimeIsOver if the clock is over first, and MemoryError before it takes too much.
    """
    try:
        while record.upper != record.lower:
            _ask(record, tree_of, record.lower if record.upper is None else record.upper - 2)
    except TimeIsOver:
        return "time_limit"
    except MemoryError:
        return "memory_limit"
    record.prove()
    return "optimal"


def _ask(record: Record, tree_of: Callable[[int], Tree | None], n_nodes: int) -> None:
    """Write down the tree of so many nodes, or that there is none."""
    if n_nodes > record.steering.most_nodes(record.problem):
        raise record.steering.refuse()
    tree = tree_of(n_nodes)
    if tree is not None:
        record.offer(tree)
    elif record.upper is None:
        record.raise_lower(n_nodes + 2)
    else:
        record.raise_lower(record.upper)
