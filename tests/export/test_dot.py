"""Export to Graphviz's DOT language."""

import re
from typing import Any

from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import Tree
from puretree.export.dot import to_dot

QUOTED = r'"(?:[^"\\\n]|\\["\\])*"'
LINE = re.compile(rf"  (?:\w+(?: -> \w+)? \[(?:\w+=(?:{QUOTED}|\w+)(?:, )?)+\]|ordering=out);")


@settings(max_examples=30)
@given(readable_trees())
def test_every_line_is_one_statement(drawn: tuple[Tree, Any, Any]) -> None:
    """Quotes, backslashes and newlines in names do not end a string: each line is one well-formed statement."""
    tree = drawn[0]
    lines = to_dot(tree).split("\n")
    assert (lines[0], lines[-1]) == ("digraph tree {", "}")
    assert [line for line in lines[1:-1] if not LINE.fullmatch(line)] == []
    assert len(lines) == 2 + 3 + tree.n_nodes + tree.n_nodes - 1
