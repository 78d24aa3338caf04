"""Variables and their names."""

import numpy as np
import pytest

from puretree import InputError
from puretree.formula import VarPool


def test_every_variable_has_one_name() -> None:
    """Numbers run from 1 without a gap, and each name says the family and the place."""
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
def test_a_variable_that_is_not_there(literal: int) -> None:
    """Asking for the name of nothing is an error, not a guess."""
    pool = VarPool()
    pool.array("x", 2)
    with pytest.raises(InputError, match="there is no variable"):
        pool.name(literal)
