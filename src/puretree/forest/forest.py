"""All minimum pure trees, or all trees of a point of the front, as one object.

They can be counted, listed, sampled, compared and scored.

The trees are never stored. A :class:`Forest` holds their AND/OR graph and computes everything on the graph; each
computation has its own module in this package.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from .._support.resources import MOST_BYTES
from .._support.text import format_count, quantity
from ..errors import InputError, UnfinishedError
from ..outcome import Outcome
from ..problem import Prepared, PreparedCosts
from ..table import Level, Table
from ..tree import Tree, class_shares
from .best import Best, accuracy_scores, best_graph, read_scores, read_within
from .cheapest import cheapest_trees
from .decoder import TreeDecoder
from .diverse import select_max_min, select_mdsol, select_paper
from .graph import Graph, count_trees, n_original_features, unmerge_graph
from .layouts import Layout, count_layouts
from .leaves import Leaves, split_leaves
from .order import MergedOrder, Order, check_n_trees, draw_ranks
from .predictions import GroupedRows, class_fractions, edge_weights, group_rows, root_weights
from .usage import FeatureUsage, count_roots, count_users
from .votes import ExplainedVote, column_shares
from .where import Filters, Tests, filter_graph

Measure = Literal["max-min", "mdsol", "paper"]
SELECTORS = {"max-min": select_max_min, "mdsol": select_mdsol, "paper": select_paper}


class Forest:
    """All minimum pure trees of a table, or all trees with few nodes and errors.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
        The table and its problem: the second where errors are allowed.
    graph : Graph
        The trees, over the features of ``prepared.problem``.
    outcome : Outcome
        The proof that no smaller tree exists; where errors are allowed, that no tree has fewer.
    clock : Clock
        No time limit by default; TimeLimitReached is raised when it is reached.

    Attributes
    ----------
    graph : Graph
        The trees over original features: one edge for each predicate, equal and complementary ones included.

    Notes
    -----
    Two trees are different if some node tests a different predicate or if their shapes differ. Their order is
    canonical: smaller trees first, then by the feature index at the root, then by the no branches, then by the yes
    branches. Where errors are allowed, of trees of one size those with fewer errors come first, and in the same way
    the no branches are ordered: by size, then by errors. Only in a forest of trees with different scores, the better
    ones come first; see :meth:`best`.

    Only a forest made by :meth:`where` may be empty; it is false as a condition.

    ``len(forest)`` works for fewer than 2⁶³ trees only, a limit of Python; ``forest.count`` always works.
    """

    def __init__(
        self, prepared: Prepared | PreparedCosts, graph: Graph, outcome: Outcome, clock: Clock = NO_LIMIT
    ) -> None:
        merge, is_root = prepared.problem.merge, prepared.policy.is_root
        trees = count_trees(graph, n_original_features(graph, merge, is_root), clock)  # fewer edges than unmerged
        self._initialise(prepared, unmerge_graph(graph, merge, is_root, clock), outcome, trees)

    def _initialise(self, prepared: Prepared | PreparedCosts, graph: Graph, outcome: Outcome, trees: list[int]) -> None:
        self.prepared = prepared
        self.graph = graph
        self.outcome = outcome
        self._leaves: Leaves | None = None
        self._order = Order(graph, trees)
        self._tree_order = self._order if graph.origin is None else MergedOrder(self._order)
        self._decoder = TreeDecoder(prepared, self._order)

    def _subforest(self, graph: Graph, clock: Clock = NO_LIMIT) -> Forest:
        """Return the forest of a graph with some of the trees, over original features."""
        forest = Forest.__new__(Forest)
        forest._initialise(self.prepared, graph, self.outcome, count_trees(graph, clock=clock))
        return forest

    @contextmanager
    def _reporting_limits(
        self, task: str, memory_limit: float = math.inf, remedy: str = "use fewer rows, or a sample of the trees"
    ) -> Iterator[None]:
        """Raise an UnfinishedError with a remedy when the time or the memory limit is reached."""
        try:
            yield
        except TimeLimitReached:
            message = f"time limit reached while {task}; raise time_limit, {remedy}"
            raise UnfinishedError(message, self.outcome) from None
        except MemoryError:
            if memory_limit == math.inf:  # the machine ran out of memory, not a limit of the caller
                raise
            message = f"{task} needs more than {memory_limit / 2**20:.0f} MB; raise memory_limit, {remedy}"
            raise UnfinishedError(message, self.outcome) from None

    def _require_trees(self) -> None:
        """Raise InputError if there are no trees; only a forest made by :meth:`where` may be empty."""
        if not self:
            raise InputError("the forest has no trees: none satisfies all filters; relax one of the filters of 'where'")

    # Counts

    @property
    def n_nodes(self) -> int:
        """The number of nodes of the smallest trees, inner nodes and leaves."""
        self._require_trees()
        return 2 * int(self.graph.size[self.graph.roots].min()) + 1

    @property
    def count(self) -> int:
        """The exact number of trees."""
        return self._order.total

    @cached_property
    def counts(self) -> dict[int, int]:
        """The number of trees for each number of nodes."""
        counts: dict[int, int] = {}
        for size, n_trees in sorted(zip(self.graph.size[self.graph.roots].tolist(), self.counts_of_roots, strict=True)):
            counts[2 * size + 1] = counts.get(2 * size + 1, 0) + n_trees
        return counts

    @cached_property
    def counts_by_cost(self) -> dict[tuple[int, float], int]:
        """The number of trees for each pair of a number of nodes and a cost, ascending.

        The cost is the number of training errors, unless the rows have weights or there is a cost matrix. That of pure
        trees is 0.
        """
        counts: dict[tuple[int, float], int] = {}
        sizes = self.graph.size[self.graph.roots].tolist()
        for size, cost, n_trees in zip(sizes, self.costs_of_roots, self.counts_of_roots, strict=True):
            counts[2 * size + 1, cost] = counts.get((2 * size + 1, cost), 0) + n_trees
        return dict(sorted(counts.items()))

    @property
    def costs_of_roots(self) -> list[float]:
        """The cost of the trees under each root of the graph, as in ``counts_by_cost``."""
        if self.graph.cost is None or not isinstance(self.prepared, PreparedCosts):
            return [0] * len(self.graph.roots)
        problem = self.prepared.problem
        units = [problem.least_cost + cost for cost in self.graph.cost[self.graph.roots].tolist()]
        return units if self.prepared.solved_costs.counts_errors else [cost * problem.unit for cost in units]

    @property
    def counts_of_roots(self) -> list[int]:
        """The number of trees under each root of the graph, in the order of the trees."""
        return [self._order.counts.per_node[root] for root in self._order.roots]

    @property
    def classes(self) -> tuple[Level, ...]:
        """The class labels of the trees."""
        return self.prepared.problem.classes

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0  # len() fails for a large forest

    def __repr__(self) -> str:
        if not self:
            return "<Forest: 0 trees>"
        sizes = list(self.counts)
        nodes = quantity(sizes[0], "node") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} nodes"
        return f"<Forest: {format_count(self.count)} {'tree' if self.count == 1 else 'trees'} of {nodes}>"

    # Iteration and access by rank

    def __iter__(self) -> Iterator[Tree]:
        """Yield all trees in canonical order, lazily."""
        return map(self._decoder.decode, self._tree_order)

    @overload
    def __getitem__(self, rank: int) -> Tree: ...
    @overload
    def __getitem__(self, rank: slice) -> list[Tree]: ...
    def __getitem__(self, rank: int | slice) -> Tree | list[Tree]:
        """Return the tree of a rank in canonical order, or a list of trees; negative ranks count from the end."""
        ranks = range(self.count)
        if isinstance(rank, slice):
            return [self._decoder.decode(self._tree_order.unrank(r)) for r in ranks[rank]]
        try:
            non_negative = ranks[rank]
        except IndexError:
            n_trees = quantity(self.count, "tree")
            raise IndexError(f"there is no tree of rank {format_count(rank)}: the forest has {n_trees}") from None
        return self._decoder.decode_on_rows(self._tree_order.unrank(non_negative))

    def rank(self, tree: Tree) -> int:
        """Return the rank of a tree: the inverse of ``forest[rank]``.

        Parameters
        ----------
        tree : Tree
            Over original features, as all trees that a forest or :func:`~puretree.minimum_tree` returns.

        Raises
        ------
        InputError
            If the forest does not contain the tree.
        """
        edges = self._order.find(tree)
        if edges is None:
            raise InputError("the tree is not in this forest: it has other tests, or another number of nodes or errors")
        return self._tree_order.rank(edges)

    def __contains__(self, tree: object) -> bool:
        return isinstance(tree, Tree) and self._order.find(tree) is not None

    # Samples

    def sample(self, k: int, random_state: Any = None, *, time_limit: float | None = None) -> list[Tree]:
        """Draw distinct trees uniformly at random.

        Parameters
        ----------
        k : int
            The number of trees; at most ``count``.
        random_state : int, RandomState or None
            As in scikit-learn: an int makes the sample reproducible.
        time_limit : float or None, default=None
            In seconds. When it is reached, the trees drawn so far are returned, at least one. None: no limit.
        """
        clock = Clock.of(time_limit)
        trees: list[Tree] = []
        for rank in draw_ranks(k, self.count, random_state):
            trees.append(self._decoder.decode(self._tree_order.unrank(rank)))
            if clock.is_over:
                break
        return trees

    def diverse(self, k: int, measure: Measure = "max-min", *, time_limit: float | None = None) -> list[Tree]:
        """Select diverse trees: the first one, then repeatedly the one that differs most from those before.

        Parameters
        ----------
        k : int
            The number of trees; at most ``count``.
        measure : {"max-min", "mdsol", "paper"}, default="max-min"
            The distance of two trees is the number of pairs (position in the tree, feature) that only one of them has.
            ``max-min`` maximises the distance to the nearest tree before, ``mdsol`` the sum of distances to all trees
            before, as in the paper. ``paper`` is ``mdsol`` with breadth-first node numbers instead of positions: the
            paper's own distance, whose mean is :func:`~puretree.extraction.mean_hamming`.
        time_limit : float or None, default=None
            In seconds. When it is reached, the trees selected so far are returned, at least one. None: no limit.

        Notes
        -----
        The selection is greedy and deterministic; ties go to the canonically first tree, except that in a forest of
        trees that use a column (:meth:`where`) they may go to another one. ``mdsol`` considers all trees,
        however many there are. The other measures consider all trees if there are at most 5,000, else 2,000 trees
        sampled with a fixed seed and those that ``mdsol`` selects.

        The number of a node depends on the whole tree. Its position is the path from the root, so a change in the left
        subtree does not move nodes of the right one.
        """
        if measure not in get_args(Measure):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(Measure))}", parameter="measure", value=measure
            )
        check_n_trees(k, self.count)
        if not self:
            return []
        ranks = SELECTORS[measure](self._order, k, Clock.of(time_limit))
        return [self._decoder.decode_on_rows(self._order.unrank(rank)) for rank in ranks]

    # Some of the trees

    def where(
        self,
        *,
        root: Tests | None = None,
        uses: Tests | None = None,
        avoids: Tests | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int | None = None,
        agrees_with: tuple[Any, Any] | None = None,
        time_limit: float | Clock | None = None,
        memory_limit: float = MOST_BYTES,
    ) -> Forest:
        """Return the trees that satisfy filters, as a forest: counted, listed and sampled exactly as this one.

        Parameters
        ----------
        root : str, int, Predicate, or list of them, optional
            The root tests one of these: columns, by name or index, or predicates, which may be given as the text that
            trees show, such as "petal width ≤ 0.8". A single leaf tests nothing. None or an empty list: no filter.
        uses : str, int, Predicate, or list of them, optional
            The tree tests each of these somewhere; a column by any of its predicates.
        avoids : str, int, Predicate, or list of them, optional
            The tree tests none of these.
        max_depth : int, optional
            The maximum number of tests on a path.
        min_samples_leaf : int, optional
            The minimum number of training rows in a leaf. Rows that a conflict removed do not count.
        agrees_with : tuple of (X, y), optional
            The tree predicts these labels for these rows.
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        memory_limit : float
            In bytes; half of the machine's memory by default.

        Returns
        -------
        Forest
            With the outcome of this one. If no tree satisfies all filters, it is empty: its ``count`` is 0, it is false
            as a condition, and what needs a tree, such as ``best``, raises an InputError.

        Examples
        --------
        >>> from puretree import minimum_trees
        >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
        >>> forest = minimum_trees(rows, ["stop", "go", "go"])
        >>> forest.where(root="x0")
        <Forest: 1 tree of 5 nodes>
        >>> bool(forest.where(avoids=["x0"]))
        False
        """
        clock = Clock.of(time_limit)
        filters = Filters(root, uses, avoids, max_depth, min_samples_leaf, agrees_with)
        with self._reporting_limits("filtering the trees", memory_limit, remedy="or use fewer filters"):
            return self._subforest(filter_graph(self.graph, self.prepared, filters, memory_limit, clock), clock)

    def best(
        self,
        X: Any,
        y: Any,
        *,
        within: float = 0.0,
        time_limit: float | None = None,
        memory_limit: float = MOST_BYTES,
    ) -> Best:
        """Find the trees of the best accuracy among all trees, or of nearly the best, exactly.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            Rows that were not used for training: every pure tree classifies all training rows correctly.
        y : array-like of shape (n_rows,)
            Their labels.
        within : float, default=0
            Also return all trees whose accuracy is at most this much below the best: 0.05 of 60 rows are three rows.
        time_limit : float or None, default=None
            In seconds. None: no limit.
        memory_limit : float
            In bytes; half of the machine's memory by default.

        Returns
        -------
        Best
            Its ``tree`` is the canonically first of the best, its ``accuracy`` the fraction of correct predictions.

        Raises
        ------
        UnfinishedError
            If the time or memory limit is reached; a sample of the trees can still be compared.

        Notes
        -----
        With ``within``, better trees come first; among equally good ones the smaller, then those with the smaller
        feature index and the smaller no branch at the root, then those with the better no branch, and so on
        recursively. The trees with the best score are in canonical order.
        """
        self._require_trees()
        clock = Clock.of(time_limit)
        rows = group_rows(self.prepared, self.graph, X)
        scores, n_rows = accuracy_scores(y, rows.n_rows, self.classes), rows.n_rows
        if isinstance(X, Table) and X.weights is not None:
            scores, n_rows = scores * X.weights[:, None], X.total_weight
        best = self._best(scores, rows, read_within(within, scores, n_rows), clock, memory_limit)
        return replace(best, n_rows=n_rows)

    def best_for(
        self,
        scores: Any,
        X: Any,
        *,
        within: float = 0.0,
        time_limit: float | None = None,
        memory_limit: float = MOST_BYTES,
    ) -> Best:
        """Find the trees with the greatest sum of scores among all trees, or with nearly the greatest, exactly.

        Parameters
        ----------
        scores : array-like of float, shape (n_rows, n_classes)
            The score of predicting each class, in the order of ``classes``, for each row.
        X : data frame, 2-D array or list of rows
        within : float, default=0
            Also return all trees whose sum is at most this much below the greatest; above 0, all scores must be
            integers.
        time_limit, memory_limit
            As for :meth:`best`, which also documents the order of the trees and the errors.

        Notes
        -----
        Sums of integers are exact. With other scores, rounding decides between equally good trees.
        """
        self._require_trees()
        clock = Clock.of(time_limit)
        rows = group_rows(self.prepared, self.graph, X)
        matrix = read_scores(scores, rows.n_rows, len(self.classes))
        return self._best(matrix, rows, read_within(within, matrix), clock, memory_limit)

    def _best(
        self, scores: NDArray[np.float64], rows: GroupedRows, max_loss: int, clock: Clock, memory_limit: float
    ) -> Best:
        task = f"finding the best of all trees on {rows.bits.n_bits} distinct rows"
        with self._reporting_limits(task, memory_limit):
            score, losses, graph = best_graph(self.graph, rows, scores, max_loss, clock, memory_limit)
            return Best(self._subforest(graph, clock), score, rows.n_rows, losses)

    def cheapest(self, clock: Clock = NO_LIMIT) -> Forest:
        """Return the trees of least cost: for each number of nodes, those whose tests have the least total cost.

        The feature costs are those that the table was prepared with, as ``minimum_trees(..., feature_costs=...)`` does.

        Raises
        ------
        InputError
            If errors are allowed, since there are no feature costs then.
        """
        self._require_trees()
        if isinstance(self.prepared, PreparedCosts):
            raise InputError("trees with errors have no feature costs, so none is the cheapest; see counts_by_cost")
        graph, cost = cheapest_trees(self.graph, self.prepared.policy.costs, clock)
        forest = self._subforest(graph, clock)
        forest.outcome = replace(self.outcome, tree=forest[0], cost=cost, minimised="nodes-then-cost")
        return forest

    # Statistics

    def features(self, *, time_limit: float | None = None) -> list[FeatureUsage]:
        """Return the usage of each feature: how many trees test it, how many at the root, and whether all do.

        The most used features come first; each formats as a line of text.

        Parameters
        ----------
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        """
        if not self:
            return []
        clock = Clock.of(time_limit)
        trees = self._order.counts.per_node
        n_roots = count_roots(self.graph, trees)
        predicates = self.prepared.binarizer.features_
        with self._reporting_limits("counting the trees that test each feature", remedy="or use a sample of the trees"):
            usages = [
                FeatureUsage(feature, predicates[feature], n_trees, n_roots[feature], self.count)
                for feature, n_trees in count_users(self.graph, trees, clock)
            ]
        return sorted(usages, key=lambda usage: (-usage.n_trees, -usage.n_roots, usage.feature))

    def layouts(self, *, time_limit: float | None = None) -> list[Layout]:
        """Count the trees of each shape, the most frequent shape first.

        Parameters
        ----------
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        """
        clock = Clock.of(time_limit)
        with self._reporting_limits("counting the trees of each shape", remedy="or use a sample of the trees"):
            return count_layouts(self._order, clock)

    def predict_distribution(self, X: Any, *, time_limit: float | None = None) -> NDArray[np.float64]:
        """Return for each row the fraction of trees that predict each class.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes``; each row sums to 1. With pure trees, a training row has a single 1.
        """
        self._require_trees()
        clock = Clock.of(time_limit)
        rows = group_rows(self.prepared, self.graph, X)
        with self._reporting_limits(f"predicting {rows.bits.n_bits} distinct rows with all trees"):
            fractions = self._mean_of_leaves(self.graph, rows, np.eye(len(self.classes)), clock)
        return fractions[rows.group]

    def _mean_of_leaves(
        self, graph: Graph, rows: GroupedRows, leaf_values: NDArray[np.float64], clock: Clock
    ) -> NDArray[np.float64]:
        """Return the mean of the values of the leaf over all trees, for each group of rows."""
        weights = edge_weights(self.graph, self._order.counts, clock), root_weights(self.graph, self._order.counts)
        return class_fractions(graph, weights, rows, leaf_values, clock)

    def split_leaves(self, *, time_limit: float | Clock | None = None, memory_limit: float = MOST_BYTES) -> None:
        """Find the training rows of the leaves now, instead of in the first call of :meth:`predict_proba`.

        Parameters
        ----------
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        memory_limit : float
            In bytes, for their rows; half of the machine's memory by default.
        """
        self._require_trees()
        if self._leaves is not None:
            return
        prepared, clock = self.prepared, Clock.of(time_limit)
        row_weights = np.zeros((prepared.table.n_rows, len(self.classes)))
        row_weights[np.arange(len(row_weights)), prepared.labels.codes] = prepared.weights
        with self._reporting_limits("finding the leaves of all trees", memory_limit):
            bits = prepared.binarizer.transform_bits(prepared.table)
            self._leaves = split_leaves(self.graph, bits, row_weights, memory_limit, clock)

    def predict_proba(self, X: Any, *, smoothing: float = 0.0, time_limit: float | None = None) -> NDArray[np.float64]:
        """Return the mean over all trees of the class frequencies in the leaf of each row.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
        smoothing : float, default=0
            The weight of the prior in each leaf; see :func:`~puretree.tree.class_shares`.
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes``; each row sums to 1.
        """
        self._require_trees()
        clock = Clock.of(time_limit)
        self.split_leaves(time_limit=clock)
        assert self._leaves is not None
        rows, weights = group_rows(self.prepared, self.graph, X), self._leaves.weights
        prior = np.bincount(self.prepared.labels.codes, self.prepared.weights, len(self.classes))
        shares = class_shares(np.concatenate([prior[None], weights]), smoothing)[1:]
        with self._reporting_limits(f"predicting {rows.bits.n_bits} distinct rows with all trees"):
            means = self._mean_of_leaves(self._leaves.graph, rows, shares, clock)
        return means[rows.group]

    def explain_vote(self, X: Any, *, time_limit: float | None = None) -> list[ExplainedVote]:
        """Return for each row which share of the trees predicts each class, and which columns they test on its path.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        """
        self._require_trees()
        clock = Clock.of(time_limit)
        rows, names = group_rows(self.prepared, self.graph, X), self.prepared.table.names
        columns = self.prepared.policy.features.column_of_feature
        with self._reporting_limits(f"explaining the vote of all trees on {rows.bits.n_bits} distinct rows"):
            classes = self._mean_of_leaves(self.graph, rows, np.eye(len(self.classes)), clock)
            tested = column_shares(self.graph, self._order.counts, rows, columns, len(names), clock)
        votes = [
            ExplainedVote.of(self.count, self.classes, of_classes, names, of_columns)
            for of_classes, of_columns in zip(classes, tested, strict=True)
        ]
        return [votes[group] for group in rows.group]

    # Pages

    def explorer(
        self,
        path: str | os.PathLike[str],
        *,
        X_select: Any = None,
        y_select: Any = None,
        data: bool = True,
        title: str | None = None,
        tree: Tree | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Path:
        """Write a page in which all trees can be counted, filtered, compared and built test by test.

        Parameters
        ----------
        path : str or path
            The HTML file. It works offline in a browser, and sends nothing.
        X_select : data frame, 2-D array or list of rows, optional
            Rows that were not used for training: the page finds the most accurate tree on them.
        y_select : array-like of shape (n_rows,), optional
            Their labels.
        data : bool, default=True
            Whether the page contains the training rows. Without them it does not list the rows on which trees differ;
            the numbers of rows in the leaves, the ranges of the columns and the levels are in the page in any case.
        title : str, optional
            The title of the page.
        tree : Tree, optional
            The tree that is drawn first.
        time_limit : float or None, default=None
            In seconds; when it is reached, an UnfinishedError is raised. None: no limit.
        memory_limit : float, optional
            In bytes; half of the machine's memory by default.

        Returns
        -------
        Path
            The path.
        """
        from ..explorer import PageOptions, explore_forest

        options = PageOptions(X_select, y_select, data, title)
        return explore_forest(self, path, options, tree=tree, time_limit=time_limit, memory_limit=memory_limit)
