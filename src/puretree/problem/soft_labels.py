"""Soft labels: class probabilities instead of a class, for the rows of a table and for synthetic rows.

A teacher knows more than the labels: how likely each of them is, also for rows that nobody has labelled. A label then
costs its expected cost, which is one minus its probability unless errors have weights or a cost matrix. Costs remain
sums over rows, so everything that is proved for errors is proved for them.

The native search counts a cost bit by bit, and probabilities of a hundred trees have many bits. With eight levels a row
has three.

Hinton, Vinyals and Dean, *Distilling the Knowledge in a Neural Network*, 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..table import Table
from .row_costs import Floats, RowCosts

DECIMALS = 9  # beyond them are rounding errors, which depend on the order of threads


@dataclass(frozen=True, slots=True, eq=False)
class CostedRows:
    """The rows that a cost problem is made of, with the cost of each label.

    Parameters
    ----------
    table : Table
        The training rows, and synthetic rows after them.
    costs : RowCosts
    is_expected : bool, default=False
        Whether costs are expected by a teacher, and not those of the labels.
    """

    table: Table
    costs: RowCosts
    is_expected: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SoftLabels:
    """The probability of each class, for the rows of a table and for synthetic rows.

    Parameters
    ----------
    of_rows : ndarray of float, shape (n_rows, n_classes)
        The probabilities for the rows of the table.
    synthetic : Table
        Rows of the same columns.
    of_synthetic : ndarray of float
        Their probabilities.
    """

    of_rows: Floats
    synthetic: Table
    of_synthetic: Floats

    def expected(self, table: Table, costs: RowCosts, *, counts_synthetic: bool) -> CostedRows:
        """Return the expected cost of each label for the rows of the table and the synthetic ones.

        Parameters
        ----------
        table : Table
            Those rows that have a weight.
        costs : RowCosts
            What labels cost by the classes of these rows.
        counts_synthetic : bool
            Whether synthetic rows count as rows of a leaf.
        """
        multiples = self.synthetic.row_weights
        of_rows = self.of_rows[costs.rows]
        expected = costs.expected(of_rows, self.of_synthetic, multiples, counts_synthetic=counts_synthetic)
        return CostedRows(table.joined(self.synthetic), expected, is_expected=True)


def quantise(probabilities: Floats, n_levels: int) -> Floats:
    """Round probabilities to multiples of ``1 / n_levels`` that sum to 1, by largest remainders.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n_rows, n_classes)
    n_levels : int

    Examples
    --------
    >>> quantise(np.array([[0.1, 0.3, 0.6], [0.05, 0.9, 0.05]]), 8).tolist()
    [[0.125, 0.25, 0.625], [0.125, 0.875, 0.0]]
    """
    exact = np.round(probabilities * n_levels, DECIMALS)
    units = np.floor(exact)
    n_missing = n_levels - units.sum(axis=1)
    rank = np.argsort(np.argsort(units - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray((units + (rank < n_missing[:, None])) / n_levels)
