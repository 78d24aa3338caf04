"""Draw the picture of the README: the tree of iris with a badge that states what is proved.

Run with ``python examples/picture.py``. It writes ``docs/images/iris.svg``, or the path given as an argument.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

from puretree import PureTreeClassifier
from puretree.datasets import load

SVG = "http://www.w3.org/2000/svg"
BANNER = 46  # height of the strip above the tree
GREEN = "#1b7837"


def main(path: Path) -> None:
    """Fit the tree, and write it with its badge."""
    iris = load("sklearn:iris")
    model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
    caption = f"{model.n_nodes_} nodes · {model.n_optimal_trees_:,} trees of this size · every row classified correctly"
    badge = "proved minimum" if model.status_ == "optimal" else f"not proved ({model.status_})"
    path.write_text(with_badge(str(model.export("svg")), badge, caption), encoding="utf-8")
    print(f"{path}: {badge} · {caption}")


def with_badge(drawing: str, badge: str, caption: str) -> str:
    """Return an SVG drawing with a badge and a caption above it."""
    Xml.register_namespace("", SVG)
    svg = Xml.fromstring(drawing)
    _, _, width, height = map(float, svg.attrib["viewBox"].split())
    svg.attrib["viewBox"] = f"0 {-BANNER} {width:.0f} {height + BANNER:.0f}"
    paper = {"y": f"{-BANNER}", "width": f"{width:.0f}", "height": f"{BANNER}", "fill": "#ffffff"}
    Xml.SubElement(svg, f"{{{SVG}}}rect", paper)
    pill = {"x": "16", "y": "-34", "width": "136", "height": "24", "rx": "12", "fill": GREEN}
    Xml.SubElement(svg, f"{{{SVG}}}rect", pill)
    style = {"x": "84", "y": "-17", "text-anchor": "middle", "fill": "#ffffff", "font-weight": "bold"}
    Xml.SubElement(svg, f"{{{SVG}}}text", style).text = badge
    Xml.SubElement(svg, f"{{{SVG}}}text", {"x": "166", "y": "-17"}).text = caption
    return Xml.tostring(svg, encoding="unicode") + "\n"


if __name__ == "__main__":
    default = Path(__file__).parents[1] / "docs" / "images" / "iris.svg"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
