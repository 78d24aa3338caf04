"""Test the encoding of complete trees against brute force on small problems."""

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import random_problem, random_problems, rows_of, xor

from puretree import BinaryProblem, InputError, Tree
from puretree.encoding import CompleteTreeEncoding
from puretree.encoding.complete_tree import remove_redundant_tests
from puretree.sat import LocalOracle


def load(encoding: CompleteTreeEncoding) -> LocalOracle:
    """Return a solver with the clauses of the encoding for all examples."""
    oracle = LocalOracle()
    for block in (*encoding.structure(), *encoding.purity()):
        oracle.add(block)
    return oracle


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_satisfiable_if_and_only_if_a_tree_exists(depth: int) -> None:
    """The formula is satisfiable if brute force finds a pure tree of the depth, and the model is such a tree."""
    results = set()
    for problem in random_problems(80):
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth)
        encoding = CompleteTreeEncoding(problem, depth)
        oracle = load(encoding)
        result = oracle.solve([])
        assert result == (best < float("inf"))
        results.add(result)
        if result:
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            assert problem.is_pure(tree)
            assert tree.depth <= depth
    assert results == {True, False}


def test_root_is_one_of_the_allowed_features() -> None:
    """With allowed root features, there is a model if brute force finds such a tree, and its root is allowed."""
    for seed in range(40):
        problem = random_problem(seed)
        best = minimum_cost(
            rows_of(problem), problem.labels.tolist(), [1] * problem.n_features, max_depth=2, root=[seed % 2]
        )
        encoding = CompleteTreeEncoding(problem, 2, root=[seed % 2])
        oracle = load(encoding)
        assert oracle.solve([]) == (best < float("inf"))
        if best < float("inf"):
            assert encoding.tree(oracle.model(encoding.pool.n_vars)).feature[0] == seed % 2


def test_subset_of_the_examples() -> None:
    """An example adds one clause per leaf; three examples of xor are enough to rule out a single test."""
    encoding = CompleteTreeEncoding(xor(), 1)
    assert sum(len(block) for block in encoding.purity(np.array([0, 1]))) == 2 * 2
    oracle = LocalOracle()
    for block in (*encoding.structure(), *encoding.purity(np.array([0, 1, 2]))):
        oracle.add(block)
    assert not oracle.solve([])


def test_invalid_arguments_are_rejected() -> None:
    """Depth 0 and a single class are errors."""
    with pytest.raises(InputError, match="depth 0"):
        CompleteTreeEncoding(xor(), 0)
    with pytest.raises(InputError, match="all examples are of one class"):
        CompleteTreeEncoding(BinaryProblem.from_rows([[0], [1]], ["a", "a"]), 1)


@pytest.mark.parametrize(
    ("nested", "expected"),
    [
        ((0, (1, "a", "b"), (1, "b", "a")), (0, (1, "a", "b"), (1, "b", "a"))),
        ((0, (0, (1, "a", "b"), "a"), (1, "b", "a")), (0, (1, "a", "b"), (1, "b", "a"))),
        ((0, (1, "a", "a"), (0, "a", "b")), (0, "a", "b")),
        ((0, (1, "a", "b"), (1, "a", "b")), (1, "a", "b")),
        ((0, (1, "b", "b"), "b"), "b"),
    ],
)
def test_redundant_tests_are_removed(nested: object, expected: object) -> None:
    """Tests that split nothing or have equal subtrees are removed; the others stay, and predictions do not change."""
    tree = Tree.from_nested(nested, ("a", "b"))
    pruned = remove_redundant_tests(tree, xor())
    assert pruned.to_nested() == expected
    assert pruned.predict(xor().examples).tolist() == tree.predict(xor().examples).tolist()


def test_required_root_is_kept() -> None:
    """The test of the root is kept on request, unless the tree becomes a single leaf."""
    equal_subtrees = Tree.from_nested((0, (1, "a", "b"), (1, "a", "b")))
    assert remove_redundant_tests(equal_subtrees, xor(), keep_root=True) == equal_subtrees
    single_class = Tree.from_nested((0, "a", "a"), ("a", "b"))
    assert remove_redundant_tests(single_class, xor(), keep_root=True).to_nested() == "a"
