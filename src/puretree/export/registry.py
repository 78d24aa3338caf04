"""The formats by name: what the classifier and the command line offer, each with its own check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..errors import InputError
from ..tree import Tree
from .check import require_pure, require_same_answers
from .dot import to_dot
from .onnx import onnx_answers, to_onnx
from .picture import to_png
from .python_source import python_answers, to_python
from .sql import sql_answers, to_sql
from .svg import to_svg


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a tree.

    Parameters
    ----------
    about : str
        What it is, in a few words.
    suffix : str
        How files of it end.
    write : callable
        Writes a tree: text or bytes. Gets the training rows and labels too if ``needs_rows``.
    answers : callable, optional
        Runs what was written on the rows of a table; None where it cannot be run here.
    needs_rows : bool
        Whether it cannot be written without the training rows.
    """

    about: str
    suffix: str
    write: Callable[..., str | bytes]
    answers: Callable[[Any, Tree, Any], Iterable[Any] | None] | None = None
    needs_rows: bool = False


def _json_answers(text: str, tree: Tree, X: Any) -> Iterable[Any]:
    answers: Iterable[Any] = Tree.from_json(text).predict(X).tolist()
    return answers


FORMATS: dict[str, Format] = {
    "json": Format("the whole tree, to be read back", ".json", Tree.to_json, _json_answers),
    "text": Format("the tree drawn with letters", ".txt", Tree.to_text),
    "dot": Format("for Graphviz", ".dot", to_dot),
    "svg": Format("a picture for browsers", ".svg", to_svg),
    "png": Format("a picture for everything else", ".png", to_png),
    "python": Format("a function that depends on nothing", ".py", to_python, python_answers),
    "sql": Format("one CASE expression", ".sql", to_sql, sql_answers),
    "onnx": Format("for other runtimes", ".onnx", to_onnx, onnx_answers, needs_rows=True),
}


def export_tree(tree: Tree, format: str, X: Any = None, y: Any = None) -> str | bytes:
    """Write a tree in one of the formats.

    Parameters
    ----------
    tree : Tree
        The tree.
    format : {"json", "text", "dot", "svg", "png", "python", "sql", "onnx"}
        How to write it.
    X, y : table and labels, optional
        The rows it was trained on, without those that on_conflict left out. With them, the result is checked: what
        can be run is run on every row and must answer as the tree does. ONNX cannot be written without.

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
    chosen = find_format(format)
    if X is None:
        if chosen.needs_rows:
            raise InputError(f"format {format!r} needs the training rows: give X and y")
        return chosen.write(tree)
    require_pure(tree, X, y)
    written = chosen.write(tree, X, y) if chosen.needs_rows else chosen.write(tree)
    answers = None if chosen.answers is None else chosen.answers(written, tree, X)
    if answers is not None:
        require_same_answers(tree, X, answers, format)
    return written


def find_format(name: str) -> Format:
    """Return a format by its name."""
    if name not in FORMATS:
        near = get_close_matches(str(name), FORMATS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"format {name!r} is not known; {hint}known are {', '.join(FORMATS)}")
    return FORMATS[name]
