"""The best of all trees, against scoring each."""

import signal
import threading
from typing import Any

import numpy as np
import pytest
from small_forests import Small, small_forest, wide_forest

from puretree import InputError


def best_by_listing(small: Small, scores: Any) -> tuple[float, list[Any]]:
    """Score every tree and return the best score with the trees that have it, in order."""
    codes = np.searchsorted(small.forest.classes, small.predictions())
    sums = np.asarray(scores)[np.arange(len(small.X)), codes].sum(axis=1)
    return float(sums.max()), [small.trees[place] for place in np.flatnonzero(sums == sums.max())]


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


def test_the_memory_limit_is_kept() -> None:
    """What would need more is refused, with the remedy."""
    forest = wide_forest(7, 6)
    rows = np.random.default_rng(0).integers(0, 2, (500, 42))
    with pytest.raises(InputError, match=r"takes more than 1 MB; use fewer rows, raise memory_limit"):
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
