"""The features of a problem as few columns of numbers, for scikit-learn.

The thresholds of a column are nested: whoever is below one is below all higher ones. So one column, which counts the
thresholds below a value, stands for all of them. CART then sorts some columns instead of thousands: on 768 rows with
3,000 thresholds it takes 10 ms instead of 400.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..problem import CostProblem

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Columns of numbers, each a chain of nested features.

    Parameters
    ----------
    values : ndarray of float32, shape (n_examples, n_chains)
        The number of the chain's features that are false; of a chain of one feature, the feature.
    features : list of ndarray of intp
        The merged features of each chain, from the rarest to the most frequent one.
    """

    values: NDArray[np.float32]
    features: list[Indices]

    @classmethod
    def of(cls, problem: CostProblem, column_of_feature: Indices | None = None) -> Chains:
        """Find the chains among the features of each column; without columns, each feature is a chain."""
        n_features = problem.n_features
        columns = np.arange(n_features) if column_of_feature is None else column_of_feature
        features: list[Indices] = []
        for column in dict.fromkeys(columns.tolist()):
            features += _chains(problem, np.flatnonzero(columns == column))
        values = np.empty((problem.n_examples, len(features)), dtype=np.float32)
        for index, chain in enumerate(features):
            n_true = problem.features.take(chain).unpack().sum(axis=0)
            values[:, index] = n_true if len(chain) == 1 else len(chain) - n_true
        return cls(values, features)

    def test(self, chain: int, threshold: float) -> tuple[int, bool]:
        """Return the merged feature of the test "value ≤ threshold", and whether it says no where the test says yes."""
        of_chain = self.features[chain]
        return int(of_chain[int(threshold)]), len(of_chain) == 1


def _chains(problem: CostProblem, features: Indices) -> list[Indices]:
    """Return the features of a column as chains, most of them as one."""
    words = problem.features.words[features]
    order = np.argsort(np.bitwise_count(words).sum(axis=1, dtype=np.int64), kind="stable")
    words, features = words[order], features[order]
    if not (words[:-1] & ~words[1:]).any():
        return [features]
    chain = [0]
    for index in range(1, len(features)):
        if not (words[chain[-1]] & ~words[index]).any():
            chain.append(index)
    others = np.setdiff1d(np.arange(len(features)), chain)
    return [features[chain], *(features[[index]] for index in others)]
