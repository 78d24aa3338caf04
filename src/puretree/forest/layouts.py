"""The shapes that trees have when nobody looks at what they test, and how many trees have each.

Every node has a table of the shapes under it; the shapes of an edge are the pairs of those of its sides. Equal shapes
share a number, so a table costs no more than its length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..errors import InputError
from .order import Order

MOST_SHAPES = 2_000_000  # in all tables together: some hundred megabytes


@dataclass(frozen=True, slots=True)
class Layout:
    """A shape of trees.

    Parameters
    ----------
    shape : str
        ``·`` is a leaf, ``(`` no side, yes side ``)`` an inner node: ``(·(··))`` asks again only after a yes.
    n_trees : int
        How many trees have it.
    total : int
        All trees of the forest.
    """

    shape: str
    n_trees: int
    total: int

    @property
    def share(self) -> float:
        """The share of the trees that have it."""
        return self.n_trees / self.total

    def __str__(self) -> str:
        return f"{self.shape} {self.share:.1%}"


def count_layouts(order: Order) -> list[Layout]:
    """Count the trees of each shape, the most frequent shape first."""
    number_of: dict[tuple[int, int], int] = {}
    sides: list[tuple[int, int]] = [(-1, -1)]  # of each shape; shape 0 is the leaf
    tables: list[dict[int, int]] = []
    n_shapes = 0
    for node, label in enumerate(order.label):
        table = {0: 1} if label >= 0 else {}
        for edge in range(order.start[node], order.start[node + 1]):
            for no, n_no in tables[order.no[edge]].items():
                for yes, n_yes in tables[order.yes[edge]].items():
                    shape = number_of.setdefault((no, yes), len(sides))
                    if shape == len(sides):
                        sides.append((no, yes))
                    table[shape] = table.get(shape, 0) + n_no * n_yes
            _require_few(n_shapes + len(table))
        n_shapes += len(table)
        tables.append(table)
    counts: Counter[int] = Counter()
    for root in order.roots:
        counts.update(tables[root])
    found = [Layout(_draw(shape, sides), n_trees, order.total) for shape, n_trees in counts.items()]
    return sorted(found, key=lambda layout: (-layout.n_trees, len(layout.shape), layout.shape))


def _draw(shape: int, sides: list[tuple[int, int]]) -> str:
    text: list[str] = []
    waiting = [shape]
    while waiting:
        part = waiting.pop()
        if part > 0:
            text.append("(")
            waiting += [-1, sides[part][1], sides[part][0]]
        else:
            text.append("·" if part == 0 else ")")
    return "".join(text)


def _require_few(n_shapes: int) -> None:
    if n_shapes > MOST_SHAPES:
        raise InputError(
            "the trees of this forest have too many layouts to count them all; look at a sample of the trees instead"
        )
