"""Drawing with matplotlib."""

import sys
from itertools import combinations

import pandas as pd
import pytest

from puretree import InputError, Tree, minimum_tree
from puretree.export import plot
from puretree.export.boxes import FONT
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


@pytest.mark.parametrize("n_nodes", [5, 31, 217])
def test_plot_sizes_itself_to_the_tree(n_nodes: int) -> None:
    """The figure grows with the tree: text is 10 points high and inside its box, and no boxes overlap."""
    from matplotlib import pyplot
    from matplotlib.patches import FancyBboxPatch

    nested: object = "low risk"
    for feature in range(n_nodes // 2):
        nested = (feature, nested, "high risk") if feature % 3 else (feature, "high risk", nested)
    ax = plot(Tree.from_nested(nested))
    figure = ax.figure
    points_per_unit = 72 * figure.get_size_inches()[0] / ax.get_xlim()[1]
    assert points_per_unit * FONT == pytest.approx(10.4)
    boxes = [patch.get_extents() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    boxes = [box.padded(-2) for box in boxes]
    assert len(boxes) == n_nodes + 2  # and the legend
    assert not any(box.overlaps(other) for box, other in combinations(boxes, 2))
    assert all(figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(box.x1, box.y1) for box in boxes)
    pyplot.close(figure)
