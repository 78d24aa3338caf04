"""Scores of predictions, compared with values computed by hand."""

from math import log

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss

from puretree.bench.classifiers.scores import scores

CODES = np.array([0, 0, 0, 1], dtype=np.int32)
PROBABILITIES = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [0.0, 0.25, 0.75]])


def test_scores_of_four_rows() -> None:
    """Classes without test rows do not count for the balanced accuracy, but their probabilities for the Brier score."""
    values = scores(CODES, np.array([0, 0, 2, 1], dtype=np.int32), PROBABILITIES)
    assert values["accuracy"] == 75
    assert values["balanced_accuracy"] == pytest.approx(100 * (2 / 3 + 1) / 2)
    assert values["log_loss"] == pytest.approx((log(2) + 0 + log(5) + log(4)) / 4)
    assert values["brier_score"] == pytest.approx((0.5 + 0 + (0.64 + 0.09 + 0.25) + 2 * 0.75**2) / 4)


def test_a_class_without_probability_has_a_bounded_log_loss() -> None:
    """The probability of the true class is clipped to 1e-6, without normalising the others again."""
    values = scores(np.array([1]), np.array([0]), np.array([[1.0, 0.0]]))
    assert values["log_loss"] == pytest.approx(log(1e6))
    assert values["brier_score"] == 2


def test_scores_are_those_of_scikit_learn() -> None:
    """Where every class occurs and no probability is clipped, the scores equal scikit-learn's."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 90).astype(np.int32)
    probabilities = rng.dirichlet([1, 2, 3], 90)
    predicted = probabilities.argmax(axis=1).astype(np.int32)
    values = scores(codes, predicted, probabilities)
    assert values["balanced_accuracy"] == pytest.approx(100 * balanced_accuracy_score(codes, predicted))
    assert values["log_loss"] == pytest.approx(log_loss(codes, probabilities))
    assert values["brier_score"] == pytest.approx(brier_score_loss(codes, probabilities))
