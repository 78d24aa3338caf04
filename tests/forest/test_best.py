"""The best of all trees, against scoring each tree."""

import signal
import threading
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
import pytest
from helpers.small_forests import SmallForest, small_forest, wide_forest

from puretree import InputError, UnfinishedError
from puretree._support.clock import Clock
from puretree.binarize.bitmatrix import BitMatrix
from puretree.forest.best import best_graph
from puretree.forest.graph import Graph
from puretree.forest.predictions import GroupedRows


def scores_by_listing(small: SmallForest, scores: Any) -> dict[Any, float]:
    """Score every tree."""
    codes = np.searchsorted(small.forest.classes, small.predictions())
    sums = np.asarray(scores)[np.arange(len(small.X)), codes].sum(axis=1)
    return dict(zip(small.trees, sums.tolist(), strict=True))


def best_by_listing(small: SmallForest, scores: Any) -> tuple[float, list[Any]]:
    """Score every tree and return the best score with the trees that have it, in canonical order."""
    score_of = scores_by_listing(small, scores)
    best = max(score_of.values())
    return best, [tree for tree, score in score_of.items() if score == best]


@pytest.mark.parametrize("extra", [0, 1, 2, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_the_best_accuracy_is_the_best_of_all_trees(seed: int, extra: Any) -> None:
    """The best accuracy and its trees equal those found by listing, on rows where merged features disagree."""
    small = small_forest(seed, extra)
    scores = np.array(small.y)[:, None] == np.array(small.forest.classes)
    n_correct, trees = best_by_listing(small, scores)
    best = small.forest.best(small.X, small.y)
    assert best.accuracy == n_correct / len(small.y)
    assert best.count == len(trees)
    assert [tree.to_nested() for tree in best.forest] == trees
    assert best.tree.to_nested() == trees[0]
    assert (best.tree.predict(small.X) == small.y).mean() == best.accuracy


@pytest.mark.parametrize("seed", range(25))
def test_any_integer_scores_can_be_maximised(seed: int) -> None:
    """With integer scores of either sign, the greatest sum and its trees equal those found by listing."""
    small = small_forest(seed, 1)
    scores = np.random.default_rng(seed).integers(-3, 4, (len(small.X), len(small.forest.classes)))
    total, trees = best_by_listing(small, scores)
    best = small.forest.best_for(scores, small.X)
    assert best.score == total
    assert [tree.to_nested() for tree in best.forest] == trees


def test_selections_can_be_chained() -> None:
    """The best trees are a forest: of the most accurate trees, those that predict class 0 most often can be found."""
    small = small_forest(7, 1)
    scores = np.array(small.y)[:, None] == np.array(small.forest.classes)
    predicts_first = np.tile(np.arange(len(small.forest.classes)) == 0, (len(small.X), 1))
    expected = best_by_listing(small, 100 * scores + predicts_first)[1]
    chained = small.forest.best(small.X, small.y).forest.best_for(predicts_first, small.X)
    assert [tree.to_nested() for tree in chained.forest] == expected


def test_an_unknown_label_is_an_error_of_all_trees() -> None:
    """Rows with a label that training did not have count as misclassified by every tree."""
    small = small_forest(7)
    best = small.forest.best(small.X, [9] * len(small.X))
    assert (best.accuracy, best.count) == (0, small.forest.count)


@pytest.mark.parametrize(
    ("scores", "message"), [([[1.0, 1.0]] * 99, "use shape"), ([[np.nan]], "finite"), ([[-np.inf]], "finite")]
)
def test_invalid_scores_are_rejected(scores: Any, message: str) -> None:
    """Scores of a wrong shape and non-finite scores raise an error that says so."""
    small = small_forest(7)
    shape = (len(small.X), len(small.forest.classes))
    with pytest.raises(InputError, match=message):
        small.forest.best_for(np.broadcast_to(scores, shape) if len(scores) == 1 else scores, small.X)


@pytest.mark.parametrize(("seed", "extra"), [(seed, (0, 1, 2, "band")[seed % 4]) for seed in range(40)])
def test_within_returns_all_trees_within_a_loss(seed: int, extra: Any) -> None:
    """For a loss of 0, 1, 3 and all rows: exactly the trees within the loss, each once, with the correct score.

    Better trees come first, and those with the best score are in canonical order.
    """
    small = small_forest(seed, extra)
    score_of = scores_by_listing(small, np.array(small.y)[:, None] == np.array(small.forest.classes))
    best_trees = [tree for tree, score in score_of.items() if score == max(score_of.values())]
    for loss in (0, 1, 3, len(small.y)):
        best = small.forest.best(small.X, small.y, within=loss / len(small.y))
        near = {tree: score for tree, score in score_of.items() if score >= best.score - loss}
        listed = [tree.to_nested() for tree in best.forest]
        assert best.score == max(score_of.values())
        assert len(listed) == best.count == len(near)
        assert set(listed) == set(near)
        assert listed[: len(best_trees)] == best_trees
        assert [near[tree] for tree in listed] == sorted(near.values(), reverse=True)
        assert [best.score_of(rank) for rank in range(0, best.count, 13)] == [near[tree] for tree in listed[::13]]
        assert best.counts == {score: list(near.values()).count(score) for score in sorted(near.values())[::-1]}


def test_a_root_below_another_root_has_its_own_losses() -> None:
    """Where trees of one root contain another root and may lose more, the trees of the inner root are not affected.

    The two trees under node 2 predict different classes for rows 0 and 1, and the same for row 2. Root 3 has one test
    more and predicts a better class for row 2: its trees score 7 and 5, those of root 2 score 6 and 4.
    """
    int32 = partial(np.array, dtype=np.int32)
    edge_start, features = np.array([0, 0, 0, 2, 3]), int32([0, 1, 2])
    no, yes, roots = int32([0, 0, 0]), int32([1, 1, 2]), int32([2, 3])
    graph = Graph(int32([0, 1, -1, -1]), int32([0, 0, 1, 2]), edge_start, features, no, yes, roots)
    bits = BitMatrix.pack(np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=bool))
    rows = GroupedRows(bits, np.arange(3), np.arange(3))
    scores = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 4.0]])
    for max_loss, losses in enumerate([(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]):
        assert best_graph(graph, rows, scores, max_loss, Clock(), 2**20)[:2] == (7, losses)


@pytest.mark.parametrize("seed", range(15))
def test_rank_and_unrank_are_inverse_within_a_loss(seed: int) -> None:
    """Where a subtree occurs at many nodes of the graph, the rank of a tree is still its index in iteration order."""
    small = small_forest(seed, 1)
    forest = small.forest.best(small.X, small.y, within=2 / len(small.y)).forest
    listed = list(forest)
    assert [forest.rank(tree) for tree in listed] == list(range(forest.count))
    for rank in range(0, forest.count, 11):
        assert forest[rank].to_nested() == listed[rank].to_nested()
    is_outside = [tree not in forest for tree in small.forest]
    assert sum(is_outside) == small.forest.count - forest.count
    sizes = [tree.n_nodes for tree in listed]
    assert forest.counts == {size: sizes.count(size) for size in sorted(sizes)}
    assert forest.n_nodes == min(sizes)


@pytest.mark.parametrize("seed", [0, 1, 2, 5, 8])
def test_trees_within_a_loss_are_a_full_forest(seed: int) -> None:
    """Class fractions, feature usage, layouts, diverse trees and samples agree with the listed trees."""
    small = small_forest(seed, 1)
    forest = small.forest.best(small.X, small.y, within=2 / len(small.y)).forest
    predicted = np.array([tree.predict(small.X) for tree in forest])
    fractions = np.stack([(predicted == label).mean(axis=0) for label in forest.classes], axis=1)
    assert np.allclose(forest.predict_distribution(small.X), fractions)
    for usage in forest.features():
        assert usage.n_trees == sum(usage.feature in tree.feature for tree in forest)
    assert sum(layout.n_trees for layout in forest.layouts()) == forest.count
    k = min(4, forest.count)
    for trees in (forest.diverse(k), forest.diverse(k, "mdsol"), forest.sample(k, 0)):
        assert len({forest.rank(tree) for tree in trees}) == k


@pytest.mark.parametrize("seed", range(25))
def test_within_works_with_any_integer_scores(seed: int) -> None:
    """Scores may have either sign and large gaps, and selections with a loss can be chained."""
    small = small_forest(seed, 1)
    rng = np.random.default_rng(seed)
    shape = (len(small.X), len(small.forest.classes))
    scores, second_scores = rng.integers(-3, 4, shape) * 10**6, rng.integers(-3, 4, shape)
    score_of, second_score_of = scores_by_listing(small, scores), scores_by_listing(small, second_scores)
    best = small.forest.best_for(scores, small.X, within=5e6)
    near = [tree for tree, score in score_of.items() if score >= best.score - 5e6]
    assert {tree.to_nested() for tree in best.forest} == set(near)
    chained = best.forest.best_for(second_scores, small.X, within=1)
    nearest = [tree for tree in near if second_score_of[tree] >= max(map(second_score_of.get, near)) - 1]
    listed = [tree.to_nested() for tree in chained.forest]
    assert len(listed) == len(nearest)
    assert set(listed) == set(nearest)
    assert [chained.forest.rank(tree) for tree in chained.forest] == list(range(chained.count))


def test_within_is_not_affected_by_rounding() -> None:
    """0.29 of 100 rows are 29 rows, though 0.29 × 100 is less in floats."""
    small = small_forest(7, 1)
    X, y = [small.X[0]] * 100, [9] * 71 + [small.y[0]] * 29
    assert set(small.predictions()[:, 0] == small.y[0]) == {True, False}
    assert small.forest.best(X, y, within=0.29).count == small.forest.count
    assert small.forest.best(X, y, within=0.289).count < small.forest.count


@pytest.mark.parametrize("within", [-0.1, np.nan, np.inf, True, "0.1", None])
def test_within_must_be_a_distance(within: Any) -> None:
    """Anything but a finite number of at least 0 raises an error that names the parameter."""
    small = small_forest(7)
    with pytest.raises(InputError, match=r"within=.* is not a distance from the best"):
        small.forest.best(small.X, small.y, within=within)


@pytest.mark.parametrize("score", [0.5, 2.0**53])
def test_within_needs_exact_sums(score: float) -> None:
    """Where rounding would decide which trees are within the loss, the error states the remedy; within=0 works."""
    small = small_forest(7)
    scores = np.full((len(small.X), len(small.forest.classes)), score)
    with pytest.raises(InputError, match=r"within=1 needs integer scores .* scale and round"):
        small.forest.best_for(scores, small.X, within=1)
    assert small.forest.best_for(scores, small.X).count == small.forest.count


@pytest.mark.parametrize("within", [0, 0.02])
def test_the_time_limit_raises_an_error(within: float) -> None:
    """The search stops soon after the limit; the error states the remedy and carries the proof."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (2000, 42))
    start = monotonic()
    message = r"time limit reached while finding the best .* raise time_limit, use fewer"
    with pytest.raises(UnfinishedError, match=message) as caught:
        forest.best(rows, np.zeros(2000, dtype=int), within=within, time_limit=0.2)
    assert monotonic() - start < 1
    assert caught.value.outcome is forest.outcome


def test_the_memory_limit_raises_an_error() -> None:
    """A search that would need more memory raises an error that states the remedy."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (500, 42))
    with pytest.raises(UnfinishedError, match=r"needs more than 1 MB; raise memory_limit, use fewer rows"):
        forest.best(rows, np.zeros(500, dtype=int), memory_limit=2**20)


def test_keyboard_interrupt_stops_the_search() -> None:
    """A search that would take long stops soon after Ctrl-C."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (2000, 42))
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forest.best(rows, np.zeros(2000, dtype=int))
    timer.join()
