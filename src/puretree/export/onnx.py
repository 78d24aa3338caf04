"""A tree as ONNX: for the runtimes of phones, browsers and servers that know nothing of Python.

Made by skl2onnx from the scikit-learn tree, and run on the training rows by onnxruntime where that is installed. A
table of numbers is one input ``X`` of single-precision floats; a table with text has one input per column, in the order
of the table, with names in letters, digits and underscores. ONNX has no missing text.
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
from .check import asked_columns
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
        raise InputError('ONNX needs skl2onnx: pip install "puretree[onnx]"') from error
    gaps = [column.name for column in asked_columns(tree) if is_text(column) and column.has_missing]
    if gaps:
        raise InputError(
            f"column {gaps[0]!r} is text with gaps, and ONNX has no missing text; "
            "fill the gaps with a level of their own before fitting, or choose json, python or sql"
        )
    table = read_table(X)
    model = to_sklearn(tree, X, y, by_place=True)  # the names of inputs are not those of the columns
    if not _has_text(table):
        inputs = [("X", _tensor(None, len(table.columns)))]
    else:
        names = _input_names(table)
        inputs = [(name, _tensor(column, 1)) for name, column in zip(names, table.columns, strict=True)]
    try:
        made = skl2onnx.to_onnx(model, initial_types=inputs, options={id(model): {"zipmap": False}})
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        raise InputError(f"skl2onnx cannot write this tree: {error}; choose another format") from error
    _send_missing_left(made, model[-1].tree_ if isinstance(model, Pipeline) else model.tree_)
    return bytes(made.SerializeToString())


def _send_missing_left(made: Any, native: Any) -> None:
    """Set where missing values go: skl2onnx sends them all to the right (sklearn-onnx issue 1253)."""
    goes_left = native.missing_go_to_left
    for operator in made.graph.node:
        attributes = {attribute.name: attribute for attribute in operator.attribute}
        if "nodes_missing_value_tracks_true" in attributes:
            numbers = attributes["nodes_nodeids"].ints
            attributes["nodes_missing_value_tracks_true"].ints[:] = [int(goes_left[node]) for node in numbers]


def onnx_answers(model: bytes, tree: Tree, X: Any) -> Iterable[Any] | None:
    """Run a model that was just written on the rows of a table; None where onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    table = read_table(X)
    columns = [_feed(column) for column in table.columns]
    names = [given.name for given in session.get_inputs()]
    feeds = dict(zip(names, columns, strict=True)) if _has_text(table) else {names[0]: np.hstack(columns)}
    answers: Iterable[Any] = session.run(["label"], feeds)[0].tolist()
    return answers


def _has_text(table: Table) -> bool:
    return any(map(is_text, table.columns))


def _tensor(column: TableColumn | None, width: int) -> Any:
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    return StringTensorType([None, width]) if column and is_text(column) else FloatTensorType([None, width])


def _input_names(table: Table) -> list[str]:
    """Name the inputs after the columns, in letters that ONNX takes, each its own."""
    names: list[str] = []
    for place, name in enumerate(table.names):
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or f"x{place}"
        plain = plain if plain[0].isalpha() else f"x_{plain}"
        names.append(plain if plain not in names else f"{plain}_{place}")
    return names


def _feed(column: TableColumn) -> Any:
    if not is_text(column):
        return column.as_numbers().values.astype(np.float32)[:, None]
    # A column that is not asked about may have gaps.
    levels = np.array([*column.levels, ""], dtype=object)
    places = np.where(np.isnan(column.values), len(column.levels), column.values).astype(np.intp)
    return levels[places][:, None]
