"""Threshold features: all cuts of all columns, which give the smallest and most readable trees.

The predicates are "≤ t" for the midpoint t of each two neighbouring numbers, rounded down among integers; "= 1"
for a column of 0 and 1; "≤ level" for ordered categories; "is level" for other categories; and "is missing" for every
column with missing values. All midpoints are the default because omitting some can cost nodes: six rows suffice to show
that cuts between two values of the same class, which a greedy tree never uses (Fayyad, Irani 1992), can occur in every
minimum pure tree.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..table import Labels, TableColumn
from .base import Binarizer, CategoricalFeatures, ColumnBinarizer
from .cuts import are_integers, most_informative, separating
from .features import ColumnFeatures, Levels, Thresholds


class ThresholdBinarizer(ColumnBinarizer):
    """Make one feature per cut of each column.

    Parameters
    ----------
    cuts : {"all", "separating"}, default="all"
        Which midpoints to use: all of them (no tree on the raw numbers is smaller), or those between values of
        different classes (fewer features, and sometimes a larger tree).
    max_cuts : int, optional
        The maximum number of cuts per column of numbers or ordered levels: those that an entropy tree on the column
        makes first.
    categorical_features : "from_dtype", "all" or list of columns, default="from_dtype"
        Columns of numbers to read as categories.

    Examples
    --------
    >>> binarizer = ThresholdBinarizer().fit([[0.1, 1, 0, "low"], [0.2, 2, 1, "low"], [0.4, 4, 1, "high"]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 ≤ 0.15', 'x0 ≤ 0.3', 'x1 ≤ 1', 'x1 ≤ 3', 'x2 = 1', 'x3 is low']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Binarizer._parameter_constraints,
        "cuts": [StrOptions({"all", "separating"})],
        "max_cuts": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        cuts: Literal["all", "separating"] = "all",
        max_cuts: int | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.cuts = cuts
        self.max_cuts = max_cuts
        self.categorical_features = categorical_features

    def _option_that_needs_labels(self) -> str | None:
        if self.cuts == "separating":
            return "cuts='separating'"
        return None if self.max_cuts is None else f"max_cuts={self.max_cuts}"

    def _regions(self, values: TableColumn, labels: Labels | None) -> ColumnFeatures:
        if labels is None or values.kind == "category":
            return threshold_features(values)
        return threshold_features(values, self._choose_cuts(values, labels))

    def _choose_cuts(self, column: TableColumn, labels: Labels) -> NDArray[np.intp]:
        """Return the indices of the cuts between neighbouring observed values to use."""
        present = ~np.isnan(column.values)
        observed, value_codes = np.unique(column.values[present], return_inverse=True)
        chosen = np.arange(max(len(observed) - 1, 0))
        if len(chosen) == 0:
            return chosen
        classes = labels.codes[present]
        if self.cuts == "separating":
            chosen = separating(value_codes, classes)
        if self.max_cuts is not None:
            chosen = most_informative(value_codes, classes, chosen, self.max_cuts)
        return chosen


def threshold_features(column: TableColumn, cuts: NDArray[np.intp] | None = None) -> ColumnFeatures:
    """Return the features of a column with some of its cuts.

    Parameters
    ----------
    column : TableColumn
    cuts : ndarray of intp, optional
        The indices of the cuts between neighbouring observed values, ascending; by default all. Categories have none.
    """
    observed, has_missing = column.observed, column.has_missing
    if column.kind == "category":
        return Levels(observed.astype(np.intp), with_missing=has_missing)
    chosen = np.arange(max(len(observed) - 1, 0)) if cuts is None else cuts
    form: Literal["at most", "above", "levels"] = "levels" if column.kind == "ordered" else "at most"
    if column.domain == "binary" and not has_missing:
        form = "above"  # "= 1" instead of "= 0". With missing values, these would be different features.
    return Thresholds(
        observed[chosen],
        observed[chosen + 1],
        form,
        are_integers=are_integers(observed),
        with_missing=has_missing and len(observed) > 0,
    )
