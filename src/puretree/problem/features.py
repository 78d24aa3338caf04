"""The feature policy: which features a tree may test, at what cost, and which ones the root may test.

Users name columns: forbidden ones, expensive ones, one for the root. Engines know features only, so the columns are
translated to features here. Of features that are equal on all rows, the problem keeps the first one in the policy's
order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.features import Features
from ..binarize.predicate import Predicate, format_name
from ..errors import InputError, near, shorten
from ..table import column_indices
from .merging import FeatureMerge
from .problem import LARGEST_COST


@dataclass(frozen=True, eq=False)
class FeaturePolicy:
    """The features that a tree may test.

    Parameters
    ----------
    features : Features
        Of a binariser.
    column_costs : ndarray of int64
        The cost of a test on each column.
    is_allowed_column : ndarray of bool
        The columns that a tree may test.
    is_root_column : ndarray of bool
        The columns that the root may test; all False if it may test any.
    """

    features: Features
    column_costs: NDArray[np.int64]
    is_allowed_column: NDArray[np.bool_]
    is_root_column: NDArray[np.bool_]

    @cached_property
    def allowed(self) -> NDArray[np.intp]:
        """The features that a tree may test, in order of preference among equal features."""
        order = np.lexsort((self.costs, ~self.is_root))
        return order[self.is_allowed_column[self.features.column_of_feature[order]]]

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """The cost of a test of each feature, forbidden ones included."""
        return self.column_costs[self.features.column_of_feature]

    @cached_property
    def is_root(self) -> NDArray[np.bool_]:
        """The features that the root may test; all False if it may test any."""
        return self.is_root_column[self.features.column_of_feature]

    def roots(self, merge: FeatureMerge) -> frozenset[int] | None:
        """Return the merged features that the root may test; None if it may test any."""
        if not self.is_root_column.any():
            return None
        return frozenset(np.flatnonzero(self.is_root[merge.original_of_feature]).tolist())


def feature_policy(
    features: Features,
    names: Sequence[str],
    *,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = (),
    feature_costs: Mapping[str | int, int] | None = None,
) -> FeaturePolicy:
    """Translate options about columns to a policy about features.

    Parameters
    ----------
    features : Features
        Of a binariser.
    names : sequence of str
        The columns of the table.
    root : str or int, optional
        The column, by name or index, that the root must test.
    forbidden : collection of str or int
        Columns that no node may test.
    feature_costs : mapping of str or int to int, optional
        The cost of a test on a column; 1 for columns that are not in the mapping.
    """
    if feature_costs is not None and not isinstance(feature_costs, Mapping):
        raise InputError(
            "is not a mapping; use a dictionary from columns to integers",
            parameter="feature_costs",
            value=feature_costs,
        )
    if isinstance(forbidden, str):
        raise InputError(f"is a string; use a list of columns: [{forbidden!r}]", parameter="forbidden", value=forbidden)
    costs = _column_costs(feature_costs or {}, names)
    is_allowed, is_root = np.ones(len(names), dtype=np.bool_), np.zeros(len(names), dtype=np.bool_)
    is_allowed[column_indices("forbidden", list(forbidden or ()), names)] = False
    is_root[column_indices("root", [] if root is None else [root], names)] = True
    if root is not None and not (is_root & is_allowed & (np.diff(features.starts) > 0)).any():
        raise InputError("cannot be the root: the column is forbidden or constant", parameter="root", value=root)
    return FeaturePolicy(features, costs, is_allowed, is_root)


def features_of_tests(
    option: str, tests: Any, features: Features, names: Sequence[str], near_features: Sequence[int] = ()
) -> list[NDArray[np.int64]]:
    """Return for each item of an option, a column or a predicate, the features that test it.

    Parameters
    ----------
    option : str
        The name of the option.
    tests : str, int, Predicate, or collection of them
        One column, by name or index, or one predicate, by itself or by its text such as "petal width ≤ 0.8"; or several
        of them. ``<=`` and ``>=`` may be written for ``≤`` and ``≥``.
    features : Features
        Of a binariser.
    names : sequence of str
        The columns of the table.
    near_features : sequence of int
        Features to look through first, ascending.
    """
    several = list(tests) if isinstance(tests, Iterable) and not isinstance(tests, str) else [tests]
    return [_features_of_test(option, test, features, names, near_features) for test in several]


def _features_of_test(
    option: str, test: Any, features: Features, names: Sequence[str], near_features: Sequence[int]
) -> NDArray[np.int64]:
    if isinstance(test, Predicate):
        test = str(test)
    if isinstance(test, str) and test not in names:
        text = _in_ascii(test)
        found = [index for index, predicate in features.select(near_features).items() if _in_ascii(predicate) == text]
        for column, name in enumerate(names) if not found else ():
            if _in_ascii(format_name(name)) in text:
                start, regions = int(features.starts[column]), features.regions[column]
                predicates = (Predicate(features.columns[column], region) for region in regions)
                found += [start + index for index, predicate in enumerate(predicates) if _in_ascii(predicate) == text]
        if found:
            return np.array(found, dtype=np.int64)
        if not test.isdecimal():
            raise InputError(
                f"is neither a column of the table{near(test, names)} nor a test of one; use one of its columns "
                f"({shorten(names, 10)}), or a test as trees show it, such as {_example(features)!r}",
                parameter=option,
                value=test,
            )
    column = column_indices(option, [test], names)[0]
    return np.arange(features.starts[column], features.starts[column + 1])


def _in_ascii(test: str | Predicate) -> str:
    return str(test).replace("≤", "<=").replace("≥", ">=")


def _example(features: Features) -> str:
    return str(features[0]) if len(features) else "petal width ≤ 0.8"


def _column_costs(feature_costs: Mapping[str | int, int], names: Sequence[str]) -> NDArray[np.int64]:
    costs = np.ones(len(names), dtype=np.int64)
    indices = column_indices("feature_costs", list(feature_costs), names)
    for index, (name, cost) in zip(indices, feature_costs.items(), strict=True):
        if not isinstance(cost, int | np.integer) or isinstance(cost, bool) or not 0 <= cost <= LARGEST_COST:
            raise InputError(f"the cost of column {name!r} is {cost!r}; use an integer from 0 to {LARGEST_COST}")
        costs[index] = cost
    return costs


def require_cheapest(policy: FeaturePolicy, merge: FeatureMerge) -> None:
    """Raise an error if a root column has a cheaper equal column: the cost of the merged feature would be ambiguous."""
    varying = np.flatnonzero(merge.feature_of_original >= 0)
    kept = merge.original_of_feature[merge.feature_of_original[varying]]
    cheaper = np.flatnonzero(policy.costs[varying] < policy.costs[kept])
    if len(cheaper):
        name, root = (policy.features[int(features[cheaper[0]])].column.name for features in (varying, kept))
        raise InputError(
            f"column {name!r} splits the rows like {root!r}, which must be the root and costs more; give both the same "
            f"cost, or forbid {name!r}"
        )
