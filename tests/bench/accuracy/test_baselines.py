"""scikit-learn's trees, asked without making them."""

import numpy as np
import pytest

from puretree import InputError
from puretree._support.clock import Clock
from puretree.bench.accuracy.baselines import codes_of_sizes, of_every_size, of_size, pure
from puretree.bench.accuracy.selection import TrainingPart, Verdicts
from puretree.datasets.paper_parts import binary_table
from puretree.engines.sklearn_trees import GrownTree, trees_of_every_size
from puretree.extraction.extract import unmerge
from puretree.problem import BinaryProblem

PART = TrainingPart.draw(binary_table("formula:monks-2"), 0)


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_the_first_nodes_say_what_their_tree_says(n_classes: int) -> None:
    """One walk through a grown tree gives the answers of the trees of all sizes, even and too large ones included."""
    rng = np.random.default_rng(n_classes)
    rows = np.unique(rng.integers(0, 2, (60, 8)), axis=0)
    problem = BinaryProblem.from_rows(rows, rng.integers(0, n_classes, len(rows)))
    grown = GrownTree.grow(problem, seed=1)
    assert grown.n_nodes == 1 if n_classes == 1 else grown.n_nodes > 15
    sizes = np.arange(1, grown.n_nodes + 4)
    bits = rng.integers(0, 2, (50, problem.n_features)).astype(np.bool_)
    found = codes_of_sizes(grown, sizes, bits)
    for size, said in zip(sizes.tolist(), found, strict=True):
        assert said.tolist() == grown.tree(size).predict_codes(bits).tolist()


def lines(verdicts: Verdicts) -> dict[tuple[int, ...], int]:
    """Return how many trees have each size and rows they are right on."""
    return {
        (int(size), *map(int, verdicts.rows[right])): int(n_trees)
        for right, size, n_trees in zip(verdicts.is_right, verdicts.n_nodes, verdicts.n_trees, strict=True)
    }


def test_ask_has_the_trees_of_every_size() -> None:
    """Each tree that the engine's own listing yields is there, and no other."""
    given = unmerge(PART.prepared.problem)
    expected: dict[tuple[int, ...], int] = {}
    for tree in trees_of_every_size(given, n_seeds=3):
        told = given.restore(tree).with_predicates(
            PART.prepared.binarizer.features_, PART.prepared.binarizer.n_features_in_
        )
        is_right = told.predict(PART.table.table(PART.rest)) == PART.table.labels[PART.rest]
        line = (tree.n_nodes, *map(int, PART.rest[is_right]))
        expected[line] = expected.get(line, 0) + 1
    found = of_every_size(PART, 3, Clock())
    assert found.n_seeds == 3
    assert lines(found.verdicts) == expected


def test_psk_is_pure_and_lsk_has_its_size() -> None:
    """With psk a tree grows until no training row is wrong; lsk stops at its size, or when pure."""
    given = unmerge(PART.prepared.problem)
    pure_sizes = {GrownTree.grow(given, seed=seed, order="depth-first").n_nodes for seed in range(4)}
    assert set(pure(PART, 4, Clock()).verdicts.n_nodes.tolist()) == pure_sizes
    assert set(of_size(PART, 17, 4, Clock()).verdicts.n_nodes.tolist()) == {17}
    assert max(of_size(PART, 10_001, 4, Clock()).verdicts.n_nodes) < 500


def test_chance_takes_any_of_equal_features() -> None:
    """scikit-learn is shown features that are equal in training apart: which one it asks differs by seed."""
    table = binary_table("formula:monks-2")
    part = TrainingPart.of(table, table.kept[:: len(table.kept) // 12])
    merged = part.prepared.problem
    assert unmerge(merged).n_features > merged.n_features
    roots = {GrownTree.grow(unmerge(merged), seed=seed).feature[0] for seed in range(30)}
    assert len(roots) > 1
    assert pure(part, 30, Clock()).verdicts.n_trees.sum() == 30


def test_what_is_there_at_the_limit_counts() -> None:
    """Without time there is the tree of one seed, and the number of seeds says so."""
    found = of_every_size(PART, 50, Clock(0))
    assert found.n_seeds == 1
    assert found.verdicts.n_trees.sum() == (found.verdicts.n_nodes.max() - 1) // 2


def test_lsk_needs_a_size() -> None:
    """Where no minimum is known, it is said why there is no lsk, and what helps."""
    with pytest.raises(InputError, match=r"lsk takes the size of a minimum tree.*measure mpdt-1"):
        of_size(PART, None, 5, Clock())
