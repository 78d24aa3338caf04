"""Trees that differ, against trying all trees at every step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from oracles.forest import pairs_of
from small_forests import Small, small_forest

from puretree import InputError
from puretree.forest import diverse

Pairs = set[tuple[str, int]]


def greedy(small: Small, k: int, judge: Callable[[Sequence[int]], int]) -> list[Any]:
    """Choose the first tree, then always the first of those whose distances to the chosen ones are judged best."""
    pairs = [pairs_of(tree) for tree in small.trees]
    chosen = [0]
    while len(chosen) < k:
        others = [place for place in range(len(pairs)) if place not in chosen]
        chosen.append(max(others, key=lambda place: judge([len(pairs[place] ^ pairs[one]) for one in chosen])))
    return [small.trees[place] for place in chosen]


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("measure", "judge"), [("max-min", min), ("mdsol", sum)])
def test_each_step_takes_the_best_of_all_trees(seed: int, extra: int, measure: Any, judge: Any) -> None:
    """Both measures choose the trees that trying all of them chooses, first ones first, never one twice."""
    small = small_forest(seed, extra)
    k = min(8, len(small.trees))
    assert [tree.to_nested() for tree in small.forest.diverse(k, measure)] == greedy(small, k, judge)


@pytest.mark.parametrize("measure", ["max-min", "mdsol"])
def test_all_trees_can_be_had(measure: Any) -> None:
    """Asked for as many as there are, each comes once."""
    forest = small_forest(14).forest
    assert sorted(map(forest.rank, forest.diverse(forest.count, measure))) == list(range(forest.count))
    assert forest.diverse(0, measure) == []


def test_of_many_trees_a_pool_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the pool, the nearest two of six trees are still farther apart than those of six drawn trees mostly are."""
    monkeypatch.setattr(diverse, "MOST_TREES", 100)
    monkeypatch.setattr(diverse, "POOL", 50)
    forest = small_forest(7, 1).forest
    chosen = forest.diverse(6)
    assert chosen == forest.diverse(6)
    drawn = [nearest(forest.sample(6, random_state=seed)) for seed in range(50)]
    assert nearest(chosen) > np.quantile(drawn, 0.9)


def nearest(trees: list[Any]) -> int:
    """Return the smallest distance of two trees."""
    pairs = [pairs_of(tree.to_nested()) for tree in trees]
    return min(len(one ^ other) for place, one in enumerate(pairs) for other in pairs[:place])


def test_unknown_measures_and_numbers_are_refused() -> None:
    """The message names what would do."""
    forest = small_forest(7).forest
    with pytest.raises(InputError, match="max-min, mdsol"):
        forest.diverse(2, "entropy")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are only"):
        forest.diverse(10**9)
