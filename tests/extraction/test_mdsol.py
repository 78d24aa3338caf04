"""The paper's distance of trees, and diverse trees against comparing all trees at every step."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from diversity import training_table
from helpers.extracting import distance_sum, extract, in_process
from helpers.small_forests import small_forest

from puretree import Forest, Tree, prepare
from puretree._support.clock import Clock, TimeLimitReached
from puretree.datasets import load
from puretree.extraction import hamming, mean_hamming, targets
from puretree.extraction.tree_oracle import TreeOracle
from puretree.problem import Prepared


def target_matrix(tree: Tree, n_features: int) -> np.ndarray:
    """Return the variables a[r,j] of a tree as in the paper: a truth value for each feature and node."""
    a = np.zeros((n_features, tree.n_nodes), dtype=bool)
    for node in range(tree.n_nodes):
        if tree.left[node] >= 0:
            a[tree.feature[node], node] = True
    return a


@pytest.mark.parametrize("seed", range(6))
def test_the_distance_is_that_of_the_paper_s_variables(seed: int) -> None:
    """The distance counts the variables a[r,j] in which two trees differ, and the mean is over all pairs."""
    trees = small_forest(seed).forest[:8]
    n_features = 1 + max(feature for tree in trees for feature in tree.features)
    matrices = [target_matrix(tree, n_features) for tree in trees]
    distances = [int((a ^ b).sum()) for a, b in combinations(matrices, 2)]
    assert [hamming(tree, other) for tree, other in combinations(trees, 2)] == distances
    assert mean_hamming(trees) == pytest.approx(np.mean(distances))


def test_trees_of_different_shapes_can_be_compared() -> None:
    """A node keeps its feature but not its number if the shape of the tree changes elsewhere."""
    tree = Tree.from_nested((0, (1, "a", "b"), (2, "a", "b")))
    other = Tree.from_nested((0, "b", (2, "a", (1, "a", "b"))))
    assert targets(tree) == {(0, 1), (1, 2), (2, 3)}
    assert targets(other) == {(0, 1), (2, 3), (1, 5)}
    assert hamming(tree, other) == 2


def test_the_mean_distance_of_fewer_than_two_trees_is_0() -> None:
    """Without a pair of trees, the mean is defined as 0."""
    assert mean_hamming([]) == mean_hamming([Tree.from_nested((0, "a", "b"))]) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_each_tree_is_the_farthest_from_those_before(seed: int) -> None:
    """No remaining minimum tree has a greater sum of distances to the trees extracted so far."""
    forest = small_forest(seed).forest
    assert_farthest(extract(forest.prepared, in_process("mdsol"), min(8, forest.count)).trees, forest)


def assert_farthest(trees: Sequence[Tree], forest: Forest) -> None:
    """Check that no remaining tree of the forest is farther at any step."""
    remaining = set(forest)
    for n, tree in enumerate(trees):
        assert distance_sum(tree, trees[:n]) == max(distance_sum(other, trees[:n]) for other in remaining)
        remaining.remove(tree)


def test_the_forest_and_extraction_reach_the_same_distance() -> None:
    """From the same first tree, the second tree of both has the same distance by the paper's measure."""
    forest = small_forest(7).forest
    (first, second) = forest.diverse(2, "paper")
    problem = forest.prepared.problem
    trees = in_process("mdsol").extract_trees(problem, forest.n_nodes, 2, first=first).trees
    assert hamming(*trees) == hamming(first, second)


def test_the_best_tree_is_taken_when_the_time_slice_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees that are not proved to be the farthest are counted, and all trees are extracted all the same."""
    solve = TreeOracle.solve

    def without_time(self: TreeOracle, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Tree | None:
        if time_slice is not None and len(assumptions):
            raise TimeLimitReached
        return solve(self, assumptions, time_slice)

    monkeypatch.setattr(TreeOracle, "solve", without_time)
    forest = small_forest(17).forest
    extraction = extract(forest.prepared, in_process("mdsol", None, "share"), 10**6)
    assert (extraction.stopped, set(extraction.trees)) == ("exhausted", set(forest))
    assert 0 < extraction.n_unproved < forest.count


def test_an_unproved_tree_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """If each tree must be proved and the time ends before, the trees so far are returned, all of them proved."""
    solve, clock, calls = TreeOracle.solve, Clock(), []

    def until_the_time_ends(self: TreeOracle, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Any:
        calls.append(len(assumptions))
        if len(calls) > 9 and assumptions:  # a tree is known that may not be the farthest
            clock.stop()
            raise TimeLimitReached
        return solve(self, assumptions, time_slice)

    monkeypatch.setattr(TreeOracle, "solve", until_the_time_ends)
    forest = small_forest(17).forest
    extraction = extract(forest.prepared, in_process("mdsol"), 10**6, clock=clock)
    assert (extraction.stopped, extraction.n_unproved) == ("limit", 0)
    assert 2 <= len(extraction.trees) < forest.count
    assert_farthest(extraction.trees, forest)


@pytest.mark.parametrize("name", ["monks-1", "monks-3", "corral"])
def test_mdsol_increases_the_mean_distance(name: str) -> None:
    """The mean distance of a few diverse trees is at least that of any trees."""
    dataset = load(f"formula:{name}")
    assert_more_diverse(prepare(dataset.table, dataset.target, binarize="bits"))


TABLES = ["appendicitis", "corral", "haberman", "hayes-roth", "house-votes-84", "iris", "irish", "lymphography"]
TABLES += ["monks-1", "monks-3", "mux6", "new-thyroid", "wine", "zoo"]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_mdsol_increases_the_mean_distance_on_the_paper_s_tables(name: str, paper_folder: Any) -> None:
    """The same on the paper's training sets; benchmarks/diversity.py compares more trees."""
    assert_more_diverse(training_table(name, paper_folder), seconds=2)


def assert_more_diverse(prepared: Prepared, seconds: float = 10) -> None:
    """Compare the mean distances of equally many trees, any and diverse ones."""
    extractors = [in_process(diversity, None, "share") for diversity in ("none", "mdsol")]
    trees = [extract(prepared, extractor, 4, clock=Clock(seconds)).trees for extractor in extractors]
    k = min(map(len, trees))
    assert k >= 2
    any_trees, diverse_trees = (extracted[:k] for extracted in trees)
    assert mean_hamming(diverse_trees) >= mean_hamming(any_trees)
