"""DT(max) as a scikit-learn classifier: a tree of bounded depth with fewest training errors, or AdaBoost over such.

Hu, Siala, Hebrard, Huguet, *Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost*, IJCAI 2020:
boosting asks for shallow trees that are right on most of the weight, and here each of them is the best one there is.
The rounds are scikit-learn's (SAMME; Zhu, Zou, Rosset and Hastie, 2009).

Rows that contradict each other are no trouble where errors are allowed: each counts under its own label, and the tree
is wrong on some of them.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = DtMaxClassifier(depth=2).fit(iris.table, iris.target)
>>> model.outcome_.status, model.outcome_.n_errors
('optimal', 6)
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._support.clock import Clock
from ..binarize import Binarizer, make_binarizer
from ..binarize.bitmatrix import BitMatrix
from ..engines import solve
from ..engines.dtmax import DtMax
from ..errors import InputError, UnfinishedWarning
from ..maxsat import Backend
from ..outcome import Outcome
from ..problem import BinaryProblem
from ..table import Labels, Table, label_array, read_columns_of, read_labels, unchanged_by_failure
from ..tree import Tree

LARGEST_TOTAL = 10**9
TENTHS = 10


class DtMaxClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A tree of bounded depth that is right on most training rows, proved; or AdaBoost over such trees.

    Parameters
    ----------
    depth : int, default=2
        The most tests on any path of a tree; 2, 3 and 4 in the paper.
    n_estimators : int, default=1
        How many trees at most; with more than one they are boosted.
    backend : str or Backend, default="linear"
        The MaxSAT solver; see :class:`DtMax`.
    time_limit : float, optional
        Seconds for all trees together, the same for each. When they are over, the best tree so far is kept, with a
        warning.
    binarize : {"thresholds", "onehot", "bits"} or Binarizer, default="thresholds"
        Which questions may be asked of the table.

    Attributes
    ----------
    tree_ : Tree
        The tree; with boosting the first one.
    trees_ : list of Tree
        All trees.
    estimator_weights_ : ndarray of float
        How much each tree's vote counts.
    outcome_ : Outcome
        How ``tree_`` was found, and whether it is proved that none has fewer errors, weights counted.
    outcomes_ : list of Outcome
        The same for all trees.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    MaxSAT counts in whole numbers. Sample weights that are whole numbers are taken as they are; others are rounded to
    tenths of the average weight, which changes hardly any tree and leaves out the rows that weigh next to nothing.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "depth": [Interval(Integral, 1, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "backend": "no_validation",  # looked up by name, as binarize is, with errors of their own
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "binarize": "no_validation",
    }

    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        depth: int = 2,
        n_estimators: int = 1,
        backend: str | Backend = "linear",
        time_limit: float | None = 60.0,
        binarize: str | Binarizer = "thresholds",
    ) -> None:
        self.depth = depth
        self.n_estimators = n_estimators
        self.backend = backend
        self.time_limit = time_limit
        self.binarize = binarize

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the trees.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table: names, numbers, categories, gaps.
        y : array-like of shape (n_rows,)
            The labels.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts; a row of weight 0 is as good as none.

        Returns
        -------
        self
        """
        self._validate_params()
        with unchanged_by_failure(self):
            table = read_columns_of(self, X, reset=True)
            labels = read_labels(y, table.n_rows)
            weights = _read_weights(sample_weight, table.n_rows)
            kept = np.flatnonzero(weights)
            rows, codes, weights = table.take(kept), labels.codes[kept], weights[kept]
            self._binarizer = make_binarizer(self.binarize).fit(rows, Labels(labels.classes, codes))
            self.classes_ = label_array(labels.classes)
            self._take(self._grow(self._ask(rows), codes, weights), rows, codes, weights)
        if any(outcome.status != "optimal" for outcome in self.outcomes_):
            warnings.warn(_unfinished(self.outcomes_), UnfinishedWarning, stacklevel=2)
        return self

    def _ask(self, table: Table) -> NDArray[np.bool_]:
        """Return the answers of each row to each question."""
        return self._binarizer.transform_bits(table).unpack().T

    def _grow(self, answers: NDArray[np.bool_], codes: NDArray[np.int32], weights: NDArray[np.float64]) -> Any:
        """Return one tree, or an ensemble of them where that is better than chance."""
        share = None if self.time_limit is None else self.time_limit / self.n_estimators
        single = _TreeOfAnswers(len(self.classes_), DtMax(int(self.depth), self.backend), share)
        if self.n_estimators == 1 or len(np.unique(codes)) == 1 or not answers.shape[1]:
            return single.fit(answers, codes, weights)
        boosted = AdaBoostClassifier(single, n_estimators=self.n_estimators)
        try:
            return boosted.fit(answers, codes, weights)
        except ValueError:
            if getattr(boosted, "estimators_", None) != []:
                raise
            return single.fit(answers, codes, weights)  # no better than chance, so there is nothing to boost

    def _take(self, grown: Any, rows: Table, codes: NDArray[np.int32], weights: NDArray[np.float64]) -> None:
        self._grown = grown
        found = grown.estimators_ if isinstance(grown, AdaBoostClassifier) else [grown]
        self.estimator_weights_ = np.asarray(getattr(grown, "estimator_weights_", np.ones(1))[: len(found)])
        self.outcomes_ = [self._told(each.outcome_, rows, codes) for each in found]
        self.trees_ = [outcome.tree for outcome in self.outcomes_]
        self.outcome_, self.tree_ = self.outcomes_[0], self.trees_[0]

    def _told(self, outcome: Outcome, rows: Table, codes: NDArray[np.int32]) -> Outcome:
        """Tell an outcome in the words of the raw table, with the classes as they are."""
        assert outcome.tree is not None
        tree = Tree(outcome.tree.feature, outcome.tree.left, outcome.tree.label, tuple(self.classes_.tolist()))
        told = tree.with_predicates(self._binarizer.features_, self._binarizer.n_features_in_)
        return replace(outcome, tree=told.with_counts(rows, codes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        codes = self._grown.predict(self._ask(read_columns_of(self, X, reset=False)))
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return how likely each class is, in the order of ``classes_``.

        The shares of the training weight at the leaf; with boosting what scikit-learn makes of the trees' votes.
        """
        check_is_fitted(self)
        told = self._grown.predict_proba(self._ask(read_columns_of(self, X, reset=False)))
        shares = np.zeros((len(told), len(self.classes_)))
        shares[:, self._grown.classes_] = told
        return shares

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class _TreeOfAnswers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """One tree over answers, for labels from 0 on: what is boosted."""

    def __init__(self, n_classes: int, engine: DtMax, time_limit: float | None) -> None:
        self.n_classes = n_classes
        self.engine = engine
        self.time_limit = time_limit

    def fit(self, X: NDArray[np.bool_], y: NDArray[np.int32], sample_weight: NDArray[np.float64]) -> Self:
        """Find the tree with fewest errors, weights counted."""
        whole = whole_weights(sample_weight)
        self.classes_ = np.unique(y)
        problem = weighted_problem(X, y, whole, self.n_classes)
        outcome = solve(problem, self.engine, clock=Clock.of(self.time_limit))
        if outcome.status == "interrupted":
            raise KeyboardInterrupt  # or the next round would begin
        assert outcome.tree is not None  # this engine has one in any case
        self.tree_ = problem.restore(outcome.tree)
        self.outcome_ = replace(outcome, tree=self.tree_)
        at_leaf = np.zeros((self.tree_.n_nodes, self.n_classes))
        np.add.at(at_leaf, (self.tree_.apply(X), y), sample_weight)
        self._shares = at_leaf / np.maximum(at_leaf.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return self

    def predict(self, X: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the class of each row."""
        return self.tree_.predict_codes(X)

    def predict_proba(self, X: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the shares of the training weight at the leaf of each row."""
        return np.asarray(self._shares[self.tree_.apply(X)][:, self.classes_])


def weighted_problem(
    answers: NDArray[np.bool_], codes: NDArray[np.int32], weights: NDArray[np.int64], n_classes: int
) -> BinaryProblem:
    """Make a problem of weighted rows in which equal rows of different classes are examples of their own.

    No tree is pure on it, so it is for engines that count errors only. Its examples come in the order of their values,
    so that neither the order of the rows nor the way they are repeated makes a difference.
    """
    bits = BitMatrix.pack(np.ascontiguousarray(answers.T))
    merged = BinaryProblem.from_bits(bits, Labels(tuple(range(n_classes)), codes), on_conflict="majority")
    kept = np.column_stack([answers[:, merged.merge.original_of_feature], codes]).astype(np.int32)
    distinct, example = np.unique(kept, axis=0, return_inverse=True)
    example = example.reshape(-1).astype(np.int64)
    n_rows = np.bincount(example, weights).astype(np.int64)
    counted = n_rows > 0
    return replace(
        merged,
        features=BitMatrix.pack(np.ascontiguousarray(distinct[counted, :-1].T.astype(np.bool_))),
        labels=distinct[counted, -1],
        weights=n_rows[counted],
        example_of_row=np.where(counted, np.cumsum(counted) - 1, -1)[example],
    )


def whole_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers: as they are if they are whole, else in tenths of their average.

    >>> whole_weights(np.array([2.0, 4.0])).tolist(), whole_weights(np.array([0.5, 1.0, 1.7])).tolist()
    ([2, 4], [5, 9, 16])
    """
    if (weights == np.rint(weights)).all() and weights.sum() <= LARGEST_TOTAL:
        return weights.astype(np.int64)
    tenths = np.rint(weights / weights.mean() * TENTHS).astype(np.int64)
    return np.asarray(tenths // np.gcd.reduce(tenths))  # equal weights are 1 each


def _read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is not None and not np.any(np.asarray(sample_weight) != 0):
        raise InputError(
            "Sample weights must contain at least one non-zero number. Give a row a weight, or leave sample_weight out"
        )
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    return np.asarray(weights)


def _unfinished(outcomes: list[Outcome]) -> str:
    n_open = sum(outcome.status != "optimal" for outcome in outcomes)
    return (
        f"the time was over before {n_open} of {len(outcomes)} trees were proved to have fewest errors: "
        "give more time, or a smaller depth"
    )
