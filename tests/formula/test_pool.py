"""Test the allocation and the names of variables."""

import numpy as np
import pytest

from puretree import InputError
from puretree.formula import VarPool


def test_every_variable_has_one_name() -> None:
    """Variables are numbered consecutively from 1, and each name consists of family and index."""
    pool = VarPool()
    grid = pool.where("l", np.array([[False, True], [True, False]]))
    single = pool.array("top")
    empty = pool.array("none", 0)
    last = pool.array("a", 2, 2)
    assert grid.tolist() == [[0, 1], [2, 0]]
    assert (single, empty.size, last.tolist()) == (3, 0, [[4, 5], [6, 7]])
    names = dict(pool.items())
    assert names == dict(pool)
    assert names == {var: pool.name(var) for var in range(1, 8)}
    assert list(names.values()) == ["l[0,1]", "l[1,0]", "top", "a[0,0]", "a[0,1]", "a[1,0]", "a[1,1]"]
    assert pool.name(-7) == "¬a[1,1]"


@pytest.mark.parametrize("literal", [0, 3, -3])
def test_unknown_variable_has_no_name(literal: int) -> None:
    """The name of a variable outside the pool is an error."""
    pool = VarPool()
    pool.array("x", 2)
    with pytest.raises(InputError, match="there is no variable"):
        pool.name(literal)
