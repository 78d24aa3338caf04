"""Export a tree to a Python function that depends on nothing.

The source is plain nested ``if`` and ``else``, with the predicate as a comment on each test. Column names and labels
enter it only through ``repr`` or as one-line comments, so no name can become code. Missing values and levels that did
not occur in training take the same branches as in the tree.

Python accepts at most 100 levels of indentation, so a branch continues in a separate function after every 40 tests:
deep trees stay readable, and they compile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._support.text import quantity
from ..binarize.predicate import Predicate
from ..binarize.region import Region
from ..table import UNSEEN, Column
from ..tree import Tree
from .check import passed_rows, used_columns
from .intervals import Comparison, region_intervals

LEVELS_PER_FUNCTION = 40

HEADER = '''"""A decision tree of {size}, written by puretree."""


def predict(row):
    """Return the label of a row: a dictionary by column name, or a list of all columns in the order of the table."""
{body}


def _value(row, name, index):
    """Return one value of a row; None if it is missing (None, NaN, NA or masked)."""
    value = row[name] if hasattr(row, "keys") else row[index]
    kind = type(value).__name__
    if kind in ("NAType", "NaTType", "MaskedConstant") or value != value:
        return None
    if kind == "Interval":
        raise TypeError(name + ": pass intervals as text")
    return value.item() if hasattr(value, "item") else value  # NumPy compares in the precision of its number
'''


def to_python(tree: Tree) -> str:
    r"""Write a tree as the source of a Python function ``predict(row)``.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str
        A module that imports nothing. ``predict`` takes a dictionary by column name (or a pandas row), or a list of
        all columns in the order of the table; None and NaN are missing values.

    Examples
    --------
    >>> source = to_python(Tree.from_nested((3, "a", "b")))
    >>> print("\n".join(source.splitlines()[5:10]))
        x3 = _value(row, 'feature 3', 3)
        if x3 == 1:  # feature 3 is 1
            return 'b'
        else:
            return 'a'
    """
    columns = used_columns(tree)
    arguments = ", ".join(_variable(column) for column in columns)
    lines = [f"    {_variable(column)} = _value(row, {column.name!r}, {column.index})" for column in columns]
    body, queue = _function_body(tree, 0, arguments)
    source = HEADER.format(size=quantity(tree.n_nodes, "node"), body="\n".join(lines + body))
    while queue:
        root = queue.pop(0)
        body, more = _function_body(tree, root, arguments)
        queue += more
        source += "\n\n" + "\n".join([f"def _from_node_{root}({arguments}):", *body]) + "\n"
    return source


def predict_with_python(source: str, tree: Tree, X: Any) -> Iterable[Any]:
    """Predict the rows of a table with an exported source."""
    module: dict[str, Any] = {}
    exec(compile(source, "<puretree export>", "exec"), module)  # source that we just wrote, not a user's file
    return [module["predict"](row) for row in passed_rows(tree, X)]


def _function_body(tree: Tree, root: int, arguments: str) -> tuple[list[str], list[int]]:
    """Return the lines of the subtree of a node, and the nodes below it that need functions of their own."""
    lines: list[str] = []
    deferred: list[int] = []
    stack: list[tuple[int | str, int]] = [(root, 1)]
    while stack:
        node, level = stack.pop()
        indent = "    " * level
        if isinstance(node, str):
            lines.append("    " * level + node)
        elif tree.left[node] < 0:
            lines.append(f"{indent}return {tree.classes[tree.label[node]]!r}")
        elif level > LEVELS_PER_FUNCTION:
            lines.append(f"{indent}return _from_node_{node}({arguments})")
            deferred.append(node)
        else:
            test = tree.predicate(int(tree.feature[node]))
            lines.append(f"{indent}if {condition(test)}:  # {test}")
            left = int(tree.left[node])
            stack += [(left, level + 1), ("else:", level), (left + 1, level + 1)]
    return lines, deferred


def condition(test: Predicate) -> str:
    """Return a predicate as a Python expression that raises no error on missing values."""
    name, region = _variable(test.column), test.region
    return _number_condition(name, region) if test.column.kind == "number" else _level_condition(test.column, region)


def _variable(column: Column) -> str:
    return f"x{column.index}"


def _number_condition(name: str, region: Region) -> str:
    if not region.edges:
        if region.starts_inside == region.holds_missing:
            return str(region.holds_missing)
        return f"{name} is {'not ' * region.starts_inside}None"
    terms = [_between(name, interval.low, interval.high) for interval in region_intervals(region)]
    is_inside = " or ".join(terms)
    if region.holds_missing:
        return f"{name} is None or {is_inside}"
    return f"{name} is not None and {is_inside}" if len(terms) == 1 else f"{name} is not None and ({is_inside})"


def _between(name: str, low: Comparison | None, high: Comparison | None) -> str:
    if low and high:
        flipped = {">": "<", ">=": "<="}[low[0]]
        return f"{low[1]!r} {flipped} {name} {high[0]} {high[1]!r}"
    operator, number = low or high or (">=", float("-inf"))
    return f"{name} {operator} {number!r}"


def _level_condition(column: Column, region: Region) -> str:
    name, holds_unseen = _variable(column), region.contains(UNSEEN)
    listed = [level for index, level in enumerate(column.levels) if region.contains(float(index)) != holds_unseen]
    if len(listed) == 1:
        term = f"{name} {'!=' if holds_unseen else '=='} {listed[0]!r}"
    else:
        term = f"{name} {'not ' * holds_unseen}in ({', '.join(map(repr, listed))})"
    # None equals no level and is in no list, so without an explicit test it takes the branch of unseen levels.
    if holds_unseen == region.holds_missing:
        return term
    return f"{name} is None or {term}" if region.holds_missing else f"{name} is not None and {term}"
