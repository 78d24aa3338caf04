"""Drawing with matplotlib."""

import sys

import pandas as pd
import pytest

from puretree import InputError, Tree, minimum_tree
from puretree.export import plot
from puretree.export.picture import to_png

pytest.importorskip("matplotlib").use("agg")

PNG = b"\x89PNG\r\n\x1a\n"


def test_png_of_names_with_special_characters() -> None:
    """Markup, mathematics and emoji in names are drawn as text; a missing glyph raises no error."""
    table = pd.DataFrame({"<b> $x^$ & 🐸": ["$", "$$ \\frac", None, " "], "n": [1.0, 2.0, 3.0, 4.0]})
    tree = minimum_tree(table, ["$a$", "<i>", "\\$", " "], forbidden=["n"]).tree
    assert tree is not None
    assert to_png(tree, dpi=50).startswith(PNG)


def test_plot_draws_on_the_given_axes() -> None:
    """Axes passed as ``ax`` are drawn on and returned; otherwise new ones have the aspect ratio of the layout."""
    from matplotlib import pyplot

    tree = Tree.from_nested((0, "a", "b"))
    figure, axes = pyplot.subplots()
    assert plot(tree, ax=axes) is axes
    own = plot(tree)
    width, height = own.figure.get_size_inches()
    assert width / height == pytest.approx(own.get_xlim()[1] / own.get_ylim()[0])
    pyplot.close(figure)
    pyplot.close(own.figure)


def test_missing_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"puretree\[plot\]"):
        to_png(Tree.from_nested((0, "a", "b")))
