"""Adopting a tree: exactly the trees that are as good as the fitted one, whatever file they come from."""

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from puretree import (
    InputError,
    InputTypeError,
    OptimalTreeClassifier,
    PureTreeClassifier,
    Tree,
    minimum_trees,
)
from puretree.datasets import load
from puretree.errors import NotKeptError, UnfinishedWarning
from puretree.runs import load_run, save_run
from puretree.runs.run import Run

IRIS = load("sklearn:iris")


def random_table(seed: int) -> tuple[pd.DataFrame, list[str]]:
    """Return a table of numbers and colours with random labels of three classes."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 12))
    table = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n_rows).astype(float),
            "b": rng.integers(0, 4, n_rows),
            "c": rng.choice(["red", "blue", "grey"], n_rows),
        }
    )
    return table, ["p", "q", "r", *rng.choice(["p", "q", "r"], n_rows - 3)]


@pytest.mark.parametrize("seed", range(12))
def test_all_minimum_trees_can_be_adopted_and_no_larger_ones(seed: int) -> None:
    """Of the trees with one more inner node, those of the minimum size are adopted; the proof stays the same."""
    X, y = random_table(seed)
    options: dict[str, Any] = {"on_conflict": "majority", "binarize": ("thresholds", "onehot")[seed % 2]}
    model = PureTreeClassifier(random_state=0, **options).fit(X, y)
    fitted = model.n_nodes_
    for tree in minimum_trees(X, y, extra=1, **options).sample(min(40, model.trees_.count), seed):
        if tree.n_nodes == fitted:
            assert model.adopt(Tree.from_json(tree.to_json()), note="why") is model
            assert (model.tree_, model.n_nodes_, model.status_) == (tree, fitted, "optimal")
            assert model.selection_scores_["rule"] == "adopted"
            assert model.selection_scores_["note"] == "why"
            assert model.predict(X).tolist() == tree.predict(X).tolist()
            assert model.certificate_["tree"] == tree.digest
            assert np.array_equal(model.tree_.counts, tree.counts)
            assert model.predict_proba(X).shape == (len(X), len(model.classes_))
        else:
            before = model.tree_
            with pytest.raises(
                InputError, match=f"it has {tree.n_nodes} nodes, the fitted tree {fitted}; adopt a tree"
            ):
                model.adopt(tree)
            assert model.tree_ is before


@pytest.mark.parametrize("class_weight", [None, "balanced", {"p": 2.0, "q": 0.5}])
@pytest.mark.parametrize("seed", range(6))
def test_of_trees_with_errors_those_of_the_point_can_be_adopted(seed: int, class_weight: Any, tmp_path: Path) -> None:
    """Trees that are larger or cost more are refused with the figures; saved models keep the adopted one."""
    X, y = random_table(100 + seed)
    model = OptimalTreeClassifier(
        alpha=0.0, max_leaf_nodes=3, binarize="thresholds", class_weight=class_weight, random_state=0
    ).fit(X, y)
    band = model.point_.forest(extra_cost=2.0)
    n_adopted = n_refused = 0
    some = [*model.trees_.sample(min(20, model.trees_.count), seed), *band.sample(min(60, band.count), seed)]
    for tree in some:
        if tree in model.trees_:
            model.adopt(tree)
            assert model.tree_ == tree
            n_adopted += 1
        else:
            with pytest.raises(
                InputError, match=r"the tree cannot be adopted: it has [\d.]+ (nodes?|training|as the cost)"
            ):
                model.adopt(tree)
            n_refused += 1
    assert n_adopted > 0
    assert n_refused > 0
    for tree in model.trees_.sample(min(5, model.trees_.count), seed):  # of the same cost, some may have more errors
        model.adopt(tree).save(tmp_path / "model.json")
        loaded = OptimalTreeClassifier.load(tmp_path / "model.json")
        assert loaded.tree_ == tree
        assert loaded.selection_scores_ == model.selection_scores_


def relabelled(tree: Tree) -> Tree:
    """Return the tree with another label in its last leaf."""
    label = tree.label.copy()
    last = np.flatnonzero(tree.left < 0)[-1]
    label[last] = (label[last] + 1) % len(tree.classes)
    return Tree(tree.feature, tree.left, label, tree.classes, predicates=tree.predicates, n_columns=tree.n_columns)


def test_a_tree_that_misclassifies_a_row_is_refused_with_the_row() -> None:
    """The message has the number of rows, the first of them, its label and the prediction."""
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    wrong = relabelled(model.tree_)
    rows = np.flatnonzero(wrong.predict(IRIS.table) != IRIS.target)
    label, predicted = IRIS.target[rows[0]], wrong.predict(IRIS.table)[rows[0]]
    message = f"misclassifies {len(rows)} training rows?: row {rows[0]}, counting from 0, is {label}, .* {predicted};"
    with pytest.raises(InputError, match=message):
        model.adopt(wrong)


def test_a_tree_of_another_table_is_refused() -> None:
    """The message names the classes, the column or the test that the training rows do not have."""
    X, y = random_table(1)
    model = PureTreeClassifier(on_conflict="majority", random_state=0).fit(X, y)
    cases = [
        (PureTreeClassifier().fit(IRIS.table, IRIS.target).tree_, "has the classes setosa, versicolor, virginica, the"),
        (
            PureTreeClassifier(on_conflict="majority").fit(X.rename(columns={"a": "z"}), y).tree_,
            "column 'z', which is not",
        ),
        (
            PureTreeClassifier(on_conflict="majority").fit(X.assign(a=X["a"].astype(str)), y).tree_,
            "'a', which is another",
        ),
        (
            PureTreeClassifier(on_conflict="majority").fit(X.assign(b=10 * X["b"] + 5), y).tree_,
            "which is not a feature of",
        ),
        (Tree.from_nested((0, "p", (1, "q", "r"))), "tests features of a 0/1 matrix"),
    ]
    for tree, message in cases:
        with pytest.raises(InputError, match=message):
            model.adopt(tree)
    with pytest.raises(InputTypeError, match="a list cannot be adopted; pass a Tree"):
        model.adopt([])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="note=3 is not a text"):
        model.adopt(model.tree_, note=3)  # type: ignore[arg-type]


def test_features_with_other_numbers_are_recognised() -> None:
    """A tree from a file may number its features in any way: their predicates count."""
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    tree = model.trees_[7]
    assert tree.predicates is not None
    new = {feature: 900 - index for index, feature in enumerate(tree.features)}
    feature = np.array([new.get(number, -1) for number in tree.feature.tolist()])
    predicates = {new[number]: predicate for number, predicate in tree.predicates.items()}
    other = Tree(feature, tree.left, tree.label, tree.classes, predicates=predicates, n_columns=tree.n_columns)
    assert model.adopt(other).tree_ == tree
    assert model.tree_ in model.trees_


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"forbidden": ["sepal length"]}, "tests the forbidden column 'sepal length'"),
        ({"root": "petal width"}, "begins with the column 'petal length', which is not the required root"),
        ({"max_depth": 4}, "has a depth of 5, but max_depth is 4"),
        ({"min_samples_leaf": 2}, "has a leaf of 1 training row, but min_samples_leaf is 2"),
        ({"feature_costs": {"sepal length": 5}}, "has tests of total cost"),
    ],
)
def test_a_tree_that_violates_a_constraint_is_refused(constraints: Any, message: str) -> None:
    """The proof holds for trees that satisfy the constraints only."""
    model = PureTreeClassifier(random_state=0, **constraints).fit(IRIS.table, IRIS.target)
    free = minimum_trees(IRIS.table, IRIS.target)
    assert model.n_nodes_ == free.n_nodes
    allowed = model.trees_
    others = [tree for tree in free if tree not in allowed]
    assert len(others) == free.count - allowed.count > 0
    reasons = set()
    for tree in others[:: max(1, len(others) // 50)]:
        with pytest.raises(InputError, match="the tree cannot be adopted") as caught:
            model.adopt(tree)
        reasons.add(str(caught.value).partition("; adopt")[0].partition("it ")[2])
    assert any(message in reason for reason in reasons)
    for tree in allowed.sample(min(20, allowed.count), 0):
        assert model.adopt(tree).tree_ == tree


def test_the_minimum_need_not_be_proved() -> None:
    """If it is not, a tree as small as the best one known can be adopted, and nothing more is claimed."""
    X, y = random_table(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedWarning)
        model = PureTreeClassifier(engine="psk", on_conflict="majority", random_state=0).fit(X, y)
    assert model.status_ == "unproved"
    same_size = [
        tree for tree in minimum_trees(X, y, extra=3, on_conflict="majority") if tree.n_nodes == model.n_nodes_
    ]
    for tree in same_size[:5]:
        assert model.adopt(tree).tree_ == tree
        assert model.status_ == "unproved"
    assert same_size


def test_an_adopted_tree_is_saved_with_its_note(tmp_path: Path) -> None:
    """A saved classifier and a run have the tree, the rule and the note; selecting again removes the note."""
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    tree = model.trees_[41]
    path = tmp_path / "tree.json"
    path.write_text(tree.to_json())
    model.adopt(path, note="agrees with\nthe guideline")
    model.save(tmp_path / "model.json")
    loaded = PureTreeClassifier.load(tmp_path / "model.json")
    assert loaded.tree_ == tree
    assert loaded.selection_scores_ == model.selection_scores_
    with pytest.raises(NotKeptError):
        loaded.adopt(tree)
    save_run(Run.from_fit(model._result, {}), tmp_path / "run")
    assert load_run(tmp_path / "run").selection["note"] == "agrees with\nthe guideline"
    assert "note" not in copy.copy(model).select(IRIS.table, IRIS.target).selection_scores_
