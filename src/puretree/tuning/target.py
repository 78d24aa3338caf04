"""The point of the front that is wanted: of a price, of a number of errors, or the best by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from .._support.clock import Clock
from ..errors import InputError
from ..pareto import Front, FrontPoint, Request
from ..pareto.questions import ProvedPoint
from ..pareto.search import Goal
from ..problem import PreparedCosts
from ..selection import Rows
from ..table import Labels, Table
from .cross_validation import RULES, CrossValidation, FoldsSolved, Rule, cross_validate
from .folds import Fold, FrontParameters, split_folds
from .smoothing import choose_smoothing

# The shares of the time: for the front of all rows, then for the folds; the rest is for the trees of the point. Without
# cross-validation, the front has the share of both.
FRONT_SHARE, FOLDS_SHARE = 1 / 3, 1 / 2

DIFFERENCE = 1.1  # the ratio of sizes that are compared, at least: all up to 21 nodes
ROWS_PER_LEAF = 2.0  # that a leaf must save if there was no time for the cross-validation


@dataclass(frozen=True, slots=True)
class Tuned:
    """The chosen point.

    Parameters
    ----------
    point : FrontPoint
    validated : CrossValidation or None
        None if there was no cross-validation.
    index : int or None
        Of the chosen size.
    smoothing : float
        The strength of smoothing.
    """

    point: FrontPoint
    validated: CrossValidation | None
    index: int | None
    smoothing: float


@dataclass(frozen=True, slots=True)
class Target:
    """Which point of the front is wanted.

    Parameters
    ----------
    alpha, max_errors, cv, rule, smoothing, n_jobs
        As for :class:`puretree.OptimalTreeClassifier`.
    """

    alpha: float | str = "cv"
    max_errors: int | None = None
    cv: Any = 5
    rule: Rule = "best"
    smoothing: float | str = "cv"
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InputError(f"is unknown; use one of {', '.join(RULES)}", parameter="rule", value=self.rule)
        if isinstance(self.alpha, str) and self.alpha != "cv":
            raise InputError("is neither a price nor 'cv'", parameter="alpha", value=self.alpha)
        if self.max_errors is not None and self.alpha != "cv":
            raise InputError("contradicts max_errors; use one of them", parameter="alpha", value=self.alpha)
        is_strength = isinstance(self.smoothing, Real) and not isinstance(self.smoothing, bool)
        if self.smoothing != "cv" and not (is_strength and 0 <= float(self.smoothing) < float("inf")):
            raise InputError("is not a number of at least 0, nor 'cv'", parameter="smoothing", value=self.smoothing)

    @property
    def is_validated(self) -> bool:
        """Whether the point is chosen by cross-validation."""
        return self.alpha == "cv" and self.max_errors is None

    def split(self, table: Table, labels: Labels, random: np.random.RandomState) -> tuple[Fold, ...]:
        """Return the folds, if there are any."""
        return split_folds(table, labels, self.cv, random) if self.is_validated else ()

    def clock(self, clock: Clock) -> Clock:
        """Return the clock of the front of all rows."""
        return clock.part(FRONT_SHARE if self.is_validated else FRONT_SHARE + FOLDS_SHARE)

    def goal(self, prepared: PreparedCosts) -> Goal | None:
        """Return where the search for the front of all rows ends; None for the whole front."""
        if self.is_validated:
            return None
        price = None if isinstance(self.alpha, str) else self.alpha
        return ProvedPoint(Request(max_errors=self.max_errors, alpha=price).question(prepared))

    def choose(
        self,
        front: Front,
        rows: Rows,
        folds: Sequence[Fold],
        parameters: FrontParameters,
        clock: Clock,
        on_progress: Callable[[FoldsSolved], None] | None = None,
    ) -> Tuned:
        """Choose the point.

        Parameters
        ----------
        front : Front
            Of all rows.
        rows : Rows
            All rows that have a sample weight.
        folds : sequence of Fold
        parameters : FrontParameters
        clock : Clock
            Of the whole fit; an interrupt has stopped it.
        on_progress : callable, optional
            Called after each fold.
        """

        def on_fold(n_solved: int) -> None:
            if on_progress is not None:
                on_progress(FoldsSolved(clock.seconds, n_solved, len(folds)))

        validated, index, points = None, None, distinct_points(front)
        if self.is_validated and not clock.is_stopped:
            sizes = [point.n_nodes for point in points]
            part = clock.part(FOLDS_SHARE / (1 - FRONT_SHARE))
            limits: Any = {"clock": part, "n_jobs": self.n_jobs, "on_fold": on_fold}
            validated = cross_validate(rows, front.prepared, sizes, folds, parameters, **limits)
            if part.is_stopped:
                clock.stop()
        if validated is not None:
            index = validated.best(self.rule)
            point = next(point for point in points if point.n_nodes == validated.sizes[index])
        else:
            point = self._at(front)
        smoothing = choose_smoothing(validated, index) if isinstance(self.smoothing, str) else float(self.smoothing)
        return Tuned(point, validated, index, smoothing)

    def _at(self, front: Front) -> FrontPoint:
        """Return the point without cross-validation."""
        if self.max_errors is not None:
            return front.at(max_errors=self.max_errors)
        return front.at(alpha=ROWS_PER_LEAF / front.n_rows if isinstance(self.alpha, str) else self.alpha)


def distinct_points(front: Front) -> list[FrontPoint]:
    """Return the points to compare: without those that are hardly larger than another one.

    The last point is always one of them. To make the trees of thousands of points would take more time than the search.
    """
    points: list[FrontPoint] = []
    for point in front:
        if not points or point.n_nodes >= DIFFERENCE * points[-1].n_nodes or point is front[-1]:
            points.append(point)
    return points
