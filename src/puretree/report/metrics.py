"""Accuracy metrics of a tree, by class as well, since an average can hide the class that matters."""

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

SetName = Literal["training", "selection", "test"]


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """Metrics of one class.

    Parameters
    ----------
    label : str, bool, int or float
    precision, recall, f1 : float or None
        None where undefined: no row is predicted to be, or is, of the class.
    support : int
        The number of rows of the class.
    """

    label: Level
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of a tree on a set of rows.

    Parameters
    ----------
    n_rows, n_right : int
        The number of rows, and of those that are classified correctly.
    accuracy : float
        The fraction of rows that are classified correctly.
    balanced_accuracy : float
        The mean recall over the classes that occur.
    classes : tuple of ClassMetrics
        The classes of the tree, then labels that it does not know.
    confusion : tuple of tuple of int
        The number of rows by true class (first index) and predicted class (second), in the same order.
    n_unknown : int
        The number of rows with a label that the tree does not know.
    """

    n_rows: int
    n_right: int
    accuracy: float
    balanced_accuracy: float
    classes: tuple[ClassMetrics, ...]
    confusion: tuple[tuple[int, ...], ...]
    n_unknown: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The metrics of a tree on a training, selection or test set.

    Parameters
    ----------
    name : {"training", "selection", "test"}
    source : str
        The name of the file or data set.
    sha256 : str or None
        Hash of the file, for a test set.
    metrics : Metrics
    n_unfamiliar : int
        The number of rows with a level or a missing value that did not occur in training, in a column that the tree
        uses.
    is_training_file : bool
        Whether a test set is the file that the tree was trained on, and so is not a test.
    """

    name: SetName
    source: str
    sha256: str | None
    metrics: Metrics
    n_unfamiliar: int
    is_training_file: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as values that JSON can represent."""
        return asdict(self)


def compute_metrics(tree: Tree, rows: Table, labels: Sequence[Level]) -> Metrics:
    """Compare the predictions of a tree with the true labels.

    Parameters
    ----------
    tree : Tree
    rows : Table
    labels : sequence of str, bool, int or float
        The label of each row; rows with a label that the tree does not know count as misclassified.
    """
    known = dict.fromkeys([*tree.classes, *sorted(set(labels) - set(tree.classes), key=str)])
    code_of: dict[Any, int] = {label: code for code, label in enumerate(known)}
    actual = np.array([code_of[label] for label in labels], dtype=np.intp)
    predicted = tree.predict_codes(rows)
    codes = range(len(code_of))
    weights = rows.row_weights
    scores = precision_recall_fscore_support(
        actual, predicted, labels=codes, zero_division=np.nan, sample_weight=rows.weights
    )
    counts = np.zeros((len(code_of), len(code_of)), dtype=np.int64)
    np.add.at(counts, (actual, predicted), weights)  # scikit-learn's confusion_matrix warns if there is only one class
    recalls = [recall for recall in scores[1].tolist() if not math.isnan(recall)]
    return Metrics(
        n_rows=rows.total_weight,
        n_right=int(counts.trace()),
        accuracy=float(accuracy_score(actual, predicted, sample_weight=rows.weights)),
        balanced_accuracy=sum(recalls) / len(recalls),
        classes=tuple(_class_metrics(known, np.array(scores).T.tolist())),
        confusion=tuple(map(tuple, counts.tolist())),
        n_unknown=int(weights[actual >= len(tree.classes)].sum()),
    )


def _class_metrics(labels: Iterable[Any], scores: Iterable[list[float]]) -> Iterable[ClassMetrics]:
    for label, (precision, recall, f1, support) in zip(labels, scores, strict=True):
        yield ClassMetrics(label, _none_if_nan(precision), _none_if_nan(recall), _none_if_nan(f1), int(support))


def _none_if_nan(score: float) -> float | None:
    return None if math.isnan(score) else score


def count_unfamiliar(tree: Tree, rows: Table) -> int:
    """Count the rows with a level or a missing value that did not occur in training, in columns that a tree uses."""
    column_of = {column.name: column for column in rows}
    is_unfamiliar = np.zeros(rows.n_rows, dtype=np.bool_)
    for known in columns_of([tree.predicate(feature) for feature in tree.features]):
        values = column_of[known.name].encoded_as(known)
        is_unfamiliar |= values == UNSEEN if known.kind != "number" else np.zeros(rows.n_rows, dtype=np.bool_)
        is_unfamiliar |= np.isnan(values) & (not known.has_missing)
    return int(rows.row_weights[is_unfamiliar].sum())
