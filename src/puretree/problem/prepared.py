"""A table on its way to the engines, and the way back for the trees they find."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize import Binarizer, make_binarizer
from ..errors import PuretreeError, SolverError, UnfinishedError
from ..outcome import Outcome
from ..table import Labels, Table, label_array, read_labels, read_table
from ..tree import Tree
from .features import FeaturePolicy, askable, require_cheapest
from .problem import BinaryProblem, OnConflict


@dataclass(frozen=True, slots=True)
class Prepared:
    """What came in, how it is asked, and what the engines get.

    Parameters
    ----------
    table : Table
        The raw table.
    labels : Labels
        The class of each row.
    binarizer : Binarizer
        Fitted: which questions are asked of the table.
    asked : FeaturePolicy
        Which questions may be asked.
    problem : BinaryProblem
        The answers, merged and packed.
    row_numbers : ndarray of intp
        The numbers of the rows in the table that was given, which may be larger.
    """

    table: Table
    labels: Labels
    binarizer: Binarizer
    asked: FeaturePolicy
    problem: BinaryProblem
    row_numbers: NDArray[np.intp]

    @property
    def roots(self) -> frozenset[int] | None:
        """The features of which the root must ask one; None if any will do."""
        if not self.asked.is_root.any():
            return None
        return frozenset(np.flatnonzero(self.asked.is_root[self.problem.merge.original_of_feature]).tolist())

    @contextmanager
    def decoding_errors(self) -> Iterator[None]:
        """Tell the outcome that an error carries in the words of the raw table, too."""
        try:
            yield
        except (SolverError, UnfinishedError) as error:
            error.outcome = self.decode(error.outcome)
            raise

    def decode(self, outcome: Outcome) -> Outcome:
        """Tell an engine's outcome in the words of the raw table, its tree checked on the rows."""
        return replace(outcome, tree=None if outcome.tree is None else self.readable(outcome.tree, outcome.n_errors))

    def readable(self, tree: Tree, n_errors: int = 0) -> Tree:
        """Tell a tree over the problem's features in the words of the raw table, checked on its rows.

        Parameters
        ----------
        tree : Tree
            Over the features of ``problem``.
        n_errors : int, default=0
            How many of the rows that no conflict left out it is said to be wrong on.

        Returns
        -------
        Tree
            With predicates, and with the training rows counted at each node.

        Raises
        ------
        PuretreeError
            If the tree is wrong on more rows, or fewer: an engine's word alone is not enough.
        """
        return self.checked(self.problem.restore(tree), n_errors)

    def checked(self, tree: Tree, n_errors: int = 0) -> Tree:
        """Do for a tree over the given features what :meth:`readable` does for one over the problem's."""
        binarizer, kept = self.binarizer, self.problem.kept_rows
        told = tree.with_predicates(binarizer.features_, binarizer.n_features_in_)
        rows, codes = self.table.take(kept), self.labels.codes[kept]
        n_wrong = int((told.predict(rows) != label_array(self.labels.classes)[codes]).sum())
        if n_wrong != n_errors:
            said = f", not {n_errors} as it was said to be" if n_errors else ""
            raise PuretreeError(f"the tree is wrong on {n_wrong} training rows{said}: this is a bug, please report it")
        return told.with_counts(rows, codes)


def prepare(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
    root: str | int | None = None,
    forbidden: Collection[str | int] = (),
    costs: Mapping[str | int, int] | None = None,
    row_numbers: NDArray[np.intp] | None = None,
) -> Prepared:
    """Turn a raw table into a binary problem.

    Parameters
    ----------
    X, y, binarize, on_conflict, root, forbidden, costs
        As for :func:`minimum_tree`.
    row_numbers : ndarray of int, optional
        Those of the rows, where they are part of a larger table; contradictions are told by them.
    """
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    binarizer = make_binarizer(binarize).fit(table, labels)
    asked = askable(binarizer.features_, table.names, root=root, forbidden=forbidden, costs=costs)
    bits = binarizer.transform_bits(table)
    problem = BinaryProblem.from_bits(
        bits, labels, on_conflict=on_conflict, allowed=asked.order, costs=asked.costs, row_numbers=row_numbers
    )
    require_cheapest(asked, problem.merge, binarizer.features_)
    numbers = np.arange(table.n_rows) if row_numbers is None else row_numbers
    return Prepared(table, labels, binarizer, asked, problem, numbers)
