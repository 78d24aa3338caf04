"""Choosing on one part and testing on another, against a loop over trees."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from numpy.random import RandomState

from puretree import Forest
from puretree._support.clock import Clock
from puretree.bench.accuracy import selection
from puretree.bench.accuracy.selection import Choices, Split, TrainingPart, Verdicts, choose, choose_from_forest
from puretree.datasets.paper_parts import BinaryTable, Rows, binary_table
from puretree.forest import TreeList
from puretree.problem import Constraints
from puretree.selection.candidates import Limits, find_forest
from puretree.tree import Tree


@cache
def hard_part() -> tuple[BinaryTable, Rows, Forest, list[Split]]:
    """Give few rows of monks-2 to train on, which leaves many trees that differ on the rest, and splits of that."""
    table = binary_table("formula:monks-2")
    training = np.sort(np.random.default_rng(5).permutation(table.kept)[:35])
    part = TrainingPart.of(table, training)
    forest = find_forest(part.prepared, Constraints(), Limits(Clock()))
    rng = np.random.default_rng(4)
    splits = []
    for _ in range(6):
        rows = rng.permutation(part.rest)[:60]
        splits.append((np.sort(rows[:20]), np.sort(rows[20:])))
    return table, part.rest, forest, splits


def rows_right(tree: Tree, table: BinaryTable) -> set[int]:
    """Return the rows that a tree is right on."""
    said = tree.predict(table.table(table.kept))
    return {int(row) for row, label in zip(table.kept, said, strict=True) if table.labels[row] == label}


def by_hand(rights: Sequence[tuple[set[int], int]], split: Split) -> tuple[float, float, float]:
    """Return the expected accuracy, the best seen and the expected size, tree by tree."""
    selection, test = (set(map(int, rows)) for rows in split)
    most = max(len(right & selection) for right, _ in rights)
    tied = [(len(right & test) / len(test), n_nodes) for right, n_nodes in rights if len(right & selection) == most]
    best = max(len(right & test) / len(test) for right, _ in rights)
    return sum(accuracy for accuracy, _ in tied) / len(tied), best, sum(n_nodes for _, n_nodes in tied) / len(tied)


def assert_as_by_hand(found: Choices, trees: Sequence[Tree], table: BinaryTable, splits: Sequence[Split]) -> None:
    """Compare each split."""
    rights = [(rows_right(tree, table), tree.n_nodes) for tree in trees]
    expected = [by_hand(rights, split) for split in splits]
    assert list(found.accuracies) == pytest.approx([accuracy for accuracy, _, _ in expected])
    assert list(found.best_seen) == pytest.approx([best for _, best, _ in expected])
    assert list(found.sizes) == pytest.approx([size for _, _, size in expected])


def test_listed_trees_are_chosen_as_by_hand() -> None:
    """The accuracy is the mean over tied trees, of any sizes; a tree that is listed twice counts twice."""
    table, rest, forest, splits = hard_part()
    trees = forest.sample(20, RandomState(0))
    mixed = [*trees, *trees[:5], *(_one_side(forest, tree) for tree in trees)]
    found = choose(Verdicts.of_trees(TreeList(mixed), table, rest), splits)
    assert_as_by_hand(found, mixed, table, splits)
    assert found.n_exact == len(splits)
    assert len(set(found.sizes)) > 1  # else sizes were not mixed


def _one_side(forest: Forest, tree: Tree) -> Tree:
    """Return a tree with a leaf for one of its sides: smaller, and not pure."""
    feature, no, _ = tree.to_nested()
    binarizer = forest.prepared.binarizer
    smaller = Tree.from_nested((feature, no, tree.classes[0]), tree.classes)
    return smaller.with_predicates(binarizer.features_, binarizer.n_features_in_)


def test_a_label_that_did_not_train_is_never_right() -> None:
    """A row whose label no tree knows is wrong for all of them."""
    table, rest, forest, splits = hard_part()
    strange = BinaryTable(table.name, table.bits, np.full(len(table.labels), "neither"), table.kept)
    found = choose(Verdicts.of_trees(TreeList(forest.sample(5, RandomState(0))), strange, rest), splits)
    assert set(found.accuracies) == set(found.best_seen) == {0.0}


def test_equal_verdicts_are_drawn_together() -> None:
    """Trees that are right on the same rows are one line if they have the same size, two if not."""
    is_right = np.array([[1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 1]], dtype=np.bool_)
    found = Verdicts.of_bits(np.arange(3), np.packbits(is_right, axis=1), np.array([3, 5, 3, 3]))
    lines = {
        (*right, size): n
        for right, size, n in zip(found.is_right.tolist(), found.n_nodes.tolist(), found.n_trees.tolist(), strict=True)
    }
    assert lines == {(True, False, True, 3): 2, (True, False, True, 5): 1, (False, False, True, 3): 1}


def test_the_forest_is_chosen_from_as_all_its_trees_are() -> None:
    """What the graph says of all trees is the mean over all trees listed one by one, and so is the best seen."""
    table, _, forest, splits = hard_part()
    trees = list(forest)
    assert 50 < len(trees) < 5_000
    found = choose_from_forest(forest, table, splits, Clock(), None, RandomState(0))
    assert found.n_exact == len(splits)
    assert_as_by_hand(found, trees, table, splits)
    assert len(set(found.accuracies)) > 1


def test_without_time_a_sample_is_chosen_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forest that is larger than the time allows is sampled, and the choices tell for how many splits."""
    monkeypatch.setattr(selection, "N_SAMPLED", 20)
    table, rest, forest, splits = hard_part()
    found = choose_from_forest(forest, table, splits, Clock(0), None, RandomState(7))
    sample = TreeList(forest.sample(20, RandomState(7)))
    expected = choose(Verdicts.of_trees(sample, table, rest), splits)
    assert found.n_exact == 0
    assert (found.accuracies, found.best_seen) == (expected.accuracies, expected.best_seen)


def test_splits_done_in_time_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is over half way, the first splits are exact and the last ones are those of the sample."""
    monkeypatch.setattr(selection, "N_SAMPLED", 20)
    table, _, forest, splits = hard_part()
    exact = choose_from_forest(forest, table, splits, Clock(), None, RandomState(7))
    sampled = choose_from_forest(forest, table, splits, Clock(0), None, RandomState(7))
    clocks = iter([Clock(), Clock(), Clock(), Clock(0)])
    once = selection._choose_once
    monkeypatch.setattr(
        selection,
        "_choose_once",
        lambda forest, table, split, clock, memory: once(forest, table, split, next(clocks), None),
    )
    found = choose_from_forest(forest, table, splits, Clock(), None, RandomState(7))
    assert found.n_exact == 3
    assert found.accuracies == exact.accuracies[:3] + sampled.accuracies[3:]
    assert exact.best_seen != sampled.best_seen
