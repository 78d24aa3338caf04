"""Wishes, and how large a tree can be that keeps to them."""

import pytest
from helpers.oracles.brute_force import minimum_trees
from helpers.random_problems import random_problem, rows_of

from puretree import BinaryProblem, InputError, Tree
from puretree.problem import Constraints


def test_most_nodes_is_enough_for_every_minimum_tree() -> None:
    """No minimum tree, of any depth, is larger than the most it says for that depth."""
    for seed in range(50):
        problem = random_problem(seed)
        for nested in minimum_trees(rows_of(problem), problem.labels.tolist()):
            tree = Tree.from_nested(nested)
            for constraints in (Constraints(), Constraints(max_depth=tree.depth)):
                assert tree.n_nodes <= constraints.most_nodes(problem)


def test_most_nodes_of_a_depth() -> None:
    """A full tree of the depth, unless the examples are too few for it."""
    problem = BinaryProblem.from_rows([[i >> b & 1 for b in range(6)] for i in range(64)], [i % 3 for i in range(64)])
    assert [Constraints(max_depth=depth).most_nodes(problem) for depth in (1, 2, 5, 6, 10**9)] == [3, 7, 63, 127, 127]
    assert Constraints().most_nodes(problem) == 127


def test_most_nodes_of_a_number_of_nodes() -> None:
    """An even number of nodes is as good as the odd one below it: no tree has an even number."""
    problem = BinaryProblem.from_rows([[i >> b & 1 for b in range(4)] for i in range(16)], [i % 3 for i in range(16)])
    assert [Constraints(max_nodes=n).most_nodes(problem) for n in (1, 2, 3, 4, 9, 10, 31, 32, 99)] == [
        *(1, 1, 3, 3, 9, 9, 31, 31, 31)
    ]
    assert Constraints(max_nodes=6, max_depth=2).most_nodes(problem) == 5
    assert Constraints(max_nodes=8, max_depth=2).most_nodes(problem) == 7


def test_trees_that_are_allowed() -> None:
    """A tree is allowed by every wish that it keeps to, and not by the next stricter one."""
    rows = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 1], [1, 0]]
    problem = BinaryProblem.from_rows(rows, list("aaabbb"))
    tree = Tree.from_nested((0, (1, "a", "b"), "b"), problem.classes)
    for kept, broken in (
        ({"max_nodes": 5}, {"max_nodes": 4}),
        ({"max_depth": 2}, {"max_depth": 1}),
        ({"min_samples_leaf": 1}, {"min_samples_leaf": 2}),  # one row answers yes to the first question
        ({"root": [0]}, {"root": [1]}),
        ({"max_nodes": 5, "max_depth": 2, "root": [0, 1]}, {"max_nodes": 5, "max_depth": 2, "root": []}),
    ):
        assert Constraints(**kept).allows(tree, problem)  # type: ignore[arg-type]
        assert not Constraints(**broken).allows(tree, problem)  # type: ignore[arg-type]


def test_leaves_are_measured_in_rows() -> None:
    """Equal rows are one example, but count as the rows they are; a single leaf is large enough whatever is asked."""
    problem = BinaryProblem.from_rows([[0], [0], [0], [1], [1]], list("aaabb"))
    tree = Tree.from_nested((0, "a", "b"), problem.classes)
    assert Constraints(min_samples_leaf=2).allows(tree, problem)
    assert not Constraints(min_samples_leaf=3).allows(tree, problem)
    alone = BinaryProblem.from_rows([[0], [1]], list("aa"))
    assert Constraints(min_samples_leaf=9).allows(Tree.leaf(0, alone.classes), alone)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, ""),
        ({"root": [0]}, " with the root asked for"),
        ({"max_depth": 2}, " with at most 2 tests on every path"),
        ({"max_nodes": 7}, " of at most 7 nodes"),
        ({"min_samples_leaf": 3}, " with at least 3 rows at every leaf"),
        ({"max_nodes": 7, "min_samples_leaf": 3}, " of at most 7 nodes with at least 3 rows at every leaf"),
    ],
)
def test_a_refusal_names_each_wish(wishes: dict[str, object], words: str) -> None:
    """What was asked for is in the message, and nothing else."""
    message = str(Constraints(**wishes).refuse())  # type: ignore[arg-type]
    assert message == f"there is no pure tree{words}; relax a wish, or allow more features"


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"min_samples_leaf": 2}, "min_samples_leaf=2"),
        ({"minimise": "cost"}, "minimise='cost'"),
        ({"root": [0]}, "root"),
        ({"max_nodes": 9}, "max_nodes=9"),
    ],
)
def test_wishes_that_an_engine_ignores_are_refused(wishes: dict[str, object], words: str) -> None:
    """The message names the wish, the engine and one that keeps to it; wishes it names as kept pass."""
    constraints = Constraints(max_depth=3, **wishes)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"^engine='mindt' cannot keep to {words}; use engine='auto'$"):
        constraints.require_only("mindt", "max_depth")
    constraints.require_only("mindt", "max_depth", *wishes)


@pytest.mark.parametrize(
    ("wish", "message"),
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
def test_wishes_that_make_no_sense(wish: dict[str, object], message: str) -> None:
    """The message names the option and what it can be."""
    with pytest.raises(InputError, match=message):
        Constraints(**wish)  # type: ignore[arg-type]
