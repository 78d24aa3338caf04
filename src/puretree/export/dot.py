"""Export a tree to Graphviz's DOT language.

Labels are plain quoted strings, never HTML-like ones, with quotes and backslashes escaped.
"""

from __future__ import annotations

from ..binarize.predicate import format_level
from ..tree import Tree
from .appearance import FAINT_INK, INK, LINE, SPLIT_FILL, class_colour, tint
from .node_view import NodeView, node_views


def to_dot(tree: Tree) -> str:
    """Write a tree as DOT text.

    Examples
    --------
    >>> print(to_dot(Tree.from_nested((0, "a", "b"))))
    digraph tree {
      node [shape=box, style="rounded,filled", fontname="Helvetica", color="#9aa5b1", fontcolor="#1f2933"];
      edge [fontname="Helvetica", fontsize=11, color="#9aa5b1", fontcolor="#52606d"];
      ordering=out;
      n0 [label="feature 0 is 1?", fillcolor="#f5f7fa"];
      n2 [label="b", color="#e69f00", fillcolor="#faeccc"];
      n1 [label="a", color="#0072b2", fillcolor="#cce3f0"];
      n0 -> n2 [label="yes"];
      n0 -> n1 [label="no"];
    }
    """
    views = node_views(tree)
    # The "yes" child has the higher number and is drawn first, as in the text.
    views = [views[0], *(views[i] for pair in range(1, len(views), 2) for i in (pair + 1, pair))]
    lines = [_format_node(view) for view in views]
    lines += [f"n{view.parent} -> n{view.node} [label={_quoted(view.branch)}];" for view in views[1:]]
    style = [
        f'node [shape=box, style="rounded,filled", fontname="Helvetica", color="{LINE}", fontcolor="{INK}"];',
        f'edge [fontname="Helvetica", fontsize=11, color="{LINE}", fontcolor="{FAINT_INK}"];',
        "ordering=out;",
    ]
    return "\n".join(["digraph tree {", *(f"  {line}" for line in style + lines), "}"])


def _format_node(view: NodeView) -> str:
    if view.split is not None:
        return f'n{view.node} [label={_quoted(view.split)}, fillcolor="{SPLIT_FILL}"];'
    assert view.label is not None
    colour = class_colour(view.code)
    n_rows = "" if view.n_rows is None else f" ({view.n_rows})"
    label = _quoted(format_level(view.label) + n_rows)
    return f'n{view.node} [label={label}, color="{colour}", fillcolor="{tint(colour)}"];'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
