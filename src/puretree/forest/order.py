"""The canonical order of the trees of a graph: iteration, rank, unrank, and uniform sampling.

Smaller trees come first, then trees whose root tests an original feature with a smaller index, then the no branches
decide, then the yes branches. A tree is represented by its edges in preorder (root, no branch, yes branch); the
canonical order is the lexicographic order of these tuples. Nothing here recurses, so trees may be arbitrarily deep.

Of trees with costs, the smaller come first, then the cheaper. After the feature at the root, the size of the no branch
decides, then its cost, then the no branch itself.

In a graph of trees with different scores, a subtree has one node for each score. There, trees with a better score come
first, and among trees with the same beginning those with the better no branch: still the order of the roots and edges,
but no longer one that the tree alone determines.

Where a filter divides the trees of a node among copies of it, the order is still the same: see :class:`MergedOrder`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.utils import check_random_state

from ..errors import InputError
from ..tree import Tree
from .graph import Counts, Graph, count_trees

Edges = tuple[int, ...]
"""The edges of a tree in preorder."""
Weights = dict[int, int]
"""Copies of a node, with the number of ways to complete each tree under them."""
Parents = dict[int, int]
"""Edges, with the nodes they begin at."""


class Order:
    """The trees of a graph in canonical order.

    Parameters
    ----------
    graph : Graph
        Its edges ascend by feature, then by the size and the cost of the no branch.
    trees : list of int, optional
        The number of trees under each node, if known.
    """

    def __init__(self, graph: Graph, trees: list[int] | None = None) -> None:
        self.graph = graph
        self.roots: list[int] = graph.roots.tolist()
        self._trees = trees

    # Views instead of arrays: the methods below access single elements, which is twice as fast in views. Lists would be
    # a little faster still, but those of a large graph take seconds and gigabytes.
    label = cached_property[Sequence[int]](lambda self: self.graph.label.data)
    size = cached_property[Sequence[int]](lambda self: self.graph.size.data)
    start = cached_property[Sequence[int]](lambda self: self.graph.edge_start.data)
    feature = cached_property[Sequence[int]](lambda self: self.graph.feature.data)
    no = cached_property[Sequence[int]](lambda self: self.graph.no.data)
    yes = cached_property[Sequence[int]](lambda self: self.graph.yes.data)

    def __getstate__(self) -> dict[str, Any]:
        return {"graph": self.graph, "roots": self.roots, "_trees": self._trees}  # views cannot be pickled

    @cached_property
    def counts(self) -> Counts:
        """The number of trees under each node."""
        return Counts(self.graph, count_trees(self.graph) if self._trees is None else self._trees)

    @cached_property
    def total(self) -> int:
        """The number of trees."""
        return sum(self.counts.per_node[root] for root in self.roots)

    def root_of(self, edges: Edges) -> int:
        """Return the root node of a tree."""
        if not edges:
            return next(root for root in self.roots if self.label[root] >= 0)
        return next(root for root in self.roots if self.start[root] <= edges[0] < self.start[root + 1])

    def cost_of(self, edges: Edges) -> int:
        """Return the cost of a tree, less the least cost of each example; 0 if all trees are pure."""
        return 0 if self.graph.cost is None else int(self.graph.cost[self.root_of(edges)])

    def __iter__(self) -> Iterator[Edges]:
        for root in self.roots:
            yield from self._iterate_under(root)

    def _iterate_under(self, root: int) -> Iterator[Edges]:
        """Yield the trees under a node: advance the last edge that can advance, and restart all edges after it."""
        chosen: list[int] = []
        ends: list[int] = []
        pending_after: list[Any] = []  # for each chosen edge, the nodes to expand after its subtrees, as a linked list
        pending: Any = (root, None)
        while True:
            while pending is not None:
                node, pending = pending
                if self.label[node] < 0:
                    edge = self.start[node]
                    chosen.append(edge)
                    ends.append(self.start[node + 1])
                    pending_after.append(pending)
                    pending = (self.no[edge], (self.yes[edge], pending))
            yield tuple(chosen)
            while chosen and chosen[-1] + 1 == ends[-1]:
                chosen.pop(), ends.pop(), pending_after.pop()
            if not chosen:
                return
            chosen[-1] += 1
            pending = (self.no[chosen[-1]], (self.yes[chosen[-1]], pending_after[-1]))

    def unrank(self, rank: int) -> Edges:
        """Return the tree of a rank from 0 to ``total - 1``."""
        trees = self.counts.per_node
        for root in self.roots:
            if rank < trees[root]:
                break
            rank -= trees[root]
        chosen: list[int] = []
        stack = [(root, rank)]
        while stack:
            node, rank = stack.pop()
            if self.label[node] < 0:
                first_ranks = self.counts.first_ranks(node)
                nth = bisect_right(first_ranks, rank) - 1
                edge = self.start[node] + nth
                no_rank, yes_rank = divmod(rank - first_ranks[nth], trees[self.yes[edge]])
                chosen.append(edge)
                stack += [(self.yes[edge], yes_rank), (self.no[edge], no_rank)]
        return tuple(chosen)

    def first_rank(self, node: int, edge: int) -> int:
        """Return the rank of the first tree of an edge among the trees of its node."""
        return self.counts.first_ranks(node)[edge - self.start[node]]

    def rank(self, edges: Edges) -> int:
        """Return the rank of a tree of the graph: the inverse of :meth:`unrank`."""
        trees = self.counts.per_node
        root = self.root_of(edges)
        stack: list[int] = []  # ranks of the subtrees after the current edge, the nearest last
        for edge in reversed(edges):
            no = stack.pop() if self.size[self.no[edge]] else 0
            yes = stack.pop() if self.size[self.yes[edge]] else 0
            node = bisect_right(self.start, edge) - 1
            stack.append(self.first_rank(node, edge) + no * trees[self.yes[edge]] + yes)
        n_before_root = sum(trees[other] for other in self.roots[: self.roots.index(root)])
        return n_before_root + (stack[0] if stack else 0)

    def find(self, tree: Tree) -> Edges | None:
        """Return the edges of a tree, or None if the graph does not contain it."""
        matches = self._match(tree)
        root = next((root for root in self.roots if root in matches[0]), None)
        if root is None:
            return None
        edges: list[int] = []
        stack = [(root, 0)]
        while stack:
            node, tree_node = stack.pop()
            if self.label[node] < 0:
                edge, left = matches[tree_node][node], int(tree.left[tree_node])
                edges.append(edge)
                stack += [(self.yes[edge], left + 1), (self.no[edge], left)]
        return tuple(edges)

    def _match(self, tree: Tree) -> list[dict[int, int]]:
        """Return for each node of a tree the graph nodes that contain its subtree, with the matching first edge."""
        sizes, left = _subtree_sizes(tree), tree.left.tolist()
        matches: list[dict[int, int]] = [{} for _ in sizes]  # top-down: candidates by what is above the subtree
        matches[0] = {root: -1 for root in self.roots if self.size[root] == sizes[0]}
        candidates: list[list[tuple[int, int]]] = []
        for i in range(tree.n_nodes):
            candidates.append([(n, edge) for n in matches[i] for edge in self._matching_edges(n, tree, i, sizes)])
            for _, edge in candidates[i]:
                matches[left[i]][self.no[edge]] = matches[left[i] + 1][self.yes[edge]] = -1
        for i in range(tree.n_nodes - 1, -1, -1):  # bottom-up: keep the candidates whose children match
            if left[i] < 0:
                matches[i] = {node: -1 for node in matches[i] if self.label[node] == tree.label[i]}
                continue
            no, yes = matches[left[i]], matches[left[i] + 1]
            matches[i] = {node: edge for node, edge in candidates[i] if self.no[edge] in no and self.yes[edge] in yes}
        return matches

    def _matching_edges(self, node: int, tree: Tree, i: int, sizes: Sequence[int]) -> Iterator[int]:
        """Yield the edges of a graph node that agree with node ``i`` of a tree in the feature and the branch sizes."""
        if tree.left[i] >= 0 and self.size[node] == sizes[i]:
            for edge in range(self.start[node], self.start[node + 1]):
                if self.feature[edge] == tree.feature[i] and self.size[self.no[edge]] == sizes[tree.left[i]]:
                    yield edge


class MergedOrder:
    """The order of the trees of a graph whose nodes are copies, each with some of the trees of an original node.

    The copies divide these trees among them, so the first tree may be in any copy. The trees are ranked as those of the
    original node: all copies are visited together, each weighted by the number of ways to complete its trees.

    Parameters
    ----------
    order : Order
        The order of the edges, which lists the trees of one copy after those of another.
    """

    def __init__(self, order: Order) -> None:
        assert order.graph.origin is not None
        self._order, self._origin = order, order.graph.origin.tolist()

    def __iter__(self) -> Iterator[Edges]:
        return map(self.unrank, range(self._order.total))

    def unrank(self, rank: int) -> Edges:
        """Return the tree of a rank from 0 to ``total - 1``."""
        order, trees = self._order, self._order.counts.per_node
        for root in order.roots:
            if rank < trees[root]:
                break
            rank -= trees[root]
        chosen: list[int] = []
        open_nodes: list[_OpenNode] = []
        weights = {root: 1}
        while True:
            node = next(iter(weights))
            if order.size[node]:
                edges, n_before = self._find_edges(weights, rank)
                rank -= n_before
                open_nodes.append(_OpenNode(len(chosen), weights, edges))
                chosen.append(-1)
                weights = self._no_weights(weights, edges)
                continue
            while open_nodes and open_nodes[-1].no is not None:  # both branches are known, and with them the edge
                last = open_nodes.pop()
                edge = next(edge for edge in last.edges if order.no[edge] == last.no and order.yes[edge] == node)
                chosen[last.index], node = edge, last.edges[edge]
            if not open_nodes:
                return tuple(chosen)
            open_nodes[-1].no = node
            weights = self._yes_weights(open_nodes[-1].weights, open_nodes[-1].edges, node)

    def rank(self, edges: Edges) -> int:
        """Return the rank of a tree: the inverse of :meth:`unrank`."""
        order, root = self._order, self._order.root_of(edges)
        rank = sum(order.counts.per_node[other] for other in order.roots[: order.roots.index(root)])
        stack = [{root: 1}]
        for edge in edges:
            weights = stack.pop()
            of_origin = self._by_origin(weights)
            for origin in sorted(of_origin):
                if origin == self._origin[edge]:
                    break
                rank += self._n_trees(weights, of_origin[origin])
            same = of_origin[self._origin[edge]]
            if order.size[order.yes[edge]]:
                stack.append(self._yes_weights(weights, same, order.no[edge]))
            if order.size[order.no[edge]]:
                stack.append(self._no_weights(weights, same))
        return rank

    def _by_origin(self, weights: Weights) -> dict[int, Parents]:
        """Return the edges of some copies, with the copy that each begins at, by their originals."""
        of_origin: dict[int, Parents] = {}
        for node in weights:
            for edge in range(self._order.start[node], self._order.start[node + 1]):
                of_origin.setdefault(self._origin[edge], {})[edge] = node
        return of_origin

    def _n_trees(self, weights: Weights, edges: Parents) -> int:
        trees, no, yes = self._order.counts.per_node, self._order.no, self._order.yes
        return sum(weights[node] * trees[no[edge]] * trees[yes[edge]] for edge, node in edges.items())

    def _find_edges(self, weights: Weights, rank: int) -> tuple[Parents, int]:
        """Return the edges of the original that the tree of a rank begins with, and the number of trees before them."""
        of_origin, n_before = self._by_origin(weights), 0
        for origin in sorted(of_origin):
            n_trees = self._n_trees(weights, of_origin[origin])
            if rank < n_before + n_trees:
                break
            n_before += n_trees
        return of_origin[origin], n_before

    def _no_weights(self, weights: Weights, edges: Parents) -> Weights:
        """Return in how many ways each no branch can be completed."""
        completions: Weights = {}
        for edge, node in edges.items():
            no, n_yes = self._order.no[edge], self._order.counts.per_node[self._order.yes[edge]]
            completions[no] = completions.get(no, 0) + weights[node] * n_yes
        return completions

    def _yes_weights(self, weights: Weights, edges: Parents, no: int) -> Weights:
        """Return in how many ways each yes branch beside a no branch can be completed."""
        completions: Weights = {}
        for edge, node in edges.items():
            if self._order.no[edge] == no:
                yes = self._order.yes[edge]
                completions[yes] = completions.get(yes, 0) + weights[node]
        return completions


@dataclass(slots=True)
class _OpenNode:
    """A node of a tree whose edge is not known yet: its index in preorder, its copies, and the edges to choose from."""

    index: int
    weights: Weights
    edges: Parents
    no: int | None = None  # the copy of the no branch, if it is known


def _subtree_sizes(tree: Tree) -> Sequence[int]:
    """Return the number of inner nodes of the subtree at each node of a tree."""
    sizes = [0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        left = int(tree.left[node])
        if left >= 0:
            sizes[node] = 1 + sizes[left] + sizes[left + 1]
    return sizes


def check_n_trees(k: int, total: int) -> None:
    """Raise an error unless ``k`` distinct trees can be drawn from ``total``."""
    if k != int(k) or k < 0:
        raise InputError("is not a number of trees; use an integer of at least 0", parameter="k", value=k)
    if k > total:
        raise InputError(f"k={k} distinct trees were requested, but there are only {total}; use k={total} or less")


def draw_ranks(k: int, total: int, random_state: Any) -> list[int]:
    """Draw distinct ranks uniformly: every ordered selection is equally likely.

    Parameters
    ----------
    k : int
        How many to draw; at most ``total``.
    total : int
        Ranks are below this number, which may be arbitrarily large.
    random_state : int, RandomState or None
        As in scikit-learn.
    """
    check_n_trees(k, total)
    random = check_random_state(random_state)
    drawn: dict[int, None] = {}  # an ordered set
    # Floyd's algorithm: every subset of size k is equally likely, with k draws for any total (Bentley, Floyd 1987).
    for highest in range(total - k, total):
        rank = draw_below(highest + 1, random)
        drawn[highest if rank in drawn else rank] = None
    ranks = list(drawn)
    return [ranks[index] for index in random.permutation(k)]


def draw_below(end: int, random: Any) -> int:
    """Draw an integer from 0 to ``end - 1`` uniformly; ``end`` may be arbitrarily large."""
    n_bits = (end - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:  # rejection sampling: a draw is rejected with a probability below 1/2
        number = int.from_bytes(random.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if number < end:
            return number
