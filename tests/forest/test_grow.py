"""The forest that the search grows, held against brute force: all trees, no others, in order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import walk
from helpers.oracles.forest import canonical, constrained_trees, size_of
from helpers.random_problems import noise, parity, rows_of
from helpers.small_forests import SmallForest, small_forest

from puretree import Forest, InfeasibleError, InputError, UnfinishedError, minimum_trees
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.forest import grow_forest
from puretree.problem import Constraints, Prepared


def grown(small: SmallForest, seed: int, **options: Any) -> Forest:
    """Grow the forest of a small table, from the raw rows."""
    prepared = small.forest.prepared
    y = [prepared.labels.classes[code] for code in prepared.labels.codes]
    binarize = ("thresholds", "onehot", "bits")[seed % 3]
    return minimum_trees(prepared.table, y, binarize=binarize, on_conflict="majority", **options)


def given(prepared: Prepared) -> tuple[list[list[int]], list[Any]]:
    """Return the rows that are kept, with the answers to all questions, and their labels."""
    kept = prepared.problem.kept_rows
    rows = prepared.binarizer.transform(prepared.table)[kept].astype(int).tolist()
    return rows, [prepared.problem.classes[code] for code in prepared.labels.codes[kept]]


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(25))
def test_the_forest_is_that_of_brute_force(seed: int, extra: int) -> None:
    """On 75 tables: the same trees in the same order, each pure on the rows and of a size that is claimed."""
    small = small_forest(seed, extra)
    forest = grown(small, seed, extra=extra)
    listed = [tree.to_nested() for tree in forest]
    assert listed == small.trees
    assert len(set(listed)) == forest.count
    rows, labels = given(forest.prepared)
    for nested in listed:
        assert [walk(nested, row) for row in rows] == labels
        assert 0 <= 2 * size_of(nested) + 1 - forest.n_nodes <= 2 * extra
    assert forest.outcome.status == "optimal"
    assert forest.outcome.n_nodes == forest.n_nodes == 2 * size_of(listed[0]) + 1


WISHES: dict[str, dict[str, Any]] = {
    "max_depth": {"max_depth": 2},
    "deeper": {"max_depth": 3},
    "root": {"root": 1},
    "min_samples_leaf": {"min_samples_leaf": 2},
    "all": {"max_depth": 3, "root": 0, "min_samples_leaf": 2},
}


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("extra", range(3))
def test_wishes_leave_the_trees_that_keep_to_them(wish: str, extra: int) -> None:
    """On 6 to 20 tables: all trees of the fewest nodes that the wish allows, and up to two tests more; or none."""
    n_infeasible = 0
    wishes = WISHES[wish]
    for seed in range(20 - 7 * extra):  # there may be a hundred times as many for each test more
        small = small_forest(seed)
        expected = brute_force(small, wishes, extra)
        if not expected:
            n_infeasible += 1
            with pytest.raises(InfeasibleError, match="there is no pure tree with"):
                grown(small, seed, extra=extra, **wishes)
            continue
        forest = grown(small, seed, extra=extra, **wishes)
        assert [tree.to_nested() for tree in forest] == expected, seed
    assert n_infeasible < 20 - 7 * extra
    assert n_infeasible > 0 or wish in ("deeper", "root")


def brute_force(small: SmallForest, wishes: dict[str, Any], extra: int) -> list[object]:
    """List the trees that keep to wishes, in canonical order."""
    prepared = small.forest.prepared
    rows, labels = given(prepared)
    if "root" in wishes:
        predicates = prepared.binarizer.features_
        about = [f for f, predicate in enumerate(predicates) if predicate.column.index == wishes["root"]]
        wishes = wishes | {"root": about}
    return sorted(constrained_trees(rows, labels, extra, **wishes), key=canonical)


def test_near_minimum_trees_that_nothing_of_the_minimum_has() -> None:
    """Forests of 1 and 2 tests more on problems of another kind, counted over the problem's own features."""
    for n_rows in (8, 12, 16, 20):
        problem = noise(n_rows, 5)
        rows, labels = rows_of(problem), problem.labels.tolist()
        for extra in range(3):
            _, graph = grow_forest(problem, extra=extra)
            expected = constrained_trees(rows, labels, extra)
            sizes = sorted({size_of(tree) for tree in expected})
            assert graph.size[graph.roots].tolist() == sizes


@pytest.mark.parametrize(("name", "count", "n_nodes"), [("monks-1", 2368, 29), ("mux6", 2, 15)])
def test_the_paper_s_counts(name: str, count: int, n_nodes: int) -> None:
    """The paper's numbers of solutions, on all rows of problems that are given by a formula."""
    dataset = load(f"formula:{name}")
    forest = minimum_trees(dataset.table, dataset.target, binarize="bits")
    assert (forest.count, forest.n_nodes) == (count, n_nodes)


@pytest.mark.data
def test_irish_has_six_minimum_trees(paper_folder: Path) -> None:
    """The paper's number of solutions for irish: 6 trees of 9 nodes."""
    dataset = load_paper("irish", paper_folder)
    forest = minimum_trees(dataset.table, dataset.target, binarize=paper_binarizer("irish"), on_conflict="majority")
    assert (forest.count, forest.n_nodes) == (6, 9)
    assert len({tree.to_nested() for tree in forest}) == 6


def test_one_class_is_one_tree() -> None:
    """Nothing to tell apart: a forest of a single leaf, whatever more is allowed."""
    for extra in range(3):
        forest = minimum_trees([[1, "a"], [2, "b"]], ["yes", "yes"], extra=extra)
        assert (forest.count, forest.n_nodes) == (1, 1)
        assert forest[0].to_nested() == "yes"


def test_max_nodes_caps_what_is_extra() -> None:
    """No tree is larger than asked for, however much more than the minimum would be allowed."""
    for seed in range(10):
        small = small_forest(seed, 2)
        most = small.forest.n_nodes + 3  # an odd number of nodes: one test more, not two
        forest = grown(small, seed, extra=2, max_nodes=most)
        assert [tree.to_nested() for tree in forest] == [t for t in small.trees if 2 * size_of(t) + 1 <= most]
        with pytest.raises(InfeasibleError, match=f"of at most {small.forest.n_nodes - 1} nodes"):
            grown(small, seed, max_nodes=small.forest.n_nodes - 1)


def noisy_table(n_rows: int) -> tuple[list[list[Any]], list[str]]:
    """Make a table of noise with words in it."""
    rng = np.random.default_rng(0)
    numbers, colours = rng.normal(size=(n_rows, 5)), rng.choice(["red", "blue"], n_rows)
    rows = [[*row, str(colour)] for row, colour in zip(numbers, colours, strict=True)]
    return rows, rng.choice(["stop", "go"], n_rows).tolist()


def test_no_time_to_prove_the_minimum() -> None:
    """The error says what is known, and brings the best tree in the words of the table."""
    X, y = noisy_table(150)
    with pytest.raises(UnfinishedError, match=r"the minimum is not proved: .* allow more time") as caught:
        minimum_trees(X, y, time_limit=0.5)
    outcome = caught.value.outcome
    assert outcome.status == "time_limit"
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes
    assert outcome.tree.predict(X).tolist() == y
    assert "≤" in str(outcome.tree)


def test_no_time_to_find_all_trees() -> None:
    """The minimum is proved, and the time is over before all trees are found: the proved tree is in the error."""
    wine = load("sklearn:wine")
    with pytest.raises(UnfinishedError, match="minimum is 11 nodes, but there was no time to find all trees") as caught:
        minimum_trees(wine.table, wine.target, extra=2, time_limit=1)
    outcome = caught.value.outcome
    assert (outcome.status, outcome.n_nodes) == ("optimal", 11)
    assert (outcome.tree.predict(wine.table) == wine.target).all()


def test_no_memory_for_all_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minimum is proved, and the forest would not fit: the message says what can be done."""
    monkeypatch.setattr("puretree._support.resources.LEAST_BYTES", 2**18)
    rows = rows_of(parity(7))
    y = ["odd" if sum(row) % 2 else "even" for row in rows]
    with pytest.raises(UnfinishedError, match=r"255 nodes, but .* too many for the memory; allow more, ask") as caught:
        minimum_trees(rows, y, memory_limit=1)
    outcome = caught.value.outcome
    assert (outcome.status, outcome.n_nodes) == ("optimal", 255)
    assert outcome.tree.predict(rows).tolist() == y


@pytest.mark.parametrize("extra", [-1, 1.0, True, None])
def test_extra_is_a_number(extra: Any) -> None:
    """Anything else is refused by name."""
    with pytest.raises(InputError, match=r"extra=.* is not a number of inner nodes"):
        grow_forest(parity(2), extra=extra)


def test_costs_have_no_forest() -> None:
    """A forest is about nodes."""
    with pytest.raises(InputError, match="fewest nodes, not those of least 'cost'"):
        grow_forest(parity(2), Constraints(minimise="cost"), clock=Clock(1))
