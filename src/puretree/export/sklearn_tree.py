"""Export a tree to a fitted scikit-learn tree, so that everything made for scikit-learn's trees works with ours.

``export_text``, ``plot_tree``, ONNX, skops, SHAP and others read ``tree_``, so this module builds that object, node by
node (:func:`native_tree`). A table with text becomes a pipeline of scikit-learn's encoders and the tree. scikit-learn
compares in single precision: every threshold is chosen so that it still separates the same training values, and where
that is impossible the error names the two values. The result is checked on the training rows, in the container that
the user passed: scikit-learn's encoders take pandas' NA for an unseen level, so :func:`_encoder` replaces it.

scikit-learn takes column names from data frames only. A model fitted on an array accepts any data frame by position
and predicts wrong labels if its columns are in another order. A table with names is therefore converted to a data
frame first (:func:`rows_by_name`), of whichever library is installed: whoever trained on a data frame has one.
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
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree as NativeTree
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import validate_data

from ..binarize.predicate import Predicate
from ..errors import InputError, shorten
from ..table import Column, Floats, Table, TableColumn, as_frame, label_array, read_fitted_columns, read_table
from ..tree import Tree
from .check import require_pure, require_same_predictions, used_columns, wrong_rows
from .inputs import Input, NumberInput, OneHotInput, OrdinalInput, all_single_levels, is_text, tested_levels
from .splits import Splits, SplitTree, ValueRange, expand

LIBRARIES: tuple[Literal["pandas", "polars"], ...] = ("pandas", "polars")
REMEDY = (
    "convert it before fitting: text to strings, numbers to a numeric type, missing values to None or NaN, and other "
    "containers to a data frame of pandas"
)


def to_sklearn(tree: Tree, X: Any, y: Any, *, by_position: bool = False) -> DecisionTreeClassifier | Pipeline:
    """Return a fitted scikit-learn tree that predicts as a tree does.

    Parameters
    ----------
    tree : Tree
        With predicates attached.
    X : data frame, 2-D array, list of rows or Table
        The rows it was trained on, without those that on_conflict excluded.
    y : array-like
        Their labels.
    by_position : bool, default=False
        Ignore the names of the columns, for a model that is applied to arrays. Otherwise, a model made from columns
        with names requires them: a tree in the same order, a pipeline with encoders in any order.

    Returns
    -------
    DecisionTreeClassifier or Pipeline
        A pipeline of encoders and the tree if any column holds text; it predicts from the raw table. scikit-learn
        does not support infinite numbers. Missing text may be None or NaN, and pandas' NA if the training rows have it.

    Raises
    ------
    InputError
        If two training values that the tree separates are equal in single precision, or if scikit-learn rejects the
        table, or reads it in another way.
    """
    if tree.n_columns is None:
        raise InputError("the tree tests features, not columns of a table; attach predicates first (with_predicates)")
    require_pure(tree, X, y)
    table = read_table(X)
    rows = rows_by_position(table) if by_position else rows_by_name(X, table)
    convert = _to_pipeline if any(map(is_text, table.columns)) else _to_classifier
    model = convert(tree, X, table, rows)
    try:
        predictions = model.predict(rows).tolist()
    except (TypeError, ValueError) as error:
        raise _rejected(error) from error
    if isinstance(X, Table) or by_position:
        require_same_predictions(tree, X, predictions, "scikit-learn")
    elif wrong := wrong_rows(tree, X, predictions):
        raise InputError(
            f"scikit-learn reads {len(wrong)} rows of this table in another way, and would predict other labels (rows "
            f"{shorten(wrong)}); {REMEDY}"
        )
    return model


def _rejected(error: Exception) -> InputError:
    return InputError(f"scikit-learn rejects this table: {error}; {REMEDY}")


def _to_classifier(tree: Tree, X: Any, table: Table, rows: Any) -> DecisionTreeClassifier:
    columns = used_columns(tree)
    inputs: dict[int, Input] = {
        column.index: NumberInput(column, _position(table, column), values)
        for column, values in zip(columns, _numeric_values(tree, X, columns), strict=True)
    }
    for column in table.columns:  # scikit-learn validates all of them
        _require_single_precision(column.name, column.as_numbers().values)
    matrix = np.array([column.as_numbers().values for column in table.columns], dtype=np.float32).T
    model = _fitted_classifier(tree, X, inputs, matrix)
    validate_data(model, rows, reset=True, skip_check_array=True)  # sets feature_names_in_
    return model


def _to_pipeline(tree: Tree, X: Any, table: Table, rows: Any) -> Pipeline:
    columns = used_columns(tree) or [_first_column(table)]  # a single leaf needs an input, too
    tests: dict[int, list[Predicate]] = {column.index: [] for column in columns}
    for feature in tree.features:
        tests[tree.predicate(feature).column.index].append(tree.predicate(feature))
    numeric = [column for column in columns if not is_text(column)]
    text = [column for column in columns if is_text(column)]
    one_hot = [column for column in text if tests[column.index] and all_single_levels(tests[column.index])]
    ordinal = [column for column in text if column not in one_hot]
    levels = {column.index: tested_levels(tests[column.index]) for column in one_hot}
    inputs = _encoded_inputs(tree, X, numeric, ordinal, one_hot, levels)
    try:
        encoders = _encoders(rows, table, numeric, ordinal, one_hot, levels).fit(rows)
        matrix = np.asarray(encoders.transform(rows)).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise _rejected(error) from error
    return Pipeline([("columns", encoders), ("tree", _fitted_classifier(tree, X, inputs, matrix))])


def _encoders(
    rows: Any,
    table: Table,
    numeric: list[Column],
    ordinal: list[Column],
    one_hot: list[Column],
    levels: dict[int, tuple[Any, ...]],
) -> ColumnTransformer:
    by_name = has_usable_names(rows)

    def keys(columns: list[Column]) -> list[Any]:
        positions = [_position(table, column) for column in columns]
        return [table.names[position] for position in positions] if by_name else positions

    ordinal_encoder = OrdinalEncoder(
        categories=[[*column.levels, None, np.nan] for column in ordinal],
        handle_unknown="use_encoded_value",
        unknown_value=-1,
    )
    one_hot_encoder = OneHotEncoder(
        categories=[list(levels[column.index]) for column in one_hot], handle_unknown="ignore", sparse_output=False
    )
    # Data frames of nullable or Arrow types cannot be passed through: this converts them, and changes no number.
    to_floats = "passthrough" if isinstance(rows, np.ndarray) else StandardScaler(with_mean=False, with_std=False)
    steps = [
        ("numbers", to_floats, numeric),
        ("ordinal", _encoder(ordinal_encoder, rows, [_position(table, column) for column in ordinal]), ordinal),
        ("one_hot", _encoder(one_hot_encoder, rows, [_position(table, column) for column in one_hot]), one_hot),
    ]
    return ColumnTransformer(
        [(name, step, keys(columns)) for name, step, columns in steps if columns], verbose_feature_names_out=False
    )


def _encoder(encoder: Any, rows: Any, positions: list[int]) -> Any:
    """Return an encoder of some columns, with a step that replaces pandas' NA by NaN if the rows have it."""
    if not isinstance(rows, np.ndarray) and not hasattr(rows, "iloc"):
        return encoder  # only pandas and NumPy hold it
    columns = [np.asarray(rows[:, i] if isinstance(rows, np.ndarray) else rows.iloc[:, i]) for i in positions]
    na = next((cell for cells in columns for cell in cells if type(cell).__name__ == "NAType"), None)
    if na is None:
        return encoder
    to_nan = SimpleImputer(missing_values=na, strategy="constant", fill_value=np.nan, keep_empty_features=True)
    return make_pipeline(to_nan, encoder)


def _encoded_inputs(
    tree: Tree,
    X: Any,
    numeric: list[Column],
    ordinal: list[Column],
    one_hot: list[Column],
    levels: dict[int, tuple[Any, ...]],
) -> dict[int, Input]:
    """Return the position of each column in the output of the encoders, in their order."""
    inputs: dict[int, Input] = {}
    feature = 0
    for column, values in zip(numeric, _numeric_values(tree, X, numeric), strict=True):
        inputs[column.index] = NumberInput(column, feature, values)
        feature += 1
    for column in ordinal:
        inputs[column.index] = OrdinalInput(column, feature)
        feature += 1
    for column in one_hot:
        inputs[column.index] = OneHotInput(column, feature, levels[column.index])
        feature += len(levels[column.index])
    return inputs


def _fitted_classifier(
    tree: Tree, X: Any, inputs: dict[int, Input], matrix: NDArray[np.float32]
) -> DecisionTreeClassifier:
    rows_at = tree.decision_path(X).tocsc()
    initial_ranges: dict[int, ValueRange] = {}
    for column_input in inputs.values():
        initial_ranges |= column_input.initial_ranges()

    @cache  # duplicates of a subtree share its splits
    def splits_of_node(node: int) -> Splits:
        test = tree.predicate(int(tree.feature[node]))
        rows = rows_at.indices[rows_at.indptr[node] : rows_at.indptr[node + 1]]
        return inputs[test.column.index].splits(test, rows)

    splits = expand(tree, splits_of_node, initial_ranges)
    model = DecisionTreeClassifier()
    model.n_features_in_ = model.max_features_ = matrix.shape[1]
    model.n_outputs_ = 1
    model.classes_ = label_array(tree.classes)
    model.n_classes_ = np.int64(len(tree.classes))
    model.tree_ = native_tree(splits, matrix, tree.predict_codes(X), len(tree.classes))
    return model


def _numeric_values(tree: Tree, X: Any, columns: list[Column]) -> list[Floats]:
    """Return the training values of columns as numbers; a numeric level is its own value, not its index."""
    assert tree.n_columns is not None
    columns_read, _ = read_fitted_columns(X, columns, tree.n_columns)
    numeric = []
    for column, column_values in zip(columns, columns_read, strict=True):
        values: Floats = np.asarray(column_values, dtype=np.float64)
        if column.kind != "number":
            levels = np.array([*column.levels, np.nan], dtype=np.float64)
            values = levels[np.where(np.isnan(values), len(column.levels), values).astype(np.intp)]
        _require_single_precision(column.name, values)
        numeric.append(values)
    return numeric


def _require_single_precision(name: str, values: Floats) -> None:
    largest = np.nanmax(np.abs(values), initial=0.0)
    if largest > np.finfo(np.float32).max:
        raise InputError(
            f"column {name!r} reaches {largest:g}, beyond the range of single precision, which scikit-learn uses; "
            "scale the column before fitting, or choose another format: json, python or sql"
        )


def _position(table: Table, column: Column) -> int:
    return table.names.index(column.name) if table.has_names and column.name in table.names else column.index


def _first_column(table: Table) -> Column:
    first = table.columns[0]
    return Column(first.name, 0, first.kind, first.levels, first.has_missing)


def rows_by_name(X: Any, table: Table) -> Any:
    """Return the rows with their column names where possible: a Table with names becomes a data frame."""
    if isinstance(X, list | tuple):
        return np.array(X, dtype=object)
    if not isinstance(X, Table):
        return as_frame(X)
    library = next(filter(find_spec, LIBRARIES), None)
    if library is None or not table.has_names:
        return rows_by_position(table)
    columns = {column.name: _cells(column) for column in table.columns}
    return nw.from_dict(columns, backend=library).to_native()


def rows_by_position(table: Table) -> NDArray[Any]:
    """Return the rows as an array, which has no column names."""
    columns = list(table.to_dict().values())
    return np.array([[column[row] for column in columns] for row in range(table.n_rows)], dtype=object)


def has_usable_names(rows: Any) -> bool:
    """Whether a ColumnTransformer can select columns of the rows by name."""
    if not hasattr(rows, "columns") or not all(isinstance(name, str) for name in rows.columns):
        return False
    # scikit-learn 1.7 supports the names of pandas only.
    return hasattr(rows.columns, "get_loc") or parse_version(sklearn.__version__) >= parse_version("1.8")


def _cells(column: TableColumn) -> Any:
    """Return values that any data frame library reads as text or floats."""
    if not is_text(column):
        return column.as_numbers().values
    return [None if np.isnan(index) else column.levels[int(index)] for index in column.values]


def native_tree(splits: SplitTree, matrix: NDArray[np.float32], codes: NDArray[np.int32], n_classes: int) -> NativeTree:
    """Build the ``tree_`` of a scikit-learn tree, with the fraction of each class at each node.

    scikit-learn has no public constructor for it. ``__setstate__``, which pickle uses, has stayed the same from release
    to release; the layout of a node is read from the installed release.

    Parameters
    ----------
    splits : SplitTree
        The nodes.
    matrix : ndarray of float32 of shape (n_rows, n_features)
        The training rows, as inputs of the tree.
    codes : ndarray of int32
        The class of each row.
    n_classes : int
    """
    values = np.zeros((len(splits.left), n_classes))
    values[range(len(splits.left)), splits.code] = 1  # inner nodes are overwritten below
    without_counts = _from_state(splits, values, np.zeros(len(splits.left)), matrix.shape[1])
    counts = np.zeros_like(values)
    np.add.at(counts, (without_counts.apply(np.ascontiguousarray(matrix)), codes), 1)
    for node in reversed(range(len(splits.left))):  # children come after their parent
        if splits.left[node] >= 0:
            children = [splits.left[node], splits.right[node]]
            counts[node] = counts[children].sum(axis=0)
            values[node] = values[children].mean(axis=0)  # for nodes that no training row reaches
        n_rows = counts[node].sum()
        if n_rows:
            values[node] = counts[node] / n_rows
    return _from_state(splits, values, counts.sum(axis=1), matrix.shape[1])


def _from_state(splits: SplitTree, values: Floats, n_rows: Floats, n_features: int) -> NativeTree:
    n_classes = np.array([values.shape[1]], dtype=np.intp)
    native = NativeTree(n_features, n_classes, 1)
    nodes = np.zeros(len(splits.left), dtype=native.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = splits.left, splits.right
    nodes["feature"], nodes["threshold"] = splits.feature, splits.threshold
    nodes["missing_go_to_left"] = splits.missing_goes_left
    nodes["impurity"] = 1 - (values**2).sum(axis=1)
    nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = n_rows
    native.__setstate__(
        {"max_depth": splits.depth, "node_count": len(nodes), "nodes": nodes, "values": values[:, None, :].copy()}
    )
    return native
