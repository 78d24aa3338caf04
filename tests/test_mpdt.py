"""The paper's algorithm under the paper's names."""

from typing import Any

import numpy as np
import pytest

from puretree import InputError, mpdt
from puretree.datasets import load
from puretree.mpdt import VARIANTS
from puretree.selection import Rows, split_rows

MONKS = load("formula:monks-1")
CORRAL = load("formula:corral")


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_variant_returns_minimum_trees(variant: str) -> None:
    """The trees within δ are pure, distinct and of the proved minimum size; the chosen tree is one of them."""
    result = mpdt(CORRAL.table, CORRAL.target, variant, n_trees=5, random_state=0)
    trees = list(result.best)
    assert result.outcome.status == "optimal"
    assert {tree.n_nodes for tree in trees} == {result.outcome.lower_bound}
    assert len(set(trees)) == len(trees)
    assert result.tree in trees
    table, labels = result.training
    assert all((tree.predict(table) == labels).all() for tree in trees)


@pytest.mark.parametrize(("variant", "count"), [("mpdt-1", 1), ("mpdt-nd", 5), ("mpdt", 5), ("mpdt-lay", 5)])
def test_the_number_of_trees_is_n_trees(variant: str, count: int) -> None:
    """K trees are extracted, and ``stopped`` says that there may be more."""
    result = mpdt(CORRAL.table, CORRAL.target, variant, n_trees=5, random_state=0)
    assert (result.candidates.trees.count, result.candidates.stopped) == (count, "enough")


def test_all_is_at_least_as_accurate_as_some() -> None:
    """On the selection set no extracted tree is more accurate than the best of all minimum trees."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 5))
    y = X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3]
    for seed in range(5):
        exact = mpdt(X, y, "all", random_state=seed)
        some = mpdt(X, y, "mpdt-nd", n_trees=3, random_state=seed)
        assert exact.outcome.n_nodes == some.outcome.n_nodes
        assert exact.choice.score >= some.choice.score


@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_those_within_delta_are_returned(delta: float) -> None:
    """Algorithm 3 returns exactly the extracted trees whose accuracy on the selection set is within δ of the best."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (50, 8))
    y = (X[:, 0] & X[:, 1]) ^ (X[:, 2] & X[:, 3]) ^ (rng.random(50) < 0.1)
    result = mpdt(X, y, "mpdt", n_trees=12, delta=delta, random_state=1)
    _, selection = split_rows(Rows.read(X, y), 0.2, np.random.RandomState(1))
    accuracies = [
        (tree.predict_codes(selection.table) == selection.labels.codes).mean() for tree in result.candidates.trees
    ]
    assert len(set(accuracies)) > 1  # else any δ gives the same set
    expected = {
        t for t, a in zip(result.candidates.trees, accuracies, strict=True) if a >= max(accuracies) - delta - 1e-9
    }
    assert set(result.best) == expected
    assert result.tree in expected


def test_an_unknown_variant_is_named() -> None:
    """The message lists the known variants."""
    with pytest.raises(InputError, match=r"mpdt-2.*mpdt-lay"):
        mpdt(MONKS.table, MONKS.target, "mpdt-2")


def test_the_options_of_the_extraction_are_those_of_the_function() -> None:
    """The layout depth and the pace reach the extraction: wrong ones are named, and shared time counts the unproved."""
    with pytest.raises(InputError, match="layout_depth=0 is not an integer of at least 1"):
        mpdt(MONKS.table, MONKS.target, "mpdt-lay", layout_depth=0)
    with pytest.raises(InputError, match="pace='slow'"):
        mpdt(MONKS.table, MONKS.target, pace="slow")  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["mpdt-1", "mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay"])
def test_the_paper_s_chain_finds_the_same_trees(variant: str) -> None:
    """With MaxSAT, which extracts from its own formula, a table with few minimum trees has the same best trees."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (30, 5))
    y = X[:, 0] ^ (X[:, 1] & X[:, 2])
    results = [mpdt(X, y, variant, n_trees=1000, engine=engine, random_state=0) for engine in ("maxsat", "auto")]
    assert len({result.outcome.n_nodes for result in results}) == 1
    assert [result.candidates.n_unproved for result in results] == [0, 0]
    if variant != "mpdt-1":
        assert [result.candidates.stopped for result in results] == ["exhausted", "exhausted"]
        assert set(results[0].best) == set(results[1].best)


def exhaust(X: Any, y: Any, binarize: Any, k: int) -> tuple[int, str]:
    """Extract trees of all rows without diversity; return their number, and why the extraction stopped."""
    from puretree._support.clock import Clock
    from puretree.engines import make_engine
    from puretree.problem import Constraints, prepare
    from puretree.selection.candidates import Limits, Plan, find_candidates

    prepared = prepare(X, y, binarize=binarize, on_conflict="majority")
    plan = Plan(make_engine("auto"), k, "none", "sat")
    candidates = find_candidates(prepared, Constraints(), plan, Limits(Clock(300)), np.random.RandomState(0))
    assert len(set(candidates.trees)) == candidates.trees.count
    return candidates.trees.count, candidates.stopped


def test_a_small_table_is_exhausted() -> None:
    """Mux6 has two minimum trees: extraction finds both, and proves that there are no more."""
    mux = load("formula:mux6")
    assert exhaust(mux.table, mux.target, "bits", 10) == (2, "exhausted")
