"""The strength of smoothing: the m of the m-estimate, chosen by the log loss on the validation rows of the folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..tree import class_shares
from .cross_validation import CrossValidation, Validation
from .folds import FoldTree

STRENGTHS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
DEFAULT_STRENGTH = 1.0  # without folds
LEAST_PROBABILITY = np.finfo(np.float64).eps  # as in scikit-learn's log_loss


def choose_smoothing(validated: CrossValidation | None, index: int | None) -> float:
    """Return the strength with the least mean log loss, the weakest of several; without folds a fixed one.

    Parameters
    ----------
    validated : CrossValidation or None
    index : int or None
        Of the chosen size.
    """
    if validated is None or index is None:
        return DEFAULT_STRENGTH
    losses = [
        log_losses(validation, front.trees[validated.sizes[index]])
        for validation, front in zip(validated.validations, validated.fronts, strict=True)
    ]
    return STRENGTHS[int(np.round(np.mean(losses, axis=0), 12).argmin())]


def log_losses(validation: Validation, tree: FoldTree) -> NDArray[np.float64]:
    """Return the weighted log loss of a tree on the validation rows for each strength."""
    leaves, weights = tree.tree.apply(validation.table), validation.weights
    probabilities = np.array([class_shares(tree.weights, m)[leaves, validation.codes] for m in STRENGTHS])
    losses = -np.log(np.maximum(probabilities, LEAST_PROBABILITY))
    return np.asarray((losses * weights).sum(axis=1) / weights.sum())
