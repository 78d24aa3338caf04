"""Test the slot encoding against brute force."""

import numpy as np
import pytest
from helpers.all_models import all_models
from helpers.oracles.brute_force import minimum_trees
from helpers.random_problems import formula, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError, Tree
from puretree.encoding import SlotEncoding
from puretree.formula import Counter, units
from puretree.problem import Constraints
from puretree.sat import LocalOracle


def trees_with(encoding: SlotEncoding, n_inner: int) -> list[Tree]:
    """Return the trees of all models with at most n_inner used slots.

    The class of a side without a leaf is free, so models are distinguished by used slots, tests and children only.
    """
    at_most = units(encoding.unused[n_inner:])
    variables = np.concatenate([encoding.unused, encoding.tests.reshape(-1), encoding.child[encoding.child > 0]])
    models = all_models([*encoding.clauses(), at_most], variables, encoding.pool.n_vars)
    return [encoding.tree(model) for model in models]


@pytest.mark.parametrize("slack", [0, 2])
def test_smallest_models_are_the_minimum_trees(slack: int) -> None:
    """On 100 random problems with 0 or 2 extra slots, each minimum tree is one model, and no model is smaller."""
    for seed in range(100):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_inner = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes // 2
        encoding = SlotEncoding(problem, n_inner + slack)
        decoded = [tree.to_nested() for tree in trees_with(encoding, n_inner)]
        assert len(decoded) == len(expected), seed
        assert set(decoded) == expected, seed
        assert n_inner == 1 or not trees_with(encoding, n_inner - 1)


def test_literals_of_a_tree_determine_it() -> None:
    """The literals of a minimum tree have a model, which is decoded to the same tree."""
    for seed in range(40):
        problem = random_problem(seed)
        labels = [problem.classes[code] for code in problem.labels]
        trees = [Tree.from_nested(nested, problem.classes) for nested in minimum_trees(rows_of(problem), labels)]
        encoding = SlotEncoding(problem, trees[0].n_nodes // 2 + 1)
        oracle = LocalOracle()
        for block in encoding.clauses():
            oracle.add(block)
        for tree in trees[:10]:
            assert oracle.solve(encoding.literals(tree))
            assert encoding.tree(oracle.model(encoding.pool.n_vars)) == tree
        oracle.close()


def test_constraints_are_satisfied() -> None:
    """With a depth and a root, the decoded tree satisfies the constraints."""
    constraints = Constraints(max_depth=3, root=[1])
    encoding = SlotEncoding(formula("mux6"), 10, constraints=constraints)
    oracle = LocalOracle()
    for block in encoding.clauses():
        oracle.add(block)
    assert oracle.solve([])
    assert constraints.allows(encoding.tree(oracle.model(encoding.pool.n_vars)), encoding.problem)
    oracle.close()


@pytest.mark.parametrize("n_slots", [7, 20, 50])
@pytest.mark.parametrize("name", ["monks-1", "mux6"])
def test_estimated_size(name: str, n_slots: int) -> None:
    """The estimate, by which too large formulas are rejected, is within a third of the true size."""
    counter = Counter()
    for block in SlotEncoding(formula(name), n_slots).clauses():
        counter.add(block)
    n_bytes = 60 * counter.n_clauses + 4 * counter.n_literals
    assert n_bytes / 1.33 < SlotEncoding.n_bytes(formula(name), n_slots) < n_bytes * 1.33


@pytest.mark.parametrize(("n_slots", "lower"), [(0, 0), (3, 0), (2, 3)])
def test_impossible_sizes_are_rejected(n_slots: int, lower: int) -> None:
    """No inner nodes, and a lower bound above the upper bound, are errors."""
    with pytest.raises(InputError, match="cannot be encoded"):
        SlotEncoding(xor(), n_slots, lower=lower)


def test_single_class_is_rejected() -> None:
    """A problem with a single class is an error: there is no test to encode."""
    with pytest.raises(InputError, match="of one class"):
        SlotEncoding(BinaryProblem.from_rows([[0], [1]], [1, 1]), 1)
