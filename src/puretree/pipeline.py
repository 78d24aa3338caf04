"""The whole path, one call per stage: raw table → binary problem → tree → raw table's words.

This is the page to read first. Every stage is a module of its own, takes what the stage before made, and imports
only earlier stages; a test keeps it so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .binarize import Binarizer, make_binarizer
from .bounds.greedy import greedy_tree
from .errors import PuretreeError
from .labels import Labels, label_array, read_labels
from .problem import BinaryProblem, OnConflict
from .reading import read_table
from .table import Table
from .tree import Tree


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table on its way: what came in, how it is asked, and what the engines get.

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


def prepare(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
) -> Prepared:
    """Turn a raw table into a binary problem.

    Parameters
    ----------
    X : data frame, 2-D array or list of rows
        The raw table: names, numbers, categories, gaps.
    y : array-like of shape (n_rows,)
        The labels.
    binarize : {"thresholds", "onehot", "bits"} or Binarizer, default="thresholds"
        Which questions may be asked of the table.
    on_conflict : {"raise", "majority", "drop"}, default="raise"
        What to do with equal rows of different labels.

    Returns
    -------
    Prepared
    """
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    binarizer = make_binarizer(binarize).fit(table, labels)
    problem = BinaryProblem.from_bits(binarizer.transform_bits(table), labels, on_conflict=on_conflict)
    return Prepared(table, labels, binarizer, problem)


def small_tree(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "raise",
) -> Tree:
    """Fit a small pure tree at once; it is an upper bound, not a proved minimum.

    Parameters are those of :func:`prepare`.

    Returns
    -------
    Tree
        Pure, in the words of the raw table, with the training rows counted at each node.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> tree = small_tree(rows, ["stop", "go", "go"])
    >>> print(tree)
    x0 is red?
    ├─ yes: x1 ≤ 2?
    │  ├─ yes: stop (1)
    │  └─ no: go (1)
    └─ no: go (1)
    """
    prepared = prepare(X, y, binarize=binarize, on_conflict=on_conflict)
    tree = greedy_tree(prepared.problem)
    return readable(tree, prepared)


def readable(tree: Tree, prepared: Prepared) -> Tree:
    """Tell a tree over the problem's features in the words of the raw table, checked on its rows.

    Parameters
    ----------
    tree : Tree
        Over the features of ``prepared.problem``.
    prepared : Prepared
        Where the problem came from.

    Returns
    -------
    Tree
        With predicates and row counts.

    Raises
    ------
    PuretreeError
        If the tree is wrong on a row it should be right on: never an engine's word alone.
    """
    problem, binarizer = prepared.problem, prepared.binarizer
    told = problem.restore(tree).with_predicates(binarizer.features_, binarizer.n_features_in_)
    rows = prepared.table.take(problem.kept_rows)
    codes = prepared.labels.codes[problem.kept_rows]
    n_wrong = int((told.predict(rows) != label_array(prepared.labels.classes)[codes]).sum())
    if n_wrong:
        raise PuretreeError(f"the tree is wrong on {n_wrong} training rows: this is a bug, please report it")
    return told.with_counts(rows, codes)
