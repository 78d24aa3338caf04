"""Diverse trees, against trying all trees at every step."""

from collections.abc import Sequence
from typing import Any

import pytest
from diversity import training_table
from helpers.extracting import extract, here, sum_to
from helpers.small_forests import small_forest

from puretree import Tree, prepare
from puretree._support.clock import Clock, TimeIsOver
from puretree.datasets import load
from puretree.extraction import hamming, mean_hamming
from puretree.extraction.tree_oracle import Pace, TreeOracle
from puretree.problem import Prepared


@pytest.mark.parametrize("seed", range(20))
def test_each_tree_is_the_farthest_from_those_before(seed: int) -> None:
    """No minimum tree that is left has a greater sum of distances to the trees told so far."""
    forest = small_forest(seed).forest
    trees = extract(forest.prepared, here("mdsol"), min(8, forest.count)).trees
    left = set(forest)
    for place, tree in enumerate(trees):
        assert sum_to(tree, trees[:place]) == max(sum_to(other, trees[:place]) for other in left)
        left.remove(tree)


def test_the_forest_chooses_as_well() -> None:
    """Begun with the same tree, the forest's choice by the paper's measure is as good a step further on."""
    forest = small_forest(7).forest
    (first, second) = forest.diverse(2, "paper")
    problem = forest.prepared.problem
    told = here("mdsol").extract_trees(problem, forest.n_nodes, 2, first=first).trees
    assert hamming(*told) == hamming(first, second)


def test_a_turn_that_is_over_takes_the_tree_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees that were not proved to be the farthest are counted; all trees are had all the same."""
    ask = TreeOracle.ask

    def ask_in_a_hurry(self: TreeOracle, assumptions: Sequence[int] = (), turn: Clock | None = None) -> Tree | None:
        if turn is not None and len(assumptions):
            raise TimeIsOver
        return ask(self, assumptions, turn)

    monkeypatch.setattr(TreeOracle, "ask", ask_in_a_hurry)
    forest = small_forest(17).forest
    found = extract(forest.prepared, here("mdsol"), 10**6)
    assert (found.stopped, set(found.trees)) == ("exhausted", set(forest))
    assert 0 < found.n_unproved < forest.count


def test_time_is_shared_out() -> None:
    """A third of the time for the first of two trees, half of it for the last, and for any after it."""
    pace = Pace(Clock(99), 2)
    assert 32 < pace.turn().limit <= 33
    for _ in range(3):
        pace.count()
        assert 49 < pace.turn().limit <= 49.5


@pytest.mark.parametrize("name", ["monks-1", "monks-3", "corral"])
def test_diverse_trees_differ_more(name: str) -> None:
    """Of a few trees, diverse ones are no nearer to each other than any, and mostly farther."""
    dataset = load(f"formula:{name}")
    assert_more_diverse(prepare(dataset.table, dataset.target, binarize="bits"))


TABLES = ["appendicitis", "corral", "haberman", "hayes-roth", "house-votes-84", "iris", "irish", "lymphography"]
TABLES += ["monks-1", "monks-3", "mux6", "new-thyroid", "wine", "zoo"]


@pytest.mark.data
@pytest.mark.parametrize("name", TABLES)
def test_diverse_trees_of_the_paper_s_tables_differ_more(name: str, paper_folder: Any) -> None:
    """The same on the paper's training sets; benchmarks/diversity.py compares more trees."""
    assert_more_diverse(training_table(name, paper_folder), seconds=2)


def assert_more_diverse(prepared: Prepared, seconds: float = 10) -> None:
    """Compare a few trees of both kinds, as many of each."""
    ways = [extract(prepared, here(way), 4, clock=Clock(seconds)).trees for way in ("none", "mdsol")]
    k = min(map(len, ways))
    assert k >= 2
    any_trees, diverse = (trees[:k] for trees in ways)
    assert mean_hamming(diverse) >= mean_hamming(any_trees)
