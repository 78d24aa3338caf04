"""Cross-validation over the points of the front: how many nodes are best on other rows than those of training.

The front of each fold contains the best tree of every size, so one search for each fold compares all sizes. The results
have the names of scikit-learn's ``GridSearchCV``.

Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees*, 1984: the rule of one standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._support.clock import Clock
from .._support.resources import MOST_BYTES
from .._support.text import quantity
from ..errors import InputError
from ..problem import PreparedCosts
from ..selection import Rows
from ..table import Table
from ..tree import Tree
from .folds import Fold, FoldFront, FrontParameters, solve_fold, training_rows

Rule = Literal["best", "one-se"]
RULES: tuple[Rule, ...] = ("best", "one-se")
SAME = 1e-12  # scores that differ by less are equal: they are sums of floats
LEAST_SIZES = 1 / 8  # of the sizes, that a fold must have had time for; they cover the whole range
GRACE = 5.0  # seconds after the time limit in which the result of a worker is awaited

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FoldsSolved:
    """How far a cross-validation is.

    Parameters
    ----------
    seconds : float
        Since the start of the fit.
    n_solved, n_folds : int
    """

    seconds: float
    n_solved: int
    n_folds: int

    @property
    def text(self) -> str:
        """What is solved, without the time."""
        return f"cross-validation: {self.n_solved} of {quantity(self.n_folds, 'fold')}"

    def __str__(self) -> str:
        return f"{self.text} · {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """The validation part of a fold.

    Parameters
    ----------
    table : Table
    codes : ndarray of int32
        The class of each row.
    costs : ndarray of float, shape (n_rows, n_classes)
        What it costs to label each row with each class.
    weights : ndarray of float
        The weight of each row.
    """

    table: Table
    codes: NDArray[np.int32]
    costs: Floats
    weights: Floats

    @classmethod
    def of(cls, prepared: PreparedCosts, counts: NDArray[np.int64]) -> Validation:
        """Return the rows of a problem, each as often as counted."""
        rows, costs = np.flatnonzero(counts), prepared.row_costs
        share = counts[rows] / costs.n_rows[rows]
        return cls(
            prepared.table.take(rows),
            prepared.labels.codes[rows],
            costs.costs[rows] * share[:, None] * costs.unit,
            costs.weights[rows] * share,
        )

    def score(self, tree: Tree, *, counts_errors: bool) -> float:
        """Return the weighted accuracy of a tree, or minus its mean cost."""
        cost = float(self.costs[np.arange(len(self.codes)), tree.predict_codes(self.table)].sum())
        total = float(self.weights.sum())
        return (total - cost) / total if counts_errors else -cost / total


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """The scores of trees of several sizes.

    Parameters
    ----------
    sizes : tuple of int
        The maximum numbers of nodes, in ascending order: those for which every fold had time.
    validations : tuple of Validation
        The validation parts of the folds that were solved.
    fronts : tuple of FoldFront
        Their trees.
    scores : ndarray of float, shape (n_folds, n_sizes)
        The weighted accuracy, or minus the mean cost where errors do not all cost the same.
    n_missing : int
        The number of folds that were not solved in time.
    n_skipped : int
        The number of sizes for which some fold had no time.
    counts_errors : bool, default=True
        Whether the scores are accuracies.
    """

    sizes: tuple[int, ...]
    validations: tuple[Validation, ...]
    fronts: tuple[FoldFront, ...]
    scores: Floats
    n_missing: int = 0
    n_skipped: int = 0
    counts_errors: bool = True

    @property
    def n_proved(self) -> NDArray[np.int64]:
        """The number of folds in which the tree of each size is proved optimal."""
        return np.array([sum(front.trees[size].is_proved for front in self.fronts) for size in self.sizes])

    @property
    def is_complete(self) -> bool:
        """Whether the trees of all sizes are proved optimal in all folds."""
        return not (self.n_missing or self.n_skipped or (self.n_proved < len(self.fronts)).any())

    def best(self, rule: Rule) -> int:
        """Return the index of the chosen size.

        Parameters
        ----------
        rule : {"best", "one-se"}
            The highest mean score, or the smallest size whose mean is within a standard error of it; the smallest size
            of several.
        """
        means, n_folds = self.scores.mean(axis=0), len(self.scores)
        best = int(np.flatnonzero(_reaches(means, means.max()))[0])
        if rule == "best" or n_folds == 1:
            return best
        error = float(self.scores[:, best].std(ddof=1)) / n_folds**0.5
        return int(np.flatnonzero(_reaches(means, means[best] - error))[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the results with the names of ``GridSearchCV.cv_results_``, and the number of proofs."""
        means = self.scores.mean(axis=0)
        return {
            "param_max_nodes": np.array(self.sizes),
            "params": [{"max_nodes": size} for size in self.sizes],
            **{f"split{index}_test_score": scores for index, scores in enumerate(self.scores)},
            "mean_test_score": means,
            "std_test_score": self.scores.std(axis=0),
            "rank_test_score": rankdata(-np.round(means, 12), method="min").astype(np.int32),
            "n_proved": self.n_proved,
        }


def _reaches(scores: Floats, least: float) -> NDArray[np.bool_]:
    return np.asarray(scores >= least - SAME * max(1.0, abs(least)))


def cross_validate(
    rows: Rows,
    prepared: PreparedCosts,
    sizes: Sequence[int],
    folds: Sequence[Fold],
    parameters: FrontParameters,
    *,
    clock: Clock,
    n_jobs: int | None = None,
    on_fold: Callable[[int], None] | None = None,
) -> CrossValidation | None:
    """Score trees of several sizes by cross-validation.

    Parameters
    ----------
    rows : Rows
        All rows that have a sample weight.
    prepared : PreparedCosts
        Their cost problem, which defines the scores.
    sizes : sequence of int
        The maximum numbers of nodes, in ascending order.
    folds : sequence of Fold
    parameters : FrontParameters
    clock : Clock
        Shared by all folds; an interrupt stops it.
    n_jobs : int, optional
        The number of folds that are solved at the same time, by joblib: in processes, unless another backend is active.
    on_fold : callable, optional
        Called with the number of folds that are solved: at the start, and after each fold.

    Returns
    -------
    CrossValidation or None
        None if no fold was solved in time, for an eighth of the sizes at least.
    """
    validations = [Validation.of(prepared, fold.validation[prepared.row_numbers]) for fold in folds]
    for index, validation in enumerate(validations):
        if not validation.weights.any():
            raise InputError(f"fold {index} of cv has no validation row with a weight; use fewer folds")
    parts = [training_rows(rows, fold, index) for index, fold in enumerate(folds)]
    fronts: list[FoldFront | None] = []

    def report() -> None:
        if on_fold is not None:
            on_fold(len(fronts))

    try:
        report()
        for front in _solve(parts, parameters, tuple(sizes), clock, n_jobs):
            fronts.append(front)
            report()
            if front is not None and front.status == "interrupted":
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        clock.stop()
    except TimeoutError:  # a worker is late, or lost
        pass
    solved = [
        (validation, front)
        for validation, front in zip(validations, fronts, strict=False)
        if front is not None and len(front.trees) >= LEAST_SIZES * len(sizes)
    ]
    if not solved:
        return None
    common = tuple(size for size in sizes if all(size in front.trees for _, front in solved))
    scores = [
        [validation.score(front.trees[size].tree, counts_errors=parameters.counts_errors) for size in common]
        for validation, front in solved
    ]
    return CrossValidation(
        common,
        tuple(validation for validation, _ in solved),
        tuple(front for _, front in solved),
        np.array(scores),
        n_missing=len(folds) - len(solved),
        n_skipped=len(sizes) - len(common),
        counts_errors=parameters.counts_errors,
    )


def _solve(
    parts: Sequence[Rows], parameters: FrontParameters, sizes: tuple[int, ...], clock: Clock, n_jobs: int | None
) -> Iterator[FoldFront | None]:
    """Solve folds, as many at the same time as there are workers; they share the time and the memory."""
    n_workers = min(effective_n_jobs(n_jobs), len(parts))
    memory_limit = parameters.memory_limit
    if n_workers > 1:
        memory_limit = (MOST_BYTES if memory_limit is None else memory_limit) / n_workers
    n_jobs_of_teacher = None if n_workers > 1 else n_jobs
    of_worker = replace(parameters, memory_limit=memory_limit, n_jobs=n_jobs_of_teacher)

    def tasks() -> Iterator[Any]:
        for index, part in enumerate(parts):
            if index and clock.is_over:
                return
            n_rounds = ceil((len(parts) - index) / n_workers)
            yield delayed(solve_fold)((part, of_worker, sizes, clock.left / n_rounds))

    parallel = Parallel(
        n_jobs=n_workers,
        return_as="generator",
        pre_dispatch="n_jobs",  # the time of a fold is known when the one before it is done
        batch_size=1,
        timeout=clock.left + GRACE if n_workers > 1 and clock.limit < inf else None,
    )
    yield from parallel(tasks())
