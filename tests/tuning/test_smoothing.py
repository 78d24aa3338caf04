"""The strength of smoothing."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

from puretree._support.clock import Clock
from puretree.selection import Rows
from puretree.table import read_labels, read_table
from puretree.tuning.cross_validation import cross_validate
from puretree.tuning.folds import FrontParameters, split_folds
from puretree.tuning.smoothing import DEFAULT_STRENGTH, STRENGTHS, choose_smoothing, log_losses

X = np.random.default_rng(0).integers(0, 4, (90, 3))
Y = np.where(np.random.default_rng(1).random(90) < 0.2, 1 - (X[:, 0] > 1), X[:, 0] > 1).astype(int)


@pytest.mark.parametrize("has_weights", [False, True])
def test_the_loss_is_that_of_scikit_learn(has_weights: bool) -> None:
    """For every strength; the one with the least mean over the folds is chosen."""
    weights = np.random.default_rng(2).uniform(0.1, 1, 90) if has_weights else np.ones(90)
    table, labels = read_table(X), read_labels(Y, 90)
    rows, parameters = Rows.read(table, labels, weights if has_weights else None), FrontParameters()
    folds = split_folds(table, labels, 3)
    prepared = parameters.prepare(rows, Clock())
    validated: Any = cross_validate(rows, prepared, (1, 5, 11), folds, parameters, clock=Clock())
    for index in range(3):
        means = np.zeros(len(STRENGTHS))
        for fold, validation, front in zip(folds, validated.validations, validated.fronts, strict=True):
            part, trained = fold.validation > 0, fold.training > 0
            tree = front.trees[validated.sizes[index]]
            prior = np.bincount(Y[trained], weights[trained]) / weights[trained].sum()
            counts = tree.weights[tree.tree.apply(X[part])]
            for column, m in enumerate(STRENGTHS):
                shares = (counts + m * prior) / (counts.sum(axis=1, keepdims=True) + m)
                expected = log_loss(Y[part], shares, sample_weight=weights[part])
                assert log_losses(validation, tree)[column] == pytest.approx(expected)
                means[column] += expected
        assert choose_smoothing(validated, index) == STRENGTHS[np.round(means, 12).argmin()]


def test_without_folds_the_strength_is_fixed() -> None:
    """One row is added to each leaf."""
    assert choose_smoothing(None, None) == DEFAULT_STRENGTH == 1
