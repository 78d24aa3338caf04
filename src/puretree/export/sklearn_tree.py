"""A tree as a real scikit-learn tree: everything made for scikit-learn's trees then works with ours.

``export_text``, ``plot_tree``, ONNX, skops, SHAP and the rest read ``tree_``, so that is what is made here, node by
node. scikit-learn compares in single precision: every threshold is chosen so that the training values stay on their
sides all the same, and where that is impossible the two values are named. The result is checked on the training rows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import validate_data

from ..errors import InputError
from ..labels import label_array
from ..predicate import Column, Predicate
from ..reading import read_known, read_table
from ..region import Floats
from ..table import Table
from ..tree import Tree
from .chains import Known, expand
from .check import asked_columns, require_pure, require_same_answers
from .inputs import Input, LevelInput, NumberInput, PlaceInput, asked_levels, asks_single_levels, is_text
from .native_tree import native_tree
from .sklearn_rows import can_choose_by_name, rows_by_name, rows_by_place

Tests = list[Predicate]


def to_sklearn(tree: Tree, X: Any, y: Any, *, by_place: bool = False) -> DecisionTreeClassifier | Pipeline:
    """Make a fitted scikit-learn tree that answers as a tree does.

    Parameters
    ----------
    tree : Tree
        With predicates attached.
    X : data frame, 2-D array, list of rows or Table
        The rows it was trained on, without those that on_conflict left out.
    y : array-like
        Their labels.
    by_place : bool, default=False
        Forget the names of the columns: for a model that gets arrays. Otherwise a model made from columns with names
        wants them in their order, and one with encoders finds them by name in any order.

    Returns
    -------
    DecisionTreeClassifier or Pipeline
        A pipeline of encoders and the tree if any column holds text; it predicts from the raw table. Infinite numbers
        and pandas' NA in text are beyond scikit-learn.

    Raises
    ------
    InputError
        If two training values that must part are one number in single precision, or scikit-learn cannot take the
        table.
    """
    if tree.n_columns is None:
        raise InputError("the tree speaks of features, not of columns; attach predicates first (with_predicates)")
    require_pure(tree, X, y)
    table = read_table(X)
    rows = rows_by_place(table) if by_place else rows_by_name(X, table)
    make = _pipeline if any(map(is_text, table.columns)) else _plain
    model = make(tree, X, table, rows)
    try:
        answers = model.predict(rows).tolist()
    except (TypeError, ValueError) as error:
        raise InputError(f"scikit-learn cannot take this table: {error}") from error
    require_same_answers(tree, X, answers, "scikit-learn")
    return model


def _plain(tree: Tree, X: Any, table: Table, rows: Any) -> DecisionTreeClassifier:
    columns = asked_columns(tree)
    places = {column.index: _place(table, column) for column in columns}
    inputs: dict[int, Input] = {
        column.index: NumberInput(column, places[column.index], values)
        for column, values in zip(columns, _numbers(tree, X, columns), strict=True)
    }
    for given in table.columns:  # scikit-learn looks at all of them
        _require_single(given.name, given.as_numbers().values)
    matrix = np.array([given.as_numbers().values for given in table.columns], dtype=np.float32).T
    model = _classifier(tree, X, inputs, matrix)
    validate_data(model, rows, reset=True, skip_check_array=True)  # its way to learn the names
    return model


def _pipeline(tree: Tree, X: Any, table: Table, rows: Any) -> Pipeline:
    columns = asked_columns(tree) or [_as_column(table, 0)]  # a single leaf needs some input all the same
    tests: dict[int, Tests] = {column.index: [] for column in columns}
    for feature in tree.features:
        tests[tree.predicate(feature).column.index].append(tree.predicate(feature))
    numbers = [column for column in columns if not is_text(column)]
    texts = [column for column in columns if is_text(column)]
    single = [column for column in texts if tests[column.index] and asks_single_levels(tests[column.index])]
    several = [column for column in texts if column not in single]
    asked = {column.index: asked_levels(tests[column.index]) for column in single}
    encoders = _encoders(rows, table, numbers, several, single, asked).fit(rows)
    inputs = _inputs(tree, X, numbers, several, single, asked)
    try:
        matrix = np.asarray(encoders.transform(rows)).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"scikit-learn cannot take this table: {error}") from error
    return Pipeline([("columns", encoders), ("tree", _classifier(tree, X, inputs, matrix))])


def _encoders(
    rows: Any,
    table: Table,
    numbers: list[Column],
    several: list[Column],
    single: list[Column],
    asked: dict[int, tuple[Any, ...]],
) -> ColumnTransformer:
    by_name = can_choose_by_name(rows)

    def keys(columns: list[Column]) -> list[Any]:
        places = [_place(table, column) for column in columns]
        return [table.names[place] for place in places] if by_name else places

    places = OrdinalEncoder(
        categories=[[*column.levels, None, np.nan] for column in several],
        handle_unknown="use_encoded_value",
        unknown_value=-1,
    )
    levels = OneHotEncoder(
        categories=[list(asked[column.index]) for column in single], handle_unknown="ignore", sparse_output=False
    )
    steps = [("numbers", "passthrough", numbers), ("places", places, several), ("levels", levels, single)]
    return ColumnTransformer(
        [(name, step, keys(columns)) for name, step, columns in steps if columns], verbose_feature_names_out=False
    )


def _inputs(
    tree: Tree,
    X: Any,
    numbers: list[Column],
    several: list[Column],
    single: list[Column],
    asked: dict[int, tuple[Any, ...]],
) -> dict[int, Input]:
    """Return where each column stands in what the encoders give, in their order."""
    inputs: dict[int, Input] = {}
    place = 0
    for column, values in zip(numbers, _numbers(tree, X, numbers), strict=True):
        inputs[column.index] = NumberInput(column, place, values)
        place += 1
    for column in several:
        inputs[column.index] = PlaceInput(column, place)
        place += 1
    for column in single:
        inputs[column.index] = LevelInput(column, place, asked[column.index])
        place += len(asked[column.index])
    return inputs


def _classifier(tree: Tree, X: Any, inputs: dict[int, Input], matrix: NDArray[np.float32]) -> DecisionTreeClassifier:
    rows_at = tree.decision_path(X).tocsc()
    at_first: dict[int, Known] = {}
    for given in inputs.values():
        at_first |= given.at_first()

    @cache  # copies of a subtree share its chains
    def chain_of_node(node: int) -> Any:
        test = tree.predicate(int(tree.feature[node]))
        rows = rows_at.indices[rows_at.indptr[node] : rows_at.indptr[node + 1]]
        return inputs[test.column.index].chain(test, rows)

    model = DecisionTreeClassifier()
    model.n_features_in_ = model.max_features_ = matrix.shape[1]
    model.n_outputs_ = 1
    model.classes_ = label_array(tree.classes)
    model.n_classes_ = np.int64(len(tree.classes))
    model.tree_ = native_tree(expand(tree, chain_of_node, at_first), matrix, tree.predict_codes(X), len(tree.classes))
    return model


def _numbers(tree: Tree, X: Any, columns: list[Column]) -> list[Floats]:
    """Return the training values of columns as numbers, levels by the number they are."""
    assert tree.n_columns is not None
    read, _ = read_known(X, columns, tree.n_columns)
    found = []
    for column, given in zip(columns, read, strict=True):
        values: Floats = np.asarray(given, dtype=np.float64)
        if column.kind != "number":
            levels = np.array([*column.levels, np.nan], dtype=np.float64)
            values = levels[np.where(np.isnan(values), len(column.levels), values).astype(np.intp)]
        _require_single(column.name, values)
        found.append(values)
    return found


def _require_single(name: str, values: Floats) -> None:
    largest = np.nanmax(np.abs(values), initial=0.0)
    if largest > np.finfo(np.float32).max:
        raise InputError(
            f"column {name!r} reaches {largest:g}, beyond the single precision that scikit-learn compares in; "
            "scale the column before fitting, or choose another format: json, python or sql"
        )


def _place(table: Table, column: Column) -> int:
    return table.names.index(column.name) if table.has_names and column.name in table.names else column.index


def _as_column(table: Table, place: int) -> Column:
    given = table.columns[place]
    return Column(given.name, place, given.kind, given.levels, given.has_missing)
