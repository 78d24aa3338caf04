"""A list of trees with the interface of a forest.

A selection rule need not know whether its candidates are all minimum trees, as a graph, or a few extracted ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from .._support.text import quantity
from ..table import Level, read_table
from ..tree import Tree
from .best import TOLERANCE, read_scores
from .order import draw_ranks


class TreeList:
    """Trees with the same classes.

    Parameters
    ----------
    trees : sequence of Tree
        At least one.
    """

    def __init__(self, trees: list[Tree] | tuple[Tree, ...]) -> None:
        self.trees = tuple(trees)

    @property
    def count(self) -> int:
        """The number of trees."""
        return len(self.trees)

    @property
    def classes(self) -> tuple[Level, ...]:
        """The class labels of the trees."""
        return self.trees[0].classes

    def __len__(self) -> int:
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)

    def __getitem__(self, index: int) -> Tree:
        return self.trees[index]

    def __contains__(self, tree: object) -> bool:
        return tree in self.trees

    def __repr__(self) -> str:
        sizes = sorted({tree.n_nodes for tree in self.trees})
        nodes = quantity(sizes[0], "node") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} nodes"
        return f"<TreeList: {quantity(len(self), 'tree')} of {nodes}>"

    def sample(self, k: int, random_state: Any = None) -> list[Tree]:
        """Draw distinct trees uniformly at random; as :meth:`Forest.sample`."""
        return [self.trees[index] for index in draw_ranks(k, len(self), random_state)]

    def best_for(self, scores: Any, X: Any, *, within: float = 0.0, clock: Clock = NO_LIMIT) -> tuple[TreeList, float]:
        """Return the trees with the greatest sum of scores, and this sum.

        Parameters
        ----------
        scores : array-like of float, shape (n_rows, n_classes)
            The score of predicting each class for each row.
        X : data frame, 2-D array or list of rows
        within : float, default=0
            Also return trees whose sum is at most this much below the greatest.
        clock : Clock
            No time limit by default; TimeLimitReached is raised when it is reached.
        """
        codes = self.predict_codes(X, clock)
        matrix = read_scores(scores, codes.shape[1], len(self.classes))
        sums = np.array([matrix[np.arange(len(row_codes)), row_codes].sum() for row_codes in codes])
        top_scoring = np.flatnonzero(sums >= sums.max() - within - TOLERANCE)
        return TreeList([self.trees[index] for index in top_scoring]), float(sums.max())

    def predict_distribution(self, X: Any, *, clock: Clock = NO_LIMIT) -> NDArray[np.float64]:
        """Return the fraction of trees that predict each class, per row; as :meth:`Forest.predict_distribution`."""
        codes = self.predict_codes(X, clock)
        return np.stack([(codes == code).mean(axis=0) for code in range(len(self.classes))], axis=1)

    def predict_codes(self, X: Any, clock: Clock = NO_LIMIT) -> NDArray[np.int32]:
        """Return the prediction of each tree for each row as an index into ``classes``: shape (n_trees, n_rows)."""
        table = read_table(X)
        codes: list[NDArray[np.int32]] = []
        for tree in self.trees:
            if codes:  # a single tree needs no choice, but has a score
                clock.require_time()
            codes.append(tree.predict_codes(table))
        return np.array(codes)
