"""The scikit-learn baselines, evaluated without building the trees."""

import numpy as np
import pytest

from puretree import InputError
from puretree._support.clock import Clock
from puretree.bench.accuracy.baselines import grow_ask, grow_lsk, grow_psk, predict_sizes
from puretree.bench.accuracy.evaluation import Correctness, TrainingPart
from puretree.datasets.paper_parts import binary_table
from puretree.engines.sklearn_trees import GrownTree, trees_of_every_size
from puretree.extraction.extract import unmerge
from puretree.problem import BinaryProblem

PART = TrainingPart.draw(binary_table("formula:monks-2"), 0)


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_predictions_of_all_sizes_equal_those_of_the_built_trees(n_classes: int) -> None:
    """One descent predicts for all sizes, including even numbers of nodes and more nodes than the tree has."""
    rng = np.random.default_rng(n_classes)
    rows = np.unique(rng.integers(0, 2, (60, 8)), axis=0)
    problem = BinaryProblem.from_rows(rows, rng.integers(0, n_classes, len(rows)))
    grown = GrownTree.grow(problem, seed=1)
    assert grown.n_nodes == 1 if n_classes == 1 else grown.n_nodes > 15
    sizes = np.arange(1, grown.n_nodes + 4)
    bits = rng.integers(0, 2, (50, problem.n_features)).astype(np.bool_)
    predictions = predict_sizes(grown, sizes, bits)
    for size, codes in zip(sizes.tolist(), predictions, strict=True):
        assert codes.tolist() == grown.tree(size).predict_codes(bits).tolist()


def count_trees(correctness: Correctness) -> dict[tuple[int, ...], int]:
    """Return the number of trees by size and correctly classified rows."""
    return {
        (int(size), *map(int, correctness.rows[is_correct])): int(n_trees)
        for is_correct, size, n_trees in zip(
            correctness.is_correct, correctness.n_nodes, correctness.n_trees, strict=True
        )
    }


def test_ask_has_the_trees_of_every_size() -> None:
    """The baseline has exactly the trees that the engine enumerates."""
    problem = unmerge(PART.prepared.problem)
    expected: dict[tuple[int, ...], int] = {}
    for tree in trees_of_every_size(problem, n_seeds=3):
        restored = problem.restore(tree).with_predicates(
            PART.prepared.binarizer.features_, PART.prepared.binarizer.n_features_in_
        )
        predicted = restored.predict(PART.table.table(PART.held_out))
        is_correct = predicted == PART.table.labels[PART.held_out]
        key = (tree.n_nodes, *map(int, PART.held_out[is_correct]))
        expected[key] = expected.get(key, 0) + 1
    trees = grow_ask(PART, 3, Clock())
    assert trees.n_seeds == 3
    assert count_trees(trees.correctness) == expected


def test_psk_is_pure_and_lsk_has_its_size() -> None:
    """Psk grows a tree until all training rows are classified correctly; lsk stops at its size, or when pure."""
    problem = unmerge(PART.prepared.problem)
    pure_sizes = {GrownTree.grow(problem, seed=seed, order="depth-first").n_nodes for seed in range(4)}
    assert set(grow_psk(PART, 4, Clock()).correctness.n_nodes.tolist()) == pure_sizes
    assert set(grow_lsk(PART, 17, 4, Clock()).correctness.n_nodes.tolist()) == {17}
    assert max(grow_lsk(PART, 10_001, 4, Clock()).correctness.n_nodes) < 500


def test_equal_features_are_picked_at_random() -> None:
    """scikit-learn sees features that are equal in training separately: which one it tests depends on the seed."""
    table = binary_table("formula:monks-2")
    part = TrainingPart.from_rows(table, table.kept[:: len(table.kept) // 12])
    merged = part.prepared.problem
    assert unmerge(merged).n_features > merged.n_features
    roots = {GrownTree.grow(unmerge(merged), seed=seed).feature[0] for seed in range(30)}
    assert len(roots) > 1
    assert grow_psk(part, 30, Clock()).correctness.n_trees.sum() == 30


def test_at_the_time_limit_the_seeds_so_far_count() -> None:
    """With a time limit of 0 there are the trees of one seed, and the number of seeds is 1."""
    trees = grow_ask(PART, 50, Clock(0))
    assert trees.n_seeds == 1
    assert trees.correctness.n_trees.sum() == (trees.correctness.n_nodes.max() - 1) // 2


def test_lsk_needs_a_size() -> None:
    """Without a minimum tree, the message says why lsk cannot run, and what to include."""
    with pytest.raises(InputError, match=r"lsk needs the size of a minimum tree.*include mpdt-1"):
        grow_lsk(PART, None, 5, Clock())
