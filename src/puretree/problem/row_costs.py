"""What each label costs for each row: sample weights, class weights and a cost matrix as integers.

The cost of labelling a row with class c is sample weight × class weight × cost_matrix[class of the row, c]. Engines add
and compare costs exactly, so costs are multiples of a unit. Weights such as 0.1 or 1/3 are read as the fractions that
they stand for, and then a unit exists for which nothing is rounded; only if the integers were too large, costs are
rounded to the finest unit that is a power of two.

Where the class of a row is only known with a probability, as under a teacher, a label costs what is expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd, inf, lcm, ldexp, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, near, shorten
from ..table import Labels, Level

TOTAL_LIMIT = 2**30  # of the costs of all rows: every sum of costs fits into 32 bits, also after one addition
MAX_DENOMINATOR = 10**6  # of a fraction that a number stands for
MAX_EXPONENT = 1021  # 2 to this power, and its inverse, are normal floats
COST_BYTES = 32  # of a row and a class: the cost, and its copies in double precision

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RowCosts:
    """The cost of labelling each row with each class.

    Parameters
    ----------
    costs : ndarray of int32, shape (n_rows, n_classes)
        In units; a row of a table with weights stands for several rows, whose costs are added.
    rows : ndarray of intp
        The numbers of these rows in the table: those that have a weight.
    n_rows : ndarray of int64
        The number of rows of the source that each row stands for.
    unit : float
        The cost that one integer unit stands for.
    is_rounded : bool
        Whether costs were rounded to units.
    weights : ndarray of float
        The sample weight × class weight of each row, added over the rows of the source that it stands for.
    counts_errors : bool
        Whether the cost of a label is the number of rows with another one.
    factors : _Factors, optional
        What the costs are products of; None if they are any numbers.
    """

    costs: NDArray[np.int32]
    rows: NDArray[np.intp]
    n_rows: Integers
    unit: float
    is_rounded: bool
    weights: Floats
    counts_errors: bool
    factors: _Factors | None = None

    @classmethod
    def read(
        cls,
        labels: Labels,
        *,
        class_weight: Any = None,
        sample_weight: Any = None,
        cost_matrix: Any = None,
        row_weights: Integers | None = None,
    ) -> RowCosts:
        """Read the parameters about costs.

        Parameters
        ----------
        labels : Labels
            The class of each row.
        class_weight : mapping of label to float, "balanced" or None
            The weight of the rows of each class; 1 for classes that are not in the mapping. "balanced" gives every
            class the same total weight, as in scikit-learn.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row; rows of weight 0 are ignored.
        cost_matrix : array-like of shape (n_classes, n_classes), optional
            The cost of labelling a row of class i with class j; classes are sorted. By default 1 for every error.
        row_weights : ndarray of int64, optional
            The number of equal rows that each row stands for; 1 by default.
        """
        n_classes, codes = len(labels.classes), labels.codes
        if not len(codes):
            raise InputError("the table is empty; at least one row is required")
        multiples = np.ones(len(codes), dtype=np.int64) if row_weights is None else row_weights
        samples = None if sample_weight is None else _read_sample_weight(sample_weight, len(codes))
        matrix = _read_cost_matrix(cost_matrix, labels.classes)
        has_weight = np.ones(len(codes), dtype=np.bool_) if samples is None else np.asarray(samples > 0)
        n_rows_of_class = np.zeros(n_classes, dtype=np.int64)
        np.add.at(n_rows_of_class, codes[has_weight], multiples[has_weight])
        weights = _read_class_weight(class_weight, labels.classes, n_rows_of_class.tolist())
        has_weight &= np.array([weight > 0 for weight in weights])[codes]
        rows = np.flatnonzero(has_weight)
        if not len(rows):
            raise InputError(
                "every row has weight 0, so none is left; give some rows a positive sample_weight and class_weight"
            )
        codes, multiples = codes[rows], multiples[rows]
        if int(multiples.sum()) >= TOTAL_LIMIT:
            raise InputError(f"the table has {multiples.sum():,} rows; costs need fewer than {TOTAL_LIMIT:,}")
        occurs = np.bincount(codes, minlength=n_classes) > 0
        factors = _Factors(
            np.ones(len(rows)) if samples is None else samples[rows],
            [weight if occurs[code] else Fraction(0) for code, weight in enumerate(weights)],
            np.where(occurs[:, None], matrix, 0),
        )
        costs, unit, is_rounded = factors.exact(codes, multiples) or factors.rounded(codes, multiples)
        is_error = np.arange(n_classes) != codes[:, None]
        return cls(
            costs=costs.astype(np.int32),
            rows=rows,
            n_rows=multiples,
            unit=unit,
            is_rounded=is_rounded,
            weights=factors.weights_of_rows(codes, multiples),
            counts_errors=unit == 1 and bool((costs == is_error * multiples[:, None]).all()),
            factors=factors,
        )

    @classmethod
    def from_matrix(cls, costs: Floats, n_rows: Integers, weights: Floats) -> RowCosts:
        """Return any costs of any rows, in a unit for which nothing is rounded if there is one.

        Parameters
        ----------
        costs : ndarray of float, shape (n_rows, n_classes)
            The cost of labelling each row with each class, added over the rows of the source that it stands for.
        n_rows, weights : ndarray of shape (n_rows,)
            As for :class:`RowCosts`; a row may count as none.

        Examples
        --------
        >>> costs = RowCosts.from_matrix(np.array([[0.25, 0.75], [1.0, 0.0]]), np.ones(2, dtype=np.int64), np.ones(2))
        >>> costs.costs.tolist(), costs.unit
        ([[1, 3], [4, 0]], 0.25)
        """
        exact = _integers(costs)
        if exact is not None and int(exact[0].max(axis=1).sum()) < TOTAL_LIMIT:
            units, unit, is_rounded = exact[0], float(exact[1]), False
        else:
            units, unit, is_rounded = _round(costs, np.ones(len(costs), dtype=np.int64))
        return cls(
            costs=units.astype(np.int32),
            rows=np.arange(len(costs)),
            n_rows=n_rows,
            unit=unit,
            is_rounded=is_rounded,
            weights=weights,
            counts_errors=False,
        )

    def expected(
        self, of_rows: Floats, of_synthetic: Floats, multiples: Integers, *, counts_synthetic: bool
    ) -> RowCosts:
        """Return what labels cost if classes are only known with a probability, for the rows and for synthetic ones.

        Parameters
        ----------
        of_rows, of_synthetic : ndarray of float, shape (n_rows, n_classes)
            The probability of each class for these rows, and for synthetic ones, which have the mean sample weight.
        multiples : ndarray of int64
            The number of equal rows that each synthetic row stands for.
        counts_synthetic : bool
            Whether synthetic rows count as rows.
        """
        assert self.factors is not None
        samples = self.factors.samples.astype(np.float64)
        is_uniform = bool((samples == samples[0]).all())
        mean = samples[0] if is_uniform else samples @ self.n_rows / self.n_rows.sum()
        of_row = np.append(samples * self.n_rows, mean * multiples)
        probabilities = np.concatenate([of_rows, of_synthetic])
        n_rows = np.append(self.n_rows, multiples * counts_synthetic)
        return RowCosts.from_matrix(
            of_row[:, None] * (probabilities @ self.factors.of_classes),
            n_rows,
            of_row * (probabilities @ self.factors.class_weights),
        )

    @property
    def total_weight(self) -> float:
        """The total weight of the rows; their number without weights."""
        return float(self.weights.sum())

    def of(self, codes: NDArray[np.int32]) -> int:
        """Return the total cost, in units, of labelling each row with a class."""
        return int(self.costs[np.arange(len(codes)), codes].sum(dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class SampleWeights:
    """The weights of the rows that have one, where no errors are allowed.

    Parameters
    ----------
    rows : ndarray of intp
        The numbers of the rows of positive weight.
    weights : ndarray of float
        Their weights.
    votes : ndarray of int64
        Their weights times the number of equal rows that each stands for, as multiples of a unit: sums are exact.
    """

    rows: NDArray[np.intp]
    weights: Floats
    votes: Integers

    @classmethod
    def read(cls, sample_weight: Any, row_weights: Integers) -> SampleWeights:
        """Read the parameter.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,)
            The weight of each row; rows of weight 0 are ignored.
        row_weights : ndarray of int64
            The number of equal rows that each row stands for.
        """
        samples = _read_sample_weight(sample_weight, len(row_weights))
        rows = np.flatnonzero(samples)
        if not len(rows):
            raise InputError("all sample weights are zero, so no row is left; give some rows a positive sample_weight")
        factors = _Factors(samples[rows], [Fraction(1)], np.ones((1, 1), dtype=np.int64))
        single, multiples = np.zeros(len(rows), dtype=np.int32), row_weights[rows]
        votes, _, _ = factors.exact(single, multiples) or factors.rounded(single, multiples)
        return cls(rows, samples[rows].astype(np.float64), votes[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class _Factors:
    """The factors of a cost: of the row, of its class, and of the pair of its class and its label."""

    samples: NDArray[Any]
    weights: list[Fraction]
    matrix: NDArray[Any]

    @property
    def of_classes(self) -> Floats:
        """The cost of each label for a row of each class whose sample weight is 1."""
        return self.class_weights[:, None] * self.matrix.astype(np.float64)

    @property
    def class_weights(self) -> Floats:
        """The weight of each class."""
        return np.array([float(weight) for weight in self.weights])

    def weights_of_rows(self, codes: NDArray[np.int32], multiples: Integers) -> Floats:
        """Return the weight of each row without the matrix."""
        return np.asarray(self.samples.astype(np.float64) * self.class_weights[codes] * multiples)

    def exact(self, codes: NDArray[np.int32], multiples: Integers) -> tuple[Integers, float, bool] | None:
        """Return the costs without rounding, and their unit; None if they would be too large."""
        samples, weights, matrix = (
            _integers(self.samples),
            _common_multiples(self.weights),
            _integers(self.matrix),
        )
        if samples is None or weights is None or matrix is None:
            return None
        (of_row, row_unit), (of_class, class_unit), (of_pair, pair_unit) = samples, weights, matrix
        if int(of_row.max()) * max(of_class) * int(of_pair.max()) >= TOTAL_LIMIT:
            return None
        by_class = np.array(of_class, dtype=np.int64)[:, None] * of_pair
        per_row = of_row * multiples  # a product of two numbers below the limit
        if int((by_class.max(axis=1)[codes] * of_row).astype(np.float64) @ multiples.astype(np.float64)) >= TOTAL_LIMIT:
            return None
        return per_row[:, None] * by_class[codes], float(row_unit * class_unit * pair_unit), False

    def rounded(self, codes: NDArray[np.int32], multiples: Integers) -> tuple[Integers, float, bool]:
        """Return the costs as multiples of the finest unit that is a power of two, and the unit."""
        with np.errstate(over="ignore"):
            costs = self.samples.astype(np.float64)[:, None] * self.of_classes[codes]
        return _round(costs, multiples)


def _round(costs: Floats, multiples: Integers) -> tuple[Integers, float, bool]:
    """Return the costs of rows, each as often as a multiple says, in the finest unit that is a power of two."""
    with np.errstate(over="ignore"):
        total = float(costs.max(axis=1) @ multiples.astype(np.float64))
    if total == inf:
        raise InputError("the costs are too large for floats; divide sample_weight, class_weight or cost_matrix")
    room = TOTAL_LIMIT - 1 - int(multiples.sum()) / 2  # rounding adds at most half a unit a row
    exponent = max(-MAX_EXPONENT, min(MAX_EXPONENT, floor(log2(room) - log2(total)))) if total > 0 else 0
    while ldexp(total, exponent) > room:  # the logarithms may be rounded up
        exponent -= 1
    units = np.rint(np.ldexp(costs, exponent)).astype(np.int64)
    return units * multiples[:, None], ldexp(1.0, -exponent), True


def _integers(values: NDArray[Any]) -> tuple[Integers, Fraction] | None:
    """Return numbers as integer multiples of a common unit, and the unit; None if the integers are too large."""
    distinct, index = np.unique(values, return_inverse=True)
    multiples = _common_multiples(map(_fraction, distinct))
    if multiples is None:
        return None
    return np.array(multiples[0], dtype=np.int64)[index].reshape(values.shape), multiples[1]


def _common_multiples(fractions: Iterable[Fraction]) -> tuple[list[int], Fraction] | None:
    """Return fractions as integer multiples of the largest common unit, and the unit; None if they are too large."""
    values, denominator = [], 1
    for value in fractions:
        denominator = lcm(denominator, value.denominator)
        if denominator >= TOTAL_LIMIT:  # early: there may be a million values
            return None
        values.append(value)
    integers = [value.numerator * (denominator // value.denominator) for value in values]
    divisor = gcd(*integers) or 1
    integers = [integer // divisor for integer in integers]
    return None if max(integers) >= TOTAL_LIMIT else (integers, Fraction(divisor, denominator))


def _fraction(number: np.generic) -> Fraction:
    """Return the simple fraction that a number stands for in its precision, or else the number itself.

    >>> _fraction(np.float64(0.1)), _fraction(np.float32(0.1)), _fraction(np.float64(3.0))
    (Fraction(1, 10), Fraction(1, 10), Fraction(3, 1))
    """
    exact = Fraction(number.item())
    simple = exact.limit_denominator(MAX_DENOMINATOR)
    return simple if number.dtype.type(float(simple)) == number else exact


def _read_numbers(name: str, value: Any, shape: tuple[int, ...], expected: str) -> NDArray[Any]:
    """Return a parameter as an array of finite numbers of at least 0; raise InputError for anything else."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} does not hold numbers only ({error}); pass {expected}") from None
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; pass {expected}")
    wrong = np.argwhere(~(np.isfinite(array) & (array >= 0)))
    if len(wrong):
        position = f"[{', '.join(map(str, wrong[0].tolist()))}]" if shape else ""
        raise InputError(f"{name}{position} is {array[tuple(wrong[0])]}; use a finite number of at least 0")
    return array.astype(np.float64) if array.dtype == np.float16 else array


def _read_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[Any]:
    return _read_numbers("sample_weight", sample_weight, (n_rows,), f"one weight for each of the {n_rows:,} rows")


def _read_cost_matrix(cost_matrix: Any, classes: tuple[Level, ...]) -> NDArray[Any]:
    n_classes = len(classes)
    if cost_matrix is None:
        return 1 - np.eye(n_classes, dtype=np.int64)
    expected = (
        f"a row and a column for each of the {n_classes} classes, in this order: {shorten(classes)}; "
        "entry [i, j] is the cost of labelling a row of class i with class j"
    )
    matrix = _read_numbers("cost_matrix", cost_matrix, (n_classes, n_classes), expected)
    if n_classes > 1 and not matrix.any():
        raise InputError("cost_matrix is 0 everywhere, so all trees cost the same; give errors a positive cost")
    return matrix


def _read_class_weight(class_weight: Any, classes: tuple[Level, ...], n_rows: list[int]) -> list[Fraction]:
    """Return the weight of each class, of which the table has a number of rows."""
    if class_weight is None:
        return [Fraction(1)] * len(classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        n_present = sum(n > 0 for n in n_rows)
        return [Fraction(sum(n_rows), n_present * n) if n else Fraction(0) for n in n_rows]
    if not isinstance(class_weight, Mapping):
        raise InputError(
            "is unknown; use 'balanced', a dictionary from labels to weights, or None",
            parameter="class_weight",
            value=class_weight,
        )
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        names = [str(label) for label in classes]
        raise InputError(
            f"has a weight for {unknown[0]!r}, which is not a label{near(str(unknown[0]), names)}; the labels are "
            f"{shorten(repr(label) for label in classes)}",
            parameter="class_weight",
            value=class_weight,
        )
    weights = []
    for label in classes:
        weight = class_weight.get(label, 1)
        number = _read_numbers(f"class_weight of {label!r}", weight, (), "a number")
        weights.append(_fraction(np.float64(number)))
    return weights
