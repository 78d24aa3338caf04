"""The pictures of a front with its cross-validation: as SVG, and with matplotlib."""

import sys
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from puretree import InputError, OptimalTreeClassifier, UnfinishedWarning
from puretree.datasets import load
from puretree.tuning import FrontRecord
from puretree.tuning.chart import to_svg
from puretree.tuning.plot import plot_fit

SVG = "{http://www.w3.org/2000/svg}"


def fit_iris(**parameters: Any) -> OptimalTreeClassifier:
    """Return a classifier fitted to iris."""
    iris = load("sklearn:iris")
    options: dict[str, Any] = {"binarize": "thresholds", "selection": "first", "random_state": 0}
    return OptimalTreeClassifier(**options | parameters).fit(iris.table, iris.target)


def texts(svg: str) -> list[str]:
    """Return all texts and titles."""
    root = Xml.fromstring(svg)
    return [element.text or "" for element in root.iter() if element.tag in (f"{SVG}text", f"{SVG}title")]


def test_the_svg_names_every_curve_and_point() -> None:
    """The legend names the front, CART, the cross-validation and the chosen point; each mark has a title."""
    record = FrontRecord.of(fit_iris()._result)
    found = texts(to_svg(record))
    legend = [
        "fewest training errors, proved",
        "CART, pruned",
        "cross-validation ± 1 standard error",
        "chosen: 7 nodes",
    ]
    assert set(legend) <= set(found)
    assert "7 nodes: 3 training errors, optimal" in found
    assert "errors, of 150 rows" in found
    assert to_svg(record) == to_svg(record)


def test_what_is_missing_is_not_in_the_legend() -> None:
    """Without cross-validation, and with a root, which CART does not support, only the front is drawn."""
    found = texts(to_svg(FrontRecord.of(fit_iris(max_errors=3, root="petal width")._result)))
    assert "fewest training errors known" in found
    assert not {"CART, pruned", "cross-validation ± 1 standard error"} & set(found)
    found = texts(to_svg(FrontRecord.of(fit_iris(alpha=0.0, class_weight={"setosa": 2}, root="petal width")._result)))
    assert "lowest training cost, proved" in found
    assert "cost" in found
    assert not {"CART, pruned", "cross-validation ± 1 standard error"} & set(found)


def test_all_marks_lie_inside() -> None:
    """Of fronts with one point, with a high first point, and open ones."""
    record = FrontRecord.of(fit_iris()._result)
    first, *others = record.points
    single = replace(record, points=(first,), upper=((1, 100),), chosen=1, scores=(), pruning_path=((1, 100),))
    pure = replace(single, points=(replace(first, cost=0, errors=0, lower_bound=0),), upper=((1, 0),), pruning_path=())
    steep = replace(
        record,
        points=(replace(first, cost=5000), *others),
        upper=((1, 5000), *record.upper[1:]),
        status="time_limit",
    )
    for drawn in (record, single, pure, steep):
        for width, height in ((640.0, 340.0), (480.0, 220.0)):
            root = Xml.fromstring(to_svg(drawn, width, height))
            assert not [value for element in root.iter() for value in element.attrib.values() if "nan" in value]
            for circle in root.iter(f"{SVG}circle"):
                assert -1 <= float(circle.attrib["cx"]) <= width
    assert "1 node: 5000" in texts(to_svg(steep))
    assert "not proved" in texts(to_svg(steep))


def test_plot_front_draws_the_band_and_the_chosen_point() -> None:
    """The legend has all curves; without cross-validation there is none of it."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.figure import Figure

    model, ax = fit_iris(), Figure().add_subplot()
    assert model.plot_front(ax) is ax
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["CART, pruned", "front, proved", "cross-validation ± 1 standard error", "chosen: 7 nodes"]
    line = next(line for line in ax.lines if line.get_label() == legend[2])
    assert model.cv_results_ is not None
    assert np.allclose(line.get_ydata(), 150 * (1 - model.cv_results_["mean_test_score"]))
    assert ax.get_ylabel() == "errors, of 150 rows"
    ax = fit_iris(max_errors=3).plot_front(Figure().add_subplot())
    assert legend[2] not in [text.get_text() for text in ax.get_legend().get_texts()]
    ax.figure.canvas.draw()


def test_an_open_front_is_drawn() -> None:
    """The band of the bounds is named."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.figure import Figure

    random = np.random.default_rng(0)
    X, y = random.integers(0, 12, (400, 8)), random.integers(0, 2, 400)
    with pytest.warns(UnfinishedWarning):
        model = OptimalTreeClassifier(alpha=0.0, time_limit=1.0).fit(X, y)
    ax = plot_fit(model._result, Figure().add_subplot())
    assert "not proved" in [text.get_text() for text in ax.get_legend().get_texts()]
    ax.figure.canvas.draw()
    assert "not proved" in texts(to_svg(FrontRecord.of(model._result)))


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy is an installation command."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r'pip install "puretree\[plot\]"'):
        fit_iris(max_errors=3).plot_front()


def test_the_notebook_card_has_the_picture() -> None:
    """Also of a classifier that was loaded, and without names from the data in it."""
    model = fit_iris()
    card = model._repr_html_()
    assert "chosen: 7 nodes" in card
    assert "3 training errors" in card
    loaded = OptimalTreeClassifier.from_json(model.to_json())
    assert to_svg(FrontRecord.of(model._result), 480.0, 220.0) in loaded._repr_html_()
