"""Trees at random, each as likely as any other: ranks drawn exactly, however many trees there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from sklearn.utils import check_random_state

from ..errors import InputError
from ..tree import Tree
from .graph import Counts, Graph, count_trees


def require_so_many(k: int, total: int) -> None:
    """Refuse to hand out more different trees than there are."""
    if k != int(k) or k < 0:
        raise InputError(f"k={k!r} is not a number of trees; use a whole number of at least 0")
    if k > total:
        raise InputError(f"k={k} different trees were asked for, but there are only {total}; ask for at most {total}")


def draw_ranks(k: int, total: int, random_state: Any) -> list[int]:
    """Draw different ranks below a total, every ordered choice of them equally likely.

    Parameters
    ----------
    k : int
        How many; at most ``total``.
    total : int
        Of any size.
    random_state : int, RandomState or None
        As everywhere in scikit-learn.
    """
    require_so_many(k, total)
    random = check_random_state(random_state)
    drawn: dict[int, None] = {}  # a set that keeps its order
    # Floyd's algorithm: every subset of k is equally likely, after k draws whatever the total (Bentley, Floyd 1987).
    for highest in range(total - k, total):
        rank = draw_below(highest + 1, random)
        drawn[highest if rank in drawn else rank] = None
    ranks = list(drawn)
    return [ranks[place] for place in random.permutation(k)]


def draw_below(end: int, random: Any) -> int:
    """Draw a whole number from 0 to below an end of any size, all equally likely."""
    n_bits = (end - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:  # rejected less than every other time
        number = int.from_bytes(random.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if number < end:
            return number


# The canonical order of trees, and the ways to walk it: one after another, by rank, and back to the rank.
#
# Smaller trees come first, then those whose root tests a given feature of smaller number, then the no sides decide, then
# the yes sides. A tree is written here as its edges in preorder (root, no side, yes side), and the canonical order is
# the lexicographic order of these lists. Nothing here recurses, so trees may be as deep as they like.
#
# In a graph of trees with different scores, a part of a tree stands at a node of its own for each score. There the
# trees that score better come first, and among trees that begin alike those with the better no side: still the order of
# the roots and edges, though no longer one that a tree tells by itself.

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
        self.roots: list[int] = graph.roots.tolist()

    # Lists, not arrays: what follows looks at one number at a time, and that is three times as fast in lists. Made when
    # a tree is looked at, as counting a large graph needs none of them.
    label = cached_property[list[int]](lambda self: self.graph.label.tolist())
    size = cached_property[list[int]](lambda self: self.graph.size.tolist())
    start = cached_property[list[int]](lambda self: self.graph.edge_start.tolist())
    feature = cached_property[list[int]](lambda self: self.graph.feature.tolist())
    no = cached_property[list[int]](lambda self: self.graph.no.tolist())
    yes = cached_property[list[int]](lambda self: self.graph.yes.tolist())

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
        chosen = self._places_of(tree)
        root = next((root for root in self.roots if root in chosen[0]), None)
        if root is None:
            return None
        edges: list[int] = []
        waiting = [(root, 0)]
        while waiting:
            node, at = waiting.pop()
            if self.label[node] < 0:
                edge, left = chosen[at][node], int(tree.left[at])
                edges.append(edge)
                waiting += [(self.yes[edge], left + 1), (self.no[edge], left)]
        return tuple(edges)

    def _places_of(self, tree: Tree) -> list[dict[int, int]]:
        """Return the graph nodes that hold each part of a tree, with the edge that it begins with there."""
        sizes, left = _sizes(tree), tree.left.tolist()
        places: list[dict[int, int]] = [{} for _ in sizes]  # where a part could be, by what is above it
        places[0] = {root: -1 for root in self.roots if self.size[root] == sizes[0]}
        ways: list[list[tuple[int, int]]] = []
        for at in range(tree.n_nodes):
            ways.append([(n, edge) for n in places[at] for edge in self._edges(n, tree, at, sizes)])
            for _, edge in ways[at]:
                places[left[at]][self.no[edge]] = places[left[at] + 1][self.yes[edge]] = -1
        for at in range(tree.n_nodes - 1, -1, -1):
            if left[at] < 0:
                places[at] = {node: -1 for node in places[at] if self.label[node] == tree.label[at]}
                continue
            no, yes = places[left[at]], places[left[at] + 1]
            places[at] = {node: edge for node, edge in ways[at] if self.no[edge] in no and self.yes[edge] in yes}
        return places

    def _edges(self, node: int, tree: Tree, at: int, sizes: Sequence[int]) -> Iterator[int]:
        """Yield the edges of a node that ask what a tree asks at one of its own, with as many tests on both sides."""
        if tree.left[at] >= 0 and self.size[node] == sizes[at]:
            for edge in range(self.start[node], self.start[node + 1]):
                if self.feature[edge] == tree.feature[at] and self.size[self.no[edge]] == sizes[tree.left[at]]:
                    yield edge


def _sizes(tree: Tree) -> Sequence[int]:
    """Return how many inner nodes there are under each node of a tree, itself included."""
    sizes = [0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        left = int(tree.left[node])
        if left >= 0:
            sizes[node] = 1 + sizes[left] + sizes[left + 1]
    return sizes
