"""DT(max) as a scikit-learn classifier: a tree of bounded depth with the fewest training errors, or AdaBoost over such.

Hu, Siala, Hebrard, Huguet, *Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost*, IJCAI 2020:
boosting needs shallow trees with a small weighted error, and here each of them is optimal. The boosting rounds are
scikit-learn's (SAMME; Zhu, Zou, Rosset and Hastie, 2009).

Contradictory rows need no rule where errors are allowed: each row counts with its own label.

>>> from puretree.datasets import load
>>> iris = load("sklearn:iris")
>>> model = DtMaxClassifier(depth=2).fit(iris.table, iris.target)
>>> model.outcome_.status, model.outcome_.n_errors
('optimal', 6)
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._support.clock import Clock
from ..binarize import Binarizer, make_binarizer
from ..binarize.bitmatrix import BitMatrix
from ..engines import solve
from ..engines.dtmax import ENCODINGS, DtMax, EncodingName
from ..errors import InputError, UnfinishedWarning, warn
from ..maxsat import Backend
from ..outcome import Outcome
from ..problem import BinaryProblem
from ..table import Labels, Table, label_array, read_columns_of, read_labels, unchanged_by_failure
from ..tree import Tree
from .tree_mixin import TreeMixin, gini_importances

LARGEST_TOTAL = 10**9
TENTHS = 10


class DtMaxClassifier(TreeMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A tree of bounded depth with the fewest training errors, with a proof; or AdaBoost over such trees.

    Parameters
    ----------
    depth : int, default=2
        The maximum depth of a tree; 2, 3 and 4 in the paper.
    n_estimators : int, default=1
        The maximum number of trees; more than one are boosted.
    backend : str or Backend, default="linear"
        The MaxSAT solver; see :class:`DtMax`.
    encoding : {"complete", "layout"}, default="complete"
        The formula: ours for complete trees, or that of the paper; see :class:`DtMax`. Both have the same optimum.
    time_limit : float or None, default=60
        Seconds for all trees together, divided equally. When the limit is reached, the best tree so far is kept, and a
        warning is issued. None: no limit.
    binarize : {"thresholds", "guessed", "onehot", "bits"} or Binarizer, default="thresholds"
        The features that are made of the columns.
    random_state : int, RandomState or None
        Passed to AdaBoostClassifier. The fit is deterministic: it changes no tree.

    Attributes
    ----------
    tree_ : Tree
        The tree; with boosting the first one.
    trees_ : list of Tree
        All trees.
    estimator_weights_ : ndarray of float
        The weight of each tree's vote.
    outcome_ : Outcome
        The outcome for ``tree_``: whether it is proved that no tree has a smaller weighted error.
    outcomes_ : list of Outcome
        The outcomes for all trees.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each column in the decrease of the weighted Gini impurity; with boosting, the mean over the trees,
        weighted by ``estimator_weights_``.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all scikit-learn classifiers.

    Notes
    -----
    MaxSAT requires integer weights. Sample weights that are not integers are rounded to tenths of the mean weight,
    which hardly changes any tree; rows with much smaller weights are dropped.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "depth": [Interval(Integral, 1, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "backend": "no_validation",  # looked up by name, like binarize, with its own errors
        "encoding": [StrOptions(set(ENCODINGS))],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "binarize": "no_validation",
        "random_state": ["random_state"],
    }

    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        depth: int = 2,
        n_estimators: int = 1,
        backend: str | Backend = "linear",
        encoding: EncodingName = "complete",
        time_limit: float | None = 60.0,
        binarize: str | Binarizer = "thresholds",
        random_state: Any = None,
    ) -> None:
        self.depth = depth
        self.n_estimators = n_estimators
        self.backend = backend
        self.encoding = encoding
        self.time_limit = time_limit
        self.binarize = binarize
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows
            The raw table: numbers, categories, missing values.
        y : array-like of shape (n_rows,)
            The labels.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row; rows of weight 0 are ignored.

        Returns
        -------
        self
        """
        self._validate_params()
        clock = Clock.of(self.time_limit)
        with unchanged_by_failure(self):
            table = read_columns_of(self, X, reset=True)
            labels = read_labels(y, table.n_rows)
            weights = _read_weights(sample_weight, table.n_rows) * table.row_weights
            kept = np.flatnonzero(weights)
            rows, codes, weights = table.take(kept), labels.codes[kept], weights[kept]
            self._binarizer = make_binarizer(self.binarize).fit(rows, Labels(labels.classes, codes))
            self.classes_ = label_array(labels.classes)
            self._set_fitted(self._grow(self._binarize(rows), codes, weights, clock), rows, codes)
        if any(outcome.status != "optimal" for outcome in self.outcomes_):
            warn(UnfinishedWarning(_unfinished(self.outcomes_)))
        return self

    def _binarize(self, table: Table) -> NDArray[np.bool_]:
        """Return the features of each row."""
        return self._binarizer.transform_bits(table).unpack().T

    def _grow(
        self, features: NDArray[np.bool_], codes: NDArray[np.int32], weights: NDArray[np.float64], clock: Clock
    ) -> Any:
        """Return a fitted tree, or an ensemble if boosting is better than chance."""
        share = None if self.time_limit is None else clock.left / self.n_estimators
        engine = DtMax(int(self.depth), self.backend, encoding=self.encoding)
        single = _BinaryTree(len(self.classes_), engine, share)
        if self.n_estimators == 1 or len(np.unique(codes)) == 1 or not features.shape[1]:
            return single.fit(features, codes, weights)
        boosted = AdaBoostClassifier(single, n_estimators=self.n_estimators, random_state=self.random_state)
        try:
            return boosted.fit(features, codes, weights)
        except ValueError:
            if getattr(boosted, "estimators_", None) != []:
                raise
            return single.fit(features, codes, weights)  # no better than chance, so boosting stopped at once

    def _set_fitted(self, model: Any, rows: Table, codes: NDArray[np.int32]) -> None:
        self._model = model
        estimators = self._estimators
        self.estimator_weights_ = np.asarray(getattr(model, "estimator_weights_", np.ones(1))[: len(estimators)])
        self.outcomes_ = [self._decode(estimator.outcome_, rows, codes) for estimator in estimators]
        self.trees_ = [outcome.tree for outcome in self.outcomes_ if outcome.tree is not None]  # each has one
        self.outcome_, self.tree_ = self.outcomes_[0], self.trees_[0]

    @property
    def _estimators(self) -> list[_BinaryTree]:
        """The fitted trees over binary features."""
        return list(self._model.estimators_) if isinstance(self._model, AdaBoostClassifier) else [self._model]

    def _decode(self, outcome: Outcome, rows: Table, codes: NDArray[np.int32]) -> Outcome:
        """Return an outcome with its tree over the raw columns and the original classes."""
        assert outcome.tree is not None
        tree = Tree(outcome.tree.feature, outcome.tree.left, outcome.tree.label, tuple(self.classes_.tolist()))
        readable = tree.with_predicates(self._binarizer.features_, self._binarizer.n_features_in_)
        return replace(outcome, tree=readable.with_counts(rows, codes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        codes = self._model.predict(self._binarize(read_columns_of(self, X, reset=False)))
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        The weighted class frequencies in the leaf; with boosting, the probabilities of AdaBoostClassifier.
        """
        check_is_fitted(self)
        known = self._model.predict_proba(self._binarize(read_columns_of(self, X, reset=False)))
        probabilities = np.zeros((len(known), len(self.classes_)))
        probabilities[:, self._model.classes_] = known
        return probabilities

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The importance of each column: its share in the decrease of the weighted Gini impurity, mean over trees."""
        check_is_fitted(self)
        pairs = zip(self.trees_, self._estimators, strict=True)
        importances = [gini_importances(tree, estimator.weights_) for tree, estimator in pairs]
        mean = np.average(importances, axis=0, weights=self.estimator_weights_)
        return np.asarray(mean / (mean.sum() or 1.0))  # a single leaf has no importances

    def _single_tree(self) -> Tree:
        check_is_fitted(self)
        if len(self.trees_) > 1:
            raise InputError(
                f"this is defined for one tree, but {len(self.trees_)} trees were boosted; use one of trees_, or fit "
                "with n_estimators=1"
            )
        return self.tree_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class _BinaryTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """The base estimator: one tree over binary features, for class codes."""

    def __init__(self, n_classes: int, engine: DtMax, time_limit: float | None) -> None:
        self.n_classes = n_classes
        self.engine = engine
        self.time_limit = time_limit

    def fit(self, X: NDArray[np.bool_], y: NDArray[np.int32], sample_weight: NDArray[np.float64]) -> Self:
        """Fit the tree with the smallest weighted error."""
        integers = integer_weights(sample_weight)
        self.classes_ = np.unique(y)
        problem = weighted_problem(X, y, integers, self.n_classes)
        clock = Clock.of(self.time_limit)
        outcome = solve(problem, self.engine, clock=clock)
        if clock.is_stopped:
            raise KeyboardInterrupt  # stops the boosting
        assert outcome.tree is not None  # this engine always has a tree
        self.tree_ = problem.restore(outcome.tree)
        self.outcome_ = replace(outcome, tree=self.tree_)
        self.weights_ = self.tree_.weights_of_nodes(self.tree_.apply(X), y, sample_weight)
        self._shares = self.weights_ / np.maximum(self.weights_.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return self

    def predict(self, X: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the class of each row."""
        return self.tree_.predict_codes(X)

    def predict_proba(self, X: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the weighted class frequencies in the leaf of each row."""
        return np.asarray(self._shares[self.tree_.apply(X)][:, self.classes_])


def weighted_problem(
    features: NDArray[np.bool_], codes: NDArray[np.int32], weights: NDArray[np.int64], n_classes: int
) -> BinaryProblem:
    """Return a problem of weighted rows in which equal rows of different classes are separate examples.

    No tree may be pure on it, so it is only for engines that minimise errors. Examples are sorted, so that the order
    and the repetition of rows make no difference.
    """
    bits = BitMatrix.pack(np.ascontiguousarray(features.T))
    merged = BinaryProblem.from_bits(bits, Labels(tuple(range(n_classes)), codes), on_conflict="majority")
    kept = np.column_stack([features[:, merged.merge.original_of_feature], codes]).astype(np.int32)
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


def integer_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return integer weights: unchanged if they are integers, else rounded to tenths of their mean.

    >>> integer_weights(np.array([2.0, 4.0])).tolist(), integer_weights(np.array([0.5, 1.0, 1.7])).tolist()
    ([2, 4], [5, 9, 16])
    """
    if (weights == np.rint(weights)).all() and weights.sum() <= LARGEST_TOTAL:
        return weights.astype(np.int64)
    tenths = np.rint(weights / weights.mean() * TENTHS).astype(np.int64)
    return np.asarray(tenths // np.gcd.reduce(tenths))  # equal weights become 1


def _read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is not None and not np.any(np.asarray(sample_weight) != 0):
        raise InputError(
            "Sample weights must contain at least one non-zero number; give a row a weight, or omit sample_weight"
        )
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    return np.asarray(weights)


def _unfinished(outcomes: list[Outcome]) -> str:
    n_open = sum(outcome.status != "optimal" for outcome in outcomes)
    what = "the tree was" if len(outcomes) == 1 else f"{n_open} of {len(outcomes)} trees were"
    return f"time limit reached before {what} proved to have the fewest errors; allow more time, or a smaller depth"
