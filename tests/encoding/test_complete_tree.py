"""The encoding of complete trees, against brute force on everything small."""

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import random_problem, random_problems, rows_of, xor

from puretree import BinaryProblem, InputError, Tree
from puretree.encoding import CompleteTreeEncoding
from puretree.encoding.complete_tree import without_useless_tests
from puretree.sat import LocalOracle


def told(encoding: CompleteTreeEncoding) -> LocalOracle:
    """Return a solver that knows the trees, and all examples."""
    oracle = LocalOracle()
    for block in (*encoding.structure(), *encoding.purity()):
        oracle.add(block)
    return oracle


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_there_is_a_model_exactly_if_there_is_a_tree(depth: int) -> None:
    """Satisfiable if brute force finds a pure tree of that depth, and then the model is one."""
    answers = set()
    for problem in random_problems(80):
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=depth)
        encoding = CompleteTreeEncoding(problem, depth)
        oracle = told(encoding)
        answer = oracle.solve([])
        assert answer == (best < float("inf"))
        answers.add(answer)
        if answer:
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            assert problem.is_pure(tree)
            assert tree.depth <= depth
    assert answers == {True, False}


def test_the_root_is_one_of_those_asked_for() -> None:
    """With a root given, models have it, and there is one if brute force finds such a tree."""
    for seed in range(40):
        problem = random_problem(seed)
        best = minimum_cost(
            rows_of(problem), problem.labels.tolist(), [1] * problem.n_features, max_depth=2, root=[seed % 2]
        )
        encoding = CompleteTreeEncoding(problem, 2, root=[seed % 2])
        oracle = told(encoding)
        assert oracle.solve([]) == (best < float("inf"))
        if best < float("inf"):
            assert encoding.tree(oracle.model(encoding.pool.n_vars)).feature[0] == seed % 2


def test_some_examples_can_be_told() -> None:
    """An example is a clause for each leaf; three examples of xor are enough to rule out a single test."""
    encoding = CompleteTreeEncoding(xor(), 1)
    assert sum(len(block) for block in encoding.purity(np.array([0, 1]))) == 2 * 2
    oracle = LocalOracle()
    for block in (*encoding.structure(), *encoding.purity(np.array([0, 1, 2]))):
        oracle.add(block)
    assert not oracle.solve([])


def test_impossible_depths_are_refused() -> None:
    """No depth 0, and nothing for one class."""
    with pytest.raises(InputError, match="depth 0"):
        CompleteTreeEncoding(xor(), 0)
    with pytest.raises(InputError, match="all examples are of one class"):
        CompleteTreeEncoding(BinaryProblem.from_rows([[0], [1]], ["a", "a"]), 1)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ((0, (1, "a", "b"), (1, "b", "a")), (0, (1, "a", "b"), (1, "b", "a"))),
        ((0, (0, (1, "a", "b"), "a"), (1, "b", "a")), (0, (1, "a", "b"), (1, "b", "a"))),
        ((0, (1, "a", "a"), (0, "a", "b")), (0, "a", "b")),
        ((0, (1, "a", "b"), (1, "a", "b")), (1, "a", "b")),
        ((0, (1, "b", "b"), "b"), "b"),
    ],
)
def test_useless_tests_are_cut(given: object, left: object) -> None:
    """Tests that split nothing or lead to the same answers go; the others stay, and the answers are the same."""
    tree = Tree.from_nested(given, ("a", "b"))
    cut = without_useless_tests(tree, xor())
    assert cut.to_nested() == left
    assert cut.predict(xor().examples).tolist() == tree.predict(xor().examples).tolist()


def test_a_root_asked_for_stays() -> None:
    """A first test that somebody asked for is kept, unless nothing is tested at all."""
    same_below = Tree.from_nested((0, (1, "a", "b"), (1, "a", "b")))
    assert without_useless_tests(same_below, xor(), keep_root=True) == same_below
    nothing = Tree.from_nested((0, "a", "a"), ("a", "b"))
    assert without_useless_tests(nothing, xor(), keep_root=True).to_nested() == "a"
