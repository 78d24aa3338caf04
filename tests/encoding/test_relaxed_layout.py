"""Test the encoding of DT(max) against brute force, and that m_i relaxes every constraint."""

from itertools import chain

import numpy as np
import pytest
from helpers.all_models import all_models
from helpers.oracles.best_accuracy import fewest_errors
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import larger_problem, random_problem, random_problems, rows_of, xor

from puretree.encoding import RelaxedLayoutEncoding, TreeEncoding, clause_groups
from puretree.formula import Counter, Soft, Wcnf
from puretree.maxsat import Linear
from puretree.problem import Constraints
from puretree.sat import LocalOracle

NO_RELAXATION = np.zeros((1, 1), dtype=np.int32)


@pytest.mark.parametrize("depth", [2, 3])
def test_pure_trees_exist_if_and_only_if_brute_force_finds_one(depth: int) -> None:
    """With hard purity clauses there is a model if there is a pure tree of the depth, and the model is such a tree."""
    results = set()
    for problem in random_problems(30):
        if depth > problem.n_features:
            continue
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), [1] * problem.n_features, max_depth=depth)
        encoding = RelaxedLayoutEncoding(problem, depth)
        oracle = LocalOracle()
        for block in chain(encoding.structure(), encoding.relaxed_purity(NO_RELAXATION)):
            oracle.add(block)
        result = oracle.solve([])
        assert result == (best < float("inf"))
        results.add(result)
        if result:
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            assert problem.is_pure(tree)
            assert tree.depth <= depth
    assert results == {True, False}


def maxsat_formula(encoding: RelaxedLayoutEncoding) -> Wcnf:
    """Return the formula with a soft clause per example, as the engine makes it."""
    wrong = encoding.pool.array("wrong", encoding.problem.n_examples)
    hard = [*encoding.structure(), *encoding.relaxed_purity(wrong[:, None])]
    weights = encoding.problem.weights.tolist()
    soft = [Soft(weight, (-var,)) for weight, var in zip(weights, wrong.tolist(), strict=True)]
    return Wcnf(encoding.pool.n_vars, hard=hard, soft=soft)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_optimum_is_the_fewest_errors(depth: int) -> None:
    """Without any known tree, the optimum of the formula is the fewest errors; 2 to 4 classes, with weights."""
    for problem in random_problems(9):
        if depth > problem.n_features:
            continue
        encoding = RelaxedLayoutEncoding(problem, depth)
        answer = Linear(isolated=False).minimise(maxsat_formula(encoding))
        assert answer.model is not None
        fewest = fewest_errors(rows_of(problem), problem.labels.tolist(), depth, problem.weights.tolist())
        assert (answer.status, answer.cost) == ("optimal", fewest)
        assert problem.n_errors(encoding.tree(answer.model)) == fewest


def test_every_constraint_is_relaxed() -> None:
    """Every clause contains ¬m of a node, except those that define m and those about no node."""
    encoding = RelaxedLayoutEncoding(random_problem(1), 2)
    x = encoding.trees.vars
    definitions = {
        tuple(clause)
        for group in (clause_groups.lower_bound_holds(x, 3), clause_groups.children_are_used(x))
        for block in group
        for clause in block.tolist()
    }
    relaxing = set((-x.eta[1::2]).tolist())
    clauses = [
        tuple(literal for literal in clause if literal)
        for block in chain(encoding.structure(), encoding.relaxed_purity(NO_RELAXATION))
        for clause in block.tolist()
    ]
    unrelaxed = {clause for clause in clauses if not relaxing & set(clause)} - definitions
    before_the_root = {*x.leaves[:, 0].tolist(), *x.inner[:, 0].tolist()}  # counters at 0, which no node can relax
    assert {abs(literal) for clause in unrelaxed for literal in clause} <= before_the_root


def test_unused_nodes_are_free() -> None:
    """With three used nodes, the variables of the four others are free; in the paper's encoding they are fixed."""
    problem, constraints = xor(), Constraints(max_depth=2)
    relaxed, selective = RelaxedLayoutEncoding(problem, 2), TreeEncoding(problem, 7, constraints=constraints)
    for encoding, x, is_free in ((relaxed, relaxed.trees.vars, True), (selective, selective.vars, False)):
        small = np.array([[-x.eta[5]]], dtype=np.int32)
        oracle = LocalOracle()
        for block in (*encoding.structure(), small):
            oracle.add(block)
        values = {oracle.solve([int(sign * x.v[7])]) for sign in (1, -1)}
        assert values == ({True} if is_free else {True, False})


@pytest.mark.parametrize("depth", [1, 2])
def test_layouts_are_those_of_the_depth(depth: int) -> None:
    """The models have all layouts of the depth, each with one numbering: 1 at depth 1, 4 at depth 2."""
    encoding = RelaxedLayoutEncoding(random_problem(2), depth)
    x = encoding.trees.vars
    model_trees = set()
    variables = np.concatenate([x.eta[1::2], x.v[1:]])
    for model in all_models(encoding.structure(), variables, encoding.pool.n_vars):
        tree = encoding.trees.tree(model)
        assert tree.depth <= depth
        model_trees.add(tuple(tree.left.tolist()))
    assert len(model_trees) == {1: 1, 2: 4}[depth]


def test_memory_estimate_is_close() -> None:
    """The estimate is between half and twice the memory of the formula's clauses and literals."""
    for depth in (2, 3, 4):
        problem = larger_problem(0)
        encoding = RelaxedLayoutEncoding(problem, depth)
        counter = Counter()
        for block in chain(encoding.structure(), encoding.relaxed_purity(np.ones((1, 1), dtype=np.int32))):
            counter.add(block)
        actual = 60 * counter.n_clauses + 4 * counter.n_literals
        assert actual / 2 < encoding.n_bytes(problem, depth) < 2 * actual
