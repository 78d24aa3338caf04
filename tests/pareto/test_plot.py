"""The picture of a front; it needs matplotlib."""

import sys

import numpy as np
import pytest

from puretree import InputError, UnfinishedWarning, front


def noisy_table() -> tuple[np.ndarray, np.ndarray]:
    """Return a table whose labels depend on one column, with noise."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 5, (80, 4))
    return X, np.where(rng.random(80) < 0.15, rng.integers(0, 3, 80), X[:, 0] > 1)


def test_the_picture_shows_both_curves() -> None:
    """The front, CART's path and, if the front is open, the band between the bounds have a name in the legend."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.figure import Figure

    X, y = noisy_table()
    ax = Figure().add_subplot()
    found = front(X, y)
    assert found.plot(ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["CART, pruned", "front, proved"]
    assert ax.get_xlabel() == "nodes"
    assert ax.get_ylabel() == "training errors"
    with pytest.warns(UnfinishedWarning):
        open_front = front(X, y, time_limit=0, class_weight="balanced")
    ax = open_front.plot(Figure().add_subplot(), cart=False)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["not proved", "front"]
    assert ax.get_ylabel() == "cost on the training rows"
    ax.figure.canvas.draw()


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 1]])
def test_small_fronts_have_pictures(labels: list[int]) -> None:
    """A front of one or two points can be drawn, with a root as well."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.figure import Figure

    front([[0], [1], [2]], labels, root=0).plot(Figure().add_subplot()).figure.canvas.draw()
    front([[0], [1], [2]], labels).plot(Figure().add_subplot()).figure.canvas.draw()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy is an installation command."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r'pip install "puretree\[plot\]"'):
        front([[0], [1]], [0, 1]).plot()
