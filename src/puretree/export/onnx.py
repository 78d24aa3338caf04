"""Export a tree to ONNX, for runtimes on phones, in browsers and on servers that do not use Python.

skl2onnx converts the scikit-learn tree; onnxruntime, where installed, runs the result on the training rows. A table of
numbers becomes one input ``X`` of single-precision floats; a table with text becomes one input per column, in the order
of the table, with names made of letters, digits and underscores. ONNX has no missing text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..errors import InputError
from ..table import Table, TableColumn, read_table
from ..tree import Tree
from .check import used_columns
from .inputs import is_text
from .sklearn_tree import to_sklearn


def to_onnx(tree: Tree, X: Any, y: Any) -> bytes:
    """Write a tree as an ONNX model.

    Parameters
    ----------
    tree : Tree
        With predicates attached.
    X, y
        The rows it was trained on and their labels, as for :func:`to_sklearn`.

    Returns
    -------
    bytes
        A model with outputs ``label`` and ``probabilities``.
    """
    try:
        import skl2onnx
    except ImportError as error:
        raise InputError('the ONNX export requires skl2onnx: pip install "puretree[onnx]"') from error
    with_missing = [column.name for column in used_columns(tree) if is_text(column) and column.has_missing]
    if with_missing:
        raise InputError(
            f"column {with_missing[0]!r} is text with missing values, and ONNX has no missing text; replace the "
            "missing values by a separate level before fitting, or choose json, python or sql"
        )
    table = read_table(X)
    model = to_sklearn(tree, X, y, by_position=True)  # the ONNX inputs are not named as the columns are
    if not _has_text(table):
        inputs = [("X", _tensor_type(None, len(table.columns)))]
    else:
        names = _input_names(table)
        inputs = [(name, _tensor_type(column, 1)) for name, column in zip(names, table.columns, strict=True)]
    try:
        converted = skl2onnx.to_onnx(model, initial_types=inputs, options={id(model): {"zipmap": False}})
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        raise InputError(f"skl2onnx cannot convert this tree: {error}; choose another format") from error
    _set_missing_branches(converted, model[-1].tree_ if isinstance(model, Pipeline) else model.tree_)
    return bytes(converted.SerializeToString())


def _set_missing_branches(converted: Any, native_tree: Any) -> None:
    """Set the branch of missing values: skl2onnx sends all of them right (sklearn-onnx issue 1253)."""
    goes_left = native_tree.missing_go_to_left
    for operator in converted.graph.node:
        attributes = {attribute.name: attribute for attribute in operator.attribute}
        if "nodes_missing_value_tracks_true" in attributes:
            numbers = attributes["nodes_nodeids"].ints
            attributes["nodes_missing_value_tracks_true"].ints[:] = [int(goes_left[node]) for node in numbers]


def predict_with_onnx(model: bytes, tree: Tree, X: Any) -> Iterable[Any] | None:
    """Predict the rows of a table with an exported model; None if onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    table = read_table(X)
    columns = [_input_array(column) for column in table.columns]
    names = [node.name for node in session.get_inputs()]
    feeds = dict(zip(names, columns, strict=True)) if _has_text(table) else {names[0]: np.hstack(columns)}
    predictions: Iterable[Any] = session.run(["label"], feeds)[0].tolist()
    return predictions


def _has_text(table: Table) -> bool:
    return any(map(is_text, table.columns))


def _tensor_type(column: TableColumn | None, width: int) -> Any:
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    return StringTensorType([None, width]) if column and is_text(column) else FloatTensorType([None, width])


def _input_names(table: Table) -> list[str]:
    """Name the inputs after the columns, with characters that ONNX accepts, and without duplicates."""
    names: list[str] = []
    for index, name in enumerate(table.names):
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or f"x{index}"
        plain = plain if plain[0].isalpha() else f"x_{plain}"
        names.append(plain if plain not in names else f"{plain}_{index}")
    return names


def _input_array(column: TableColumn) -> Any:
    if not is_text(column):
        return column.as_numbers().values.astype(np.float32)[:, None]
    # A text column that the tree does not use may have missing values: any text will do for them.
    levels = np.array([*column.levels, ""], dtype=object)
    indices = np.where(np.isnan(column.values), len(column.levels), column.values).astype(np.intp)
    return levels[indices][:, None]
