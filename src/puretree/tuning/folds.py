"""The folds of a cross-validation, and the front of the training part of each.

A fold is solved by a function of plain data: labelled rows go in, trees come out. So joblib may solve folds in
processes or on a cluster. The features are made from the training part alone, as for all rows.

Of rows with weights, each of the equal rows that a row stands for is assigned to a fold by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from .._support.clock import Clock
from .._support.text import quantity
from ..binarize import Binarizer
from ..errors import InputError, UnfinishedError
from ..outcome import Status
from ..pareto import FrontPoint, find_front
from ..problem import Constraints, PreparedCosts, prepare_costs
from ..selection import Rows, Teacher
from ..table import Labels, Table
from ..tree import Tree

DEFAULT_FOLDS = 5
TEACHER_SHARE = 0.1  # of the time of all rows, and of the time of a fold
SEARCH_SHARE = 0.8  # of the time of a fold; the rest is for its trees of all sizes

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FrontParameters:
    """The parameters of a front, apart from its rows.

    Parameters
    ----------
    binarize, max_depth, min_samples_leaf, root, forbidden, class_weight, cost_matrix, memory_limit
        As for :func:`puretree.front`.
    teacher : Teacher, optional
        Says what labels cost; it is fitted to the rows of the front. Without one, their labels do.
    seed : int, default=0
        Of the teacher.
    n_jobs : int, optional
        Of the teacher.
    """

    binarize: str | Binarizer = "thresholds"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    root: str | int | None = None
    forbidden: Collection[str | int] | None = None
    class_weight: Mapping[Any, float] | str | None = None
    cost_matrix: Any = None
    memory_limit: float | None = None
    teacher: Teacher | None = None
    seed: int = 0
    n_jobs: int | None = None

    @property
    def counts_errors(self) -> bool:
        """Whether all errors on rows of equal weight cost the same."""
        return self.class_weight is None and self.cost_matrix is None

    def taught(self, teacher: Teacher, random: np.random.RandomState, n_jobs: int | None) -> FrontParameters:
        """Return the parameters with a teacher."""
        return replace(self, teacher=teacher, seed=random.randint(np.iinfo(np.int32).max), n_jobs=n_jobs)

    def prepare(self, rows: Rows, clock: Clock) -> PreparedCosts:
        """Turn rows into a cost problem; the teacher has a part of the time."""
        soft_labels = None
        if self.teacher is not None:
            part, random = clock.part(TEACHER_SHARE), np.random.RandomState(self.seed)
            soft_labels = self.teacher.teach(rows, part, random, self.n_jobs)
        return prepare_costs(
            rows.table,
            rows.labels,
            binarize=self.binarize,
            root=self.root,
            forbidden=self.forbidden,
            class_weight=self.class_weight,
            sample_weight=rows.sample_weight,
            cost_matrix=self.cost_matrix,
            soft_labels=soft_labels,
            counts_synthetic=self.min_samples_leaf == 1,
            row_numbers=rows.numbers,
            clock=clock,
            memory_limit=self.memory_limit,
        )

    def constraints(self, prepared: PreparedCosts, max_nodes: int | None) -> Constraints:
        """Return what all trees satisfy."""
        return Constraints(self.max_depth, prepared.roots, max_nodes=max_nodes, min_samples_leaf=self.min_samples_leaf)


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """How many of the equal rows that each row of a table stands for are in the two parts of a fold.

    Parameters
    ----------
    training, validation : ndarray of int64, shape (n_rows,)
    """

    training: Counts
    validation: Counts


def split_folds(
    table: Table, labels: Labels, cv: Any = DEFAULT_FOLDS, random_state: np.random.RandomState | int = 0
) -> tuple[Fold, ...]:
    """Split a table into folds.

    Parameters
    ----------
    table : Table
    labels : Labels
    cv : int, splitter or iterable
        As in scikit-learn. A number of folds is stratified and shuffled, since many tables are sorted: consecutive rows
        would be other rows than those of training. It is reduced to the number of rows of the largest class.
    random_state : RandomState or int, default=0
        Shuffles them.
    """
    source = np.repeat(np.arange(table.n_rows), table.row_weights)
    codes = labels.codes[source]
    if cv is None or isinstance(cv, Integral):
        cv = min(DEFAULT_FOLDS if cv is None else int(cv), int(np.bincount(codes).max(initial=0)))
        if cv < 2:
            raise InputError(
                f"cross-validation needs two rows of a class, but there is at most one sample of each (n_samples = "
                f"{len(source)}); add rows, or pass a price for each leaf (alpha), or max_errors"
            )
        cv = StratifiedKFold(cv, shuffle=True, random_state=random_state)
    splits = check_cv(cv).split(source[:, None], codes)
    try:
        counts = [[np.bincount(source[part], minlength=table.n_rows) for part in split] for split in splits]
    except IndexError as error:
        raise InputError(f"cv holds row numbers that the table does not have ({error}); split these rows") from None
    return tuple(Fold(training, validation) for training, validation in counts)


@dataclass(frozen=True, slots=True, eq=False)
class FoldTree:
    """A tree of a fold.

    Parameters
    ----------
    tree : Tree
    weights : ndarray of float, shape (n_nodes, n_classes)
        The weight of the training rows per node and class.
    is_proved : bool
        Whether it is proved that no tree of at most this size costs less.
    """

    tree: Tree
    weights: NDArray[np.float64]
    is_proved: bool


@dataclass(frozen=True, slots=True, eq=False)
class FoldFront:
    """The best trees of the training part of a fold.

    Parameters
    ----------
    trees : dict of int to FoldTree
        One for each size that was asked for, as far as the time sufficed.
    status : str
        Why the search ended, as for a front.
    """

    trees: dict[int, FoldTree]
    status: Status


def solve_fold(task: tuple[Rows, FrontParameters, Sequence[int], float]) -> FoldFront | None:
    """Find the best trees of some sizes; a function of its argument, to be called by any process.

    Parameters
    ----------
    task : tuple
        The training rows; the parameters of the front; the maximum numbers of nodes, in ascending order; and the
        seconds that it may take. One tuple for all, which joblib's Dask backend sends along with the task.

    Returns
    -------
    FoldFront or None
        None if the table could not be turned into binary features in time.
    """
    rows, parameters, sizes, seconds = task
    clock = Clock(seconds)
    try:
        prepared = parameters.prepare(rows, clock)
    except UnfinishedError:
        return None
    constraints = parameters.constraints(prepared, sizes[-1])
    search_clock = clock.part(SEARCH_SHARE)
    front = find_front(prepared, constraints, clock=search_clock, memory_limit=parameters.memory_limit)
    trees: dict[int, FoldTree] = {}
    of_point: dict[int, FoldTree] = {}
    for size in coarse_to_fine(sizes):
        if trees and clock.is_over:
            break
        point = front.at(max_nodes=size)
        if point.n_nodes not in of_point:
            of_point[point.n_nodes] = _fold_tree(point, prepared)
        trees[size] = of_point[point.n_nodes]
    return FoldFront(trees, front.status)


def coarse_to_fine(sizes: Sequence[int]) -> Iterator[int]:
    """Yield all sizes: the largest and every eighth below it first, then every fourth, every second, and the rest.

    If the time ends early, the sizes that were reached cover the whole range, so that small trees do not win for lack
    of others.

    >>> list(coarse_to_fine([1, 3, 5, 7, 9, 11]))
    [11, 3, 7, 1, 5, 9]
    """
    for step in (8, 4, 2, 1):
        for index, size in enumerate(sizes):
            steps_below, is_even_step = divmod(len(sizes) - 1 - index, step)
            if is_even_step == 0 and (step == 8 or steps_below % 2):
                yield size


def _fold_tree(point: FrontPoint, prepared: PreparedCosts) -> FoldTree:
    tree, codes, weights = point.tree, prepared.labels.codes, prepared.weights
    return FoldTree(tree, tree.weights_of_nodes(tree.apply(prepared.table), codes, weights), point.status == "optimal")


def training_rows(rows: Rows, fold: Fold, index: int) -> Rows:
    """Return the rows of the training part of a fold; raise InputError if there are none."""
    counts = fold.training[rows.numbers]
    if not counts.any():
        raise InputError(f"fold {index} of cv has no training row with a weight, of {quantity(len(counts), 'row')}")
    return rows.with_weights(counts)
