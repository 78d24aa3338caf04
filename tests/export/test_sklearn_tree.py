"""Export to scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from helpers.strategies import named_table, readable_trees
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, export_graphviz, export_text

from puretree import BitsBinarizer, InputError, ThresholdBinarizer, Tree, minimum_tree, prepare
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.datasets import load
from puretree.export import sklearn_tree, splits, to_sklearn
from puretree.export.sklearn_tree import has_usable_names, rows_by_name, rows_by_position
from puretree.table import Column, read_columns, read_table


def in_single_precision(rows: list[list[Any]]) -> list[list[Any]]:
    """Round the floats of rows to single precision."""
    return [[float(np.float32(cell)) if isinstance(cell, float) else cell for cell in row] for row in rows]


@settings(max_examples=40)
@given(readable_trees())
def test_predictions_equal_those_of_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """Numbers, categories, missing values and unseen levels are predicted as by the tree, also on new rows."""
    tree, rows, others = drawn
    rows, others = in_single_precision(rows), in_single_precision(others)
    model = to_sklearn(tree, rows, tree.predict(rows))
    for table in (rows, others):
        assert model.predict(np.array(table, dtype=object)).tolist() == tree.predict(table).tolist()
    assert (model.predict_proba(np.array(rows, dtype=object)).max(axis=1) == 1.0).all()


@settings(max_examples=40)
@given(readable_trees())
def test_training_rows_take_the_same_branches_in_single_precision(drawn: tuple[Tree, Any, Any]) -> None:
    """Training rows that single precision rounds are predicted as by the tree, or the error names the column."""
    tree, rows, _ = drawn
    try:
        model = to_sklearn(tree, rows, tree.predict(rows))
    except InputError as error:
        if "are equal in single precision" not in str(error):
            raise
        return
    assert model.predict(np.array(rows, dtype=object)).tolist() == tree.predict(rows).tolist()


@pytest.mark.parametrize("binarize", ["thresholds", "bits", "onehot"])
def test_iris(binarize: str) -> None:
    """A data frame of numbers becomes a plain tree with names, which scikit-learn's own exports accept."""
    frame = load("sklearn:iris").to_frame()
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    kept = prepare(X, y, binarize=binarize, on_conflict="drop").problem.kept_rows
    X, y = X.iloc[kept], y.iloc[kept]
    tree = minimum_tree(X, y, binarize=binarize).tree
    assert tree is not None
    model = to_sklearn(tree, X, y)
    assert isinstance(model, DecisionTreeClassifier)
    assert model.score(X, y) == 1.0
    assert model.get_n_leaves() >= tree.n_leaves
    assert list(model.feature_names_in_) == list(X.columns)
    assert list(X.columns)[2] in export_text(model, feature_names=list(X.columns))
    assert "gini" in export_graphviz(model)
    if binarize == "thresholds":
        assert model.tree_.node_count == tree.n_nodes
        assert model.tree_.value[0, 0] == pytest.approx(np.bincount(np.unique(y, return_inverse=True)[1]) / len(y))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("binarize", ["thresholds", "bits"])
def test_table_with_text_becomes_a_pipeline(library: Any, binarize: str) -> None:
    """The pipeline predicts from the raw table, with missing values and unseen levels, as the tree does."""
    if library is pl.DataFrame and sklearn.__version__.startswith("1.7.") and not hasattr(library, "__dataframe__"):
        pytest.skip("scikit-learn 1.7 does not support the names of polars 2")
    columns: dict[str, list[Any]] = {
        "colour": ["red", "green", None, "blue", "red", "green", None],
        "size": [1.0, 2.0, 2.0, None, 4.0, 5.0, 6.0],
        "is_new": [True, False, True, True, False, False, True],
        "note": ["a", "b", "c", None, "e", "f", "g"],
    }
    X, y = library(columns), [0, 1, 2, 0, 1, 2, 1]
    tree = minimum_tree(X, y, binarize=binarize, forbidden=["note"]).tree
    assert tree is not None
    model = to_sklearn(tree, X, y)
    assert isinstance(model, Pipeline)
    assert model.predict(X).tolist() == y
    other = library(columns | {"colour": ["grey", "red", None, "grey", "blue", "blue", "red"]})
    assert model.predict(other).tolist() == tree.predict(other).tolist()
    assert "class" in export_text(model[-1], feature_names=list(model[:-1].get_feature_names_out()))


@settings(max_examples=40)
@given(readable_trees(), st.randoms(use_true_random=False))
def test_table_with_names_is_read_by_name(drawn: tuple[Tree, Any, Any], random: Any) -> None:
    """A pipeline finds its columns in any order; a tree stores the names and rejects another order."""
    tree, rows, _ = drawn
    rows = in_single_precision(rows)
    table = named_table(tree, rows)
    labels = tree.predict(rows).tolist()
    model = to_sklearn(tree, table, labels)
    frame = rows_by_name(table, table)
    assert model.predict(frame).tolist() == labels
    names = random.sample(table.names, len(table.names))
    if isinstance(model, Pipeline):
        assert model.predict(frame[names]).tolist() == labels
    else:
        assert model.feature_names_in_.dtype == object
        assert list(model.feature_names_in_) == list(table.names)
    if isinstance(model, DecisionTreeClassifier) and names != list(table.names):
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame[names])
    by_position = to_sklearn(tree, table, labels, by_position=True).predict(rows_by_position(table))
    assert by_position.tolist() == labels


def test_table_with_names_needs_no_data_frame_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no data frame library is installed, columns are read by position."""
    monkeypatch.setattr(sklearn_tree, "find_spec", lambda library: None)
    y = ["a", "b", "c"]
    for columns in ({"x": ["red", "blue", None]}, {"x": [1.0, 2.0, 3.0]}):
        table = read_columns(columns)
        tree = minimum_tree(table, y).tree
        assert tree is not None
        assert to_sklearn(tree, table, y).predict(rows_by_position(table)).tolist() == y


def test_predicate_on_one_level_is_one_split() -> None:
    """Predicates on single levels of text columns become one split each: the tree does not grow."""
    rows = [[a, b, c] for a in "xyz" for b in "xyz" for c in "xyz"]
    y = [(a == "y") + (b == "y") + (c == "y") for a, b, c in rows]
    tree = minimum_tree(rows, y).tree
    assert tree is not None
    assert to_sklearn(tree, rows, y)[-1].tree_.node_count == tree.n_nodes


def test_numbers_as_categories_need_no_encoder() -> None:
    """Numeric levels are split as numbers; unseen ones are predicted as by the tree."""
    rows, y = [[3], [1], [4], [1], [5], [9]], ["a", "b", "a", "b", "b", "a"]
    binarizer = ThresholdBinarizer(categorical_features="all")
    tree = minimum_tree(rows, y, binarize=binarizer).tree
    assert tree is not None
    model = to_sklearn(tree, rows, y)
    assert isinstance(model, DecisionTreeClassifier)
    values = [[x] for x in range(-2, 12)]
    assert model.predict(values).tolist() == tree.predict(values).tolist()


def test_values_beyond_single_precision_are_named() -> None:
    """The error names the column, the values and the remedy."""
    low, high = 16777216.0, 16777217.0
    X = pd.DataFrame({"time": [low, high]})
    tree = minimum_tree(X, ["a", "b"]).tree
    assert tree is not None
    with pytest.raises(InputError, match=r"'time': 16777216.0 and 16777217.0 are equal.*subtract a constant"):
        to_sklearn(tree, X, ["a", "b"])
    huge = minimum_tree([[1e300], [1.0]], ["a", "b"]).tree
    assert huge is not None
    with pytest.raises(InputError, match=r"'x0' reaches 1e\+300"):
        to_sklearn(huge, [[1e300], [1.0]], ["a", "b"])
    rows = [[1.0, 1e300], [2.0, 0.0]]
    unused = minimum_tree(rows, ["a", "b"], forbidden=["x1"]).tree
    assert unused is not None
    with pytest.raises(InputError, match=r"'x1' reaches 1e\+300"):
        to_sklearn(unused, rows, ["a", "b"])


def test_equal_values_that_need_no_separation_are_accepted() -> None:
    """A threshold between two values that are equal in single precision works where only one reaches the node."""
    X = [[0.0, 16777216.0], [1.0, 16777217.0], [1.0, 20000000.0], [0.0, 5.0]]
    tests = _predicates([(0, 0.5), (1, 16777216.5)])
    tree = Tree.from_nested((0, (1, "c", "b"), "a"), ["a", "b", "c"]).with_predicates(tests, 2)
    y = ["a", "c", "c", "a"]
    assert to_sklearn(tree, X, y).predict(X).tolist() == y


def _predicates(cuts: list[tuple[int, float]]) -> Any:
    return [Predicate(Column(f"x{index}", index, "number"), Region.at_most(cut)) for index, cut in cuts]


def test_misclassified_rows_are_rejected() -> None:
    """Rows that the tree misclassifies and trees without predicates raise an error."""
    tree = minimum_tree([[1.0], [2.0]], ["a", "b"]).tree
    assert tree is not None
    with pytest.raises(InputError, match=r"1 of the rows \(rows 1\)"):
        to_sklearn(tree, [[1.0], [2.0]], ["a", "a"])
    with pytest.raises(InputError, match="attach predicates"):
        to_sklearn(Tree.from_nested((0, "a", "b")), [[0], [1]], ["a", "b"])


def test_tree_that_would_grow_too_large_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of nodes is limited, and the error names a remedy."""
    monkeypatch.setattr(splits, "MAX_NODES", 5000)
    levels = [f"level {i}" for i in range(64)]
    rows = [[level] * 8 for level in levels]
    binarizer = BitsBinarizer().fit(rows)
    last_bits = [feature for feature in range(len(binarizer.features_)) if feature % 6 == 5]
    nested: Any = 1
    for feature in last_bits:
        nested = (feature, nested, nested) if feature != last_bits[0] else (feature, 0, 1)
    tree = Tree.from_nested(nested, [0, 1]).with_predicates(binarizer.features_, 8)
    with pytest.raises(InputError, match="binarize='thresholds'"):
        to_sklearn(tree, rows, tree.predict(rows))


@pytest.mark.parametrize("names", [None, ["colour", "size"]])
@pytest.mark.parametrize("first", [["red", "blue", None], [1.5, 2.5, None]])
def test_skops_round_trip(first: list[Any], names: list[str] | None) -> None:
    """Skops saves and loads the exported tree and its names without pickle."""
    skops = pytest.importorskip("skops.io")
    array, y = np.array([first, [1.0, 2.0, 3.0]], dtype=object).T, ["a", "b", "c"]
    X = pd.DataFrame(array, columns=names).infer_objects() if names else array
    tree = minimum_tree(X, y).tree
    assert tree is not None
    data = skops.dumps(to_sklearn(tree, read_table(X), y))
    model = skops.loads(data, trusted=["sklearn.tree._tree.Tree"])
    assert model.predict(X).tolist() == y
    if names:
        assert list(model.feature_names_in_) == names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frame_equals_the_table(library: str) -> None:
    """A table becomes a data frame with the same names, for which a tree predicts the same labels."""

    @settings(max_examples=20)
    @given(readable_trees())
    def check(drawn: tuple[Tree, Any, Any]) -> None:
        tree, rows, _ = drawn
        table = named_table(tree, rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sklearn_tree, "LIBRARIES", (library,))
            frame = rows_by_name(table, table)
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns) == list(table.names)
        assert tree.predict(frame).tolist() == tree.predict(table).tolist()

    check()


def test_rows_without_names_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays and lists get no names, nor does a table if no data frame library is installed."""
    rows = [["a", 1.0], [None, 2.0]]
    named = read_table(pd.DataFrame(rows, columns=["x", "y"]))
    array = np.array(rows, dtype=object)
    assert rows_by_name(array, read_table(array)) is array
    assert rows_by_name(rows, read_table(rows)).tolist() == rows
    assert rows_by_name(read_table(rows), read_table(rows)).tolist() == rows
    assert rows_by_position(named).tolist() == rows
    monkeypatch.setattr(sklearn_tree, "find_spec", lambda library: None)
    assert rows_by_name(named, named).tolist() == rows


def test_names_that_scikit_learn_supports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Column names must be strings, and before scikit-learn 1.8 those of pandas."""
    assert not has_usable_names(np.zeros((1, 1)))
    assert not has_usable_names(pd.DataFrame({0: [1.0]}))
    for version, supports_polars in (("1.7.2", False), ("1.8.0", True), ("1.10.0", True)):
        monkeypatch.setattr(sklearn_tree.sklearn, "__version__", version)
        assert has_usable_names(pd.DataFrame({"a": [1.0]}))
        assert has_usable_names(pl.DataFrame({"a": [1.0]})) == supports_polars
