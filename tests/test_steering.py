"""Wishes, and how large a tree can be that keeps to them."""

import pytest
from oracles.brute_force import minimum_trees
from random_problems import random_problem, rows_of

from puretree import BinaryProblem, InputError, Tree
from puretree.steering import Steering


def test_most_nodes_is_enough_for_every_minimum_tree() -> None:
    """No minimum tree, of any depth, is larger than the most it says for that depth."""
    for seed in range(50):
        problem = random_problem(seed)
        for nested in minimum_trees(rows_of(problem), problem.labels.tolist()):
            tree = Tree.from_nested(nested)
            for steering in (Steering(), Steering(max_depth=tree.depth)):
                assert tree.n_nodes <= steering.most_nodes(problem)


def test_most_nodes_of_a_depth() -> None:
    """A full tree of the depth, unless the examples are too few for it."""
    problem = BinaryProblem.from_rows([[i >> b & 1 for b in range(6)] for i in range(64)], [i % 3 for i in range(64)])
    assert [Steering(max_depth=depth).most_nodes(problem) for depth in (1, 2, 5, 6, 10**9)] == [3, 7, 63, 127, 127]
    assert Steering().most_nodes(problem) == 127


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_depth": 2.5}, "max_depth=2.5"),
        ({"minimise": "depth"}, "use one of nodes, nodes-then-cost, cost"),
    ],
)
def test_wishes_that_make_no_sense(wish: dict[str, object], message: str) -> None:
    """The message names the option and what it can be."""
    with pytest.raises(InputError, match=message):
        Steering(**wish)  # type: ignore[arg-type]
