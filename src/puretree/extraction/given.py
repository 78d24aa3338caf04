"""The problem in the features that were given: what preprocessing merged is asked apart again.

Engines are faster on merged features, but people count trees in the columns they gave: equal and opposite columns make
different trees, and on new rows they may answer differently. MDSOL's targets are questions that people see, so it is
the given features that are encoded, as in the paper, which merges nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..bitmatrix import BitMatrix
from ..problem import BinaryProblem, FeatureMerge
from ..steering import Steering


def unmerge(problem: BinaryProblem) -> BinaryProblem:
    """Return the same examples with every given feature that varies and may be asked, whatever says the same.

    >>> problem = BinaryProblem.from_rows([[0, 1, 1], [1, 0, 1]], ["a", "b"])
    >>> problem, unmerge(problem)
    (<BinaryProblem: 2 examples × 1 features, 2 classes>, <BinaryProblem: 2 examples × 2 features, 2 classes>)
    """
    merge = problem.merge
    given = np.flatnonzero(merge.feature_of_given >= 0)
    merged = merge.feature_of_given[given]
    bits = problem.features.take(merged).unpack() ^ merge.flipped[given][:, None]
    feature_of_given = np.full(len(merge.feature_of_given), -1, dtype=np.int64)
    feature_of_given[given] = np.arange(len(given))
    return replace(
        problem,
        features=BitMatrix.pack(bits),
        merge=FeatureMerge(feature_of_given, np.zeros_like(merge.flipped), given),
        costs=problem.costs[merged],
    )


def unmerge_root(problem: BinaryProblem, steering: Steering, is_root: NDArray[np.bool_]) -> Steering:
    """Return the wishes for the problem in given features.

    Parameters
    ----------
    problem : BinaryProblem
        With merged features, of which the wishes speak.
    steering : Steering
    is_root : ndarray of bool
        The given features that were wished for at the root: an equal one of another column is not what was wished
        for. None of them if any will do that says the same.
    """
    if steering.root is None:
        return steering
    merge = problem.merge
    given = np.flatnonzero(merge.feature_of_given >= 0)
    is_wished = np.isin(merge.feature_of_given[given], sorted(steering.root))
    if is_root.any():
        is_wished &= is_root[given]
    return replace(steering, root=frozenset(np.flatnonzero(is_wished).tolist()))
