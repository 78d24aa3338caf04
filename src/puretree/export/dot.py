"""A tree in Graphviz's language, for those who draw with its programs.

Labels are plain quoted strings, never HTML-like ones, with quotes and backslashes escaped.
"""

from __future__ import annotations

from ..binarize.predicate import format_level
from ..tree import Tree
from .appearance import FAINT_INK, INK, LINE, QUESTION, class_colour, tint
from .node_view import NodeView, node_views


def to_dot(tree: Tree) -> str:
    """Write a tree as Graphviz text.

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
    told = node_views(tree)
    # "yes" has the higher number and is drawn first, as everywhere.
    told = [told[0], *(told[i] for pair in range(1, len(told), 2) for i in (pair + 1, pair))]
    lines = [_node(node) for node in told]
    lines += [f"n{node.parent} -> n{node.node} [label={_quoted(node.answer)}];" for node in told[1:]]
    style = [
        f'node [shape=box, style="rounded,filled", fontname="Helvetica", color="{LINE}", fontcolor="{INK}"];',
        f'edge [fontname="Helvetica", fontsize=11, color="{LINE}", fontcolor="{FAINT_INK}"];',
        "ordering=out;",
    ]
    return "\n".join(["digraph tree {", *(f"  {line}" for line in style + lines), "}"])


def _node(told: NodeView) -> str:
    if told.question is not None:
        return f'n{told.node} [label={_quoted(told.question)}, fillcolor="{QUESTION}"];'
    assert told.label is not None
    colour = class_colour(told.code)
    rows = "" if told.n_rows is None else f" ({told.n_rows})"
    label = _quoted(format_level(told.label) + rows)
    return f'n{told.node} [label={label}, color="{colour}", fillcolor="{tint(colour)}"];'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
