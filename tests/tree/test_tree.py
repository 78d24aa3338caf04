"""Trees: structure, identity, prediction."""

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.oracles.brute_force import walk
from helpers.strategies import fitted_binarizer, nested_trees, tables
from hypothesis import given
from hypothesis import strategies as st

from puretree import InputError, ThresholdBinarizer, Tree, minimum_tree
from puretree.binarize import BINARIZERS
from puretree.binarize.bitmatrix import BitMatrix
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.table import Column

SMALL = (0, "a", (2, "b", "a"))


@st.composite
def trees_and_rows(draw: st.DrawFn) -> tuple[Any, np.ndarray]:
    """Draw a nested tree and a 0/1 matrix with its features."""
    n_features = draw(st.integers(1, 70))
    nested = draw(nested_trees(n_features, ["a", "b", "c"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return nested, rng.integers(0, 2, size=(draw(st.integers(1, 80)), n_features))


@given(trees_and_rows())
def test_prediction_agrees_with_a_plain_loop(data: tuple[Any, np.ndarray]) -> None:
    """The native prediction on packed bits agrees with a loop over nested triples."""
    nested, rows = data
    tree = Tree.from_nested(nested)
    expected = [walk(nested, row) for row in rows.tolist()]
    assert tree.predict(rows).tolist() == expected
    assert tree.predict(BitMatrix.from_rows(rows)).tolist() == expected


@given(trees_and_rows())
def test_decision_paths_go_from_root_to_leaf(data: tuple[Any, np.ndarray]) -> None:
    """The path of each row starts at the root, follows the answers and ends at its leaf."""
    nested, rows = data
    tree = Tree.from_nested(nested)
    paths, leaves = tree.decision_path(rows), tree.apply(rows)
    assert paths.shape == (len(rows), tree.n_nodes)
    for i, row in enumerate(rows):
        path = sorted(paths[[i]].indices.tolist())
        node, expected = 0, [0]
        while tree.left[node] >= 0:
            node = int(tree.right[node] if row[tree.feature[node]] else tree.left[node])
            expected.append(node)
        assert path == expected
        assert leaves[i] == node
    assert tree.depth == max(len(rule.conditions) for rule in [*unmerged_rules(tree)])


def unmerged_rules(tree: Tree) -> Any:
    """Return the rules of the tree with a distinct column per node, so that no conditions are merged."""
    predicates = [
        Predicate(Column(f"node {i}", i, "category", (0, 1)), Region((1.0, 2.0))) for i in range(tree.n_nodes)
    ]
    own_feature = np.where(tree.left >= 0, np.arange(tree.n_nodes), -1)
    return replace(tree, feature=own_feature).with_predicates(predicates, tree.n_nodes).rules()


@given(tables(), st.sampled_from(sorted(BINARIZERS)), st.data())
def test_prediction_on_raw_rows_agrees_with_binarised_rows(
    rows: list[list[Any]], name: str, data: st.DataObject
) -> None:
    """A tree with predicates predicts from raw rows what it predicts without them from the binariser's output."""
    binarizer = fitted_binarizer(name, rows)
    if not binarizer.features_:
        return
    nested = data.draw(nested_trees(len(binarizer.features_), [0, 1, 2]))
    tree = Tree.from_nested(nested)
    with_predicates = tree.with_predicates(binarizer.features_, binarizer.n_features_in_)
    np.testing.assert_array_equal(with_predicates.predict(rows), tree.predict(binarizer.transform(rows)))


def test_structure() -> None:
    """Nodes are numbered breadth first; the sizes and the depth are right."""
    tree = Tree.from_nested((5, (1, "x", "y"), (2, "y", (0, "x", "y"))))
    assert tree.feature.tolist() == [5, 1, 2, -1, -1, -1, 0, -1, -1]
    assert tree.left.tolist() == [1, 3, 5, -1, -1, -1, 7, -1, -1]
    assert tree.right.tolist() == [2, 4, 6, -1, -1, -1, 8, -1, -1]
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (9, 5, 3)
    assert tree.features == (0, 1, 2, 5)
    assert repr(tree) == "<Tree: 9 nodes, depth 3, 2 classes>"


def test_a_single_leaf_is_a_tree() -> None:
    """A tree of one leaf predicts its label for any row."""
    tree = Tree.from_nested("yes")
    assert (tree.n_nodes, tree.depth, tree.features) == (1, 0, ())
    assert tree.predict(np.zeros((3, 0))).tolist() == ["yes"] * 3
    with_predicates = tree.with_predicates([], 2)
    assert with_predicates.predict(pd.DataFrame({"a": [1, 2], "b": ["x", None]})).tolist() == ["yes"] * 2
    assert [str(rule) for rule in with_predicates.rules()] == ["ALWAYS yes"]


def test_trees_are_compared_by_structure() -> None:
    """Trees with swapped branches, other features, other labels or other classes differ."""
    tree = Tree.from_nested(SMALL)
    assert tree == Tree.from_nested(SMALL)
    assert hash(tree) == hash(Tree.from_nested(SMALL))
    others = [
        Tree.from_nested((0, (2, "b", "a"), "a")),
        Tree.from_nested((1, "a", (2, "b", "a"))),
        Tree.from_nested((0, "b", (2, "b", "a"))),
        Tree.from_nested(SMALL, classes=["a", "b", "c"]),
        Tree.from_nested((0, 1, (2, 0, 1))),
    ]
    assert len({tree, *others}) == 6
    assert tree != "a tree"


def test_counts_do_not_affect_equality() -> None:
    """A tree with row counts equals the tree without them."""
    tree = Tree.from_nested(SMALL)
    counted = tree.with_counts([[0, 0, 0], [1, 0, 1]], np.array([0, 0], dtype=np.int32))
    assert counted == tree
    assert counted.counts is not None
    assert counted.counts[:, 0].tolist() == [2, 1, 1, 0, 1]


def test_predicates_are_compared_by_meaning() -> None:
    """Trees are equal if their predicates are, even if the features have different numbers."""
    X = [[1.0], [2.0], [3.0]]
    all_cuts = ThresholdBinarizer().fit(X)
    one_cut = ThresholdBinarizer(max_cuts=1).fit(X, [0, 0, 1])
    assert [str(feature) for feature in one_cut.features_] == ["x0 ≤ 2"]
    a = Tree.from_nested((1, "no", "yes")).with_predicates(all_cuts.features_, 1)
    b = Tree.from_nested((0, "no", "yes")).with_predicates(one_cut.features_, 1)
    assert a == b
    assert a != Tree.from_nested((0, "no", "yes")).with_predicates(all_cuts.features_, 1)


def test_the_digest_is_pinned() -> None:
    """The canonical hash does not change between releases: certificates depend on it."""
    assert Tree.from_nested(SMALL).digest == ("fb5db188aea51b7306d6299133417bd665ee9f5a02cae00d44e241d1566ea581")


def test_trees_are_immutable() -> None:
    """Neither fields nor arrays can be assigned to."""
    tree = Tree.from_nested(SMALL)
    with pytest.raises(FrozenInstanceError):
        tree.left = tree.right  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        tree.feature[0] = 1
    copy = pickle.loads(pickle.dumps(tree))
    assert copy == tree
    with pytest.raises(ValueError, match="read-only"):
        copy.feature[0] = 1


def loan_tree() -> Tree:
    """Return a tree with predicates on a number and a category."""
    X = pd.DataFrame({"income": [1.0, 2.0, 3.0], "housing": ["rent", "own", "rent"]})
    binarizer = ThresholdBinarizer().fit(X)
    assert [str(f) for f in binarizer.features_] == [
        "income ≤ 1",
        "income ≤ 2",
        "housing is rent",
    ]
    nested = (1, "yes", (2, "yes", "no"))
    return Tree.from_nested(nested).with_predicates(binarizer.features_, 2)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_read_by_name(frame: Any) -> None:
    """Columns may be in any order, and additional ones are ignored."""
    X = frame({"housing": ["rent", "own", "rent"], "age": [1, 2, 3], "income": [9.0, 1.0, 2.0]})
    assert loan_tree().predict(X).tolist() == ["yes", "yes", "no"]


def test_unseen_values_are_predicted() -> None:
    """Unseen levels, missing values and infinite numbers take the branch that the predicate module documents."""
    rows = [[1.0, "boat"], [1.0, None], [None, "rent"], [np.inf, "rent"], [-np.inf, "rent"]]
    assert loan_tree().predict(rows).tolist() == ["yes", "yes", "yes", "yes", "no"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_number_types_and_memory_layouts(dtype: Any, order: Any) -> None:
    """Predictions depend neither on the number type nor on the memory layout, including views of larger arrays."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, size=(500, 6)).astype(dtype, order=order)
    binarizer = ThresholdBinarizer().fit(X)
    tree = Tree.from_nested((3, (70, "a", "b"), (150, (90, "a", "b"), "c")))
    with_predicates = tree.with_predicates(binarizer.features_, 6)
    expected = tree.predict(binarizer.transform(X))
    np.testing.assert_array_equal(with_predicates.predict(X), expected)
    wide = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)
    np.testing.assert_array_equal(with_predicates.predict(wide[::2, ::2]), expected)


@pytest.mark.parametrize(
    ("feature", "left", "label", "classes", "match"),
    [
        ([], [], [], ["a"], "feature, a left child and a label"),
        ([0], [-1], [0], ["a"], "leaves have feature -1"),
        ([0, -1, -1], [1, -1, -1], [-1, 0, 1], ["a"], "index into classes"),
        ([0, -1, -1], [2, -1, -1], [-1, 0, 0], ["a"], "breadth first"),
        ([0, -1], [1, -1], [-1, 0], ["a"], "breadth first"),
        ([-1, -1, -1], [1, -1, -1], [-1, 0, 0], ["a"], "inner nodes test a feature"),
        ([0, -1, -1], [1, -1, -1], [0, 0, 0], ["a"], "inner nodes have label -1"),
        ([-1, 0, -1], [-1, 1, -1], [0, -1, 0], ["a"], "breadth first"),
    ],
)
def test_invalid_arrays_raise(feature: Any, left: Any, label: Any, classes: Any, match: str) -> None:
    """Arrays that do not describe a tree raise InputError."""
    with pytest.raises(InputError, match=match):
        Tree(feature, left, label, classes)


def test_a_matrix_without_a_tested_feature_raises() -> None:
    """The message names the missing feature, or the invalid cell."""
    with pytest.raises(InputError, match="tests feature 2, but the matrix has 2 columns"):
        Tree.from_nested(SMALL).predict([[0, 1]])
    with pytest.raises(InputError, match="row 0, column 1"):
        Tree.from_nested(SMALL).predict([[0, 7, 0]])


@pytest.mark.parametrize(
    "classes",
    [["a", "b\0"], [2**64 - 1, 2**64 - 2], [True, False], [0.5, 1.5], [1, 2], np.array([3, 1]), np.array(["x", "y"])],
)
def test_labels_keep_value_and_type(classes: Any) -> None:
    """A tree predicts labels of the value and type of its classes."""
    tree = Tree([0, -1, -1], [1, -1, -1], [-1, 0, 1], classes)
    assert tree.predict([[0], [1]]).tolist() == list(classes)
    plain = [label.item() if isinstance(label, np.generic) else label for label in classes]
    assert [type(label) for label in tree.classes] == [type(label) for label in plain]
    assert Tree.from_json(tree.to_json()).classes == tree.classes


@pytest.mark.parametrize(
    "classes", [[1, "1"], [True, 2], ["a", None], ["a", "a"], [1, 1.0], [np.datetime64(1, "D"), 2]]
)
def test_ambiguous_classes_raise(classes: Any) -> None:
    """Classes of mixed types, equal classes and values that are no labels raise InputError."""
    with pytest.raises(InputError, match="classes must be"):
        Tree([0, -1, -1], [1, -1, -1], [-1, 0, 1], classes)


@pytest.mark.parametrize(
    ("nested", "match"),
    [((0.7, "a", "b"), "hold integers"), ((2**40, "a", "b"), "hold integers"), ((0, "a"), "triple")],
)
def test_nested_trees_are_checked(nested: Any, match: str) -> None:
    """A feature that is not an integer, or a node without two branches, raises InputError."""
    with pytest.raises(InputError, match=match):
        Tree.from_nested(nested, ["a", "b"])


def test_predicates_cannot_be_changed() -> None:
    """The predicates of a tree are read-only."""
    tree = loan_tree()
    assert tree.predicates is not None
    with pytest.raises(TypeError, match="item deletion"):
        del tree.predicates[1]  # type: ignore[attr-defined]


def test_numbers_as_categories_are_compared_by_value() -> None:
    """A tree trained on numbers predicts the same for a categorical of these numbers."""
    X = pd.DataFrame({"n": [10, 20, 30, 40]})
    tree = minimum_tree(X, ["a", "a", "b", "b"]).tree
    assert tree is not None
    for same in (X.astype("category"), X.astype(float), X.astype("Int64"), pl.from_pandas(X)):
        assert tree.predict(same).tolist() == ["a", "a", "b", "b"]


def test_minus_zero_is_zero() -> None:
    """Trees with thresholds 0.0, -0.0 and 0 are equal."""
    trees = {
        Tree.from_nested((0, "a", "b")).with_predicates([Predicate(Column("x", 0, "number"), Region((edge,)))], 1)
        for edge in (0.0, -0.0, 0)
    }
    assert len(trees) == 1
