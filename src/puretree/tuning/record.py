"""The front and its cross-validation as plain values, which runs and saved classifiers store, and reports show.

The trees and the training rows are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from .._support.fields import read_field
from ..errors import FormatError
from ..outcome import Status
from .cross_validation import CrossValidation
from .target import distinct_points

if TYPE_CHECKING:
    from .fit_result import OptimalFitResult

Steps = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class PointRecord:
    """A point of the front.

    Parameters
    ----------
    n_nodes, errors : int
        The size of the tree, and how many training rows it misclassifies.
    cost, lower_bound : float
        Its cost, and a bound of the least cost of a tree of this size.
    status : str
        ``optimal`` if it is proved, else why it is not.
    """

    n_nodes: int
    errors: int
    cost: float
    lower_bound: float
    status: Status

    @classmethod
    def from_dict(cls, data: Any) -> PointRecord:
        """Read the result of ``asdict``; raise FormatError for anything else."""
        n_nodes, errors = (_read_count(data, name) for name in ("n_nodes", "errors"))
        cost, lower = (read_field(data, name, int | float) for name in ("cost", "lower_bound"))
        status = read_field(data, "status", str)
        if status not in get_args(Status) or n_nodes % 2 == 0 or not 0 <= lower <= cost:
            raise FormatError(f"'points' has the invalid value {data!r}")
        return cls(n_nodes, errors, cost, lower, status)


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """The scores of one size on the validation rows of the folds.

    Parameters
    ----------
    max_nodes : int
    mean, std : float
        Of the accuracy, or of minus the mean cost, over the folds.
    n_proved : int
        The number of folds in which the tree of this size is proved optimal.
    """

    max_nodes: int
    mean: float
    std: float
    n_proved: int

    @classmethod
    def from_dict(cls, data: Any) -> ScoreRecord:
        """Read the result of ``asdict``; raise FormatError for anything else."""
        mean, std = (float(read_field(data, name, int | float)) for name in ("mean", "std"))
        return cls(_read_count(data, "max_nodes"), mean, std, _read_count(data, "n_proved"))


@dataclass(frozen=True, slots=True)
class FrontRecord:
    """A front with the chosen point and the cross-validation.

    Parameters
    ----------
    points : tuple of PointRecord
        Smallest tree first; of a long front without those that are hardly larger than another one.
    chosen : int
        The number of nodes of the chosen point.
    status : str
        ``optimal`` if all points are proved, and that there are no others; else why not.
    counts_errors : bool
        Whether costs are numbers of errors.
    scores_accuracy : bool
        Whether scores are accuracies; else minus the mean cost.
    total_weight : float
        Of the training rows: their number, unless they have weights.
    upper, lower : tuple of (int, float)
        The numbers of nodes at which the least known cost drops, and its lower bound, with the values from there on.
    pruning_path : tuple of (int, float)
        The number of nodes and the cost of each tree of CART's pruning path; empty if CART does not support the
        constraints.
    scores : tuple of ScoreRecord
        By size; empty without cross-validation.
    n_folds : int
        The number of folds with scores.
    is_validated : bool
        Whether all folds were solved for all sizes, each tree with a proof.
    """

    points: tuple[PointRecord, ...]
    chosen: int
    status: Status
    counts_errors: bool
    scores_accuracy: bool
    total_weight: float
    upper: Steps
    lower: Steps
    pruning_path: Steps
    scores: tuple[ScoreRecord, ...] = ()
    n_folds: int = 0
    is_validated: bool = False

    @classmethod
    def of(cls, result: OptimalFitResult) -> FrontRecord:
        """Return the record of a fit."""
        front, validated = result.front, result.tuned.validated
        points = {point.n_nodes: point for point in distinct_points(front)}
        points |= {point.n_nodes: point for point in front if point.n_nodes == result.point.n_nodes}
        return cls(
            points=tuple(
                PointRecord(point.n_nodes, point.errors, point.cost, point.lower_bound, point.status)
                for _, point in sorted(points.items())
            ),
            chosen=result.point.n_nodes,
            status=front.status,
            counts_errors=front.counts_errors,
            scores_accuracy=validated is None or validated.counts_errors,
            total_weight=float(front.prepared.weights.sum()),
            upper=_drops(front.upper),
            lower=_drops(front.lower),
            pruning_path=() if front.constraints.root is not None else tuple(front.pruning_path()),
            scores=() if validated is None else _scores(validated),
            n_folds=0 if validated is None else len(validated.fronts),
            is_validated=validated is not None and validated.is_complete,
        )

    @property
    def point(self) -> PointRecord:
        """The chosen point."""
        return next(point for point in self.points if point.n_nodes == self.chosen)

    @property
    def chosen_score(self) -> ScoreRecord | None:
        """The score of the chosen point; None if it has none."""
        return self.score_of(self.chosen)

    def score_of(self, n_nodes: int) -> ScoreRecord | None:
        """Return the score of a size; None if it was not compared."""
        return next((score for score in self.scores if score.max_nodes == n_nodes), None)

    def validation_costs(self) -> list[tuple[int, float, float]]:
        """Return for each size the cost on new rows, as many as the training rows, and its standard error.

        Costs on validation rows are on the scale of training costs then: numbers of errors if errors are counted.
        """
        best = 1.0 if self.scores_accuracy else 0.0
        of_error = self.total_weight / max(1, self.n_folds - 1) ** 0.5  # the mean of n folds; std has n, not n - 1
        return [
            (score.max_nodes, (best - score.mean) * self.total_weight, score.std * of_error) for score in self.scores
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as values that JSON can represent."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> FrontRecord:
        """Read the result of :meth:`to_dict`; raise FormatError for anything else."""
        points = tuple(map(PointRecord.from_dict, read_field(data, "points", list)))
        sizes = [point.n_nodes for point in points]
        chosen, status = read_field(data, "chosen", int), read_field(data, "status", str)
        total = float(read_field(data, "total_weight", int | float))
        if sizes != sorted(set(sizes)) or chosen not in sizes or status not in get_args(Status) or total <= 0:
            raise FormatError("'front' has no consistent points, status and weight; fit again")
        return cls(
            points,
            chosen,
            status,
            read_field(data, "counts_errors", bool),
            read_field(data, "scores_accuracy", bool),
            total,
            _read_curve(data, "upper"),
            _read_curve(data, "lower"),
            _read_steps(data, "pruning_path"),
            tuple(map(ScoreRecord.from_dict, read_field(data, "scores", list))),
            _read_count(data, "n_folds"),
            read_field(data, "is_validated", bool),
        )


def _drops(curve: Sequence[float]) -> Steps:
    """Return the numbers of nodes at which a curve over the number of tests drops, with the value from there on."""
    steps = zip(curve, [None, *curve], strict=False)
    return tuple((2 * n_tests + 1, value) for n_tests, (value, before) in enumerate(steps) if value != before)


def _scores(validated: CrossValidation) -> tuple[ScoreRecord, ...]:
    results = validated.to_dict()
    names = ("param_max_nodes", "mean_test_score", "std_test_score", "n_proved")
    return tuple(ScoreRecord(*row) for row in zip(*(results[name].tolist() for name in names), strict=True))


def _read_count(data: Any, name: str) -> int:
    value: int = read_field(data, name, int)
    if value < 0:
        raise FormatError(f"{name!r} has the invalid value {value}")
    return value


def _read_steps(data: Any, name: str) -> Steps:
    pairs = read_field(data, name, list)
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise FormatError(f"{name!r} has the invalid value {pair!r}")
    steps = [dict(zip(("n_nodes", "cost"), pair, strict=True)) for pair in pairs]
    return tuple((_read_count(step, "n_nodes"), read_field(step, "cost", int | float)) for step in steps)


def _read_curve(data: Any, name: str) -> Steps:
    steps = _read_steps(data, name)
    sizes = [n_nodes for n_nodes, _ in steps]
    if sizes[:1] != [1] or sizes != sorted(set(sizes)):
        raise FormatError(f"{name!r} is no curve from 1 node on")
    return steps
