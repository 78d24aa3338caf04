"""The object that does the work inside a scikit-learn tree, made from splits.

scikit-learn has no public way to build one; what pickle uses (``__setstate__``) is the way that has stayed the same
from release to release, and the layout of a node is asked of the installed one.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree as NativeTree
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import validate_data

from ..binarize.predicate import Predicate
from ..errors import InputError
from ..table import Column, Floats, Table, TableColumn, label_array, read_fitted_columns, read_table
from ..tree import Tree
from .chains import Known, SplitTree, expand
from .check import asked_columns, require_pure, require_same_answers
from .inputs import Input, LevelInput, NumberInput, PlaceInput, asked_levels, asks_single_levels, is_text


def native_tree(splits: SplitTree, matrix: NDArray[np.float32], codes: NDArray[np.int32], n_classes: int) -> NativeTree:
    """Make a native tree, with the share of each class at each node.

    Parameters
    ----------
    splits : SplitTree
        Its nodes.
    matrix : ndarray of float32
        The training rows, as the tree takes them.
    codes : ndarray of int32
        The class of each.
    n_classes : int
        How many classes there are.
    """
    values = np.zeros((len(splits.left), n_classes))
    values[range(len(splits.left)), splits.code] = 1  # inner nodes are overwritten below
    made = _with_state(splits, values, np.zeros(len(splits.left)), matrix.shape[1])
    counts = np.zeros_like(values)
    np.add.at(counts, (made.apply(np.ascontiguousarray(matrix)), codes), 1)
    for node in reversed(range(len(splits.left))):  # children come after their parent
        if splits.left[node] >= 0:
            children = [splits.left[node], splits.right[node]]
            counts[node] = counts[children].sum(axis=0)
            values[node] = values[children].mean(axis=0)  # where no training row comes
        n_rows = counts[node].sum()
        if n_rows:
            values[node] = counts[node] / n_rows
    return _with_state(splits, values, counts.sum(axis=1), matrix.shape[1])


def _with_state(splits: SplitTree, values: Floats, n_rows: Floats, n_features: int) -> NativeTree:
    n_classes = np.array([values.shape[1]], dtype=np.intp)
    made = NativeTree(n_features, n_classes, 1)
    nodes = np.zeros(len(splits.left), dtype=made.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = splits.left, splits.right
    nodes["feature"], nodes["threshold"] = splits.place, splits.threshold
    nodes["missing_go_to_left"] = splits.missing_goes_left
    nodes["impurity"] = 1 - (values**2).sum(axis=1)
    nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = n_rows
    made.__setstate__(
        {"max_depth": splits.depth, "node_count": len(nodes), "nodes": nodes, "values": values[:, None, :].copy()}
    )
    return made


# The training rows as scikit-learn takes them, with the names of their columns where there are any.
#
# scikit-learn knows names from data frames only: a model that saw an array takes any frame by place, and one whose
# columns stand in another order gets wrong answers. So a table with names becomes a data frame again, of whichever
# library is there: who trained on a data frame has one.

LIBRARIES: tuple[Literal["pandas", "polars"], ...] = ("pandas", "polars")


def rows_by_name(X: Any, table: Table) -> Any:
    """Return the rows as they were given, those of a table with names as a data frame."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    if not isinstance(X, Table):
        return X
    library = next(filter(find_spec, LIBRARIES), None)
    if library is None or not table.has_names:
        return rows_by_place(table)
    columns = {column.name: _cells(column) for column in table.columns}
    return nw.from_dict(columns, backend=library).to_native()


def rows_by_place(table: Table) -> NDArray[Any]:
    """Return the rows as an array, which has no names."""
    columns = list(table.to_dict().values())
    return np.array([[column[row] for column in columns] for row in range(table.n_rows)], dtype=object)


def can_choose_by_name(rows: Any) -> bool:
    """Whether a ColumnTransformer can be told columns of the rows by name."""
    if not hasattr(rows, "columns") or not all(isinstance(name, str) for name in rows.columns):
        return False
    # scikit-learn 1.7 finds the names of pandas only.
    return hasattr(rows.columns, "get_loc") or parse_version(sklearn.__version__) >= parse_version("1.8")


def _cells(column: TableColumn) -> Any:
    """Return what a data frame makes text or floats of, whatever the library."""
    if not is_text(column):
        return column.as_numbers().values
    return [None if np.isnan(place) else column.levels[int(place)] for place in column.values]


# A tree as a real scikit-learn tree: everything made for scikit-learn's trees then works with ours.
#
# ``export_text``, ``plot_tree``, ONNX, skops, SHAP and the rest read ``tree_``, so that is what is made here, node by
# node. scikit-learn compares in single precision: every threshold is chosen so that the training values stay on their
# sides all the same, and where that is impossible the two values are named. The result is checked on the training rows.

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
    read, _ = read_fitted_columns(X, columns, tree.n_columns)
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
