"""Enumerate all models of a formula, to compare encodings with brute force."""

from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from puretree.formula import Block
from puretree.sat import LocalOracle


def all_models(
    blocks: Iterable[Block], variables: np.ndarray, n_vars: int, *, limit: int = 5000
) -> Iterator[np.ndarray]:
    """Yield all models of clauses; models that agree on the given variables count as one."""
    oracle = LocalOracle()
    for block in blocks:
        oracle.add(block)
    for _ in range(limit):
        if not oracle.solve([]):
            oracle.close()
            return
        model = oracle.model(n_vars)
        yield model
        oracle.add(np.where(model[variables], -variables, variables).reshape(1, -1).astype(np.int32))
    pytest.fail(f"there are more than {limit} models")
