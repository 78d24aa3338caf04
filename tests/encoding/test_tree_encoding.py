"""Test the tree encoding against brute force: models and trees correspond one to one."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.all_models import all_models
from helpers.oracles.brute_force import minimum_trees
from helpers.random_problems import formula, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError, Tree
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.encoding import TreeEncoding, clause_groups
from puretree.formula import Block, Counter
from puretree.problem import Constraints
from puretree.sat import LocalOracle


def optimal_models(encoding: TreeEncoding, n_nodes: int) -> list[np.ndarray]:
    """Return all models of at most n_nodes nodes, distinguished by all variables."""

    def blocks() -> Iterator[Block]:
        yield from encoding.structure()
        yield from encoding.purity()
        for literal in encoding.at_most(n_nodes):
            yield np.array([[literal]], dtype=np.int32)

    variables = np.arange(1, encoding.pool.n_vars + 1, dtype=np.int32)
    return list(all_models(blocks(), variables, encoding.pool.n_vars))


@pytest.mark.parametrize("slack", [0, 2, 4])
@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.slow) for part in range(2, 6))])
def test_optimal_models_are_the_minimum_trees(slack: int, part: int) -> None:
    """On 300 random problems with upper bounds of the optimum + 0, 2, 4, each minimum tree is exactly one model."""
    for seed in range(part, 300, 6):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_nodes = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes
        encoding = TreeEncoding(problem, n_nodes + slack)
        decoded = [encoding.tree(model).to_nested() for model in optimal_models(encoding, n_nodes)]
        assert len(decoded) == len(expected), seed
        assert set(decoded) == expected, seed


@pytest.mark.parametrize("slack", [0, 2, 4])
def test_no_smaller_tree_is_encoded(slack: int) -> None:
    """Below the optimum there is no model."""
    for seed in range(60):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), problem.labels.tolist())
        n_nodes = Tree.from_nested(next(iter(expected))).n_nodes
        if n_nodes > 3:
            assert optimal_models(TreeEncoding(problem, n_nodes + slack), n_nodes - 2) == []


SHAPE = [
    clause_groups.leaves_are_used,
    clause_groups.used_nodes_come_first,
    clause_groups.root_is_inner,
    clause_groups.leaves_have_no_children,
    clause_groups.siblings_are_adjacent,
    clause_groups.inner_nodes_have_children,
    clause_groups.children_are_used,
    clause_groups.used_nodes_have_a_parent,
    clause_groups.counters_are_initialised,
    clause_groups.leaves_are_counted,
    clause_groups.inner_nodes_are_counted,
    clause_groups.leaf_counts_bound_children,
    clause_groups.inner_node_counts_bound_children,
]


def count_layouts(n: int, lower: int) -> int:
    """Count the shapes of trees of ``lower`` to ``n`` nodes, distinguished by all variables of the shape."""
    x = TreeEncoding(xor(), n).vars

    def blocks() -> Iterator[Block]:
        for clause_group in SHAPE:
            yield from clause_group(x)
        yield from clause_groups.lower_bound_holds(x, lower)

    shape = np.concatenate([array[array > 0] for array in (x.eta, x.v, x.l, x.r, x.leaves, x.inner)])
    return sum(1 for _ in all_models(blocks(), shape, int(shape.max())))


def test_layouts_of_exactly_n_nodes() -> None:
    """The number of layouts is a Catalan number, so each binary tree has only one numbering."""
    assert [count_layouts(n, n) for n in range(3, 15, 2)] == [1, 2, 5, 14, 42, 132]


def test_layouts_of_at_most_n_nodes() -> None:
    """Unused nodes add no shapes."""
    assert [count_layouts(n, 3) for n in range(3, 13, 2)] == [1, 3, 8, 22, 64]


@pytest.mark.parametrize("n", [7, 9, 11])
def test_xor_takes_seven_nodes(n: int) -> None:
    """For every upper bound the minimum is 7 nodes; with the printed encoding it would be 3."""
    encoding = TreeEncoding(xor(), n)
    assert optimal_models(encoding, 5) == []
    assert {encoding.tree(model).to_nested() for model in optimal_models(encoding, 7)} == {
        (0, (1, 0, 1), (1, 1, 0)),
        (1, (0, 0, 1), (0, 1, 0)),
    }


@pytest.mark.parametrize("n", [15, 17, 19])
def test_mux6_has_two_minimum_trees(n: int) -> None:
    """There are two minimum trees of 15 nodes, with upper bounds of 15, 17 and 19."""
    encoding = TreeEncoding(formula("mux6"), n)
    assert optimal_models(encoding, 13) == []
    trees = {encoding.tree(model) for model in optimal_models(encoding, 15)}
    assert len(trees) == 2
    assert {tree.n_nodes for tree in trees} == {15}


@pytest.mark.data
def test_irish_has_six_minimum_trees(paper_folder: Path) -> None:
    """As in the paper, irish has 6 minimum trees of 9 nodes."""
    dataset = load_paper("irish", paper_folder)
    bits = paper_binarizer("irish").fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    encoding = TreeEncoding(problem, 11)
    trees = [encoding.tree(model) for model in optimal_models(encoding, 9)]
    n_variants = [np.prod([len(problem.merge.alternatives(int(f))) for f in tree.feature if f >= 0]) for tree in trees]
    assert sum(n_variants) == 6


def test_literals_of_a_tree_determine_its_model() -> None:
    """The literals of a tree have exactly one model, which is decoded to the tree."""
    problem = random_problem(4)
    for nested in minimum_trees(rows_of(problem), problem.labels.tolist()):
        tree = Tree.from_nested(nested, problem.classes)
        encoding = TreeEncoding(problem, tree.n_nodes + 4)
        oracle = LocalOracle()
        for block in (*encoding.structure(), *encoding.purity()):
            oracle.add(block)
        assert oracle.solve(encoding.literals(tree))
        model = oracle.model(encoding.pool.n_vars)
        assert encoding.tree(model) == tree
        oracle.add(np.where(model[1:], -1, 1).astype(np.int32)[None] * np.arange(1, len(model), dtype=np.int32))
        assert not oracle.solve(encoding.literals(tree))


@pytest.mark.parametrize("depth", [2, 3])
def test_depth_and_root_constraints(depth: int) -> None:
    """With constraints, the models correspond one to one to the minimum trees that satisfy them."""
    for seed in range(40):
        problem = random_problem(seed)
        constraints = Constraints(max_depth=depth, root=[0])
        trees = [Tree.from_nested(nested) for nested in minimum_trees(rows_of(problem), problem.labels.tolist())]
        allowed = [tree for tree in trees if tree.depth <= depth and tree.feature[0] == 0]
        encoding = TreeEncoding(problem, trees[0].n_nodes + 2, constraints=constraints)
        assert len(optimal_models(encoding, trees[0].n_nodes)) == len(allowed), seed


def test_costs_add_no_models() -> None:
    """With cost counters there is still one model per tree."""
    problem = random_problem(5)
    costs = np.arange(problem.n_features)
    with_costs = BinaryProblem.from_rows(rows_of(problem), problem.labels, costs=costs)
    trees = minimum_trees(rows_of(problem), problem.labels.tolist())
    n_nodes = Tree.from_nested(next(iter(trees))).n_nodes
    encoding = TreeEncoding(with_costs, n_nodes + 2, constraints=Constraints(minimise="nodes-then-cost"))
    models = optimal_models(encoding, n_nodes)
    assert len(models) == len(trees)
    for model in models:
        tree = encoding.tree(model)
        size, cost = (objective.cost(model) for objective in encoding.objectives)
        assert (2 * size - 1, cost) == (tree.n_nodes, costs[tree.feature[tree.left >= 0]].sum())


def test_formula_has_names_and_weights() -> None:
    """Every variable of the formula has a unique name, and the size outweighs the cost."""
    encoding = TreeEncoding(random_problem(3), 9, constraints=Constraints(minimise="nodes-then-cost"))
    wcnf = encoding.wcnf()
    counter = Counter()
    encoding.write(counter)
    assert wcnf.n_hard == counter.n_clauses
    assert sorted(wcnf.names) == list(range(1, wcnf.n_vars + 1))
    assert len(set(wcnf.names.values())) == wcnf.n_vars
    weights = {wcnf.names[-soft.literals[0]].split("[")[0]: soft.weight for soft in wcnf.soft}
    n_costs = sum(soft.weight for soft in wcnf.soft if wcnf.names[-soft.literals[0]].startswith("cost"))
    assert weights == {"eta": n_costs + 1, "cost": 1}


@pytest.mark.parametrize("n_nodes", [15, 41, 101])
@pytest.mark.parametrize("name", ["monks-1", "mux6"])
def test_estimated_size(name: str, n_nodes: int) -> None:
    """The estimated size, by which too large formulas are rejected, is within a third of the true size."""
    problem = formula(name)
    counter = Counter()
    TreeEncoding(problem, n_nodes).write(counter)
    n_clauses, n_literals = TreeEncoding.estimate(problem, n_nodes)
    assert counter.n_clauses / 1.33 < n_clauses < counter.n_clauses * 1.33
    assert counter.n_literals / 1.33 < n_literals < counter.n_literals * 1.33


@pytest.mark.parametrize(("n_nodes", "lower"), [(4, 3), (1, 1), (7, 9), (9, 4)])
def test_impossible_sizes_are_rejected(n_nodes: int, lower: int) -> None:
    """An even size, a single node, and a lower bound above the upper bound are errors."""
    with pytest.raises(InputError, match="cannot be encoded"):
        TreeEncoding(xor(), n_nodes, lower=lower)


def test_single_class_is_rejected() -> None:
    """A problem with a single class is an error: the tree is a single leaf."""
    with pytest.raises(InputError, match="single leaf"):
        TreeEncoding(BinaryProblem.from_rows([[0], [1]], [1, 1]), 3)
