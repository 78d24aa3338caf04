"""Cost problems: distinct examples, each with the cost of every label; what is solved where errors are allowed.

Contradictory rows need no rule here: they share an example, whose costs are the sums of theirs. The cost of a tree is
the sum over its leaves, and that of a leaf the sum over its examples, for the label for which it is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.bitmatrix import BitMatrix
from ..table import Labels, read_labels
from ..tree import Tree
from .merging import MergedRows, merge_bits
from .row_costs import RowCosts


@dataclass(frozen=True, eq=False, repr=False)
class CostProblem(MergedRows):
    """Distinct examples with binary features and the cost of each label.

    Make one with :meth:`from_rows` or :meth:`from_bits`.

    Parameters
    ----------
    features, classes, merge
        As for :class:`MergedRows`.
    example_of_row : ndarray of int64
        The example of each row that has a weight.
    costs : ndarray of int32, shape (n_examples, n_classes)
        The cost, in units, of labelling the rows of each example with each class; the sum over all examples of the
        highest costs is below 2**30.
    n_rows : ndarray of int64
        The number of rows of each example.
    unit : float
        The cost that one integer unit stands for; 1 if errors are counted.
    is_rounded : bool
        Whether costs were rounded to units.

    Examples
    --------
    >>> problem = CostProblem.from_rows([[0], [0], [1]], ["no", "yes", "yes"], class_weight={"yes": 0.5})
    >>> problem.costs.tolist(), problem.unit, problem.least_cost
    ([[1, 2], [1, 0]], 0.5, 1)
    """

    costs: NDArray[np.int32]
    n_rows: NDArray[np.int64]
    unit: float
    is_rounded: bool

    @classmethod
    def from_rows(
        cls,
        X: Any,
        y: Any,
        *,
        class_weight: Any = None,
        sample_weight: Any = None,
        cost_matrix: Any = None,
        allowed: Sequence[int] | NDArray[np.intp] | None = None,
    ) -> CostProblem:
        """Build a problem from a 0/1 matrix with labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Zeros and ones, or booleans.
        y : array-like of shape (n_rows,)
            The labels.
        class_weight, sample_weight, cost_matrix
            As for :meth:`RowCosts.read`. Rows of weight 0 are ignored.
        allowed : sequence of int, optional
            As for :meth:`BinaryProblem.from_rows`.
        """
        rows = BitMatrix.from_rows(X)
        labels = read_labels(y, rows.shape[0])
        costs = RowCosts.read(labels, class_weight=class_weight, sample_weight=sample_weight, cost_matrix=cost_matrix)
        return cls.from_bits(rows.take(costs.rows).transpose(), labels, costs, allowed=allowed)

    @classmethod
    def from_bits(
        cls,
        bits: BitMatrix,
        labels: Labels,
        costs: RowCosts,
        *,
        allowed: Sequence[int] | NDArray[np.intp] | None = None,
    ) -> CostProblem:
        """Build a problem from packed features, one row of bits per feature.

        Parameters
        ----------
        bits : BitMatrix of shape (n_features, n_rows)
            The features of the rows that have a weight.
        labels : Labels
            Of all rows; only the classes are used.
        costs : RowCosts
            The cost of each label for each of the rows that have a weight.
        allowed : sequence of int, optional
            As for :meth:`BinaryProblem.from_rows`.
        """
        order = np.arange(bits.shape[0]) if allowed is None else np.asarray(allowed, dtype=np.intp)
        merged = merge_bits(bits, order, lambda group, first: _DistinctCosts.of(group, first, costs))
        distinct = merged.distinct
        problem = cls(
            features=merged.features,
            classes=labels.classes,
            merge=merged.merge,
            example_of_row=distinct.example_of_row,
            costs=distinct.costs,
            n_rows=distinct.n_rows,
            unit=costs.unit,
            is_rounded=costs.is_rounded,
        )
        merged.remember(problem)
        return problem

    @property
    def least_cost(self) -> int:
        """The cost that every tree has at least: that of the cheapest label of every example."""
        return int(self.costs.min(axis=1).sum(dtype=np.int64))

    def leaf(self, examples: NDArray[Any] | slice = slice(None)) -> tuple[int, int]:
        """Return the cheapest class of a leaf with some examples, the first one if several are, and its cost."""
        totals = self.costs[examples].sum(axis=0, dtype=np.int64)
        code = int(totals.argmin())
        return code, int(totals[code])

    def cost(self, tree: Tree) -> int:
        """Return the cost of a tree over the merged features, in units."""
        return self.cost_of_labels(tree.label[self.apply(tree)])

    def cost_of_labels(self, codes: NDArray[np.int32]) -> int:
        """Return the cost of labelling each example with a class, in units."""
        return int(self.costs[np.arange(self.n_examples), codes].sum(dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _DistinctCosts:
    """The examples of a table: its distinct rows, with the sums of the costs of equal rows."""

    rows: NDArray[np.intp]
    costs: NDArray[np.int32]
    n_rows: NDArray[np.int64]
    example_of_row: NDArray[np.int64]

    @classmethod
    def of(cls, group: NDArray[np.int64], first: NDArray[np.int64], costs: RowCosts) -> _DistinctCosts:
        totals = np.zeros((len(first), costs.costs.shape[1]), dtype=np.int32)
        np.add.at(totals, group, costs.costs)
        n_rows = np.zeros(len(first), dtype=np.int64)
        np.add.at(n_rows, group, costs.n_rows)
        return cls(first, totals, n_rows, group)
