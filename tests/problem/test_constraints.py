"""Constraints, and the maximum size of a tree that satisfies them."""

import pytest
from helpers.oracles.brute_force import minimum_trees
from helpers.random_problems import random_problem, rows_of

from puretree import BinaryProblem, InputError, Tree
from puretree.problem import Constraints, nodes_of


def test_most_nodes_is_enough_for_every_minimum_tree() -> None:
    """No minimum tree, of any depth, is larger than the maximum for that depth."""
    for seed in range(50):
        problem = random_problem(seed)
        for nested in minimum_trees(rows_of(problem), problem.labels.tolist()):
            tree = Tree.from_nested(nested)
            for constraints in (Constraints(), Constraints(max_depth=tree.depth)):
                assert tree.n_nodes <= constraints.most_nodes(problem)


def test_most_nodes_of_a_depth() -> None:
    """The maximum is a complete tree of that depth, or smaller if there are too few examples."""
    problem = BinaryProblem.from_rows([[i >> b & 1 for b in range(6)] for i in range(64)], [i % 3 for i in range(64)])
    assert [Constraints(max_depth=depth).most_nodes(problem) for depth in (1, 2, 5, 6, 10**9)] == [3, 7, 63, 127, 127]
    assert Constraints().most_nodes(problem) == 127


def test_most_nodes_of_a_number_of_nodes() -> None:
    """An even number of nodes is the same constraint as the odd number below it: sizes are odd."""
    problem = BinaryProblem.from_rows([[i >> b & 1 for b in range(4)] for i in range(16)], [i % 3 for i in range(16)])
    assert [Constraints(max_nodes=n).most_nodes(problem) for n in (1, 2, 3, 4, 9, 10, 31, 32, 99)] == [
        *(1, 1, 3, 3, 9, 9, 31, 31, 31)
    ]
    assert Constraints(max_nodes=6, max_depth=2).most_nodes(problem) == 5
    assert Constraints(max_nodes=8, max_depth=2).most_nodes(problem) == 7


def test_trees_that_are_allowed() -> None:
    """A tree is allowed by every constraint that it satisfies, and not by the next stricter one."""
    rows = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 1], [1, 0]]
    problem = BinaryProblem.from_rows(rows, list("aaabbb"))
    tree = Tree.from_nested((0, (1, "a", "b"), "b"), problem.classes)
    for kept, broken in (
        ({"max_nodes": 5}, {"max_nodes": 4}),
        ({"max_depth": 2}, {"max_depth": 1}),
        ({"min_samples_leaf": 1}, {"min_samples_leaf": 2}),  # one row reaches the right leaf of the root
        ({"root": [0]}, {"root": [1]}),
        ({"max_nodes": 5, "max_depth": 2, "root": [0, 1]}, {"max_nodes": 5, "max_depth": 2, "root": []}),
    ):
        assert Constraints(**kept).allows(tree, problem)  # type: ignore[arg-type]
        assert not Constraints(**broken).allows(tree, problem)  # type: ignore[arg-type]


def test_min_samples_leaf_counts_rows() -> None:
    """Equal rows are one example but count separately; a tree of one leaf is always allowed."""
    problem = BinaryProblem.from_rows([[0], [0], [0], [1], [1]], list("aaabb"))
    tree = Tree.from_nested((0, "a", "b"), problem.classes)
    assert Constraints(min_samples_leaf=2).allows(tree, problem)
    assert not Constraints(min_samples_leaf=3).allows(tree, problem)
    alone = BinaryProblem.from_rows([[0], [1]], list("aa"))
    assert Constraints(min_samples_leaf=9).allows(Tree.leaf(0, alone.classes), alone)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ""),
        ({"root": [0]}, " with the required root column"),
        ({"max_depth": 2}, " with at most 2 tests on every path"),
        ({"max_nodes": 7}, " with at most 4 leaves (7 nodes)"),
        ({"min_samples_leaf": 3}, " with at least 3 rows in every leaf"),
        (
            {"max_nodes": 7, "min_samples_leaf": 3},
            " with at most 4 leaves (7 nodes), with at least 3 rows in every leaf",
        ),
    ],
)
def test_the_infeasible_error_names_each_constraint(options: dict[str, object], words: str) -> None:
    """The message names the constraints that are set, and no others."""
    message = str(Constraints(**options).infeasible())  # type: ignore[arg-type]
    assert message == f"there is no pure tree{words}; relax a constraint or allow more columns"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_samples_leaf": 2}, "min_samples_leaf=2"),
        ({"minimise": "cost"}, "minimise='cost'"),
        ({"root": [0]}, "root"),
        ({"max_nodes": 9}, "max_leaf_nodes=5"),
    ],
)
def test_unsupported_constraints_raise_an_error(options: dict[str, object], words: str) -> None:
    """The message names the constraint, the engine and one that supports it; supported constraints pass."""
    constraints = Constraints(max_depth=3, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"^engine='mindt' does not support {words}; use engine='auto'$"):
        constraints.require_only("mindt", "max_depth")
    constraints.require_only("mindt", "max_depth", *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_depth": 2.5}, "max_depth=2.5"),
        ({"max_nodes": 0}, "max_nodes=0"),
        ({"max_nodes": "9"}, "max_nodes='9'"),
        ({"min_samples_leaf": -1}, "min_samples_leaf=-1"),
        ({"min_samples_leaf": True}, "min_samples_leaf=True"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf=0.5"),
        ({"minimise": "depth"}, "use one of nodes, nodes-then-cost, cost"),
    ],
)
def test_invalid_constraints_raise_an_error(options: dict[str, object], message: str) -> None:
    """The message names the parameter and its valid values."""
    with pytest.raises(InputError, match=message):
        Constraints(**options)  # type: ignore[arg-type]


def test_nodes_of_leaves() -> None:
    """A binary tree with n leaves has 2n - 1 nodes; invalid numbers of leaves raise an error by name."""
    assert [nodes_of(n) for n in (None, 1, 2, 8)] == [None, 1, 3, 15]
    for value in (0, 2.5, True, "9"):
        with pytest.raises(InputError, match=f"max_leaf_nodes={value!r} is not an integer of at least 1"):
            nodes_of(value)  # type: ignore[arg-type]
