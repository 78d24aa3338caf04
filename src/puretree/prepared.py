"""A table on its way to the engines, and the way back for the trees they find."""

from __future__ import annotations

from dataclasses import dataclass

from .binarize import Binarizer
from .errors import PuretreeError
from .labels import Labels, label_array
from .problem import BinaryProblem
from .table import Table
from .tree import Tree


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
    problem : BinaryProblem
        The answers, merged and packed.
    """

    table: Table
    labels: Labels
    binarizer: Binarizer
    problem: BinaryProblem

    def readable(self, tree: Tree) -> Tree:
        """Tell a tree over the problem's features in the words of the raw table, checked on its rows.

        Parameters
        ----------
        tree : Tree
            Over the features of ``problem``.

        Returns
        -------
        Tree
            With predicates, and with the training rows counted at each node.

        Raises
        ------
        PuretreeError
            If the tree is wrong on a row it should be right on: an engine's word alone is not enough.
        """
        binarizer, kept = self.binarizer, self.problem.kept_rows
        told = self.problem.restore(tree).with_predicates(binarizer.features_, binarizer.n_features_in_)
        rows, codes = self.table.take(kept), self.labels.codes[kept]
        n_wrong = int((told.predict(rows) != label_array(self.labels.classes)[codes]).sum())
        if n_wrong:
            raise PuretreeError(f"the tree is wrong on {n_wrong} training rows: this is a bug, please report it")
        return told.with_counts(rows, codes)
