"""Test the encoding of trees with costs against brute force."""

import numpy as np
import pytest
from helpers.oracles.front import BruteForceFront
from helpers.random_problems import random_cost_problem, rows_of

from puretree.encoding.slot_costs import CostEncoding, cheapest_labels, useful_classes
from puretree.formula import Wcnf
from puretree.formula.sums import make_sum
from puretree.problem import Constraints
from puretree.sat import LocalOracle


@pytest.mark.parametrize("per_leaf", [True, False])
def test_least_model_has_the_least_cost(per_leaf: bool) -> None:
    """On random problems the formula has a model of the least cost of 1 to 3 tests, and none below it."""
    for seed in range(30):
        problem = random_cost_problem(seed)
        front = BruteForceFront(rows_of(problem), problem.costs.tolist())
        if len(useful_classes(problem.costs)) < 2:
            continue
        leaf, least = front.least_cost(0), problem.least_cost
        for n_slots in (1, 2, 3):
            expected = front.least_cost(n_slots)
            if least < expected < leaf:
                encoding = CostEncoding(problem, n_slots, upper=leaf - least, per_leaf=per_leaf)
                formula, oracle = Wcnf(), LocalOracle()
                objective = encoding.write(formula)
                total = make_sum(objective, encoding.pool, formula, upper=leaf - least)
                at_most, below = total.at_most(expected - least), total.at_most(expected - least - 1)
                for block in formula.hard:
                    oracle.add(block)
                assert oracle.solve(at_most), seed
                tree = encoding.tree(oracle.model(encoding.pool.n_vars))
                assert problem.cost(tree) == expected
                assert tree.n_nodes <= 2 * n_slots + 1
                assert not oracle.solve(below), seed
                oracle.close()


def test_leaves_have_enough_rows_in_every_model() -> None:
    """With a minimum number of rows, the tree of any model has it, however little it costs."""
    for seed in range(20):
        problem = random_cost_problem(seed)
        if len(useful_classes(problem.costs)) < 2:
            continue
        encoding = CostEncoding(problem, 2, upper=10, constraints=Constraints(min_samples_leaf=3))
        oracle, formula = LocalOracle(), Wcnf()
        encoding.write(formula)
        for block in formula.hard:
            oracle.add(block)
        if oracle.solve([]):
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            n_rows = np.bincount(problem.apply(tree), problem.n_rows, tree.n_nodes)[tree.left < 0]
            assert n_rows.min() >= 3
        oracle.close()


def test_classes_that_are_never_cheapest_are_left_out() -> None:
    """A class is left out if another one costs every example as little; of equal ones the first stays."""
    costs = np.array([[0, 0, 5, 3], [4, 4, 1, 2], [1, 1, 1, 1]], dtype=np.int32)
    assert useful_classes(costs).tolist() == [0, 2, 3]
    assert useful_classes(costs[:, [1, 0]]).tolist() == [0]


def test_labels_are_the_cheapest_classes() -> None:
    """The label of an example is the first of its cheapest classes, and its weight is its number of rows."""
    problem = random_cost_problem(12)
    labelled = cheapest_labels(problem)
    assert labelled.labels.tolist() == [costs.index(min(costs)) for costs in problem.costs.tolist()]
    assert labelled.weights.tolist() == problem.n_rows.tolist()
