"""The export formats by name, each with its check: what the classifier and the command line offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..errors import InputError
from ..tree import Tree
from .check import require_pure, require_same_predictions
from .dot import to_dot
from .onnx import predict_with_onnx, to_onnx
from .picture import to_png
from .python_source import predict_with_python, to_python
from .sql import predict_with_sql, to_sql
from .svg import to_svg


@dataclass(frozen=True, slots=True)
class Format:
    """An export format.

    Parameters
    ----------
    description : str
        What it is, in a few words.
    suffix : str
        The suffix of its files.
    write : callable
        Writes a tree as text or bytes. Also takes the training rows and labels if ``needs_rows``.
    predict : callable, optional
        Runs an export on the rows of a table and returns its predictions, or None if it cannot be run here.
    needs_rows : bool
        Whether the training rows are required to write it.
    """

    description: str
    suffix: str
    write: Callable[..., str | bytes]
    predict: Callable[[Any, Tree, Any], Iterable[Any] | None] | None = None
    needs_rows: bool = False


def _predict_with_json(text: str, tree: Tree, X: Any) -> Iterable[Any]:
    predictions: Iterable[Any] = Tree.from_json(text).predict(X).tolist()
    return predictions


FORMATS: dict[str, Format] = {
    "json": Format("the complete tree, to be loaded again", ".json", Tree.to_json, _predict_with_json),
    "text": Format("the tree as indented text", ".txt", Tree.to_text),
    "dot": Format("for Graphviz", ".dot", to_dot),
    "svg": Format("a drawing for browsers", ".svg", to_svg),
    "png": Format("a drawing for everything else", ".png", to_png),
    "python": Format("a function without dependencies", ".py", to_python, predict_with_python),
    "sql": Format("one CASE expression", ".sql", to_sql, predict_with_sql),
    "onnx": Format("for other runtimes", ".onnx", to_onnx, predict_with_onnx, needs_rows=True),
}


def export_tree(tree: Tree, format: str, X: Any = None, y: Any = None) -> str | bytes:
    """Export a tree.

    Parameters
    ----------
    tree : Tree
    format : {"json", "text", "dot", "svg", "png", "python", "sql", "onnx"}
    X, y : table and labels, optional
        The rows it was trained on, without those that on_conflict excluded. If they are passed, the export is checked:
        formats that can be executed must predict every row as the tree does. Required for ONNX.

    Returns
    -------
    str or bytes

    Examples
    --------
    >>> print(export_tree(Tree.from_nested((0, "a", "b")), "text"))
    feature 0 is 1?
    ├─ yes: b
    └─ no: a
    """
    target = find_format(format)
    if X is None:
        if target.needs_rows:
            raise InputError(f"format {format!r} needs the training rows: pass X and y")
        return target.write(tree)
    require_pure(tree, X, y)
    exported = target.write(tree, X, y) if target.needs_rows else target.write(tree)
    predictions = None if target.predict is None else target.predict(exported, tree, X)
    if predictions is not None:
        require_same_predictions(tree, X, predictions, format)
    return exported


def find_format(name: str) -> Format:
    """Return a format by its name."""
    if name not in FORMATS:
        near = get_close_matches(str(name), FORMATS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"format {name!r} is unknown; {hint}use one of {', '.join(FORMATS)}")
    return FORMATS[name]
