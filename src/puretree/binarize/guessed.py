"""Threshold features with guessed cuts: only those that boosted trees use, for tables with too many cuts.

McTavish, Zhong, Achermann, Karimalis, Chen, Rudin, Seltzer, *Fast Sparse Decision Tree Optimization via Reference
Ensembles*, AAAI 2022: the cuts of a boosted ensemble are few, and a tree over them is usually about as accurate as one
over all cuts. The ensemble is fitted to all cuts; then its least important cuts are removed as long as an ensemble over
the others classifies as many training rows correctly. A proof over guessed cuts is a proof about the trees over these
cuts: with other cuts there may be a better tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.utils._param_validation import Interval

from .._support.clock import Clock
from ..errors import InputError
from ..table import Labels, Table
from .base import Binarizer, CategoricalFeatures
from .features import ColumnFeatures, Thresholds
from .thresholds import threshold_features

TIME_SHARE = 0.3  # of the time left; when it is over, the guess is what is known by then
VALUE_BYTES = 12  # of a row and a column of the ensemble: single precision, and the copies that scikit-learn makes

Matrix = NDArray[np.float32]


class GuessedThresholdBinarizer(Binarizer):
    """Make one feature per cut that boosted trees use.

    The cuts of numeric columns are guessed if there are many; categories, ordered levels and missing values have the
    features of :class:`ThresholdBinarizer`. The guess is deterministic unless a time limit ends it: with fewer boosting
    rounds then, or fewer cuts that are removed.

    Parameters
    ----------
    guess_above : int, default=100
        Guess only if the numeric columns have more cuts than this together; fewer cuts are all kept.
    subsample : int, default=20_000
        The number of rows, times the number of classes, from which cuts are guessed; larger tables are sampled.
    n_estimators : int, default=50
        The number of boosting rounds; more rounds use more cuts.
    max_depth : int, default=2
        The maximum depth of a boosted tree; with depth 1, cuts that matter only together with others are not found.
    random_state : int, default=0
        Decides between equally good cuts, and controls the sample.
    categorical_features : "from_dtype", "all" or list of columns, default="from_dtype"
        Columns of numbers to read as categories.

    Examples
    --------
    >>> X = [[age, size] for age in range(20, 60) for size in range(3)]
    >>> y = [age > 41 for age, size in X]
    >>> GuessedThresholdBinarizer(guess_above=20).fit(X, y).get_feature_names_out().tolist()
    ['x0 ≤ 41']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Binarizer._parameter_constraints,
        "guess_above": [Interval(Integral, 0, None, closed="left")],
        "subsample": [Interval(Integral, 1, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
    }

    def __init__(
        self,
        *,
        guess_above: int = 100,
        subsample: int = 20_000,
        n_estimators: int = 50,
        max_depth: int = 2,
        random_state: int = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.guess_above = guess_above
        self.subsample = subsample
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _option_that_needs_labels(self) -> str:
        return type(self).__name__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _regions_of_columns(
        self, table: Table, labels: Labels | None, clock: Clock, max_bytes: float
    ) -> Iterable[ColumnFeatures]:
        assert labels is not None  # _option_that_needs_labels
        features = [threshold_features(column) for column in table]
        is_number = [column.kind == "number" for column in table]
        if (
            sum(_n_cuts(of_column) for of_column, has_cuts in zip(features, is_number, strict=True) if has_cuts)
            <= self.guess_above
        ):
            return features
        guessed: list[NDArray[np.intp]] = [np.arange(0)] * len(features)
        n_classes = len(np.unique(labels.codes))
        if n_classes > 1:
            rows = self._sample(labels.codes, max(1, self.subsample // n_classes))
            encoded = _Encoded.of(table.take(rows), features, max_bytes)
            part = clock.part(TIME_SHARE)
            guessed = self._guess(encoded, is_number, labels.codes[rows], table.row_weights[rows], part)
        return (
            threshold_features(column, cuts) if column.kind == "number" else of_column
            for column, of_column, cuts in zip(table, features, guessed, strict=True)
        )

    def _sample(self, codes: NDArray[np.int32], n_rows: int) -> NDArray[np.intp]:
        """Return some rows, in order, with at least one of each class."""
        order = np.random.RandomState(self.random_state).permutation(len(codes))
        if n_rows >= len(codes):
            return np.arange(len(codes))
        first_of_class = np.unique(codes[order], return_index=True)[1]
        return np.union1d(order[first_of_class], order[:n_rows])

    def _guess(
        self,
        encoded: _Encoded,
        is_number: Sequence[bool],
        classes: NDArray[np.int32],
        weights: NDArray[np.int64],
        clock: Clock,
    ) -> list[NDArray[np.intp]]:
        """Return the indices of the guessed cuts of each column."""
        used = encoded.used_cuts(self._fit(encoded.values, classes, weights, clock))
        cuts = [(column, cut) for column, cut in used if is_number[column] and cut < encoded.n_cuts[column]]
        at_most = [encoded.of_column(column) <= cut for column, cut in cuts]
        others = [
            encoded.of_column(column) > encoded.n_cuts[column] if is_number[column] else encoded.of_column(column)
            for column in range(len(is_number))
        ]  # of numbers: whether they are missing
        binary = np.hstack([*at_most, *others]).astype(np.float32)
        # Rows that the cuts do not distinguish are merged: the ensembles over these cuts are fitted much faster.
        rows, index = np.unique(np.column_stack([binary, classes]), axis=0, return_inverse=True)
        kept = self._remove(
            rows[:, :-1],
            rows[:, -1].astype(np.int32),
            np.bincount(index.reshape(-1), weights).astype(np.int64),
            len(cuts),
            clock,
        )
        return [
            np.array([cuts[i][1] for i in kept if cuts[i][0] == column], dtype=np.intp)
            for column in range(len(is_number))
        ]

    def _remove(
        self, binary: Matrix, classes: NDArray[np.int32], weights: NDArray[np.int64], n_cuts: int, clock: Clock
    ) -> list[int]:
        """Return the cuts, which are the first columns, without the unimportant ones.

        The paper removes one cut at a time. Half of them are tried first, then a quarter, and so on: the result is also
        such that the least important cut cannot be removed, after fewer fits.
        """
        n_others = binary.shape[1] - n_cuts

        def importance(cuts: list[int]) -> tuple[int, NDArray[np.float64]]:
            columns = [*cuts, *range(n_cuts, n_cuts + n_others)]
            if not columns:
                return int(np.bincount(classes, weights).max()), np.empty(0)
            model = self._fit(binary[:, columns], classes, weights, clock)
            n_correct = int(weights[model.predict(binary[:, columns]) == classes].sum())
            with np.errstate(invalid="ignore"):  # if nothing is left to improve, scikit-learn divides 0 by 0
                return n_correct, np.nan_to_num(model.feature_importances_[: len(cuts)])

        kept = list(range(n_cuts))
        least, of_kept = importance(kept)
        n_removed = max(1, len(kept) // 2)
        while kept and n_removed and not clock.is_over:
            order = np.argsort(of_kept, kind="stable")
            rest = [kept[i] for i in np.sort(order[n_removed:]).tolist()]
            n_correct, of_rest = importance(rest)
            if n_correct >= least:
                kept, of_kept = rest, of_rest
                n_removed = min(n_removed, max(1, len(kept) // 2))
            else:
                n_removed //= 2
        return kept

    def _fit(
        self, values: Matrix, classes: NDArray[np.int32], weights: NDArray[np.int64], clock: Clock
    ) -> GradientBoostingClassifier:
        model = GradientBoostingClassifier(
            n_estimators=self.n_estimators, max_depth=self.max_depth, random_state=self.random_state
        )

        def is_late(*_: Any) -> bool:  # after each round
            return clock.is_over

        return model.fit(values, classes, sample_weight=weights.astype(np.float64), monitor=is_late)


@dataclass(frozen=True, slots=True, eq=False)
class _Encoded:
    """A table as numbers that scikit-learn's trees split as cuts do, exactly and in single precision.

    Parameters
    ----------
    values : ndarray of float32
        The codes of an ordered column, in which a missing value comes last; a column of 0 and 1 for each level of other
        columns.
    starts : list of int
        The first of these columns for each column of the table, and their number.
    n_cuts : list of int
        The number of cuts of each column of the table.
    """

    values: Matrix
    starts: list[int]
    n_cuts: list[int]

    @classmethod
    def of(cls, table: Table, features: Sequence[ColumnFeatures], max_bytes: float) -> _Encoded:
        """Encode a table.

        Parameters
        ----------
        table : Table
        features : sequence of ColumnFeatures
            All thresholds and levels of each column.
        max_bytes : float
            The memory that may be used.
        """
        parts: list[NDArray[Any]] = []
        starts, n_columns = [0], 0
        for column, of_column in zip(table, features, strict=True):
            codes = of_column.codes(column.values)
            n_columns += 1 if codes.is_ordered else len(of_column)
            n_bytes = VALUE_BYTES * table.n_rows * n_columns
            if n_bytes > max_bytes:
                raise InputError(
                    f"guessing cuts needs more than {n_bytes / 1e9:.1f} GB for {table.n_rows:,} rows and the levels of "
                    f"{column.name!r}; use fewer rows, merge levels, or use ThresholdBinarizer(max_cuts=…)"
                )
            part = codes.values[:, None] if codes.is_ordered else codes.values[:, None] == np.arange(len(of_column))
            parts.append(part.astype(np.float32))
            starts.append(n_columns)
        return cls(np.hstack(parts), starts, [_n_cuts(of_column) for of_column in features])

    def of_column(self, column: int) -> Matrix:
        """Return the values of a column of the table."""
        return self.values[:, self.starts[column] : self.starts[column + 1]]

    def used_cuts(self, model: GradientBoostingClassifier) -> list[tuple[int, int]]:
        """Return the cuts that an ensemble uses, each as a column of the table and the index of the cut, ascending."""
        trees = [estimator.tree_ for estimator in model.estimators_.reshape(-1)]
        encoded = np.concatenate([tree.feature[tree.feature >= 0] for tree in trees])
        cut = np.concatenate([tree.threshold[tree.feature >= 0] for tree in trees]).astype(np.int64)
        column = np.searchsorted(self.starts, encoded, side="right") - 1
        return sorted(set(zip(column.tolist(), cut.tolist(), strict=True)))


def _n_cuts(features: ColumnFeatures) -> int:
    """Return the number of cuts of a column; of ordered levels, too, which are not guessed."""
    return len(features.low) if isinstance(features, Thresholds) else 0
