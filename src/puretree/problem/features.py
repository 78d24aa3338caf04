"""Which questions may be asked of a table, which one speaks for equal ones, and what each costs.

People steer by columns: this one is forbidden, that one dear, the tree should begin with the other. The engines know
features only, so the wishes are turned into an order of the questions here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..binarize.predicate import Predicate
from ..errors import InputError
from ..table import column_indices
from .problem import LARGEST_COST, FeatureMerge


@dataclass(frozen=True, slots=True, eq=False)
class FeaturePolicy:
    """The questions that may be asked.

    Parameters
    ----------
    order : ndarray of intp
        Their numbers; of equal questions the first one here will be asked.
    costs : ndarray of int64
        What each question costs, forbidden ones included.
    is_root : ndarray of bool
        The questions of which the root must ask one.
    """

    order: NDArray[np.intp]
    costs: NDArray[np.int64]
    is_root: NDArray[np.bool_]


def askable(
    questions: Sequence[Predicate],
    names: Sequence[str],
    *,
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = (),
    costs: Mapping[str | int, int] | None = None,
) -> FeaturePolicy:
    """Turn wishes about columns into an order of questions.

    Parameters
    ----------
    questions : sequence of Predicate
        What a binariser can ask.
    names : sequence of str
        The columns of the table.
    root : str or int, optional
        The column, by name or place, that the root must ask about.
    forbidden : collection of str or int
        Columns that may not be asked about.
    costs : mapping of str or int to int, optional
        What a question about a column costs; 1 for columns not named.
    """
    if costs is not None and not isinstance(costs, Mapping):
        raise InputError(f"costs={costs!r} is no mapping; use a dictionary from columns to whole numbers")
    if isinstance(forbidden, str):
        raise InputError(f"forbidden={forbidden!r} is a text; use a list of columns: [{forbidden!r}]")
    column = np.array([question.column.index for question in questions], dtype=np.intp)
    cost_of_column = np.ones(len(names), dtype=np.int64)
    for place, (name, cost) in zip(
        column_indices("costs", list(costs or ()), names), (costs or {}).items(), strict=True
    ):
        if not isinstance(cost, int | np.integer) or isinstance(cost, bool) or not 0 <= cost <= LARGEST_COST:
            raise InputError(f"the cost of column {name!r} is {cost!r}; use a whole number from 0 to {LARGEST_COST}")
        cost_of_column[place] = cost
    question_costs = cost_of_column[column]
    is_forbidden = np.isin(column, column_indices("forbidden", list(forbidden or ()), names))
    is_root = np.isin(column, column_indices("root", [] if root is None else [root], names))
    if root is not None and (is_root & ~is_forbidden).sum() == 0:
        raise InputError(f"root={root!r} cannot be the root: the column is forbidden, or has one value only")
    order = np.lexsort((question_costs, ~is_root))
    return FeaturePolicy(order[~is_forbidden[order]], question_costs, is_root)


def require_cheapest(asked: FeaturePolicy, merge: FeatureMerge, questions: Sequence[Predicate]) -> None:
    """Refuse a root column that costs more than another one that says the same: which cost counts would be unclear."""
    given = np.flatnonzero(merge.feature_of_original >= 0)
    speaker = merge.original_of_feature[merge.feature_of_original[given]]
    cheaper = np.flatnonzero(asked.costs[given] < asked.costs[speaker])
    if len(cheaper):
        name, root = (questions[int(place[cheaper[0]])].column.name for place in (given, speaker))
        raise InputError(
            f"column {name!r} says the same as {root!r}, which is to be the root and costs more; give both the same "
            f"cost, or forbid {name!r}"
        )
