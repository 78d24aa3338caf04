"""All models of a formula, for encodings that are held against brute force."""

from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from puretree.formula import Block
from puretree.sat import LocalOracle


def all_models(
    blocks: Iterable[Block], variables: np.ndarray, n_vars: int, *, most: int = 5000
) -> Iterator[np.ndarray]:
    """Yield all models of clauses; two that agree in the variables given count as one."""
    oracle = LocalOracle()
    for block in blocks:
        oracle.add(block)
    for _ in range(most):
        if not oracle.solve([]):
            oracle.close()
            return
        model = oracle.model(n_vars)
        yield model
        oracle.add(np.where(model[variables], -variables, variables).reshape(1, -1).astype(np.int32))
    pytest.fail("more models than there can be")
