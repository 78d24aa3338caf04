"""A tree as a Python function of its own: to paste into a program that must not depend on anything.

The source is plain nested ``if`` and ``else`` with the question in words beside each test. Columns and labels get into
it by ``repr`` alone, or as one-line comments, so no name can break out. Gaps and levels that training did not have are
answered as the tree answers them.

Python takes no more than 100 levels of indentation, so every 40 questions down a branch goes on in a function of its
own: deep trees stay readable, and they compile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..binarize.predicate import Predicate
from ..binarize.region import Region
from ..table import UNSEEN, Column
from ..tree import Tree
from .bounds import pieces
from .check import RawRow, asked_columns, raw_rows

LEVELS_PER_FUNCTION = 40

HEADER = '''"""A decision tree of {n_nodes} nodes, written by puretree."""


def predict(row):
    """Return the label of a row: a dictionary by column name, or a list of all columns in the order of the table."""
{body}


def _value(row, name, place):
    """Return one value of a row; None if it is missing (None, NaN or NA)."""
    value = row[name] if hasattr(row, "keys") else row[place]
    if type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    return value
'''


def to_python(tree: Tree) -> str:
    r"""Write a tree as the source of a Python function ``predict(row)``.

    Parameters
    ----------
    tree : Tree
        The tree.

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
    columns = asked_columns(tree)
    arguments = ", ".join(_variable(column) for column in columns)
    lines = [f"    {_variable(column)} = _value(row, {column.name!r}, {column.index})" for column in columns]
    body, waiting = _function_body(tree, 0, arguments)
    source = HEADER.format(n_nodes=tree.n_nodes, body="\n".join(lines + body))
    while waiting:
        root = waiting.pop(0)
        body, more = _function_body(tree, root, arguments)
        waiting += more
        source += "\n\n" + "\n".join([f"def _from_node_{root}({arguments}):", *body]) + "\n"
    return source


def python_answers(source: str, tree: Tree, X: Any) -> Iterable[Any]:
    """Run a source that was just written on the rows of a table."""
    module: dict[str, Any] = {}
    exec(compile(source, "<puretree export>", "exec"), module)  # our own words, not somebody's file
    rows: list[RawRow] = raw_rows(tree, X)
    return [module["predict"](row) for row in rows]


def _function_body(tree: Tree, root: int, arguments: str) -> tuple[list[str], list[int]]:
    """Write the branch below a node, and tell which nodes below it were left to functions of their own."""
    lines: list[str] = []
    left_out: list[int] = []
    waiting: list[tuple[int | str, int]] = [(root, 1)]
    while waiting:
        node, level = waiting.pop()
        indent = "    " * level
        if isinstance(node, str):
            lines.append("    " * level + node)
        elif tree.left[node] < 0:
            lines.append(f"{indent}return {tree.classes[tree.label[node]]!r}")
        elif level > LEVELS_PER_FUNCTION:
            lines.append(f"{indent}return _from_node_{node}({arguments})")
            left_out.append(node)
        else:
            test = tree.predicate(int(tree.feature[node]))
            lines.append(f"{indent}if {condition(test)}:  # {test}")
            left = int(tree.left[node])
            waiting += [(left, level + 1), ("else:", level), (left + 1, level + 1)]
    return lines, left_out


def condition(test: Predicate) -> str:
    """Write a question as a Python expression that is never an error, whatever is missing."""
    name, region = _variable(test.column), test.region
    return _numbers(name, region) if test.column.kind == "number" else _levels(name, test.column, region)


def _variable(column: Column) -> str:
    return f"x{column.index}"


def _numbers(name: str, region: Region) -> str:
    if not region.edges:
        if region.starts_inside == region.holds_missing:
            return str(region.holds_missing)
        return f"{name} is {'not ' * region.starts_inside}None"
    words = [_between(name, piece.low, piece.high) for piece in pieces(region)]
    if region.holds_missing:
        return f"{name} is None or {' or '.join(words)}"
    inside = " or ".join(words)
    return f"{name} is not None and {inside}" if len(words) == 1 else f"{name} is not None and ({inside})"


def _between(name: str, low: tuple[str, float] | None, high: tuple[str, float] | None) -> str:
    if low and high:
        flipped = {">": "<", ">=": "<="}[low[0]]
        return f"{low[1]!r} {flipped} {name} {high[0]} {high[1]!r}"
    sign, bound = low or high or (">=", float("-inf"))
    return f"{name} {sign} {bound!r}"


def _levels(name: str, column: Column, region: Region) -> str:
    takes_unseen = region.contains(UNSEEN)
    listed = [level for place, level in enumerate(column.levels) if region.contains(float(place)) != takes_unseen]
    if len(listed) == 1:
        words = f"{name} {'!=' if takes_unseen else '=='} {listed[0]!r}"
    else:
        words = f"{name} {'not ' * takes_unseen}in ({', '.join(map(repr, listed))})"
    # None is in no list and equal to no level: it goes with the unseen levels unless told otherwise.
    if takes_unseen == region.holds_missing:
        return words
    return f"{name} is None or {words}" if region.holds_missing else f"{name} is not None and {words}"
