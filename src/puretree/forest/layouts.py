"""The layouts of trees, which is their shape without features and labels, and how many trees have each.

Dynamic programming over the graph: every node has a table of the shapes under it, and the shapes of an edge are the
pairs of those of its children. Equal shapes share an index, so a table takes no more memory than its length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .._support.clock import NO_LIMIT, Clock
from .._support.text import format_count
from ..errors import InputError
from .order import Order

MAX_SHAPES = 2_000_000  # in all tables together: a few hundred megabytes


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """A shape of trees.

    Parameters
    ----------
    shape : str
        ``·`` is a leaf, and ``(``, no branch, yes branch, ``)`` an inner node: in ``(·(··))`` only the yes branch of
        the root splits again.
    n_trees : int
        The number of trees of this shape.
    total : int
        The number of trees of the forest.
    """

    shape: str
    n_trees: int
    total: int

    @property
    def share(self) -> float:
        """The fraction of trees of this shape."""
        return self.n_trees / self.total

    def __repr__(self) -> str:
        return f"<Layout: {self.shape}, {format_count(self.n_trees)} of {format_count(self.total)} trees>"

    def __str__(self) -> str:
        return f"{self.shape} {self.share:.1%}"


def count_layouts(order: Order, clock: Clock = NO_LIMIT) -> list[Layout]:
    """Count the trees of each shape, the most frequent shape first; raise TimeLimitReached at the time limit."""
    index_of: dict[tuple[int, int], int] = {}
    children: list[tuple[int, int]] = [(-1, -1)]  # of each shape; shape 0 is the leaf
    tables: list[dict[int, int]] = []
    n_shapes = 0
    for node, label in enumerate(order.label):
        table = {0: 1} if label >= 0 else {}
        for edge in range(order.start[node], order.start[node + 1]):
            for no, n_no in tables[order.no[edge]].items():
                for yes, n_yes in tables[order.yes[edge]].items():
                    shape = index_of.setdefault((no, yes), len(children))
                    if shape == len(children):
                        children.append((no, yes))
                    table[shape] = table.get(shape, 0) + n_no * n_yes
            clock.require_time()
            _check_n_shapes(n_shapes + len(table))
        n_shapes += len(table)
        tables.append(table)
    counts: Counter[int] = Counter()
    for root in order.roots:
        counts.update(tables[root])
    layouts = [Layout(_format_shape(shape, children), n_trees, order.total) for shape, n_trees in counts.items()]
    return sorted(layouts, key=lambda layout: (-layout.n_trees, len(layout.shape), layout.shape))


def _format_shape(shape: int, children: list[tuple[int, int]]) -> str:
    text: list[str] = []
    stack = [shape]
    while stack:
        index = stack.pop()
        if index > 0:
            text.append("(")
            stack += [-1, children[index][1], children[index][0]]
        else:
            text.append("·" if index == 0 else ")")
    return "".join(text)


def _check_n_shapes(n_shapes: int) -> None:
    if n_shapes > MAX_SHAPES:
        raise InputError("the forest has too many layouts to count; count those of a sample of the trees instead")
