"""Selection on one part and test accuracy on another, compared with a loop over trees."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from numpy.random import RandomState

from puretree import Forest
from puretree._support.clock import Clock
from puretree.bench.accuracy import evaluation
from puretree.bench.accuracy.evaluation import (
    Correctness,
    Split,
    SplitScores,
    TrainingPart,
    select_and_test,
    select_from_forest,
)
from puretree.datasets.paper_parts import BinaryTable, Rows, binary_table
from puretree.forest import TreeList, grow_forest
from puretree.problem import Constraints
from puretree.tree import Tree


@cache
def hard_part() -> tuple[BinaryTable, Rows, Forest, list[Split]]:
    """Train on few rows of monks-2, so that many minimum trees differ on the held-out rows; return splits of those."""
    table = binary_table("formula:monks-2")
    training = np.sort(np.random.default_rng(5).permutation(table.kept)[:35])
    part = TrainingPart.from_rows(table, training)
    forest = grow_forest(part.prepared, Constraints())
    rng = np.random.default_rng(4)
    splits = []
    for _ in range(6):
        rows = rng.permutation(part.held_out)[:60]
        splits.append((np.sort(rows[:20]), np.sort(rows[20:])))
    return table, part.held_out, forest, splits


def correct_rows(tree: Tree, table: BinaryTable) -> set[int]:
    """Return the rows that a tree classifies correctly."""
    predicted = tree.predict(table.table(table.kept))
    return {int(row) for row, label in zip(table.kept, predicted, strict=True) if table.labels[row] == label}


def scores_by_hand(trees: Sequence[tuple[set[int], int]], split: Split) -> tuple[float, float, float]:
    """Return the expected accuracy, the best seen and the expected size, tree by tree."""
    selection, test = (set(map(int, rows)) for rows in split)
    most = max(len(correct & selection) for correct, _ in trees)
    tied = [(len(correct & test) / len(test), size) for correct, size in trees if len(correct & selection) == most]
    best = max(len(correct & test) / len(test) for correct, _ in trees)
    return sum(accuracy for accuracy, _ in tied) / len(tied), best, sum(size for _, size in tied) / len(tied)


def assert_as_by_hand(scores: SplitScores, trees: Sequence[Tree], table: BinaryTable, splits: Sequence[Split]) -> None:
    """Compare the scores of each split."""
    correct = [(correct_rows(tree, table), tree.n_nodes) for tree in trees]
    expected = [scores_by_hand(correct, split) for split in splits]
    assert list(scores.accuracies) == pytest.approx([accuracy for accuracy, _, _ in expected])
    assert list(scores.best_seen) == pytest.approx([best for _, best, _ in expected])
    assert list(scores.sizes) == pytest.approx([size for _, _, size in expected])


def test_scores_of_listed_trees_equal_those_by_hand() -> None:
    """The accuracy is the mean over tied trees of any size; duplicate trees count twice."""
    table, held_out, forest, splits = hard_part()
    trees = forest.sample(20, RandomState(0))
    mixed = [*trees, *trees[:5], *(_prune(forest, tree) for tree in trees)]
    scores = select_and_test(Correctness.from_trees(TreeList(mixed), table, held_out), splits)
    assert_as_by_hand(scores, mixed, table, splits)
    assert scores.n_exact == len(splits)
    assert len(set(scores.sizes)) > 1  # trees of several sizes are selected


def _prune(forest: Forest, tree: Tree) -> Tree:
    """Replace the right subtree of the root by a leaf: the tree is smaller, and not pure."""
    feature, no, _ = tree.to_nested()
    binarizer = forest.prepared.binarizer
    smaller = Tree.from_nested((feature, no, tree.classes[0]), tree.classes)
    return smaller.with_predicates(binarizer.features_, binarizer.n_features_in_)


def test_unseen_labels_are_never_correct() -> None:
    """All trees misclassify a row whose label does not occur in training."""
    table, held_out, forest, splits = hard_part()
    unseen = BinaryTable(table.name, table.bits, np.full(len(table.labels), "neither"), table.kept)
    scores = select_and_test(
        Correctness.from_trees(TreeList(forest.sample(5, RandomState(0))), unseen, held_out), splits
    )
    assert set(scores.accuracies) == set(scores.best_seen) == {0.0}


def test_duplicate_trees_are_counted() -> None:
    """Trees that classify the same rows correctly are merged if they have the same size."""
    is_correct = np.array([[1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 1]], dtype=np.bool_)
    merged = Correctness.from_packed(np.arange(3), np.packbits(is_correct, axis=1), np.array([3, 5, 3, 3]))
    columns = merged.is_correct.tolist(), merged.n_nodes.tolist(), merged.n_trees.tolist()
    n_trees = {(*correct, size): n for correct, size, n in zip(*columns, strict=True)}
    assert n_trees == {(True, False, True, 3): 2, (True, False, True, 5): 1, (False, False, True, 3): 1}


def test_scores_of_a_forest_equal_those_of_its_trees() -> None:
    """Accuracy and best seen computed on the graph equal those of all trees, listed one by one."""
    table, _, forest, splits = hard_part()
    trees = list(forest)
    assert 50 < len(trees) < 5_000
    scores = select_from_forest(forest, table, splits, Clock(), None, RandomState(0))
    assert scores.n_exact == len(splits)
    assert_as_by_hand(scores, trees, table, splits)
    assert len(set(scores.accuracies)) > 1


def test_at_the_time_limit_a_sample_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a time limit of 0 all splits use a sample of the forest, and the number of exact splits is 0."""
    monkeypatch.setattr(evaluation, "N_SAMPLED", 20)
    table, held_out, forest, splits = hard_part()
    scores = select_from_forest(forest, table, splits, Clock(0), None, RandomState(7))
    sample = TreeList(forest.sample(20, RandomState(7)))
    expected = select_and_test(Correctness.from_trees(sample, table, held_out), splits)
    assert scores.n_exact == 0
    assert (scores.accuracies, scores.best_seen) == (expected.accuracies, expected.best_seen)


def test_splits_before_the_time_limit_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the time limit is reached half way, the first splits are exact and the others use the sample."""
    monkeypatch.setattr(evaluation, "N_SAMPLED", 20)
    table, _, forest, splits = hard_part()
    exact = select_from_forest(forest, table, splits, Clock(), None, RandomState(7))
    sampled = select_from_forest(forest, table, splits, Clock(0), None, RandomState(7))
    clocks = iter([Clock(), Clock(), Clock(), Clock(0)])
    select_for_split = evaluation._select_for_split
    monkeypatch.setattr(
        evaluation,
        "_select_for_split",
        lambda forest, table, split, clock, memory: select_for_split(forest, table, split, next(clocks), None),
    )
    scores = select_from_forest(forest, table, splits, Clock(), None, RandomState(7))
    assert scores.n_exact == 3
    assert scores.accuracies == exact.accuracies[:3] + sampled.accuracies[3:]
    assert exact.best_seen != sampled.best_seen
