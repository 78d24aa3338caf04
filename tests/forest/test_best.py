"""The best of all trees, against scoring each."""

import signal
import threading
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
import pytest
from helpers.small_forests import Small, small_forest, wide_forest

from puretree import InputError, UnfinishedError
from puretree._support.clock import Clock
from puretree.binarize.bitmatrix import BitMatrix
from puretree.forest.best import best_graph
from puretree.forest.graph import Graph
from puretree.forest.predictions import Answers


def scores_by_listing(small: Small, scores: Any) -> dict[Any, float]:
    """Score every tree."""
    codes = np.searchsorted(small.forest.classes, small.predictions())
    sums = np.asarray(scores)[np.arange(len(small.X)), codes].sum(axis=1)
    return dict(zip(small.trees, sums.tolist(), strict=True))


def best_by_listing(small: Small, scores: Any) -> tuple[float, list[Any]]:
    """Score every tree and return the best score with the trees that have it, in order."""
    score_of = scores_by_listing(small, scores)
    best = max(score_of.values())
    return best, [tree for tree, score in score_of.items() if score == best]


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(25))
def test_the_best_accuracy_is_the_best_of_all_trees(seed: int, extra: int) -> None:
    """Merged questions part ways on these rows; still the accuracy and the best trees are those of trying all."""
    small = small_forest(seed, extra)
    scores = np.array(small.y)[:, None] == np.array(small.forest.classes)
    n_right, trees = best_by_listing(small, scores)
    best = small.forest.best(small.X, small.y)
    assert best.accuracy == n_right / len(small.y)
    assert best.count == len(trees)
    assert [tree.to_nested() for tree in best.forest] == trees
    assert best.tree.to_nested() == trees[0]
    assert (best.tree.predict(small.X) == small.y).mean() == best.accuracy


@pytest.mark.parametrize("seed", range(25))
def test_any_score_that_adds_up_will_do(seed: int) -> None:
    """Whole numbers of either sign as scores: the sum and the trees are those of scoring each."""
    small = small_forest(seed, 1)
    scores = np.random.default_rng(seed).integers(-3, 4, (len(small.X), len(small.forest.classes)))
    total, trees = best_by_listing(small, scores)
    best = small.forest.best_for(scores, small.X)
    assert best.score == total
    assert [tree.to_nested() for tree in best.forest] == trees


def test_the_choice_can_go_on() -> None:
    """The best trees are a forest: of those right on most rows, the ones that say 0 most often can be asked for."""
    small = small_forest(7, 1)
    scores = np.array(small.y)[:, None] == np.array(small.forest.classes)
    says_first = np.tile(np.arange(len(small.forest.classes)) == 0, (len(small.X), 1))
    both = best_by_listing(small, 100 * scores + says_first)[1]
    narrowed = small.forest.best(small.X, small.y).forest.best_for(says_first, small.X)
    assert [tree.to_nested() for tree in narrowed.forest] == both


def test_a_label_nobody_knows_is_wrong_for_all() -> None:
    """Labels that training did not have count as rows that no tree is right on."""
    small = small_forest(7)
    best = small.forest.best(small.X, [9] * len(small.X))
    assert (best.accuracy, best.count) == (0, small.forest.count)


@pytest.mark.parametrize(
    ("scores", "message"), [([[1.0, 1.0]] * 99, "give it shape"), ([[np.nan]], "finite"), ([[-np.inf]], "finite")]
)
def test_scores_that_make_no_sense_are_refused(scores: Any, message: str) -> None:
    """A wrong shape and numbers that do not add up are named."""
    small = small_forest(7)
    shape = (len(small.X), len(small.forest.classes))
    with pytest.raises(InputError, match=message):
        small.forest.best_for(np.broadcast_to(scores, shape) if len(scores) == 1 else scores, small.X)


@pytest.mark.parametrize(("seed", "extra"), [(seed, seed % 3) for seed in range(30)])
def test_nearly_the_best_are_all_that_lose_so_few_rows(seed: int, extra: int) -> None:
    """For no row, 1 row, 3 rows and all of them: exactly the trees within the best, each once, with the score it has.

    Better trees come first, and those of the best score in canonical order.
    """
    small = small_forest(seed, extra)
    score_of = scores_by_listing(small, np.array(small.y)[:, None] == np.array(small.forest.classes))
    best_trees = [tree for tree, score in score_of.items() if score == max(score_of.values())]
    for n_lost in (0, 1, 3, len(small.y)):
        best = small.forest.best(small.X, small.y, within=n_lost / len(small.y))
        near = {tree: score for tree, score in score_of.items() if score >= best.score - n_lost}
        listed = [tree.to_nested() for tree in best.forest]
        assert best.score == max(score_of.values())
        assert len(listed) == best.count == len(near)
        assert set(listed) == set(near)
        assert listed[: len(best_trees)] == best_trees
        assert [near[tree] for tree in listed] == sorted(near.values(), reverse=True)
        assert [best.score_of(rank) for rank in range(0, best.count, 13)] == [near[tree] for tree in listed[::13]]
        assert best.counts == {score: list(near.values()).count(score) for score in sorted(near.values())[::-1]}


def test_a_root_within_another_roots_trees_keeps_to_its_own_losses() -> None:
    """Where trees come through a root from above and may lose more, its own trees still lose no more than they may.

    The two trees under node 2 say different classes of rows 0 and 1, and the same of row 2. Root 3 asks one question
    more and says a better class of row 2: its trees score 7 and 5, those of root 2 score 6 and 4.
    """
    int32 = partial(np.array, dtype=np.int32)
    edge_start, features = np.array([0, 0, 0, 2, 3]), int32([0, 1, 2])
    no, yes, roots = int32([0, 0, 0]), int32([1, 1, 2]), int32([2, 3])
    graph = Graph(int32([0, 1, -1, -1]), int32([0, 0, 1, 2]), edge_start, features, no, yes, roots)
    answers = Answers(
        BitMatrix.pack(np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=bool)), np.arange(3), np.arange(3)
    )
    scores = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 4.0]])
    for most_loss, losses in enumerate([(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]):
        assert best_graph(graph, answers, scores, most_loss, Clock(), 2**20)[:2] == (7, losses)


@pytest.mark.parametrize("seed", range(15))
def test_ranks_go_there_and_back_among_nearly_the_best(seed: int) -> None:
    """Where one part of a tree stands at many nodes of the graph, the rank of a tree is still its place in the list."""
    small = small_forest(seed, 1)
    forest = small.forest.best(small.X, small.y, within=2 / len(small.y)).forest
    listed = list(forest)
    assert [forest.rank(tree) for tree in listed] == list(range(forest.count))
    for rank in range(0, forest.count, 11):
        assert forest[rank].to_nested() == listed[rank].to_nested()
    others = [tree not in forest for tree in small.forest]
    assert sum(others) == small.forest.count - forest.count
    sizes = [tree.n_nodes for tree in listed]
    assert forest.counts == {size: sizes.count(size) for size in sorted(sizes)}
    assert forest.n_nodes == min(sizes)


@pytest.mark.parametrize("seed", [0, 1, 2, 5, 8])
def test_nearly_the_best_are_a_forest_like_any(seed: int) -> None:
    """What is told of the forest as a whole is what its trees tell one by one."""
    small = small_forest(seed, 1)
    forest = small.forest.best(small.X, small.y, within=2 / len(small.y)).forest
    said = np.array([tree.predict(small.X) for tree in forest])
    shares = np.stack([(said == label).mean(axis=0) for label in forest.classes], axis=1)
    assert np.allclose(forest.predict_distribution(small.X), shares)
    for usage in forest.features():
        assert usage.n_trees == sum(usage.feature in tree.feature for tree in forest)
    assert sum(layout.n_trees for layout in forest.layouts()) == forest.count
    k = min(4, forest.count)
    for chosen in (forest.diverse(k), forest.diverse(k, "mdsol"), forest.sample(k, 0)):
        assert len({forest.rank(tree) for tree in chosen}) == k


@pytest.mark.parametrize("seed", range(25))
def test_nearly_the_best_by_any_whole_numbers(seed: int) -> None:
    """Scores of either sign, far apart: losses need not be 0, 1, 2; and the choice can go on among the trees."""
    small = small_forest(seed, 1)
    rng = np.random.default_rng(seed)
    shape = (len(small.X), len(small.forest.classes))
    scores, then = rng.integers(-3, 4, shape) * 10**6, rng.integers(-3, 4, shape)
    score_of, then_of = scores_by_listing(small, scores), scores_by_listing(small, then)
    best = small.forest.best_for(scores, small.X, within=5e6)
    near = [tree for tree, score in score_of.items() if score >= best.score - 5e6]
    assert {tree.to_nested() for tree in best.forest} == set(near)
    again = best.forest.best_for(then, small.X, within=1)
    nearest = [tree for tree in near if then_of[tree] >= max(map(then_of.get, near)) - 1]
    listed = [tree.to_nested() for tree in again.forest]
    assert len(listed) == len(nearest)
    assert set(listed) == set(nearest)
    assert [again.forest.rank(tree) for tree in again.forest] == list(range(again.count))


def test_a_share_of_rows_is_not_lost_by_rounding() -> None:
    """0.29 of 100 rows are 29 rows, though 0.29 × 100 is less in floats."""
    small = small_forest(7, 1)
    X, y = [small.X[0]] * 100, [9] * 71 + [small.y[0]] * 29
    assert set(small.predictions()[:, 0] == small.y[0]) == {True, False}
    assert small.forest.best(X, y, within=0.29).count == small.forest.count
    assert small.forest.best(X, y, within=0.289).count < small.forest.count


@pytest.mark.parametrize("within", [-0.1, np.nan, np.inf, True, "0.1", None])
def test_within_is_a_distance(within: Any) -> None:
    """Anything else is refused by name."""
    small = small_forest(7)
    with pytest.raises(InputError, match=r"within=.* is not a distance from the best"):
        small.forest.best(small.X, small.y, within=within)


@pytest.mark.parametrize("score", [0.5, 2.0**53])
def test_within_needs_exact_sums(score: float) -> None:
    """Where rounding would decide which trees are near, the remedy is told; the best alone may be asked for."""
    small = small_forest(7)
    scores = np.full((len(small.X), len(small.forest.classes)), score)
    with pytest.raises(InputError, match=r"within=1 needs scores that are whole numbers .* scale and round"):
        small.forest.best_for(scores, small.X, within=1)
    assert small.forest.best_for(scores, small.X).count == small.forest.count


@pytest.mark.parametrize("within", [0, 0.02])
def test_the_time_limit_is_kept(within: float) -> None:
    """What takes longer ends soon after the limit, with an error that says what can be done and brings the proof."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (2000, 42))
    start = monotonic()
    with pytest.raises(UnfinishedError, match=r"no time for finding the best .* raise time_limit, use fewer") as caught:
        forest.best(rows, np.zeros(2000, dtype=int), within=within, time_limit=0.2)
    assert monotonic() - start < 1
    assert caught.value.outcome is forest.outcome


def test_the_memory_limit_is_kept() -> None:
    """What would need more is refused, with the remedy."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (500, 42))
    with pytest.raises(UnfinishedError, match=r"takes more than 1 MB; raise memory_limit, use fewer rows"):
        forest.best(rows, np.zeros(500, dtype=int), memory_limit=2**20)


def test_ctrl_c_is_heard() -> None:
    """A search that would take long stops soon after Ctrl-C."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (2000, 42))
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forest.best(rows, np.zeros(2000, dtype=int))
    timer.join()
