"""Filters of trees, against listing all trees and filtering them by what the trees themselves say."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.small_forests import SmallForest, small_forest, wide_forest

from puretree import Forest, InputError, OptimalTreeClassifier, Tree, UnfinishedError, minimum_trees
from puretree.binarize.predicate import Predicate
from puretree.datasets import load
from puretree.table import read_table

NAMES = ("root", "uses", "avoids", "max_depth", "min_samples_leaf", "agrees_with")


def as_list(tests: Any) -> list[Any]:
    """Return one test, or several, as a list."""
    return [tests] if isinstance(tests, str | int | Predicate) else list(tests or ())


def matches(predicate: Predicate, test: Any) -> bool:
    """Return whether a predicate is one of a column, or the one, that a test names."""
    return test in (predicate, str(predicate), predicate.column.name, predicate.column.index)


def is_kept(tree: Tree, filters: dict[str, Any]) -> bool:
    """Return whether a tree satisfies filters; this knows only the tree."""
    tested = [tree.predicate(feature) for feature in tree.feature[tree.left >= 0].tolist()]
    root, uses, avoids = (as_list(filters.get(name)) for name in ("root", "uses", "avoids"))
    if root and not (tested and any(matches(tested[0], test) for test in root)):
        return False
    if not all(any(matches(predicate, test) for predicate in tested) for test in uses):
        return False
    if any(matches(predicate, test) for predicate in tested for test in avoids):
        return False
    if filters.get("max_depth") is not None and tree.depth > filters["max_depth"]:
        return False
    assert tree.counts is not None
    if tree.counts[tree.left < 0].sum(axis=1).min() < (filters.get("min_samples_leaf") or 0):
        return False
    if filters.get("agrees_with") is None:
        return True
    X, y = filters["agrees_with"]
    return tree.predict(X).tolist() == list(y)


def random_filters(small: SmallForest, rng: np.random.Generator, n_filters: int) -> dict[str, Any]:
    """Draw filters; columns and predicates of all kinds, and labels that one of the trees predicts, mostly."""
    forest, trees = small.forest, list(small.forest)
    names, predicates = forest.prepared.table.names, forest.prepared.binarizer.features_

    def test() -> Any:
        column, feature = int(rng.integers(len(names))), int(rng.choice(forest.graph.features))
        forms: list[Any] = [column, names[column], predicates[feature], str(predicates[feature])]
        return forms[rng.integers(4)]

    def tests() -> Any:
        return test() if rng.random() < 0.5 else [test() for _ in range(rng.integers(0, 3))]

    def labelled() -> Any:
        rows = rng.permutation(len(small.X))[: rng.integers(1, 8)]
        X = [small.X[row] for row in rows]
        tree = trees[rng.integers(len(trees))]
        return X, rng.choice(forest.classes, len(X)).tolist() if rng.random() < 0.2 else tree.predict(X).tolist()

    drawn = {
        "root": tests(),
        "uses": tests(),
        "avoids": tests(),
        "max_depth": int(rng.integers(1, 5)),
        "min_samples_leaf": int(rng.integers(1, 4)),
        "agrees_with": labelled(),
    }
    return {name: drawn[name] for name in rng.permutation(NAMES)[:n_filters].tolist()}


def check_forest(forest: Forest, expected: list[Tree]) -> None:
    """Check that a forest holds the expected trees in their order, and that its counts and ranks agree with them."""
    assert list(forest) == expected
    assert forest.count == len(expected) == sum(forest.counts.values()) == sum(forest.counts_by_cost.values())
    sizes = [tree.n_nodes for tree in expected]
    assert forest.counts == {size: sizes.count(size) for size in sorted(sizes)}
    assert [forest[rank] for rank in range(0, len(expected), 7)] == expected[::7]
    assert [forest.rank(tree) for tree in expected[::7]] == list(range(len(expected)))[::7]
    assert set(forest.sample(len(expected), 0)) == set(expected)


@pytest.mark.parametrize("extra", [0, 1, 2, "band"])
@pytest.mark.parametrize("seed", range(20))
def test_the_trees_are_those_that_satisfy_the_filters(seed: int, extra: Any) -> None:
    """All filters combined at random keep exactly the trees of the list that satisfy them, in the same order."""
    small = small_forest(seed, extra)
    rng = np.random.default_rng([seed, len(str(extra))])
    trees = list(small.forest)
    for n_filters in (1, 1, 1, 2, 2, 3, 4, 6):
        filters = random_filters(small, rng, n_filters)
        check_forest(small.forest.where(**filters), [tree for tree in trees if is_kept(tree, filters)])


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(12))
def test_filters_can_be_applied_one_after_the_other(seed: int, extra: Any) -> None:
    """A filter of a filtered forest keeps the trees that satisfy both, whatever the order of the filters."""
    small = small_forest(seed, extra)
    rng = np.random.default_rng([seed, 7])
    trees = list(small.forest)
    for _ in range(4):
        first, second = (random_filters(small, rng, int(rng.integers(1, 4))) for _ in range(2))
        expected = [tree for tree in trees if is_kept(tree, first) and is_kept(tree, second)]
        check_forest(small.forest.where(**first).where(**second), expected)
        assert list(small.forest.where(**second).where(**first)) == expected


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(15))
def test_a_filtered_forest_answers_as_its_trees_do(seed: int, extra: Any) -> None:
    """Best trees, fractions, usage, layouts and diverse trees are those of the trees that are left."""
    small = small_forest(seed, extra)
    rng = np.random.default_rng([seed, 8])
    forest = small.forest
    while forest is small.forest or not forest:
        forest = small.forest.where(**random_filters(small, rng, 2))
    trees = list(forest)
    predictions = np.array([tree.predict(small.X) for tree in trees])
    n_correct = (predictions == np.array(small.y)).sum(axis=1)
    best = forest.best(small.X, small.y)
    assert best.score == n_correct.max()
    assert list(best.forest) == [tree for tree, n in zip(trees, n_correct, strict=True) if n == n_correct.max()]
    fractions = np.stack([(predictions == label).mean(axis=0) for label in forest.classes], axis=1)
    np.testing.assert_allclose(forest.predict_distribution(small.X), fractions, atol=1e-12)
    for usage in forest.features():
        assert usage.n_trees == sum(usage.feature in tree.features for tree in trees)
        assert usage.n_roots == sum(int(tree.feature[0]) == usage.feature for tree in trees)
    assert sum(layout.n_trees for layout in forest.layouts()) == len(trees)
    k = min(3, len(trees))
    for measure in ("max-min", "mdsol", "paper"):
        assert len(set(forest.diverse(k, measure)) & set(trees)) == k  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(15))
def test_forests_of_scored_trees_are_filtered(seed: int) -> None:
    """Of the trees near the best score, those that satisfy filters, in the same order."""
    small = small_forest(seed, 1)
    rng = np.random.default_rng([seed, 9])
    near = small.forest.best(small.X, small.y, within=2 / len(small.y)).forest
    trees = list(near)
    for n_filters in (1, 2, 3):
        filters = random_filters(small, rng, n_filters)
        assert list(near.where(**filters)) == [tree for tree in trees if is_kept(tree, filters)]


@pytest.mark.parametrize("seed", range(12))
def test_rows_count_with_their_weights(seed: int) -> None:
    """A row that stands for several rows counts as many, as in the counts of the trees; removed rows do not count."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(5, 12))
    table = read_table(rng.integers(0, 4, (n_rows, 2)).tolist())
    weighted = replace(table, weights=rng.integers(1, 5, n_rows))
    forest = minimum_trees(weighted, rng.integers(0, 3, n_rows), on_conflict=("majority", "drop")[seed % 2])
    trees = list(forest)
    for least in range(1, 7):
        expected = [tree for tree in trees if is_kept(tree, {"min_samples_leaf": least})]
        check_forest(forest.where(min_samples_leaf=least), expected)


def test_trees_of_a_teacher_are_filtered() -> None:
    """Synthetic rows, which a teacher labels, are no training rows of a leaf."""
    iris = load("sklearn:iris")
    rows = np.random.default_rng(1).permutation(150)[:60]
    model = OptimalTreeClassifier(alpha=0.0, max_leaf_nodes=4, selection="teacher", random_state=1)
    point = model.fit(iris.table.take(rows), iris.target[rows]).point_
    band = point.forest(extra_nodes=2, extra_cost=1.0)
    trees = list(band)
    for filters in ({"min_samples_leaf": 1}, {"min_samples_leaf": 3, "uses": 2}, {"max_depth": 2, "avoids": 0}):
        expected = [tree for tree in trees if is_kept(tree, filters)]
        assert 0 < len(expected) <= len(trees)
        check_forest(band.where(**filters), expected)  # type: ignore[arg-type]


def test_more_trees_than_a_float_can_count_are_filtered() -> None:
    """Of 400 copies of each of four bits, half of the copies at the root: exactly half of the trees."""
    forest = wide_forest(400, 5)
    assert forest.count > 2**200
    names = forest.prepared.table.names
    some = [names[forest.prepared.binarizer.features_[int(edge)].column.index] for edge in range(200)]
    assert forest.where(root=some).count * 2 == forest.count
    start = forest.where(root=[names[7]])
    assert start.where(uses=[names[7]]).count == start.count == forest.count // 400
    assert start.where(avoids=[names[7]]).count == 0
    assert forest.where(avoids=names[:399]).count * 400 == forest.count
    used, avoided = forest.where(uses=names[5]), forest.where(avoids=names[5])
    assert used.count + avoided.count == forest.count


def test_a_text_with_ascii_signs_is_a_test() -> None:
    """The signs "<=" and ">=" may be written for the signs that trees show, and complements are other tests."""
    forest = minimum_trees([[1, 5], [2, 6], [3, 7]], ["a", "b", "a"])
    text = str(forest.prepared.binarizer.features_[0])
    assert "≤" in text
    assert forest.where(uses=text.replace("≤", "<=")).count == forest.where(uses=text).count > 0


def test_columns_may_have_the_names_of_tests() -> None:
    """A column comes first, and signs in the name of a column are no obstacle."""
    table = pd.DataFrame({"a": [1, 2, 2], "a ≤ 1": [7, 8, 8], "b <= c": [0, 3, 3]})
    forest = minimum_trees(table, ["p", "q", "q"])
    tested = {tree.predicate(tree.features[0]).column.name: tree for tree in forest}
    texts = {name: str(tree.predicate(tree.features[0])) for name, tree in tested.items()}
    assert texts == {"a": "a ≤ 1", "a ≤ 1": "a ≤ 1 ≤ 7", "b <= c": "b <= c ≤ 1"}
    for test, column in [("a ≤ 1", "a ≤ 1"), ("a <= 1", "a"), ("b <= c <= 1", "b <= c"), ("b <= c ≤ 1", "b <= c")]:
        assert list(forest.where(uses=test)) == [tested[column]]


@pytest.mark.data
def test_billions_of_trees_are_filtered(paper_folder: Path) -> None:
    """Trees that use a column and those that avoid it are all trees, for each column and under other filters."""
    thyroid = load("new-thyroid", folder=paper_folder)
    forest = minimum_trees(thyroid.table, thyroid.target, time_limit=None)
    assert forest.count == 19_114_784_940
    names = thyroid.table.names
    for start in (forest, forest.where(max_depth=6), forest.where(root=names[:2], min_samples_leaf=2)):
        for name in names:
            used, avoided = start.where(uses=name), start.where(avoids=name)
            assert used.count + avoided.count == start.count
    tree = forest[2**33]
    filters = {"root": tree.predicate(int(tree.feature[0])), "uses": [tree.predicate(f) for f in tree.features]}
    found = forest.where(**filters, max_depth=tree.depth)
    assert tree in found
    assert found[found.rank(tree)] == tree
    assert all(set(tree.features) <= set(other.features) for other in found.sample(min(9, found.count), 0))


def empty_forest(extra: Any = 0) -> Forest:
    """Return a forest without trees."""
    forest = small_forest(3, extra).forest
    return forest.where(avoids=list(forest.prepared.table.names))


@pytest.mark.parametrize("extra", [0, "band"])
def test_an_empty_forest_is_a_forest(extra: Any) -> None:
    """Counts are 0, lists are empty, and it can be filtered, copied and printed."""
    forest = empty_forest(extra)
    if forest:  # a single leaf tests nothing
        forest = forest.where(root=0)
    assert (forest.count, len(forest), bool(forest), repr(forest)) == (0, 0, False, "<Forest: 0 trees>")
    assert (forest.counts, forest.counts_by_cost, forest.counts_of_roots, forest.costs_of_roots) == ({}, {}, [], [])
    assert (list(forest), forest[:5], forest.sample(0), forest.diverse(0)) == ([], [], [], [])
    assert (forest.features(), forest.layouts()) == ([], [])
    tree = small_forest(3, extra).forest[0]
    assert tree not in forest
    with pytest.raises(InputError, match="not in this forest"):
        forest.rank(tree)
    with pytest.raises(IndexError, match="0 trees"):
        forest[0]
    with pytest.raises(InputError, match="there are only 0"):
        forest.sample(1)
    with pytest.raises(InputError, match="there are only 0"):
        forest.diverse(1)
    assert pickle.loads(pickle.dumps(forest)).count == 0
    X, y = small_forest(3, extra).X, small_forest(3, extra).y
    filters = {"root": 0, "uses": 0, "avoids": 1, "max_depth": 2, "min_samples_leaf": 2}
    for name, value in filters.items():
        assert not forest.where(**{name: value})
    assert not forest.where(agrees_with=(X, [forest.classes[0]] * len(X)))
    assert len(y) == len(X)


@pytest.mark.parametrize(
    "ask",
    [
        lambda forest, X: forest.n_nodes,
        lambda forest, X: forest.best(X, [1] * len(X)),
        lambda forest, X: forest.best_for(np.zeros((len(X), len(forest.classes))), X),
        lambda forest, X: forest.predict_distribution(X),
        lambda forest, X: forest.predict_proba(X),
        lambda forest, X: forest.explain_vote(X),
        lambda forest, X: forest.split_leaves(),
        lambda forest, X: forest.cheapest(),
    ],
)
def test_what_needs_a_tree_says_that_there_is_none(ask: Any) -> None:
    """The error names the remedy."""
    with pytest.raises(InputError, match="the forest has no trees: none satisfies all filters; relax"):
        ask(empty_forest(), small_forest(3).X)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (
            {"root": "colour"},
            "root='colour' is neither a column of the table nor a test of one; use one of its columns",
        ),
        ({"uses": ["column 9"]}, "uses='column 9' is neither a column of the table nor"),
        ({"avoids": 99}, "avoids=99 is not a column of the table"),
        ({"uses": 1.5}, "uses=1.5 is not a column of the table"),
        ({"avoids": True}, "avoids=True is not a column of the table"),
        ({"uses": "column 0 ≤ 77"}, "nor a test of one"),
        ({"max_depth": 0}, "max_depth=0 is not an integer of at least 1"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf=1.5 is not an integer"),
        ({"agrees_with": 3}, "agrees_with is not a pair; use"),
        ({"agrees_with": ([[1, 1, "red"]], ["x"])}, "the label x is not a class of the trees; use one of"),
        ({"agrees_with": ([[1, 1, "red"]], [1, 2])}, "1 row but y has 2 labels"),
    ],
)
def test_invalid_filters_are_rejected(filters: Any, message: str) -> None:
    """The error names the filter and the remedy."""
    with pytest.raises(InputError, match=message):
        small_forest(3).forest.where(**filters)


def test_contradictory_labels_leave_no_tree() -> None:
    """No tree predicts two labels for equal rows."""
    small = small_forest(3)
    assert not small.forest.where(agrees_with=([small.X[0]] * 2, list(small.forest.classes[:2])))


def test_limits_raise_errors() -> None:
    """The errors say what needs more time or memory."""
    forest = wide_forest(50, 5)
    for limit, match in (
        ({"time_limit": 0}, "time limit reached while filtering"),
        ({"memory_limit": 1}, "needs more than"),
    ):
        for filters in ({"uses": 3}, {"max_depth": 5}, {"agrees_with": (np.zeros((1, 250)), [0])}):
            with pytest.raises(UnfinishedError, match=match):
                forest.where(**filters, **limit)  # type: ignore[arg-type]
