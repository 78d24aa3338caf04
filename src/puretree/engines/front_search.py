"""The native search for the front between size and cost, which also collects all trees within limits of both."""

from __future__ import annotations

import numpy as np

from .. import _native
from .._support.resources import LEAST_BYTES
from ..problem import Constraints, CostProblem

LARGEST_LEAF = 2**30
FEATURE_BYTES = 64  # of the native problem, without the examples


def has_unaffected(problem: CostProblem) -> bool:
    """Return whether some examples cost the same whatever a leaf predicts: the front does not depend on them."""
    return bool((problem.costs.min(axis=1) == problem.costs.max(axis=1)).any())


def open_front_search(
    problem: CostProblem, constraints: Constraints, max_bytes: float, *, keeps_all: bool = False
) -> _native.FrontSearch:
    """Open a native search.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
        What all trees satisfy; ``max_nodes`` has no effect.
    max_bytes : float
        That the search may use.
    keeps_all : bool, default=False
        Keep also examples that cost the same whatever a leaf predicts, as the trees that are counted split them.

    Raises
    ------
    MemoryError
        If the examples do not fit.
    """
    copies = 4 * problem.examples.words.nbytes + FEATURE_BYTES * problem.n_features
    if copies > max(max_bytes, LEAST_BYTES):
        raise MemoryError("the search needs copies of the examples, which exceed the memory limit")
    is_root = np.empty(0, dtype=np.uint8)
    if constraints.root is not None:
        is_root = np.isin(np.arange(problem.n_features), list(constraints.root)).astype(np.uint8)
    deepest = min(problem.n_features, problem.n_examples - 1)  # of trees without useless tests
    is_limited = constraints.max_depth is not None and constraints.max_depth < deepest
    return _native.FrontSearch(
        problem.examples.words,
        problem.n_features,
        problem.costs,
        problem.n_rows if constraints.min_samples_leaf > 1 else np.ones(problem.n_examples, dtype=np.int64),
        is_root,
        constraints.max_depth if is_limited else None,
        min(int(constraints.min_samples_leaf), LARGEST_LEAF),
        int(max(max_bytes - copies, min(max_bytes, LEAST_BYTES))),
        keeps_all=keeps_all and has_unaffected(problem),
    )
