"""All minimum pure trees at once: counted, listed, drawn, compared, and the best of them found.

The trees themselves are never held. A :class:`Forest` holds their graph, and every question is answered on the graph;
see the modules beside this one, one for each question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeIsOver
from .._support.resources import MOST_BYTES
from ..errors import InputError, UnfinishedError
from ..outcome import Outcome
from ..problem import Prepared
from ..table import Level
from ..tree import Tree, format_count
from .best import Best, best_graph, read_scores, read_within, right_answers
from .cheapest import cheapest_trees
from .decoder import TreeDecoder
from .diverse import spread_max_min, spread_mdsol, spread_paper
from .graph import Graph
from .layouts import Layout, count_layouts
from .order import Order, draw_ranks, require_so_many
from .predictions import Answers, ask, class_shares
from .usage import FeatureUsage, count_roots, count_users, with_alternatives

Measure = Literal["max-min", "mdsol", "paper"]
SPREADS = {"max-min": spread_max_min, "mdsol": spread_mdsol, "paper": spread_paper}


class Forest:
    """Every minimum pure tree of a table, as one object.

    Parameters
    ----------
    prepared : Prepared
        The table, and how it is asked.
    graph : Graph
        The trees, over the features of ``prepared.problem``.
    outcome : Outcome
        The proof that no smaller tree exists.

    Attributes
    ----------
    graph : Graph
        The trees over the given features: an edge for each question, equal and opposite ones included.

    Notes
    -----
    Trees are different if some node asks a different question or if their shapes differ. Their order is canonical:
    smaller trees first, then by the number of the question at the root, then by the no sides, then by the yes sides.
    Only where trees of different scores were chosen, the better ones come first; see :meth:`best`.

    ``len(forest)`` works for fewer than 2⁶³ trees only, as Python wants it; ``forest.count`` always does.
    """

    def __init__(self, prepared: Prepared, graph: Graph, outcome: Outcome) -> None:
        given = with_alternatives(graph, prepared.problem.merge, prepared.policy.is_root)
        self._set_up(prepared, given, outcome)

    def _set_up(self, prepared: Prepared, graph: Graph, outcome: Outcome) -> None:
        self.prepared = prepared
        self.graph = graph
        self.outcome = outcome
        self._order = Order(graph)
        self._teller = TreeDecoder(prepared, self._order)

    def _part(self, graph: Graph) -> Forest:
        """Return some of the trees as a forest."""
        part = Forest.__new__(Forest)
        part._set_up(self.prepared, graph, self.outcome)
        return part

    @contextmanager
    def _telling_limits(self, doing: str, memory_limit: float = math.inf) -> Iterator[None]:
        """Tell that the time or the memory was over, and what can be done about it."""
        remedy = "use fewer rows, or a sample of the trees"
        try:
            yield
        except TimeIsOver:
            message = f"there was no time for {doing}; raise time_limit, {remedy}"
            raise UnfinishedError(message, self.outcome) from None
        except MemoryError:
            if memory_limit == math.inf:  # it is the machine's, not one that was set
                raise
            message = f"{doing} takes more than {memory_limit / 2**20:.0f} MB; raise memory_limit, {remedy}"
            raise UnfinishedError(message, self.outcome) from None

    # How many

    @property
    def n_nodes(self) -> int:
        """The nodes of the smallest trees here, inner nodes and leaves."""
        return 2 * int(self.graph.size[self.graph.roots].min()) + 1

    @property
    def count(self) -> int:
        """How many trees there are, exactly."""
        return self._order.total

    @cached_property
    def counts(self) -> dict[int, int]:
        """How many trees there are of each number of nodes."""
        found: dict[int, int] = {}
        for size, n_trees in sorted(zip(self.graph.size[self.graph.roots].tolist(), self.counts_of_roots, strict=True)):
            found[2 * size + 1] = found.get(2 * size + 1, 0) + n_trees
        return found

    @property
    def counts_of_roots(self) -> list[int]:
        """How many trees there are under each root of the graph, in the order of the trees."""
        return [self._order.counts.of_node[root] for root in self._order.roots]

    @property
    def classes(self) -> tuple[Level, ...]:
        """The labels that the trees know."""
        return self.prepared.problem.classes

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True  # asking the length would fail for a large forest, and no forest is empty

    def __repr__(self) -> str:
        sizes = list(self.counts)
        nodes = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        return f"<Forest: {format_count(self.count)} {'tree' if self.count == 1 else 'trees'} of {nodes} nodes>"

    # One by one

    def __iter__(self) -> Iterator[Tree]:
        """Yield all trees in canonical order, each made when it is asked for."""
        return map(self._teller.tell, self._order)

    @overload
    def __getitem__(self, rank: int) -> Tree: ...
    @overload
    def __getitem__(self, rank: slice) -> list[Tree]: ...
    def __getitem__(self, rank: int | slice) -> Tree | list[Tree]:
        """Return the tree of a rank in canonical order, or a list of trees; negative ranks count from the end."""
        ranks = range(self.count)
        if isinstance(rank, slice):
            return [self._teller.tell(self._order.at(one)) for one in ranks[rank]]
        try:
            found = ranks[rank]
        except IndexError:
            raise IndexError(f"there is no tree of rank {rank}: the forest has {self.count}") from None
        return self._teller.tell_checked(self._order.at(found))

    def rank(self, tree: Tree) -> int:
        """Return the rank of a tree: the inverse of ``forest[rank]``.

        Parameters
        ----------
        tree : Tree
            In the given features, as all trees that a forest or :func:`~puretree.minimum_tree` hands out.

        Raises
        ------
        InputError
            If it is not one of these trees.
        """
        edges = self._order.find(tree)
        if edges is None:
            raise InputError("the tree is not in this forest: it asks other questions, or is not one of the smallest")
        return self._order.rank(edges)

    def __contains__(self, tree: object) -> bool:
        return isinstance(tree, Tree) and self._order.find(tree) is not None

    # Some of them

    def sample(self, k: int, random_state: Any = None) -> list[Tree]:
        """Draw different trees at random, all equally likely.

        Parameters
        ----------
        k : int
            How many; at most ``count``.
        random_state : int, RandomState or None
            As everywhere in scikit-learn: an int draws the same trees each time.
        """
        return [self._teller.tell(self._order.at(rank)) for rank in draw_ranks(k, self.count, random_state)]

    def diverse(self, k: int, measure: Measure = "max-min", *, time_limit: float | None = None) -> list[Tree]:
        """Choose trees that differ: the first one, then always the one that differs most from those before.

        Parameters
        ----------
        k : int
            How many; at most ``count``.
        measure : {"max-min", "mdsol", "paper"}, default="max-min"
            The distance of two trees is the number of pairs (place in the tree, question) that only one of them has.
            ``max-min`` takes the tree farthest from the nearest one before, ``mdsol`` the tree with the greatest sum of
            distances to those before, as in the paper. ``paper`` does as ``mdsol``, with nodes known by their numbers
            breadth first instead of places: the paper's own distance, which
            :func:`~puretree.extraction.mean_hamming` takes the mean of.
        time_limit : float or None, default=None
            Seconds. When they are over, the trees chosen so far are returned, at least one. None: no limit.

        Notes
        -----
        The choice is greedy, deterministic, and goes to the canonically first tree where several are as good. ``mdsol``
        looks at all trees, however many there are. The others look at all if there are at most 5,000, else at 2,000
        drawn with a fixed seed and at those that ``mdsol`` chooses.

        The number of a node depends on the whole tree; its place is the answers on the way from the root, so that a
        change on the left leaves what is on the right where it was.
        """
        if measure not in get_args(Measure):
            raise InputError(f"measure={measure!r} is not known; use one of {', '.join(get_args(Measure))}")
        require_so_many(k, self.count)
        ranks = SPREADS[measure](self._order, k, Clock.of(time_limit))
        return [self._teller.tell_checked(self._order.at(rank)) for rank in ranks]

    # The best

    def best(
        self,
        X: Any,
        y: Any,
        *,
        within: float = 0.0,
        time_limit: float | None = None,
        memory_limit: float = MOST_BYTES,
    ) -> Best:
        """Find the trees of best accuracy among all, or of nearly the best, exactly.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            Rows that played no part in training, else all trees are right on all of them.
        y : array-like of shape (n_rows,)
            Their labels.
        within : float, default=0
            All trees whose accuracy is no more than this below the best: 0.05 of 60 rows are three rows.
        time_limit : float or None, default=None
            Seconds. None: no limit.
        memory_limit : float
            In bytes; half of the machine's memory unless given.

        Returns
        -------
        Best
            Its ``tree`` is the canonically first of the best, its ``accuracy`` the share of rows it is right on.

        Raises
        ------
        UnfinishedError
            If the time or the memory was not enough: a sample of the trees can still be compared.

        Notes
        -----
        With ``within``, better trees come first; of equally good ones the smaller, then the number of the question at
        the root and the size of its no side decide, then the better no side, and so on from there. The trees of the
        best score are in canonical order.
        """
        clock = Clock.of(time_limit)
        answers = ask(self.prepared, self.graph, X)
        scores = right_answers(y, answers.n_rows, self.classes)
        return self._best(scores, answers, read_within(within, scores, answers.n_rows), clock, memory_limit)

    def best_for(
        self,
        scores: Any,
        X: Any,
        *,
        within: float = 0.0,
        time_limit: float | None = None,
        memory_limit: float = MOST_BYTES,
    ) -> Best:
        """Find the trees with the greatest sum of scores among all, or with nearly the greatest, exactly.

        Parameters
        ----------
        scores : array-like of float, shape (n_rows, n_classes)
            What it is worth to say each class, in the order of ``classes``, of each row.
        X : data frame, 2-D array or list of rows
            The rows.
        within : float, default=0
            All trees whose sum is no more than this below the best; above 0, all scores must be whole numbers.
        time_limit, memory_limit
            As for :meth:`best`, which also tells the order of the trees and what is raised.

        Notes
        -----
        Sums of whole numbers are exact. With others, rounding decides between trees that are equally good.
        """
        clock = Clock.of(time_limit)
        answers = ask(self.prepared, self.graph, X)
        matrix = read_scores(scores, answers.n_rows, len(self.classes))
        return self._best(matrix, answers, read_within(within, matrix), clock, memory_limit)

    def _best(
        self, scores: NDArray[np.float64], answers: Answers, most_loss: int, clock: Clock, memory_limit: float
    ) -> Best:
        doing = f"finding the best of all trees on {answers.bits.n_bits} different rows"
        with self._telling_limits(doing, memory_limit):
            score, losses, graph = best_graph(self.graph, answers, scores, most_loss, clock, memory_limit)
        return Best(self._part(graph), score, answers.n_rows, losses)

    def cheapest(self) -> Forest:
        """Return the trees of least cost: of those of each number of nodes the ones whose tests cost least together.

        The costs are those that the table was prepared with: ``minimum_trees(..., costs=...)`` asks for this.
        """
        graph, cost = cheapest_trees(self.graph, self.prepared.policy.costs)
        part = self._part(graph)
        part.outcome = replace(self.outcome, tree=part[0], cost=cost, minimised="nodes-then-cost")
        return part

    # What they have in common

    def features(self) -> list[FeatureUsage]:
        """Tell for each question that some tree asks: in how many it is used, how often at the root, whether in all.

        The most used come first; each prints as a line of text.
        """
        trees = self._order.counts.of_node
        n_roots = count_roots(self.graph, trees)
        predicates = self.prepared.binarizer.features_
        found = [
            FeatureUsage(feature, predicates[feature], n_trees, n_roots[feature], self.count)
            for feature, n_trees in count_users(self.graph, trees)
        ]
        return sorted(found, key=lambda usage: (-usage.n_trees, -usage.n_roots, usage.feature))

    def layouts(self) -> list[Layout]:
        """Count the trees of each shape, the most frequent shape first."""
        return count_layouts(self._order)

    def predict_distribution(self, X: Any, *, time_limit: float | None = None) -> NDArray[np.float64]:
        """Return for each row the share of the trees that say each class.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
        time_limit : float or None, default=None
            Seconds; when they are over an UnfinishedError is raised. None: no limit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes``; each row sums to 1. A row of training has a single 1.
        """
        clock = Clock.of(time_limit)
        answers = ask(self.prepared, self.graph, X)
        with self._telling_limits(f"asking all trees about {answers.bits.n_bits} different rows"):
            shares = class_shares(self.graph, self._order.counts, answers, len(self.classes), clock)
        return shares[answers.group]
