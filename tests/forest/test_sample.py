"""Trees at random."""

import numpy as np
import pytest
from helpers.small_forests import small_forest
from scipy.stats import chisquare

from puretree import InputError
from puretree.forest.order import draw_below, draw_ranks


def test_every_tree_is_equally_likely() -> None:
    """Drawn one at a time, all trees come up about equally often; likewise at the first place of larger draws."""
    forest = small_forest(7).forest
    total = forest.count
    random = np.random.RandomState(0)
    for k in (1, 3):
        drawn = [draw_ranks(k, total, random)[0] for _ in range(20 * total)]
        assert chisquare(np.bincount(drawn, minlength=total)).pvalue > 0.001


def test_every_ordered_choice_is_equally_likely() -> None:
    """All 60 ways to draw 3 of 5 in order come up about equally often."""
    random = np.random.RandomState(1)
    drawn = [tuple(draw_ranks(3, 5, random)) for _ in range(6000)]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 60
    assert chisquare(counts).pvalue > 0.001


def test_large_numbers_are_drawn_evenly() -> None:
    """Below 3·2^200, each third comes up about equally often."""
    random = np.random.RandomState(2)
    thirds = [draw_below(3 * 2**200, random) >> 200 for _ in range(3000)]
    assert chisquare(np.bincount(thirds)).pvalue > 0.001


def test_samples_are_different_trees_and_repeatable() -> None:
    """No tree comes twice; the same seed draws the same trees; all of them can be drawn."""
    forest = small_forest(7).forest
    drawn = forest.sample(40, random_state=3)
    assert len(set(drawn)) == 40
    assert drawn == forest.sample(40, random_state=3)
    assert drawn != forest.sample(40, random_state=4)
    assert sorted(map(forest.rank, forest.sample(forest.count))) == list(range(forest.count))
    assert forest.sample(0) == []


@pytest.mark.parametrize("k", [-1, 1.5, 10**6])
def test_more_trees_than_there_are_cannot_be_drawn(k: float) -> None:
    """The message says how many there are."""
    with pytest.raises(InputError, match=r"k=.*(there are only 268|at least 0)"):
        small_forest(7).forest.sample(k)  # type: ignore[arg-type]
