"""How often a tree is right on a part of the rows: for each class, since an average hides the class that matters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from ..binarize.predicate import columns_of
from ..table import UNSEEN, Level, Table
from ..tree import Tree

PartName = Literal["training", "selection", "test"]


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """How a tree does on the rows of one class.

    Parameters
    ----------
    label : str, bool, int or float
    precision, recall, f1 : float or None
        None where it is not defined: no row was said to be, or is, of the class.
    support : int
        The rows of the class.
    """

    label: Level
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """How a tree does on some rows.

    Parameters
    ----------
    n_rows, n_right : int
        The rows, and those that the tree is right on.
    accuracy : float
        The share of rows that it is right on.
    balanced_accuracy : float
        The mean recall of the classes that have rows.
    classes : tuple of ClassMetrics
        Those of the tree, then labels that it does not know.
    confusion : tuple of tuple of int
        The rows of each class (first index) by what the tree says (second), in the same order.
    n_unknown : int
        The rows with a label that the tree does not know.
    """

    n_rows: int
    n_right: int
    accuracy: float
    balanced_accuracy: float
    classes: tuple[ClassMetrics, ...]
    confusion: tuple[tuple[int, ...], ...]
    n_unknown: int


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that the tree was measured on.

    Parameters
    ----------
    name : {"training", "selection", "test"}
    source : str
        The name of the file or data set.
    sha256 : str or None
        Of the file, where the part is one.
    metrics : Metrics
    n_unfamiliar : int
        Rows with a level, or a gap, that training did not have in a column that the tree asks about.
    is_training_file : bool
        Whether a test is the very file that trained, and so no test.
    """

    name: PartName
    source: str
    sha256: str | None
    metrics: Metrics
    n_unfamiliar: int
    is_training_file: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain values."""
        return asdict(self)


def measure(tree: Tree, rows: Table, labels: Sequence[Level]) -> Metrics:
    """Hold what a tree says against what is known.

    Parameters
    ----------
    tree : Tree
    rows : Table
    labels : sequence of str, bool, int or float
        The label of each row; those that the tree does not know count as wrong.
    """
    known = dict.fromkeys([*tree.classes, *sorted(set(labels) - set(tree.classes), key=str)])
    code_of: dict[Any, int] = {label: code for code, label in enumerate(known)}
    actual, said = np.array([code_of[label] for label in labels], dtype=np.intp), tree.predict_codes(rows)
    codes = range(len(code_of))
    scores = precision_recall_fscore_support(actual, said, labels=codes, zero_division=np.nan)
    counts = np.zeros((len(code_of), len(code_of)), dtype=np.int64)
    np.add.at(counts, (actual, said), 1)  # scikit-learn's confusion_matrix warns where there is but one class
    recalls = [recall for recall in scores[1].tolist() if not math.isnan(recall)]
    return Metrics(
        n_rows=len(actual),
        n_right=int(counts.trace()),
        accuracy=float(accuracy_score(actual, said)),
        balanced_accuracy=sum(recalls) / len(recalls),
        classes=tuple(_of_classes(known, np.array(scores).T.tolist())),
        confusion=tuple(map(tuple, counts.tolist())),
        n_unknown=int((actual >= len(tree.classes)).sum()),
    )


def _of_classes(labels: Iterable[Any], scores: Iterable[list[float]]) -> Iterable[ClassMetrics]:
    for label, (precision, recall, f1, support) in zip(labels, scores, strict=True):
        yield ClassMetrics(label, _defined(precision), _defined(recall), _defined(f1), int(support))


def _defined(score: float) -> float | None:
    return None if math.isnan(score) else score


def count_unfamiliar(tree: Tree, rows: Table) -> int:
    """Count the rows with a level or a gap that training did not have, in the columns that a tree asks about."""
    column_of = {column.name: column for column in rows}
    is_new = np.zeros(rows.n_rows, dtype=np.bool_)
    for known in columns_of([tree.predicate(feature) for feature in tree.features]):
        values = column_of[known.name].encoded_as(known)
        is_new |= values == UNSEEN if known.kind != "number" else np.zeros(rows.n_rows, dtype=np.bool_)
        is_new |= np.isnan(values) & (not known.has_missing)
    return int(is_new.sum())
