"""Scores of predictions and of predicted probabilities on test rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..cell import Values
from .folds import Codes

MIN_PROBABILITY = 1e-6
"""The log loss takes no smaller probability of the true class, as otherwise a single row could make it infinite."""


def scores(codes: Codes, predicted: Codes, probabilities: NDArray[np.float64]) -> Values:
    """Return the scores of test rows, accuracies in percent.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The true classes.
    predicted : ndarray of shape (n_rows,)
        The predicted classes.
    probabilities : ndarray of shape (n_rows, n_classes)
        The predicted probabilities.

    Returns
    -------
    dict
        ``accuracy``; ``balanced_accuracy``, the mean over the classes of the test rows of the share that is predicted
        correctly; ``log_loss``, the mean of -log(max(p, 1e-6)) with p the probability of the true class; and
        ``brier_score``, the mean over rows of the squared differences between probabilities and true classes, summed
        over all classes: from 0 to 2.
    """
    is_correct = predicted == codes
    of_true_class = probabilities[np.arange(len(codes)), codes]
    truth = np.eye(probabilities.shape[1])[codes]
    recalls = [is_correct[codes == code].mean() for code in np.unique(codes)]
    return {
        "accuracy": 100 * float(is_correct.mean()),
        "balanced_accuracy": 100 * float(np.mean(recalls)),
        "log_loss": float(-np.log(np.maximum(of_true_class, MIN_PROBABILITY)).mean()),
        "brier_score": float(((probabilities - truth) ** 2).sum(axis=1).mean()),
    }
