"""The canonical order of trees, and the ways to walk it: one after another, by rank, and back to the rank.

Smaller trees come first, then those whose root tests a given feature of smaller number, then the no sides decide, then
the yes sides. A tree is written here as its edges in preorder (root, no side, yes side), and the canonical order is
the lexicographic order of these lists. Nothing here recurses, so trees may be as deep as they like.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ..tree import Tree
from .count import Counts, count_trees
from .graph import Graph

Edges = tuple[int, ...]
"""The edges of a tree in preorder."""


class Order:
    """The trees of a graph in canonical order.

    Parameters
    ----------
    graph : Graph
        Edges ascend by feature and by the size of the no side.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # Lists, not arrays: what follows looks at one number at a time, and that is three times as fast in lists.
        self.roots: list[int] = graph.roots.tolist()
        self.label: list[int] = graph.label.tolist()
        self.size: list[int] = graph.size.tolist()
        self.start: list[int] = graph.edge_start.tolist()
        self.feature: list[int] = graph.feature.tolist()
        self.no: list[int] = graph.no.tolist()
        self.yes: list[int] = graph.yes.tolist()

    @cached_property
    def counts(self) -> Counts:
        """The trees under each node."""
        return count_trees(self.graph)

    @cached_property
    def total(self) -> int:
        """All trees."""
        return sum(self.counts.of_node[root] for root in self.roots)

    def root_of(self, edges: Edges) -> int:
        """Return the node that a tree begins at."""
        if not edges:
            return self.roots[0]
        return next(root for root in self.roots if self.start[root] <= edges[0] < self.start[root + 1])

    def __iter__(self) -> Iterator[Edges]:
        for root in self.roots:
            yield from self._under(root)

    def _under(self, root: int) -> Iterator[Edges]:
        """Yield the trees under a node: change the last choice that can be changed, and begin anew after it."""
        chosen: list[int] = []
        ends: list[int] = []
        waiting: list[Any] = []  # for each choice the nodes that follow its two sides, as a linked list
        ahead: Any = (root, None)
        while True:
            while ahead is not None:
                node, ahead = ahead
                if self.label[node] < 0:
                    edge = self.start[node]
                    chosen.append(edge)
                    ends.append(self.start[node + 1])
                    waiting.append(ahead)
                    ahead = (self.no[edge], (self.yes[edge], ahead))
            yield tuple(chosen)
            while chosen and chosen[-1] + 1 == ends[-1]:
                chosen.pop(), ends.pop(), waiting.pop()
            if not chosen:
                return
            chosen[-1] += 1
            ahead = (self.no[chosen[-1]], (self.yes[chosen[-1]], waiting[-1]))

    def at(self, rank: int) -> Edges:
        """Return the tree of a rank, from 0 to the number of trees less 1."""
        trees, before = self.counts.of_node, self.counts.before
        for root in self.roots:
            if rank < trees[root]:
                break
            rank -= trees[root]
        chosen: list[int] = []
        waiting = [(root, rank)]
        while waiting:
            node, rank = waiting.pop()
            if self.label[node] < 0:
                edge = bisect_right(before, rank, self.start[node], self.start[node + 1]) - 1
                rank_no, rank_yes = divmod(rank - before[edge], trees[self.yes[edge]])
                chosen.append(edge)
                waiting += [(self.yes[edge], rank_yes), (self.no[edge], rank_no)]
        return tuple(chosen)

    def rank(self, edges: Edges) -> int:
        """Return the rank of a tree of the graph."""
        trees, before = self.counts.of_node, self.counts.before
        root = self.root_of(edges)
        done: list[int] = []  # ranks of the parts behind, the nearest last
        for edge in reversed(edges):
            no = done.pop() if self.size[self.no[edge]] else 0
            yes = done.pop() if self.size[self.yes[edge]] else 0
            done.append(before[edge] + no * trees[self.yes[edge]] + yes)
        smaller = sum(trees[other] for other in self.roots[: self.roots.index(root)])
        return smaller + (done[0] if done else 0)

    def find(self, tree: Tree) -> Edges | None:
        """Return a tree's edges, or None if the graph does not hold it."""
        sizes = _sizes(tree)
        waiting = [(root, 0) for root in self.roots if self.size[root] == sizes[0]]
        if not waiting:
            return None
        chosen: list[int] = []
        while waiting:
            node, at = waiting.pop()
            if self.label[node] != tree.label[at]:
                return None
            if self.label[node] >= 0:
                continue
            left = int(tree.left[at])
            edge = self._edge(node, int(tree.feature[at]), sizes[left])
            if edge is None:
                return None
            chosen.append(edge)
            waiting += [(self.yes[edge], left + 1), (self.no[edge], left)]
        return tuple(chosen)

    def _edge(self, node: int, feature: int, size_no: int) -> int | None:
        for edge in range(self.start[node], self.start[node + 1]):
            if self.feature[edge] == feature and self.size[self.no[edge]] == size_no:
                return edge
        return None


def _sizes(tree: Tree) -> Sequence[int]:
    """Return how many inner nodes there are under each node of a tree, itself included."""
    sizes = [0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        left = int(tree.left[node])
        if left >= 0:
            sizes[node] = 1 + sizes[left] + sizes[left + 1]
    return sizes
