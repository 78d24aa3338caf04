"""The encoding, held against brute force: its models are the trees, one to one."""

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
    """Return all models of at most so many nodes, told apart by every variable there is."""

    def blocks() -> Iterator[Block]:
        yield from encoding.structure()
        yield from encoding.purity()
        for literal in encoding.at_most(n_nodes):
            yield np.array([[literal]], dtype=np.int32)

    everything = np.arange(1, encoding.pool.n_vars + 1, dtype=np.int32)
    return list(all_models(blocks(), everything, encoding.pool.n_vars))


@pytest.mark.parametrize("slack", [0, 2, 4])
@pytest.mark.parametrize("part", range(6))
def test_the_optimal_models_are_the_minimum_trees(slack: int, part: int) -> None:
    """On 300 random problems and upper bounds of the optimum + 0, 2, 4: each minimum tree is exactly one model."""
    for seed in range(part, 300, 6):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_nodes = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes
        encoding = TreeEncoding(problem, n_nodes + slack)
        found = [encoding.tree(model).to_nested() for model in optimal_models(encoding, n_nodes)]
        assert len(found) == len(expected), seed
        assert set(found) == expected, seed


@pytest.mark.parametrize("slack", [0, 2, 4])
def test_no_smaller_tree_is_encoded(slack: int) -> None:
    """Below the optimum there is no model at all."""
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
    clause_groups.siblings_are_neighbours,
    clause_groups.inner_nodes_have_children,
    clause_groups.children_are_used,
    clause_groups.used_nodes_have_a_parent,
    clause_groups.counters_start,
    clause_groups.leaves_are_counted,
    clause_groups.inner_nodes_are_counted,
    clause_groups.leaves_bring_children_nearer,
    clause_groups.inner_nodes_push_children_away,
]


def count_layouts(n: int, lower: int) -> int:
    """Count the shapes of trees of ``lower`` to ``n`` nodes, told apart by every variable that speaks of the shape."""
    x = TreeEncoding(xor(), n).vars

    def blocks() -> Iterator[Block]:
        for constraint in SHAPE:
            yield from constraint(x)
        yield from clause_groups.lower_bound_is_used(x, lower)

    shape = np.concatenate([part[part > 0] for part in (x.eta, x.v, x.l, x.r, x.leaves, x.inner)])
    return sum(1 for _ in all_models(blocks(), shape, int(shape.max())))


def test_layouts_of_exactly_n_nodes() -> None:
    """The shapes of binary trees are counted by the Catalan numbers, each numbered in one way only."""
    assert [count_layouts(n, n) for n in range(3, 15, 2)] == [1, 2, 5, 14, 42, 132]


def test_layouts_of_at_most_n_nodes() -> None:
    """Unused nodes add no shapes."""
    assert [count_layouts(n, 3) for n in range(3, 13, 2)] == [1, 3, 8, 22, 64]


@pytest.mark.parametrize("n", [7, 9, 11])
def test_xor_takes_seven_nodes(n: int) -> None:
    """Whatever the upper bound: the printed encoding says 3 here."""
    encoding = TreeEncoding(xor(), n)
    assert optimal_models(encoding, 5) == []
    assert {encoding.tree(model).to_nested() for model in optimal_models(encoding, 7)} == {
        (0, (1, 0, 1), (1, 1, 0)),
        (1, (0, 0, 1), (0, 1, 0)),
    }


@pytest.mark.parametrize("n", [15, 17, 19])
def test_mux6_has_two_minimum_trees(n: int) -> None:
    """Two trees of 15 nodes, with upper bounds of 15, 17 and 19."""
    encoding = TreeEncoding(formula("mux6"), n)
    assert optimal_models(encoding, 13) == []
    trees = {encoding.tree(model) for model in optimal_models(encoding, 15)}
    assert len(trees) == 2
    assert {tree.n_nodes for tree in trees} == {15}


@pytest.mark.data
def test_irish_has_six_minimum_trees(paper_folder: Path) -> None:
    """The paper's count for irish: 6 trees of 9 nodes."""
    dataset = load_paper("irish", paper_folder)
    bits = paper_binarizer("irish").fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    encoding = TreeEncoding(problem, 11)
    trees = [encoding.tree(model) for model in optimal_models(encoding, 9)]
    ways = [np.prod([len(problem.merge.alternatives(int(f))) for f in tree.feature if f >= 0]) for tree in trees]
    assert sum(ways) == 6


def test_a_tree_becomes_a_model_and_comes_back() -> None:
    """The literals of a tree have one model, and it is the tree."""
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
def test_depth_and_root_leave_the_trees_that_keep_to_them(depth: int) -> None:
    """With wishes, the models are the minimum trees that keep to them, still one to one."""
    for seed in range(40):
        problem = random_problem(seed)
        constraints = Constraints(max_depth=depth, root=[0])
        trees = [Tree.from_nested(nested) for nested in minimum_trees(rows_of(problem), problem.labels.tolist())]
        kept = [tree for tree in trees if tree.depth <= depth and tree.feature[0] == 0]
        encoding = TreeEncoding(problem, trees[0].n_nodes + 2, constraints=constraints)
        assert len(optimal_models(encoding, trees[0].n_nodes)) == len(kept), seed


def test_costs_add_no_models() -> None:
    """Counting the cost of tests leaves one model a tree."""
    problem = random_problem(5)
    costs = np.arange(problem.n_features)
    dear = BinaryProblem.from_rows(rows_of(problem), problem.labels, costs=costs)
    trees = minimum_trees(rows_of(problem), problem.labels.tolist())
    n_nodes = Tree.from_nested(next(iter(trees))).n_nodes
    encoding = TreeEncoding(dear, n_nodes + 2, constraints=Constraints(minimise="nodes-then-cost"))
    found = optimal_models(encoding, n_nodes)
    assert len(found) == len(trees)
    for model in found:
        tree = encoding.tree(model)
        size, cost = (objective.cost(model) for objective in encoding.objectives)
        assert (2 * size - 1, cost) == (tree.n_nodes, costs[tree.feature[tree.left >= 0]].sum())


def test_the_formula_has_names_and_weights() -> None:
    """The whole formula: every variable has a name of its own, sizes outweigh costs."""
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
def test_the_size_is_estimated_before_it_is_made(name: str, n_nodes: int) -> None:
    """The estimate of clauses and literals, by which too large formulas are refused, is within a third of the truth."""
    problem = formula(name)
    counter = Counter()
    TreeEncoding(problem, n_nodes).write(counter)
    n_clauses, n_literals = TreeEncoding.estimate(problem, n_nodes)
    assert counter.n_clauses / 1.33 < n_clauses < counter.n_clauses * 1.33
    assert counter.n_literals / 1.33 < n_literals < counter.n_literals * 1.33


@pytest.mark.parametrize(("n_nodes", "lower"), [(4, 3), (1, 1), (7, 9), (9, 4)])
def test_sizes_that_no_tree_has_are_refused(n_nodes: int, lower: int) -> None:
    """An even size, one node, or a lower bound above the upper is a mistake of the caller."""
    with pytest.raises(InputError, match="cannot be encoded"):
        TreeEncoding(xor(), n_nodes, lower=lower)


def test_one_class_is_refused() -> None:
    """A single leaf needs no encoding."""
    with pytest.raises(InputError, match="single leaf"):
        TreeEncoding(BinaryProblem.from_rows([[0], [1]], [1, 1]), 3)
