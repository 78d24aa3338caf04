"""MinDT's warm start; the engine itself is tested with all others."""

from typing import Any

import numpy as np
import pytest
from helpers.random_problems import random_problem

from puretree import BinaryProblem, MinDt, Tree
from puretree.bounds.upper import greedy_tree, iti_tree
from puretree.encoding import TreeEncoding
from puretree.engines import mindt, solve
from puretree.engines.mindt import cut_tree
from puretree.sat import LocalOracle
from puretree.sat.oracle import model_of


def test_the_last_leaves_of_a_tree_collapse() -> None:
    """A cut tree has the first nodes of the tree, and each new leaf the most frequent class of its examples."""
    for seed in range(30):
        problem = random_problem(seed)
        tree = greedy_tree(problem)
        leaves = tree.apply(problem.examples)
        for n_nodes in range(3, tree.n_nodes, 2):
            cut = cut_tree(tree, n_nodes, problem)
            inner = np.flatnonzero(cut.left >= 0)
            assert cut.n_nodes == n_nodes
            assert cut.feature[inner].tolist() == tree.feature[inner].tolist()
            assert cut.left[inner].tolist() == tree.left[inner].tolist()
            cut_leaves = cut.apply(problem.examples)
            for leaf in np.flatnonzero(cut.left < 0):
                rows_of_class = np.bincount(
                    problem.labels[cut_leaves == leaf], weights=problem.weights[cut_leaves == leaf]
                )
                assert rows_of_class[cut.label[leaf]] == rows_of_class.max()
            assert (cut_leaves <= leaves).all()


def test_new_leaves_without_examples_have_a_class_of_the_problem() -> None:
    """A tree with useless tests can be cut: a leaf that no example reaches gets the most frequent class of all."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], ["b", "c", "c", "c"])
    useless = Tree.from_nested((0, (0, (1, "b", "c"), (1, "b", "c")), "c"), ["b", "c"])
    assert cut_tree(useless, 5, problem) == Tree.from_nested((0, (0, "b", "c"), "c"), ["b", "c"])


@pytest.mark.parametrize("warm_start", [True, False])
def test_phases_are_the_cut_tree(monkeypatch: pytest.MonkeyPatch, warm_start: bool) -> None:
    """With a warm start, the phases for each size are the best tree so far, cut to that size; else none are set."""
    phases: list[list[int]] = []

    class RecordingOracle(LocalOracle):
        def set_phases(self, literals: Any, *arguments: Any) -> None:
            phases.append(literals)
            super().set_phases(literals, *arguments)

    monkeypatch.setattr(mindt, "make_oracle", lambda *_, **__: RecordingOracle())
    problem = random_problem(82)
    outcome = solve(problem, MinDt(warm_start=warm_start))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 13)
    if not warm_start:
        assert phases == []
        return
    start = min((greedy_tree(problem), iti_tree(problem)), key=lambda tree: tree.n_nodes)  # type: ignore[union-attr]
    assert start is not None
    sizes = range(start.n_nodes - 2, 9, -2)
    assert len(phases) == len(sizes) == 4  # down to 11 nodes, of which there is no tree
    for n_nodes, literals in zip(sizes, phases, strict=True):
        encoding = TreeEncoding(problem, n_nodes, lower=n_nodes)
        tree = encoding.tree(model_of(np.array(literals, dtype=np.int32), encoding.pool.n_vars))
        assert tree.n_nodes == n_nodes
        if n_nodes == sizes[0]:
            assert tree == cut_tree(start, n_nodes, problem)
