"""Trees as scikit-learn's own."""

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
from puretree.export import chains, sklearn_tree, to_sklearn
from puretree.export.sklearn_tree import rows_by_name, rows_by_place
from puretree.table import Column, read_columns, read_table


def single(rows: list[list[Any]]) -> list[list[Any]]:
    """Return rows whose floats are exact in single precision."""
    return [[float(np.float32(cell)) if isinstance(cell, float) else cell for cell in row] for row in rows]


@settings(max_examples=40)
@given(readable_trees())
def test_scikit_learn_answers_as_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """Numbers, categories, gaps, unseen levels: answers are the tree's, on rows never seen too."""
    tree, rows, others = drawn
    rows, others = single(rows), single(others)
    model = to_sklearn(tree, rows, tree.predict(rows))
    for table in (rows, others):
        assert model.predict(np.array(table, dtype=object)).tolist() == tree.predict(table).tolist()
    assert (model.predict_proba(np.array(rows, dtype=object)).max(axis=1) == 1.0).all()


@settings(max_examples=40)
@given(readable_trees())
def test_training_rows_keep_their_side_in_single_precision(drawn: tuple[Tree, Any, Any]) -> None:
    """Doubles that single precision rounds are still answered right; or the column is named."""
    tree, rows, _ = drawn
    try:
        model = to_sklearn(tree, rows, tree.predict(rows))
    except InputError as error:
        if "are one number in single precision" not in str(error):
            raise
        return
    assert model.predict(np.array(rows, dtype=object)).tolist() == tree.predict(rows).tolist()


@pytest.mark.parametrize("binarize", ["thresholds", "bits", "onehot"])
def test_iris(binarize: str) -> None:
    """A data frame of numbers: a plain tree with names, which scikit-learn's own exports take."""
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
def test_a_table_with_text_becomes_a_pipeline(library: Any, binarize: str) -> None:
    """Encoders and a tree, predicting from the raw table with gaps and unseen levels."""
    if library is pl.DataFrame and sklearn.__version__.startswith("1.7.") and not hasattr(library, "__dataframe__"):
        pytest.skip("scikit-learn 1.7 does not see the names of polars 2")
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
def test_a_table_with_names_is_asked_by_name(drawn: tuple[Tree, Any, Any], random: Any) -> None:
    """Encoders find their columns in any order; a tree alone has names, and wants its order."""
    tree, rows, _ = drawn
    rows = single(rows)
    table = named_table(tree, rows)
    answers = tree.predict(rows).tolist()
    model = to_sklearn(tree, table, answers)
    frame = rows_by_name(table, table)
    assert model.predict(frame).tolist() == answers
    names = random.sample(table.names, len(table.names))
    if isinstance(model, Pipeline):
        assert model.predict(frame[names]).tolist() == answers
    else:
        assert model.feature_names_in_.dtype == object
        assert list(model.feature_names_in_) == list(table.names)
    if isinstance(model, DecisionTreeClassifier) and names != list(table.names):
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(frame[names])
    array = to_sklearn(tree, table, answers, by_place=True).predict(rows_by_place(table))
    assert array.tolist() == answers


def test_a_table_with_names_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no library of data frames is installed, columns have places."""
    monkeypatch.setattr(sklearn_tree, "find_spec", lambda library: None)
    y = ["a", "b", "c"]
    for columns in ({"x": ["red", "blue", None]}, {"x": [1.0, 2.0, 3.0]}):
        table = read_columns(columns)
        tree = minimum_tree(table, y).tree
        assert tree is not None
        assert to_sklearn(tree, table, y).predict(rows_by_place(table)).tolist() == y


def test_a_question_about_one_level_is_one_split() -> None:
    """As many splits as questions: text columns do not blow the tree up."""
    rows = [[a, b, c] for a in "xyz" for b in "xyz" for c in "xyz"]
    y = [(a == "y") + (b == "y") + (c == "y") for a, b, c in rows]
    tree = minimum_tree(rows, y).tree
    assert tree is not None
    assert to_sklearn(tree, rows, y)[-1].tree_.node_count == tree.n_nodes


def test_numbers_as_categories_need_no_encoder() -> None:
    """Levels that are numbers are split as numbers; unseen ones get the tree's answer."""
    rows, y = [[3], [1], [4], [1], [5], [9]], ["a", "b", "a", "b", "b", "a"]
    binarizer = ThresholdBinarizer(categorical_features="all")
    tree = minimum_tree(rows, y, binarize=binarizer).tree
    assert tree is not None
    model = to_sklearn(tree, rows, y)
    assert isinstance(model, DecisionTreeClassifier)
    every = [[x] for x in range(-2, 12)]
    assert model.predict(every).tolist() == tree.predict(every).tolist()


def test_values_that_single_precision_joins_are_named() -> None:
    """The error names the column, both values and what to do."""
    low, high = 16777216.0, 16777217.0
    X = pd.DataFrame({"time": [low, high]})
    tree = minimum_tree(X, ["a", "b"]).tree
    assert tree is not None
    with pytest.raises(InputError, match=r"'time': 16777216.0 and 16777217.0 are one number.*subtract a constant"):
        to_sklearn(tree, X, ["a", "b"])
    huge = minimum_tree([[1e300], [1.0]], ["a", "b"]).tree
    assert huge is not None
    with pytest.raises(InputError, match=r"'x0' reaches 1e\+300"):
        to_sklearn(huge, [[1e300], [1.0]], ["a", "b"])
    rows = [[1.0, 1e300], [2.0, 0.0]]
    unasked = minimum_tree(rows, ["a", "b"], forbidden=["x1"]).tree
    assert unasked is not None
    with pytest.raises(InputError, match=r"'x1' reaches 1e\+300"):
        to_sklearn(unasked, rows, ["a", "b"])


def test_values_that_need_not_part_may_be_joined() -> None:
    """A threshold between two values that are one in single precision is fine where only one of them comes."""
    X = [[0.0, 16777216.0], [1.0, 16777217.0], [1.0, 20000000.0], [0.0, 5.0]]
    tests = _questions([(0, 0.5), (1, 16777216.5)])
    tree = Tree.from_nested((0, (1, "c", "b"), "a"), ["a", "b", "c"]).with_predicates(tests, 2)
    y = ["a", "c", "c", "a"]
    assert to_sklearn(tree, X, y).predict(X).tolist() == y


def _questions(cuts: list[tuple[int, float]]) -> Any:
    return [Predicate(Column(f"x{place}", place, "number"), Region.at_most(cut)) for place, cut in cuts]


def test_wrong_rows_are_refused() -> None:
    """Purity is checked on what is given, and a tree of features has no columns."""
    tree = minimum_tree([[1.0], [2.0]], ["a", "b"]).tree
    assert tree is not None
    with pytest.raises(InputError, match=r"1 of the rows \(rows 1\)"):
        to_sklearn(tree, [[1.0], [2.0]], ["a", "a"])
    with pytest.raises(InputError, match="attach predicates"):
        to_sklearn(Tree.from_nested((0, "a", "b")), [[0], [1]], ["a", "b"])


def test_a_tree_that_would_explode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of subtrees are limited, with a remedy."""
    monkeypatch.setattr(chains, "MOST_NODES", 5000)
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
def test_skops_keeps_it(first: list[Any], names: list[str] | None) -> None:
    """Skops writes and reads the exported tree without pickle, and its names with it."""
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
