"""The whole path, one call per stage: raw table → binary problem → tree → raw table's words.

This is the page to read first. Every stage is a module of its own, takes what the stage before made, and imports
only earlier stages; a test keeps it so.
"""

from __future__ import annotations

from typing import Any

from .binarize import Binarizer, make_binarizer
from .bounds.greedy import greedy_tree
from .labels import read_labels
from .prepared import Prepared
from .problem import BinaryProblem, OnConflict
from .reading import read_table
from .tree import Tree


def prepare(X: Any, y: Any, *, binarize: str | Binarizer = "thresholds", on_conflict: OnConflict = "raise") -> Prepared:
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
        What to do with rows that are equal in every feature but not in their label: refuse them, keep those of the
        most frequent label (a tie goes to the smallest), or leave them all out.

    Returns
    -------
    Prepared
    """
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    binarizer = make_binarizer(binarize).fit(table, labels)
    problem = BinaryProblem.from_bits(binarizer.transform_bits(table), labels, on_conflict=on_conflict)
    return Prepared(table, labels, binarizer, problem)


def small_tree(X: Any, y: Any, *, binarize: str | Binarizer = "thresholds", on_conflict: OnConflict = "raise") -> Tree:
    """Fit a small pure tree at once; it is an upper bound, not a proved minimum.

    Parameters
    ----------
    X, y, binarize, on_conflict
        As for :func:`prepare`.

    Returns
    -------
    Tree
        Pure, in the words of the raw table, with the training rows counted at each node.

    Examples
    --------
    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> print(small_tree(rows, ["stop", "go", "go"]))
    x0 is red?
    ├─ yes: x1 ≤ 2?
    │  ├─ yes: stop (1)
    │  └─ no: go (1)
    └─ no: go (1)
    """
    prepared = prepare(X, y, binarize=binarize, on_conflict=on_conflict)
    tree = greedy_tree(prepared.problem)
    return prepared.readable(tree)
