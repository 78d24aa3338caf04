"""Drawing as SVG."""

from typing import Any
from xml.etree import ElementTree as Xml

import pandas as pd
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import Tree, minimum_tree
from puretree.export.svg import to_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


@settings(max_examples=30)
@given(readable_trees())
def test_no_name_becomes_markup(drawn: tuple[Tree, Any, Any]) -> None:
    """For any names and levels, the SVG is well-formed and contains only the elements that we write."""
    svg = Xml.fromstring(to_svg(drawn[0]))
    assert {element.tag.removeprefix(NAMESPACE) for element in svg.iter()} <= {
        "svg",
        "title",
        "rect",
        "path",
        "text",
        "g",
    }
    assert len(svg.findall(f"{NAMESPACE}g")) == drawn[0].n_nodes


def test_view_box_and_full_titles() -> None:
    """The SVG has a view box, and texts that are shortened in a box are complete in its title."""
    name = "a column whose name is far too long to be written into a box in full"
    tree = minimum_tree(pd.DataFrame({name: [1.0, 2.0]}), ["a", "b"]).tree
    assert tree is not None
    svg = Xml.fromstring(to_svg(tree))
    assert svg.get("viewBox", "").startswith("0 0 ")
    titles = [title.text for title in svg.iter(f"{NAMESPACE}title")]
    assert titles == ["A decision tree of 3 nodes", f"{name} ≤ 1? (2 rows)", "b (1 row)", "a (1 row)"]
    texts = [text.text for text in svg.iter(f"{NAMESPACE}text")]
    assert {"yes", "no", "a (1)", "b (1)", "1 row"} <= set(texts)
    assert not any(name in (text or "") for text in texts)
