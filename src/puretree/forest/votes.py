"""What the vote of many trees says about a row: the share of the trees for each class, and what they base it on.

A vote is a black box only if one lists its trees. All of them together answer which questions the vote rests on: for
each column, the share of the trees that test it on the path of the row. The trees that avoid a column are counted like
all trees, without the edges of the column, on the branches that the row takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock
from .._support.text import format_count
from ..binarize.predicate import format_level
from ..table import Level
from .graph import Counts, Graph, Indices
from .predictions import CELLS_PER_BLOCK, GroupedRows, edge_weights, root_weights

ROUNDING = 1e-12  # of sums of shares

Floats = NDArray[np.float64]
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedVote:
    """The vote of trees on a row.

    Parameters
    ----------
    n_trees : int
        The number of trees.
    shares : mapping of label to float
        The share of the trees that predict each class, the largest first.
    columns : mapping of str to float
        For each column that some tree tests on the path of the row, the share of the trees that do, the largest first.
    """

    n_trees: int
    shares: Mapping[Level, float]
    columns: Mapping[str, float]

    @classmethod
    def of(
        cls, n_trees: int, classes: Sequence[Level], shares: Floats, names: Sequence[str], column_shares: Floats
    ) -> ExplainedVote:
        """Return the vote on a row, from the shares of all classes and of all columns."""
        return cls(n_trees, _descending(classes, shares), _descending(names, column_shares))

    def __repr__(self) -> str:
        return f"<ExplainedVote: {'; '.join(str(self).splitlines())}>"

    def __str__(self) -> str:
        """Return a line about the classes, and one about the columns."""
        noun = "tree" if self.n_trees == 1 else "trees"
        classes = ", ".join(f"{format_level(label)} by {share:.1%}" for label, share in self.shares.items())
        columns = ", ".join(f"{name} by {share:.1%}" for name, share in self.columns.items())
        return f"{format_count(self.n_trees)} {noun}: {classes}\ntested on the path: {columns or 'nothing'}"


def _descending(names: Sequence[Name], shares: Floats) -> dict[Name, float]:
    order = np.argsort(-shares, kind="stable")
    return {names[index]: float(shares[index]) for index in order if shares[index] > 0}


def column_shares(
    graph: Graph, counts: Counts, rows: GroupedRows, column_of_feature: Indices, n_columns: int, clock: Clock
) -> Floats:
    """Return the share of the trees that test each column on the path of each group of rows.

    Parameters
    ----------
    graph : Graph
        Over original features.
    counts : Counts
    rows : GroupedRows
    column_of_feature : ndarray of int
        The column of each original feature.
    n_columns : int
    clock : Clock

    Returns
    -------
    ndarray of shape (n_groups, n_columns)

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    weights, of_roots = edge_weights(graph, counts, clock), root_weights(graph, counts)
    column_of_edge = np.asarray(column_of_feature)[graph.feature]
    answers = rows.bits.unpack()
    shares = np.zeros((rows.bits.n_bits, n_columns))
    per_pass = max(1, CELLS_PER_BLOCK // graph.n_nodes)
    columns = np.unique(column_of_edge)
    for group in range(rows.bits.n_bits):
        child = np.where(answers[rows.bits_row, group], graph.yes, graph.no)
        for begin in range(0, len(columns), per_pass):
            passed = columns[begin : begin + per_pass]
            avoiding = _avoiding(graph, child, weights, column_of_edge, passed, clock)
            shares[group, passed] = 1 - of_roots @ avoiding[graph.roots]
    return np.asarray(np.where(shares > ROUNDING, np.minimum(shares, 1), 0))


def _avoiding(
    graph: Graph, child: Indices, weights: Floats, column_of_edge: Indices, columns: Indices, clock: Clock
) -> Floats:
    """Return the share of the trees under each node that do not test a column; one column of the result for each."""
    avoiding = np.ones((graph.n_nodes, len(columns)))
    for level in graph.levels:
        clock.require_time()
        edges = level.edges
        avoids = column_of_edge[edges, None] != columns
        avoiding[level.nodes] = np.add.reduceat(weights[edges, None] * avoids * avoiding[child[edges]], level.starts)
    return avoiding
