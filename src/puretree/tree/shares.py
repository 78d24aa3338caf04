"""Class probabilities at the nodes of a tree: the class frequencies, smoothed by the m-estimate.

The frequencies of a leaf with few rows are extreme. The m-estimate adds m rows to every node, with the classes in
proportion to those of all rows; m = 0 changes nothing. A node without rows, as a teacher's synthetic rows may make it,
has the classes of all rows.

Cestnik, *Estimating Probabilities: A Crucial Task in Machine Learning*, ECAI 1990.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TINY = np.finfo(np.float64).tiny


def class_shares(weights: NDArray[Any], m: float = 0.0) -> NDArray[np.float64]:
    """Return the probability of each class at each node: ``(n_c + m * prior_c) / (n + m)``.

    Parameters
    ----------
    weights : ndarray of shape (n_nodes, n_classes)
        The weight of the training rows per node and class; that of the root, node 0, is the prior.
    m : float, default=0
        The weight of the prior.

    Examples
    --------
    >>> class_shares(np.array([[6, 2], [4, 0], [2, 2]]), 1.0).tolist()
    [[0.75, 0.25], [0.95, 0.05], [0.55, 0.45]]
    """
    prior = weights[:1] / max(weights[0].sum(), TINY)
    smoothed = weights + m * prior
    total = smoothed.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, smoothed / np.maximum(total, TINY), prior))
