"""Diverse trees, against comparing all trees at every step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import pairs_of
from helpers.small_forests import SmallForest, small_forest, wide_forest

from puretree import InputError
from puretree._support.clock import Clock, TimeLimitReached
from puretree.forest import diverse

MEASURES = ["max-min", "mdsol", "paper"]


def numbered_pairs_of(nested: Any) -> set[tuple[int, int]]:
    """Return the pairs of a breadth-first node number, from 1, and the feature that the node tests."""
    nodes = [nested]
    for node in nodes:
        nodes.extend(node[1:] if isinstance(node, tuple) else ())
    return {(number, node[0]) for number, node in enumerate(nodes, 1) if isinstance(node, tuple)}


def select_by_listing(small: SmallForest, k: int, measure: str) -> list[Any]:
    """Select the first tree, then repeatedly the first of those with the greatest distance to the selected ones."""
    pairs: list[set[Any]] = [(numbered_pairs_of if measure == "paper" else pairs_of)(tree) for tree in small.trees]
    combine: Callable[[Sequence[int]], int] = min if measure == "max-min" else sum
    selected = [0]
    while len(selected) < k:
        others = [i for i in range(len(pairs)) if i not in selected]
        selected.append(max(others, key=lambda i: combine([len(pairs[i] ^ pairs[j]) for j in selected])))
    return [small.trees[i] for i in selected]


@pytest.mark.parametrize("extra", [0, 1, 2, "band"])
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("measure", MEASURES)
def test_each_step_selects_the_best_of_all_trees(seed: int, extra: Any, measure: Any) -> None:
    """Every measure selects the same trees as exhaustive comparison, with ties to the first tree and no duplicates."""
    small = small_forest(seed, extra)
    k = min(8, len(small.trees))
    assert [tree.to_nested() for tree in small.forest.diverse(k, measure)] == select_by_listing(small, k, measure)


@pytest.mark.parametrize("measure", MEASURES)
def test_all_trees_can_be_selected(measure: Any) -> None:
    """With k = count every tree is returned once, and with k = 0 none."""
    forest = small_forest(14).forest
    assert sorted(map(forest.rank, forest.diverse(forest.count, measure))) == list(range(forest.count))
    assert forest.diverse(0, measure) == []


def test_max_min_compares_a_pool_of_many_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the pool, the least distance within six trees still exceeds that of most random samples of six."""
    monkeypatch.setattr(diverse, "MAX_LISTED", 100)
    monkeypatch.setattr(diverse, "POOL_SIZE", 50)
    forest = small_forest(7, 1).forest
    selected = forest.diverse(6)
    assert selected == forest.diverse(6)
    sampled = [least_distance(forest.sample(6, random_state=seed)) for seed in range(50)]
    assert least_distance(selected) > np.quantile(sampled, 0.9)


def test_the_paper_s_measure_compares_a_pool_of_many_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees selected from a pool are about as diverse as those selected from all, and deterministic."""
    forest = small_forest(7, 1).forest
    best = distance_sum(forest.diverse(6, "paper"))
    monkeypatch.setattr(diverse, "MAX_LISTED", 100)
    monkeypatch.setattr(diverse, "POOL_SIZE", 50)
    selected = forest.diverse(6, "paper")
    assert selected == forest.diverse(6, "paper")
    assert distance_sum(selected) > 0.95 * best


def distance_sum(trees: list[Any]) -> int:
    """Return the sum of the paper's distances over all pairs of trees."""
    pairs = [numbered_pairs_of(tree.to_nested()) for tree in trees]
    return sum(len(pairs[i] ^ pairs[j]) for i in range(len(pairs)) for j in range(i))


def least_distance(trees: list[Any]) -> int:
    """Return the least distance over all pairs of trees."""
    pairs = [pairs_of(tree.to_nested()) for tree in trees]
    return min(len(pairs[i] ^ pairs[j]) for i in range(len(pairs)) for j in range(i))


def test_invalid_measures_and_numbers_are_rejected() -> None:
    """The message lists the valid measures, or the number of trees."""
    forest = small_forest(7).forest
    with pytest.raises(InputError, match="max-min, mdsol, paper"):
        forest.diverse(2, "entropy")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are only"):
        forest.diverse(10**9)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_time_limit_returns_the_trees_so_far(measure: Any) -> None:
    """Without time there is one tree; with enough time, the same trees as without a limit."""
    forest = small_forest(3).forest
    assert forest.diverse(forest.count, measure, time_limit=0) == [forest[0]]
    assert forest.diverse(5, measure, time_limit=60) == forest.diverse(5, measure)


def test_the_farthest_tree_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is over within one step, the search for the farthest tree stops, and the trees so far are kept."""
    monkeypatch.setattr(diverse, "STEPS_PER_LOOK", 1)
    order = wide_forest(3, 3)._order
    uses = dict.fromkeys(diverse.pairs_of(order, order.unrank(0)), 1)
    with pytest.raises(TimeLimitReached):
        diverse.farthest_tree(order, uses, [0], Clock(0))
