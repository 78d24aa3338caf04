"""Test the path encoding against brute force."""

import numpy as np
import pytest
from helpers.all_models import all_models
from helpers.oracles.brute_force import minimum_cost, minimum_trees
from helpers.random_problems import formula, random_problem, rows_of, xor

from puretree import BinaryProblem, InputError, Tree
from puretree.encoding import PathEncoding, layout_of, layouts
from puretree.formula import Counter
from puretree.problem import Constraints
from puretree.sat import LocalOracle


def trees_of(encoding: PathEncoding, layout: str = "o") -> list[Tree]:
    """Return the tree of every model; models are distinguished by all variables."""
    variables = np.arange(1, encoding.pool.n_vars + 1, dtype=np.int32)
    return [encoding.tree(m) for m in all_models(encoding.clauses(layout), variables, encoding.pool.n_vars)]


def test_models_are_the_minimum_trees() -> None:
    """On 40 random problems, models and minimum trees correspond one to one; smaller sizes have no model."""
    for seed in range(40):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_nodes = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes
        decoded = [tree.to_nested() for tree in trees_of(PathEncoding(problem, n_nodes))]
        assert len(decoded) == len(expected), seed
        assert set(decoded) == expected, seed
        assert n_nodes == 3 or not trees_of(PathEncoding(problem, n_nodes - 2))


@pytest.mark.parametrize("depth", [1, 2])
def test_layouts_partition_the_trees(depth: int) -> None:
    """On 10 random problems, the trees of each layout have that layout, and together they are all minimum trees."""
    for seed in range(10):
        problem = random_problem(seed)
        expected = minimum_trees(rows_of(problem), [problem.classes[code] for code in problem.labels])
        n_nodes = Tree.from_nested(next(iter(expected)), problem.classes).n_nodes
        encoding = PathEncoding(problem, n_nodes)
        n_trees = 0
        for layout in layouts(n_nodes, depth, problem.n_features):
            trees = trees_of(encoding, layout)
            assert {layout_of(tree, depth) for tree in trees} <= {layout}
            n_trees += len(trees)
        assert n_trees == len(expected)


def test_constraints_are_satisfied() -> None:
    """With a depth and a root, a size has a model if and only if brute force finds a tree that is not larger."""
    for seed in range(30):
        problem = random_problem(seed)
        root = [seed % problem.n_features]
        constraints = Constraints(max_depth=3, root=root)
        ones = [1] * problem.n_features
        best = minimum_cost(rows_of(problem), problem.labels.tolist(), ones, max_depth=3, root=root)
        for n_inner in range(1, min(7, 2 ** min(3, problem.n_features) - 1) + 1):
            oracle = LocalOracle()
            encoding = PathEncoding(problem, 2 * n_inner + 1, constraints=constraints)
            for block in encoding.clauses():
                oracle.add(block)
            result = oracle.solve([])
            assert result == (n_inner >= best), (seed, n_inner)
            if result:
                assert constraints.allows(encoding.tree(oracle.model(encoding.pool.n_vars)), problem)
            oracle.close()


def test_layout_deeper_than_the_depth_limit_has_no_tree() -> None:
    """The formula is unsatisfiable if the paths are too short for the layout."""
    encoding = PathEncoding(xor(), 7, constraints=Constraints(max_depth=2))
    assert trees_of(encoding, "ooo····")
    assert not trees_of(encoding, "ooo···o")


@pytest.mark.parametrize("n_nodes", [15, 41, 101])
@pytest.mark.parametrize("name", ["monks-1", "mux6"])
def test_estimated_size(name: str, n_nodes: int) -> None:
    """The estimate, by which too large formulas are rejected, is within a third of the true size."""
    counter = Counter()
    for block in PathEncoding(formula(name), n_nodes).clauses():
        counter.add(block)
    n_bytes = 60 * counter.n_clauses + 4 * counter.n_literals
    assert n_bytes / 1.33 < PathEncoding.n_bytes(formula(name), n_nodes, Constraints()) < n_bytes * 1.33


@pytest.mark.parametrize("n_nodes", [1, 4])
def test_impossible_sizes_are_rejected(n_nodes: int) -> None:
    """A single node and an even number of nodes are errors."""
    with pytest.raises(InputError, match="cannot be encoded"):
        PathEncoding(xor(), n_nodes)


def test_single_class_is_rejected() -> None:
    """A problem with a single class is an error: there is no test to encode."""
    with pytest.raises(InputError, match="of one class"):
        PathEncoding(BinaryProblem.from_rows([[0], [1]], [1, 1]), 3)
