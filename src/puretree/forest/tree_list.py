"""Some trees, listed one by one, that answer the same questions as a forest.

What chooses among trees need not know whether it is given all minimum trees as a graph or a few that were extracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..table import Level, read_table
from ..tree import Tree
from .best import TINY, read_scores
from .order import draw_ranks


class TreeList:
    """Trees that know the same classes.

    Parameters
    ----------
    trees : sequence of Tree
        At least one.
    """

    def __init__(self, trees: list[Tree] | tuple[Tree, ...]) -> None:
        self.trees = tuple(trees)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.trees)

    @property
    def classes(self) -> tuple[Level, ...]:
        """The labels that the trees know."""
        return self.trees[0].classes

    def __len__(self) -> int:
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)

    def __getitem__(self, place: int) -> Tree:
        return self.trees[place]

    def __contains__(self, tree: object) -> bool:
        return tree in self.trees

    def __repr__(self) -> str:
        sizes = sorted({tree.n_nodes for tree in self.trees})
        nodes = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        return f"<TreeList: {len(self)} {'tree' if len(self) == 1 else 'trees'} of {nodes} nodes>"

    def sample(self, k: int, random_state: Any = None) -> list[Tree]:
        """Draw different trees at random; as :meth:`Forest.sample`."""
        return [self.trees[place] for place in draw_ranks(k, len(self), random_state)]

    def best_for(self, scores: Any, X: Any, *, within: float = 0.0) -> tuple[TreeList, float]:
        """Find the trees with the greatest sum of scores, and this sum.

        Parameters
        ----------
        scores : array-like of float, shape (n_rows, n_classes)
            What it is worth to say each class of each row.
        X : data frame, 2-D array or list of rows
            The rows.
        within : float, default=0
            All trees whose sum is no more than this below the best.
        """
        answers = self.answers(X)
        matrix = read_scores(scores, answers.shape[1], len(self.classes))
        sums = np.array([matrix[np.arange(len(said)), said].sum() for said in answers])
        good = np.flatnonzero(sums >= sums.max() - within - TINY)
        return TreeList([self.trees[place] for place in good]), float(sums.max())

    def predict_distribution(self, X: Any) -> NDArray[np.float64]:
        """Return for each row the share of the trees that say each class; as :meth:`Forest.predict_distribution`."""
        answers = self.answers(X)
        return np.stack([(answers == code).mean(axis=0) for code in range(len(self.classes))], axis=1)

    def answers(self, X: Any) -> NDArray[np.int32]:
        """Return what each tree says of each row, as places in ``classes``: shape (n_trees, n_rows)."""
        table = read_table(X)
        return np.array([tree.predict_codes(table) for tree in self.trees])
