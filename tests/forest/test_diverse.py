"""Trees that differ, against trying all trees at every step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import pairs_of
from helpers.small_forests import Small, small_forest

from puretree import InputError
from puretree.forest import diverse

MEASURES = ["max-min", "mdsol", "paper"]


def numbered_pairs_of(nested: Any) -> set[tuple[int, int]]:
    """Return which feature is tested at which node, breadth first from 1."""
    nodes = [nested]
    for node in nodes:
        nodes.extend(node[1:] if isinstance(node, tuple) else ())
    return {(number, node[0]) for number, node in enumerate(nodes, 1) if isinstance(node, tuple)}


def greedy(small: Small, k: int, measure: str) -> list[Any]:
    """Choose the first tree, then always the first of those whose distances to the chosen ones are judged best."""
    pairs: list[set[Any]] = [(numbered_pairs_of if measure == "paper" else pairs_of)(tree) for tree in small.trees]
    judge: Callable[[Sequence[int]], int] = min if measure == "max-min" else sum
    chosen = [0]
    while len(chosen) < k:
        others = [place for place in range(len(pairs)) if place not in chosen]
        chosen.append(max(others, key=lambda place: judge([len(pairs[place] ^ pairs[one]) for one in chosen])))
    return [small.trees[place] for place in chosen]


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("measure", MEASURES)
def test_each_step_takes_the_best_of_all_trees(seed: int, extra: int, measure: Any) -> None:
    """Every measure chooses the trees that trying all of them chooses, first ones first, never one twice."""
    small = small_forest(seed, extra)
    k = min(8, len(small.trees))
    assert [tree.to_nested() for tree in small.forest.diverse(k, measure)] == greedy(small, k, measure)


@pytest.mark.parametrize("measure", MEASURES)
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


def test_of_many_trees_the_paper_s_measure_compares_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees chosen from a pool are about as far apart as those chosen from all, and always the same."""
    forest = small_forest(7, 1).forest
    best = spread(forest.diverse(6, "paper"))
    monkeypatch.setattr(diverse, "MOST_TREES", 100)
    monkeypatch.setattr(diverse, "POOL", 50)
    chosen = forest.diverse(6, "paper")
    assert chosen == forest.diverse(6, "paper")
    assert spread(chosen) > 0.95 * best


def spread(trees: list[Any]) -> int:
    """Return the sum of the paper's distances of two trees."""
    pairs = [numbered_pairs_of(tree.to_nested()) for tree in trees]
    return sum(len(one ^ other) for place, one in enumerate(pairs) for other in pairs[:place])


def nearest(trees: list[Any]) -> int:
    """Return the smallest distance of two trees."""
    pairs = [pairs_of(tree.to_nested()) for tree in trees]
    return min(len(one ^ other) for place, one in enumerate(pairs) for other in pairs[:place])


def test_unknown_measures_and_numbers_are_refused() -> None:
    """The message names what would do."""
    forest = small_forest(7).forest
    with pytest.raises(InputError, match="max-min, mdsol, paper"):
        forest.diverse(2, "entropy")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are only"):
        forest.diverse(10**9)


@pytest.mark.parametrize("measure", ["max-min", "mdsol", "paper"])
def test_the_limit_leaves_the_trees_so_far(measure: Any) -> None:
    """Without time there is one tree; with enough of it, as many as were asked for, and the same as without limit."""
    forest = small_forest(3).forest
    assert forest.diverse(forest.count, measure, time_limit=0) == [forest[0]]
    assert forest.diverse(5, measure, time_limit=60) == forest.diverse(5, measure)
