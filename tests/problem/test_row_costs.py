"""Costs of rows: weights and cost matrices as integers, exact where that is possible."""

from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.strategies import weighted_tables
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_sample_weight

from puretree import InputError
from puretree.problem.row_costs import TOTAL_LIMIT, RowCosts, SampleWeights
from puretree.table import Labels, read_labels

LABELS = read_labels(["a", "b", "b", "c"], 4)


def in_floats(y: list[int], options: dict[str, Any]) -> np.ndarray:
    """Return the costs of all rows in floating point, with class weights as scikit-learn computes them."""
    n_classes = max(y) + 1
    samples = np.ones(len(y)) if options["sample_weight"] is None else np.array(options["sample_weight"])
    matrix = 1 - np.eye(n_classes) if options["cost_matrix"] is None else options["cost_matrix"]
    counted = np.flatnonzero(samples)
    class_weight = options["class_weight"]
    if isinstance(class_weight, dict):
        class_weight = {label: class_weight.get(label, 1.0) for label in np.array(y)[counted].tolist()}
    weights = np.zeros(len(y))
    weights[counted] = compute_sample_weight(class_weight, np.array(y)[counted])
    costs: np.ndarray = (samples * weights)[:, None] * matrix[y]
    return costs


@given(weighted_tables())
def test_costs_are_products_of_weights_and_the_matrix(table: tuple[list[list[int]], list[int], dict[str, Any]]) -> None:
    """The integers times the unit are the products in floating point; rows of weight 0 are left out."""
    _, y, options = table
    expected = in_floats(y, options)
    costs = RowCosts.read(read_labels(y, len(y)), **options)
    samples = options["sample_weight"]
    assert costs.rows.tolist() == [row for row in range(len(y)) if samples is None or samples[row]]
    assert not costs.is_rounded
    np.testing.assert_allclose(costs.costs * costs.unit, expected[costs.rows], rtol=1e-12)


def test_errors_are_counted_by_default() -> None:
    """Without parameters a row costs 1 for every other label."""
    costs = RowCosts.read(LABELS)
    assert costs.costs.tolist() == [[0, 1, 1], [1, 0, 1], [1, 0, 1], [1, 1, 0]]
    assert (costs.unit, costs.is_rounded) == (1.0, False)
    assert costs.of(np.array([0, 0, 1, 1], dtype=np.int32)) == 2


def test_a_row_counts_as_often_as_its_table_says() -> None:
    """A table with weights has the same unit and total costs as one with repeated rows, also where they are rounded."""
    for options in ({}, {"class_weight": "balanced"}, {"cost_matrix": np.full((3, 3), 0.1)}):
        merged = RowCosts.read(LABELS, row_weights=np.array([2, 4, 1, 3]), **options)
        repeated = RowCosts.read(read_labels(list("aabbbbbccc"), 10), **options)
        assert merged.unit == repeated.unit
        assert merged.costs.sum(axis=0).tolist() == repeated.costs.sum(axis=0).tolist()
        assert merged.n_rows.tolist() == [2, 4, 1, 3]
    samples = [0.1234567, 2**0.5, 1e-3, 7.7]
    merged = RowCosts.read(LABELS, row_weights=np.array([2, 1, 1, 3]), sample_weight=samples)
    repeated = RowCosts.read(read_labels(list("aabbccc"), 7), sample_weight=np.repeat(samples, [2, 1, 1, 3]))
    assert merged.is_rounded
    assert repeated.is_rounded
    assert merged.unit == repeated.unit
    assert merged.costs[0].tolist() == (2 * repeated.costs[0]).tolist()


def test_balanced_weights_are_exact() -> None:
    """Every class has the same total weight, although no float is a third."""
    costs = RowCosts.read(LABELS, class_weight="balanced")
    assert costs.costs.tolist() == [[0, 2, 2], [1, 0, 1], [1, 0, 1], [2, 2, 0]]
    assert costs.unit == pytest.approx(2 / 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_decimals_are_exact_in_every_precision(dtype: type) -> None:
    """Weights written as decimals are those decimals: 0.1 and 0.2 and 0.3 are 1, 2 and 3 units of 0.1."""
    costs = RowCosts.read(LABELS, sample_weight=np.array([0.5, 0.25, 0.75, 1], dtype=dtype))
    assert costs.costs.max(axis=1).tolist() == [2, 1, 3, 4]
    if dtype != np.float16:
        costs = RowCosts.read(LABELS, sample_weight=np.array([0.1, 0.2, 0.3, 0.1], dtype=dtype))
        assert costs.costs.max(axis=1).tolist() == [1, 2, 3, 1]
        assert (costs.unit, costs.is_rounded) == (0.1, False)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e200])
def test_costs_are_rounded_to_the_finest_unit(scale: float) -> None:
    """Where no unit is exact, each cost is off by half a unit at most, and half the unit would exceed the limit."""
    rng = np.random.default_rng(0)
    weights = rng.random(1000) * scale
    labels = read_labels(rng.integers(0, 3, 1000), 1000)
    costs = RowCosts.read(labels, sample_weight=weights)
    assert costs.is_rounded
    total = int(costs.costs.max(axis=1).sum())
    assert TOTAL_LIMIT / 2 - 1000 < total < TOTAL_LIMIT
    assert np.abs(costs.costs.max(axis=1) * costs.unit - weights).max() <= costs.unit / 2
    assert isclose(costs.of(np.zeros(1000, dtype=np.int32)) * costs.unit, weights[labels.codes > 0].sum(), rel_tol=1e-6)


@given(st.lists(st.integers(1, 2**40), min_size=2, max_size=6))
def test_the_total_is_below_the_limit(weights: list[int]) -> None:
    """Large integers are divided by a common divisor, or else rounded: the total is always below the limit."""
    labels = Labels(("a", "b"), np.arange(len(weights), dtype=np.int32) % 2)
    costs = RowCosts.read(labels, sample_weight=weights)
    assert int(costs.costs.astype(np.int64).max(axis=1).sum()) < TOTAL_LIMIT
    if not costs.is_rounded:
        exact = [Fraction(int(cost)) * Fraction(costs.unit) for cost in costs.costs.max(axis=1)]
        assert exact == weights


def test_a_cost_matrix_may_cost_correct_labels() -> None:
    """Rows of a class without errors that cost anything still count as rows; the diagonal may be positive."""
    matrix = [[2, 3, 1], [0, 0, 0], [4, 4, 4]]
    costs = RowCosts.read(LABELS, cost_matrix=matrix)
    assert costs.costs.tolist() == [matrix[0], matrix[1], matrix[1], matrix[2]]
    assert costs.n_rows.tolist() == [1, 1, 1, 1]


def test_classes_of_weight_0_are_ignored() -> None:
    """A class weight of 0 leaves out the rows of the class, which then change neither unit nor balance."""
    costs = RowCosts.read(LABELS, class_weight={"b": 0, "a": 3, "c": 6})
    assert costs.rows.tolist() == [0, 3]
    assert costs.costs.tolist() == [[0, 1, 1], [2, 2, 0]]
    assert costs.unit == 3
    balanced = RowCosts.read(LABELS, class_weight="balanced", sample_weight=[1, 0, 0, 5])
    assert balanced.costs.tolist() == [[0, 1, 1], [5, 5, 0]]


def test_a_single_class_costs_nothing() -> None:
    """With one class every tree is free."""
    assert RowCosts.read(read_labels(["a", "a"], 2)).costs.tolist() == [[0], [0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_weight": "balance"}, "class_weight='balance' is unknown; use 'balanced', a dictionary"),
        ({"class_weight": [1, 2, 3]}, "use 'balanced', a dictionary from labels to weights, or None"),
        ({"class_weight": {"B": 2}}, r"a weight for 'B', which is not a label \(did you mean 'b'\?\); the labels are"),
        ({"class_weight": {"b": -1}}, "class_weight of 'b' is -1; use a finite number of at least 0"),
        ({"class_weight": {"b": "x"}}, "class_weight of 'b' does not hold numbers only .*; pass a number"),
        ({"class_weight": dict.fromkeys("abc", 0)}, "every row has weight 0, .*; give some rows a positive"),
        ({"sample_weight": [1, 2, 3]}, r"sample_weight has shape \(3,\); pass one weight for each of the 4 rows"),
        ({"sample_weight": [1, 2, float("nan"), 3]}, r"sample_weight\[2\] is nan; use a finite number of at least 0"),
        ({"sample_weight": [1, 2, -3, 3]}, r"sample_weight\[2\] is -3"),
        ({"sample_weight": [[1], [2, 3]]}, "sample_weight does not hold numbers only"),
        ({"sample_weight": [0, 0, 0, 0]}, "every row has weight 0"),
        ({"sample_weight": [1e308, 1e308, 1e308, 0.1]}, "too large for floats; divide sample_weight"),
        (
            {"cost_matrix": [[0, 1], [1, 0]]},
            r"shape \(2, 2\); pass a row and a column .* order: a, b, c; entry",
        ),
        ({"cost_matrix": [[0, 1, 1], [1, 0, float("inf")], [1, 1, 0]]}, r"cost_matrix\[1, 2\] is inf"),
        ({"cost_matrix": np.zeros((3, 3))}, "cost_matrix is 0 everywhere, .*; give errors a positive cost"),
        ({"row_weights": np.array([2**29, 2**29, 1, 1])}, "1,073,741,826 rows; costs need fewer than 1,073,741,824"),
    ],
)
def test_wrong_parameters_are_errors(options: dict[str, Any], message: str) -> None:
    """The message names the parameter, the entry and the remedy."""
    with pytest.raises(InputError, match=message):
        RowCosts.read(LABELS, **options)


def test_weights_may_be_a_series() -> None:
    """Weights of pandas, of booleans and of fractions are read."""
    expected = [[0, 1, 1], [1, 0, 1], [1, 0, 1]]
    for weights in (pd.Series([True, True, True, False]), [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3), 0]):
        assert RowCosts.read(LABELS, sample_weight=weights).costs.tolist() == expected


@pytest.mark.parametrize("scale", [1.0, 1e-9, np.pi * 1e12])
def test_votes_are_exact_multiples(scale: float) -> None:
    """Sums of votes compare as the sums of the weights; rows of weight 0 have none."""
    read = SampleWeights.read(np.array([0.1, 0.0, 0.2, 0.3]) * scale, np.array([1, 5, 1, 2]))
    assert read.rows.tolist() == [0, 2, 3]
    assert read.weights == pytest.approx(np.array([0.1, 0.2, 0.3]) * scale)
    if scale == 1:
        assert read.votes.tolist() == [1, 2, 6]
    assert read.votes / read.votes.sum() == pytest.approx(np.array([1, 2, 6]) / 9)


def test_any_costs_are_multiples_of_a_unit() -> None:
    """Exactly if possible, else in the finest unit that is a power of two."""
    ones = np.ones(2, dtype=np.int64)
    exact = RowCosts.from_matrix(np.array([[0.3, 0.1], [0.0, 0.7]]), ones, ones * 1.0)
    assert exact.costs.tolist() == [[3, 1], [0, 7]]
    assert (exact.unit, exact.is_rounded, exact.total_weight) == (0.1, False, 2)
    rounded = RowCosts.from_matrix(np.array([[np.pi, np.e], [0.0, 1e-7]]), ones, ones * 1.0)
    assert rounded.is_rounded
    assert rounded.costs * rounded.unit == pytest.approx(np.array([[np.pi, np.e], [0.0, 1e-7]]), abs=rounded.unit)
    assert not RowCosts.from_matrix(np.zeros((2, 2)), ones, ones * 1.0).costs.any()
