"""Slots of which some are useless, held against brute force."""

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
    """Return the trees of all models with at most so many slots of use; the class of a side without leaf is free."""
    enough = units(encoding.useless[n_inner:])
    told_by = np.concatenate([encoding.useless, encoding.asks.reshape(-1), encoding.child[encoding.child > 0]])
    found = all_models([*encoding.clauses(), enough], told_by, encoding.pool.n_vars)
    return [encoding.tree(model) for model in found]


@pytest.mark.parametrize("slack", [0, 2])
def test_the_smallest_models_are_the_minimum_trees(slack: int) -> None:
    """On 100 random problems: with 0 or 2 slots too many, each minimum tree is one model, and none is smaller."""
    for seed in range(100):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_inner = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes // 2
        encoding = SlotEncoding(problem, n_inner + slack)
        found = [tree.to_nested() for tree in trees_with(encoding, n_inner)]
        assert len(found) == len(expected), seed
        assert set(found) == expected, seed
        assert n_inner == 1 or not trees_with(encoding, n_inner - 1)


def test_a_tree_is_told_by_its_literals() -> None:
    """Every minimum tree is the one model of its literals."""
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


def test_wishes_hold_in_every_model() -> None:
    """With a depth and a root asked for, no model has another."""
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
def test_the_size_is_estimated_before_it_is_made(name: str, n_slots: int) -> None:
    """The estimate, by which too large formulas are refused, is within a third of the truth."""
    counter = Counter()
    for block in SlotEncoding(formula(name), n_slots).clauses():
        counter.add(block)
    n_bytes = 60 * counter.n_clauses + 4 * counter.n_literals
    assert n_bytes / 1.33 < SlotEncoding.n_bytes(formula(name), n_slots) < n_bytes * 1.33


@pytest.mark.parametrize(("n_slots", "lower"), [(0, 0), (3, 0), (2, 3)])
def test_sizes_that_no_tree_has_are_refused(n_slots: int, lower: int) -> None:
    """No inner node, or a lower bound above the upper, is a mistake of the caller."""
    with pytest.raises(InputError, match="cannot be encoded"):
        SlotEncoding(xor(), n_slots, lower=lower)


def test_one_class_is_refused() -> None:
    """There is no question to ask."""
    with pytest.raises(InputError, match="of one class"):
        SlotEncoding(BinaryProblem.from_rows([[0], [1]], [1, 1]), 1)
