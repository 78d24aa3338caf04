"""Soft labels: expected costs of training rows and synthetic rows, and the front under them."""

from typing import Any

import numpy as np
import pytest

from puretree import front
from puretree._support.clock import Clock
from puretree.pareto import find_front
from puretree.problem import Constraints, PreparedCosts, SoftLabels, prepare_costs, quantise
from puretree.table import read_table

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.integers(0, 3, (30, 3)), np.arange(30) % 3
SYNTHETIC = RANDOM.integers(0, 3, (20, 3))
LEVELS = 4


def soft_labels() -> SoftLabels:
    """Return random probabilities for the rows and the synthetic ones."""
    of_rows, of_synthetic = (quantise(RANDOM.dirichlet(np.ones(3), n), LEVELS) for n in (30, 20))
    return SoftLabels(of_rows, read_table(SYNTHETIC), of_synthetic)


def prepared_with(soft: SoftLabels, **options: Any) -> PreparedCosts:
    """Return the problem of the rows with soft labels."""
    return prepare_costs(X, Y, soft_labels=soft, **options)


def test_probabilities_are_rounded_to_the_next_levels() -> None:
    """Rounded probabilities sum to 1, and differ by less than a level; those that are levels stay the same."""
    probabilities = RANDOM.dirichlet(np.full(5, 0.3), 200)
    rounded = quantise(probabilities, 8)
    assert (rounded.sum(axis=1) == 1).all()
    assert (rounded * 8 == np.rint(rounded * 8)).all()
    assert np.abs(rounded - probabilities).max() < 1 / 8
    assert (quantise(rounded, 8) == rounded).all()


def test_a_label_costs_one_minus_its_probability() -> None:
    """Exactly, in a unit of one level; the synthetic rows come after those of the table."""
    soft = soft_labels()
    prepared = prepared_with(soft)
    costs = prepared.solved_costs
    expected = 1 - np.concatenate([soft.of_rows, soft.of_synthetic])
    assert (costs.costs * costs.unit == expected).all()
    assert (costs.unit, costs.is_rounded, costs.counts_errors) == (1 / LEVELS, False, False)
    assert (costs.n_rows.sum(), costs.total_weight) == (50, 50)
    assert prepared.solved_table.take(np.arange(30, 50)).columns[0].values.tolist() == SYNTHETIC[:, 0].tolist()
    assert (prepared.minimised, prepare_costs(X, Y).minimised) == ("teacher-cost", "errors")


def test_weights_and_matrices_weigh_expected_costs() -> None:
    """The cost is that of each class, weighed by its probability; synthetic rows have the mean weight."""
    soft, weights = soft_labels(), np.arange(30) % 4
    matrix = np.array([[0, 1, 2], [3, 0, 1], [1, 5, 0]])
    costs = prepared_with(soft, sample_weight=weights, cost_matrix=matrix, class_weight={2: 2}).solved_costs
    by_class = matrix * np.array([[1], [1], [2]])
    kept = weights > 0
    of_rows = weights[kept, None] * (soft.of_rows[kept] @ by_class)
    of_synthetic = weights[kept].mean() * (soft.of_synthetic @ by_class)
    assert costs.costs * costs.unit == pytest.approx(np.concatenate([of_rows, of_synthetic]), rel=1e-6)


def test_synthetic_rows_may_not_count_as_rows() -> None:
    """Then they fill no leaf."""
    prepared = prepared_with(soft_labels(), counts_synthetic=False)
    assert prepared.problem.n_rows.sum() == prepared.solved_costs.n_rows.sum() == 30
    found = find_front(prepared, Constraints(min_samples_leaf=5), clock=Clock())
    assert all(point.tree.counts[point.tree.left < 0].sum(axis=1).min() >= 5 for point in found)


def test_the_front_is_that_of_repeated_rows() -> None:
    """A row with probability p of a class is a row of this class with weight p: the same front, all points proved."""
    soft = soft_labels()
    found = find_front(prepared_with(soft), Constraints(), clock=Clock())
    shares = np.concatenate([soft.of_rows, soft.of_synthetic])
    row, code = np.nonzero(shares)
    expected = front(np.concatenate([X, SYNTHETIC])[row], code, sample_weight=shares[row, code])
    assert found.is_complete
    assert found.upper == pytest.approx(expected.upper)
    assert [point.n_nodes for point in found] == [point.n_nodes for point in expected]
    assert found.at(max_nodes=5).forest().count == expected.at(max_nodes=5).forest().count


def test_trees_count_the_training_rows() -> None:
    """Counts and errors are those of the labels, whatever the synthetic rows say."""
    found = find_front(prepared_with(soft_labels()), Constraints(), clock=Clock())
    for point in found:
        assert point.tree.counts[0].tolist() == [10, 10, 10]
        assert point.errors == (point.tree.predict(X) != Y).sum()
    assert found.n_rows == 30
