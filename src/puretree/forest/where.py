"""The trees of a forest that satisfy filters, as a graph again.

A filter on the root, on what is avoided or on the rows in the leaves only removes edges. The others restrict what may
be combined: they are products of the graph with a *requirement* on the subtree under a node. From the roots down, each
edge passes a requirement on to both children: a depth that is left, rows that must get their labels, or whether a
column is still to be tested. A node is copied for each requirement that occurs. One that every tree under the node
satisfies is replaced by none, and edges on which no tree can satisfy it are dropped, so few copies are made.

A tree satisfies a requirement in exactly one way, so no tree is counted twice. Either both subtrees may be chosen
independently; or a column must be tested in one of them, and then either the no branch tests it and the yes branch is
free, or the no branch avoids it and the yes branch tests it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import Predicate, format_level
from ..errors import InputError, shorten
from ..problem import Prepared, PreparedCosts
from ..problem.constraints import require_positive_integer
from ..problem.features import features_of_tests
from ..table import read_labels
from .graph import Derived, Graph, Indices, Ints, cuts, derive_graph, keep_edges
from .leaves import Words, split_leaves
from .predictions import GroupedRows, group_rows

Test = str | int | Predicate
Tests = Test | Collection[Test]
"""One column or predicate, or several."""
Flags = NDArray[np.bool_]
Part = tuple[Flags, Words, Words]
"""On which edges there is a way to satisfy a requirement, and what it requires of their no and yes branches."""


@dataclass(frozen=True, slots=True, eq=False)
class Filters:
    """Filters of trees; the parameters are those of :meth:`Forest.where`."""

    root: Tests | None = None
    uses: Tests | None = None
    avoids: Tests | None = None
    max_depth: int | None = None
    min_samples_leaf: int | None = None
    agrees_with: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("max_depth", "min_samples_leaf"):
            if getattr(self, name) is not None:
                require_positive_integer(name, getattr(self, name))
        rows = self.agrees_with
        if rows is not None and not (isinstance(rows, tuple | list) and len(rows) == 2):
            raise InputError("agrees_with is not a pair; use (X, y), rows and their labels")


def filter_graph(
    graph: Graph, prepared: Prepared | PreparedCosts, filters: Filters, memory_limit: float, clock: Clock
) -> Graph:
    """Return the graph of the trees that satisfy all filters.

    Parameters
    ----------
    graph : Graph
        Over original features.
    prepared : Prepared or PreparedCosts
        The table of the trees.
    filters : Filters
    memory_limit : float
        In bytes.
    clock : Clock

    Raises
    ------
    TimeLimitReached, MemoryError
        If a limit is reached.
    """
    read = _Reader(graph, prepared)
    root, uses, avoids = (read.tests(name, getattr(filters, name)) for name in ("root", "uses", "avoids"))
    if avoids:
        graph = keep_edges(graph, ~np.isin(graph.feature, np.concatenate(avoids)), clock=clock)
    if root:
        graph = _start_with(graph, np.isin(graph.feature, np.concatenate(root)), clock)
    if filters.min_samples_leaf is not None:
        graph = _keep_large_leaves(graph, prepared, filters.min_samples_leaf, memory_limit, clock)
    if filters.max_depth is not None:
        depth = min(int(filters.max_depth), graph.n_nodes)
        graph = _Depth(graph, clock).product(np.full(len(graph.roots), depth), memory_limit)
    if filters.agrees_with is not None:
        graph = _agree(graph, prepared, filters.agrees_with, memory_limit, clock)
    for features in uses:
        is_use = np.isin(graph.feature, features)
        graph = _Use(graph, is_use, clock).product(np.full(len(graph.roots), _Use.USED), memory_limit)
    return graph


class _Reader:
    """Reads options that name columns or predicates."""

    def __init__(self, graph: Graph, prepared: Prepared | PreparedCosts) -> None:
        self._tested = graph.features.tolist()
        self._features, self._names = prepared.policy.features, prepared.table.names

    def tests(self, option: str, value: Tests | None) -> list[Indices]:
        """Return for each item the features that it stands for; nothing for None."""
        tests: Any = () if value is None else value
        return features_of_tests(option, tests, self._features, self._names, self._tested)


def _start_with(graph: Graph, is_root: Flags, clock: Clock) -> Graph:
    """Return the graph of the trees that begin with some edges; roots are copied, as they may occur in other trees."""
    level = graph.level(graph.roots.astype(np.int64))
    copies = graph.n_nodes + np.arange(len(graph.roots))
    parents = np.repeat(copies, np.diff([*level.starts, len(level.edges)]))
    kept = is_root[level.edges]
    edges = np.concatenate([np.arange(graph.n_edges), level.edges[kept]])
    no, yes = graph.no[edges].astype(np.int64), graph.yes[edges].astype(np.int64)
    derived = Derived(np.concatenate([graph.parents, parents[kept]]), edges, no, yes)
    roots = copies[graph.size[graph.roots] > 0]  # a single leaf tests nothing
    return derive_graph(graph, np.concatenate([np.arange(graph.n_nodes), graph.roots]), derived, roots, clock)


def _keep_large_leaves(
    graph: Graph, prepared: Prepared | PreparedCosts, min_samples_leaf: int, memory_limit: float, clock: Clock
) -> Graph:
    """Return the graph of the trees with enough training rows in each leaf, which the edge to it determines."""
    if not graph.n_nodes:
        return graph
    row_weights = np.zeros((prepared.table.n_rows, 1))
    row_weights[prepared.kept_rows, 0] = prepared.table.row_weights[prepared.kept_rows]
    bits = prepared.binarizer.transform_bits(prepared.table)
    leaves = split_leaves(graph, bits, row_weights, memory_limit, clock)
    n_rows = np.full(leaves.graph.n_nodes, np.inf)
    n_rows[: len(leaves.weights)] = leaves.weights[:, 0]
    is_large = n_rows >= min_samples_leaf
    roots = graph.roots[is_large[leaves.graph.roots]].astype(np.int64)
    return keep_edges(graph, is_large[leaves.graph.no] & is_large[leaves.graph.yes], roots, clock)


class _Copies:
    """Copies of nodes, one for each requirement, and the edges between them.

    A copy is asked for under a ticket, and numbered when all copies of nodes of its size have been asked for.

    Parameters
    ----------
    graph : Graph
    n_words : int
        The length of a requirement.
    memory_limit : float
        In bytes.
    """

    def __init__(self, graph: Graph, n_words: int, memory_limit: float) -> None:
        self._graph, self._n_words, self._memory_limit = graph, n_words, memory_limit
        self._asked: dict[int, list[tuple[Indices, Indices, Words]]] = {}  # of each size
        self._n_tickets = self._n_copies = 0
        self._numbered: list[tuple[Indices, Indices]] = []  # tickets, and the numbers of their copies
        self._nodes: list[Indices] = []
        self._edges: list[tuple[Indices, Indices, Indices, Indices]] = []  # parents, edges, and tickets of the children

    def ask(self, nodes: Indices, required: Words) -> Indices:
        """Ask for copies of nodes, and return their tickets."""
        n_bytes = 8 * (len(nodes) + self._n_tickets) * (4 + self._n_words)
        if n_bytes > self._memory_limit:
            raise MemoryError
        tickets = self._n_tickets + np.arange(len(nodes))
        self._n_tickets += len(nodes)
        sizes = self._graph.size[nodes]
        for size in np.unique(sizes).tolist():
            of_size = np.flatnonzero(sizes == size)
            self._asked.setdefault(size, []).append((tickets[of_size], nodes[of_size], required[of_size]))
        return tickets

    def of_size(self, size: int) -> tuple[Indices, Indices, Words]:
        """Return the copies of the nodes of a size, which are numbered now: numbers, nodes and requirements."""
        asked = self._asked.pop(size, None)
        if asked is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, self._n_words), np.uint64)
        tickets, nodes, required = (np.concatenate(arrays) for arrays in zip(*asked, strict=True))
        rows = np.column_stack([nodes.astype(np.uint64), required])
        group, first, _ = _native.group(np.ascontiguousarray(rows), 64 * rows.shape[1], False)
        numbers = self._n_copies + np.arange(len(first))
        self._n_copies += len(first)
        self._numbered.append((tickets, numbers[group]))
        self._nodes.append(nodes[first])
        return numbers, nodes[first], required[first]

    def add(self, parents: Indices, edges: Indices, no_required: Words, yes_required: Words) -> None:
        """Add edges from some copies to those with these requirements."""
        no = self.ask(self._graph.no[edges].astype(np.int64), no_required)
        yes = self.ask(self._graph.yes[edges].astype(np.int64), yes_required)
        self._edges.append((parents, edges, no, yes))

    def derive(self, roots: Indices, clock: Clock) -> Graph:
        """Return the graph of the copies below some roots, given by their tickets."""
        number = np.empty(self._n_tickets, dtype=np.int64)
        for tickets, numbers in self._numbered:
            number[tickets] = numbers
        none = [np.empty(0, dtype=np.int64)]
        node = np.concatenate(none + self._nodes)
        parent, edge, no, yes = (np.concatenate(none + [arrays[i] for arrays in self._edges]) for i in range(4))
        return derive_graph(self._graph, node, Derived(parent, edge, number[no], number[yes]), number[roots], clock)


class _Requirement(ABC):
    """A requirement on the trees under a node, stated by a row of words.

    Parameters
    ----------
    graph : Graph
    clock : Clock
    """

    n_words = 1

    def __init__(self, graph: Graph, clock: Clock) -> None:
        self.graph, self.clock = graph, clock

    @abstractmethod
    def simplify(self, nodes: Ints, required: Words) -> tuple[Flags, Words]:
        """Return at which nodes some tree may satisfy a requirement, and the requirement in its simplest form."""

    @abstractmethod
    def parts(self, edges: Indices, required: Words) -> Iterator[Part]:
        """Yield the ways to satisfy a requirement on the parents of edges; no tree satisfies it in two of them."""

    def product(self, required: NDArray[Any], memory_limit: float) -> Graph:
        """Return the graph of the trees that satisfy a requirement, stated for each root.

        Raises
        ------
        TimeLimitReached, MemoryError
            If a limit is reached.
        """
        graph = self.graph
        copies = _Copies(graph, self.n_words, memory_limit)
        is_possible, at_roots = self.simplify(graph.roots, required.astype(np.uint64).reshape(-1, self.n_words))
        roots = copies.ask(graph.roots[is_possible].astype(np.int64), at_roots[is_possible])
        for size in np.unique(graph.size)[::-1].tolist():  # parents before children
            numbers, nodes, stated = copies.of_size(size)
            for step in _steps(np.diff(graph.edge_start)[nodes]):
                self.clock.require_time()
                self._expand(copies, numbers[step], nodes[step], stated[step])
        return copies.derive(roots, self.clock)

    def _expand(self, copies: _Copies, numbers: Indices, nodes: Indices, stated: Words) -> None:
        """Add the edges of some copies of nodes."""
        level = self.graph.level(nodes)
        index = np.repeat(np.arange(len(nodes)), np.diff([*level.starts, len(level.edges)]))
        for is_allowed, of_no, of_yes in self.parts(level.edges, stated[index]):
            can_no, of_no = self.simplify(self.graph.no[level.edges], of_no)
            can_yes, of_yes = self.simplify(self.graph.yes[level.edges], of_yes)
            kept = np.flatnonzero(is_allowed & can_no & can_yes)
            copies.add(numbers[index[kept]], level.edges[kept], of_no[kept], of_yes[kept])


def _steps(n_edges: Indices) -> list[Indices]:
    """Divide nodes into steps with few edges."""
    return np.split(np.arange(len(n_edges)), cuts(np.cumsum(n_edges) - n_edges))


class _Depth(_Requirement):
    """How many tests a path may have."""

    def __init__(self, graph: Graph, clock: Clock) -> None:
        super().__init__(graph, clock)
        self._least, self._most = np.zeros((2, graph.n_nodes), dtype=np.int64)  # depth of a tree under each node
        for level in graph.levels:
            clock.require_time()
            no, yes = graph.no[level.edges], graph.yes[level.edges]
            for depth, choose in ((self._least, np.minimum), (self._most, np.maximum)):
                depth[level.nodes] = choose.reduceat(np.maximum(depth[no], depth[yes]), level.starts) + 1

    def simplify(self, nodes: Ints, required: Words) -> tuple[Flags, Words]:
        """Allow no more tests than the deepest tree has."""
        allowed = required[:, 0].astype(np.int64)
        return self._least[nodes] <= allowed, np.minimum(allowed, self._most[nodes]).astype(np.uint64)[:, None]

    def parts(self, edges: Indices, required: Words) -> Iterator[Part]:
        """Allow one test less below."""
        below = required - np.uint64(1)
        yield np.ones(len(edges), dtype=np.bool_), below, below


class _Labels(_Requirement):
    """Which rows must get their labels: one bit for each.

    Parameters
    ----------
    graph : Graph
    rows : GroupedRows
    codes : ndarray of int
        The class of each group of rows.
    clock : Clock
    """

    def __init__(self, graph: Graph, rows: GroupedRows, codes: Indices, clock: Clock) -> None:
        super().__init__(graph, clock)
        self._rows, self.n_words = rows, rows.bits.words.shape[1]
        of_class = BitMatrix.pack(codes == np.arange(codes.max(initial=0) + 1)[:, None]).words
        # The rows that some tree under each node labels correctly, and those that every tree does.
        self._some, self._every = np.zeros((2, graph.n_nodes, self.n_words), dtype=np.uint64)
        leaves = np.flatnonzero((graph.label >= 0) & (graph.label < len(of_class)))
        self._some[leaves] = self._every[leaves] = of_class[graph.label[leaves]]
        for level in graph.levels:
            clock.require_time()
            values = self._values(level.edges)
            for correct, combine in ((self._some, np.bitwise_or), (self._every, np.bitwise_and)):
                no, yes = correct[graph.no[level.edges]], correct[graph.yes[level.edges]]
                correct[level.nodes] = combine.reduceat((no & ~values) | (yes & values), level.starts)

    def _values(self, edges: Indices) -> Words:
        """Return what the rows answer to the tests of edges."""
        values: Words = self._rows.bits.words[self._rows.bits_row[edges]]
        return values

    def simplify(self, nodes: Ints, required: Words) -> tuple[Flags, Words]:
        """Leave out the rows that every tree labels correctly."""
        return (required & ~self._some[nodes] == 0).all(axis=1), required & ~self._every[nodes]

    def parts(self, edges: Indices, required: Words) -> Iterator[Part]:
        """Divide the rows by their answers."""
        values = self._values(edges)
        yield np.ones(len(edges), dtype=np.bool_), required & ~values, required & values


class _Use(_Requirement):
    """Whether some of the edges must occur in the tree, or must not, or either is fine.

    Parameters
    ----------
    graph : Graph
    is_use : ndarray of bool
        The edges.
    clock : Clock
    """

    FREE, USED, AVOIDED = range(3)

    def __init__(self, graph: Graph, is_use: Flags, clock: Clock) -> None:
        super().__init__(graph, clock)
        self._is_use = is_use
        self._can_use, self._can_avoid = graph.size < 0, graph.size == 0  # whether some tree under each node does
        for level in graph.levels:
            clock.require_time()
            edges, no, yes = level.edges, graph.no[level.edges], graph.yes[level.edges]
            uses = is_use[edges] | self._can_use[no] | self._can_use[yes]
            avoids = ~is_use[edges] & self._can_avoid[no] & self._can_avoid[yes]
            self._can_use[level.nodes] = np.logical_or.reduceat(uses, level.starts)
            self._can_avoid[level.nodes] = np.logical_or.reduceat(avoids, level.starts)

    def simplify(self, nodes: Ints, required: Words) -> tuple[Flags, Words]:
        """Require nothing if every tree satisfies the requirement."""
        stated, can_use, can_avoid = required[:, 0], self._can_use[nodes], self._can_avoid[nodes]
        is_possible = np.where(stated == self.USED, can_use, (stated == self.FREE) | can_avoid)
        is_certain = np.where(stated == self.USED, ~can_avoid, ~can_use)
        return is_possible, np.where(is_certain, np.uint64(self.FREE), stated)[:, None]

    def parts(self, edges: Indices, required: Words) -> Iterator[Part]:
        """Pass on what is required; an edge must be used in the no branch, or if not there, in the yes branch."""
        stated, is_use = required[:, 0], self._is_use[edges]
        is_missing = (stated == self.USED) & ~is_use
        passed = np.where((stated == self.USED) & is_use, np.uint64(self.FREE), stated)[:, None]
        free = np.where(is_missing, np.uint64(self.FREE), passed[:, 0])[:, None]
        yield (stated != self.AVOIDED) | ~is_use, passed, free
        yield is_missing, np.full_like(required, self.AVOIDED), np.full_like(required, self.USED)


def _agree(
    graph: Graph, prepared: Prepared | PreparedCosts, labelled: tuple[Any, Any], memory_limit: float, clock: Clock
) -> Graph:
    """Return the graph of the trees that predict given labels for given rows."""
    X, y = labelled
    rows = group_rows(prepared, graph, X)
    labels, classes = read_labels(y, rows.n_rows), prepared.problem.classes
    unknown = [label for label in labels.classes if label not in classes]
    if unknown:
        known = shorten(map(format_level, classes))
        raise InputError(f"the label {format_level(unknown[0])} is not a class of the trees; use one of {known}")
    codes = np.array([classes.index(label) for label in labels.classes])[labels.codes]
    of_group = np.zeros(rows.bits.n_bits, dtype=np.int64)
    of_group[rows.group] = codes
    if (of_group[rows.group] != codes).any():  # equal rows with different labels
        return keep_edges(graph, np.zeros(graph.n_edges, dtype=np.bool_), np.empty(0, dtype=np.int64), clock)
    if 2 * graph.n_nodes * rows.bits.words.shape[1] * 8 > memory_limit:
        raise MemoryError
    everything = BitMatrix.pack(np.ones((1, rows.bits.n_bits), dtype=np.bool_)).words
    return _Labels(graph, rows, of_group, clock).product(np.repeat(everything, len(graph.roots), axis=0), memory_limit)
