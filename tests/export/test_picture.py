"""Trees drawn with matplotlib."""

import sys

import pandas as pd
import pytest

from puretree import InputError, Tree, minimum_tree
from puretree.export import plot
from puretree.export.picture import to_png

pytest.importorskip("matplotlib").use("agg")

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_png_of_hard_names() -> None:
    """Markup, mathematics, emoji and gaps are letters like others; a missing glyph is no error."""
    table = pd.DataFrame({"<b> $x^$ & 🐸": ["$", "$$ \\frac", None, " "], "n": [1.0, 2.0, 3.0, 4.0]})
    tree = minimum_tree(table, ["$a$", "<i>", "\\$", " "], forbidden=["n"]).tree
    assert tree is not None
    assert to_png(tree, dpi=50).startswith(PNG)


def test_it_draws_where_it_is_told() -> None:
    """Axes that are given are drawn on and returned; else there are new ones of the right shape."""
    from matplotlib import pyplot

    tree = Tree.from_nested((0, "a", "b"))
    figure, axes = pyplot.subplots()
    assert plot(tree, ax=axes) is axes
    own = plot(tree)
    width, height = own.figure.get_size_inches()
    assert width / height == pytest.approx(own.get_xlim()[1] / own.get_ylim()[0])
    pyplot.close(figure)
    pyplot.close(own.figure)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"puretree\[plot\]"):
        to_png(Tree.from_nested((0, "a", "b")))
