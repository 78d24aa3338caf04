"""Plots of results."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from puretree.bench.output.figure import spread_labels
from puretree.bench.output.plots import accuracy_against_size, bounds_over_time, cactus, gaps_over_time, growth
from puretree.bench.output.styles import MARKERS, styles_of
from puretree.bench.runtime.engines import ENGINES
from puretree.errors import InputError
from puretree.export.appearance import CLASS_COLOURS

pytest.importorskip("matplotlib")

Draw = Callable[[Any, Path], None]


def draw_cactus(solved: Any, path: Path) -> None:
    """Draw a cactus plot with a fixed limit and number of instances."""
    cactus(solved, path, limit=20.0, n_instances=4)


PLOTS: dict[str, tuple[Draw, Any, list[Any]]] = {
    "cactus": (draw_cactus, {"search": [0.0, 3.0, 0.5], "a$b_": []}, [{}]),
    "gaps": (gaps_over_time, {"search": ([0.0, 1.0], [1.0, 0.0])}, [{}, {"search": ([], [])}]),
    "bounds": (
        bounds_over_time,
        {f"iris {i}": {"search": [(0.0, 3, None), (0.1, 3, 9), (1.0, 7, 7)], "x": [(0.2, 3, 9)]} for i in range(13)},
        [{}, {"iris": {}}, {"iris": {"search": []}}],
    ),
    "accuracy": (accuracy_against_size, {"mpdt": [(9.0, 71.0), (7.0, 99.0)], "psk": [(27.0, 70.0)]}, [{}, {"psk": []}]),
    "growth": (
        growth,
        {"rows": {"search": [(10, 0.0, 0.0, True), (99, 9.0, None, False)]}, "classes": {"x": [(5, None, None, True)]}},
        [{}, {"rows": {}}, {"rows": {"search": []}}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_a_png_file_of_its_data(name: str, tmp_path: Path) -> None:
    """A plot is a PNG file that differs from the plot without data; no other files remain in the folder."""
    draw, data, empty_inputs = PLOTS[name]
    plots = []
    for number, plot_data in enumerate([data, *empty_inputs]):
        path = tmp_path / f"{number}.png"
        draw(plot_data, path)
        plots.append(path.read_bytes())
        assert plots[-1].startswith(b"\x89PNG\r\n\x1a\n")
    assert plots[0] not in plots[1:]
    assert len(set(plots[1:])) == 1
    assert len(list(tmp_path.iterdir())) == len(plots)


def test_plots_leave_pyplot_alone(tmp_path: Path) -> None:
    """Plots leave no open pyplot figure."""
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    draw_cactus({"search": [1.0]}, tmp_path / "cactus.png")
    assert pyplot.get_fignums() == before


def test_without_matplotlib_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Plots need a package, and the message says how to install it."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install \"puretree\[bench\]\""):
        draw_cactus({}, tmp_path / "cactus.png")
    assert not list(tmp_path.iterdir())


def test_styles_do_not_depend_on_other_names() -> None:
    """An engine has the same style in every plot, whether its name is known or not."""
    names = ["search", "maxsat", "mpdt", 'maxsat(backend="rc2")']
    together = styles_of(names)
    assert all(styles_of([name])[name] == together[name] for name in names)
    assert styles_of(reversed(names)) == together


def test_styles_differ() -> None:
    """Many names all have different styles, and the engines of the paper's table differ in both colour and marker."""
    many = [f"engine {number}" for number in range(40)]
    assert len(set(styles_of(many).values())) == 40
    paper = styles_of(["search", "maxsat", "mindt", "local-search-ck", "local-search-c", "TT-Open-WBO-Inc-21"])
    assert len({style.colour for style in paper.values()}) == len({style.marker for style in paper.values()}) == 6
    assert {style.colour for style in paper.values()} <= set(CLASS_COLOURS)
    assert {style.marker for style in paper.values()} <= set(MARKERS)


def test_the_engines_of_the_runtime_experiment_have_their_own_styles() -> None:
    """Eight engines, of which several are variants of one, differ in both colour and marker."""
    styles = styles_of(ENGINES)
    assert len({style.colour for style in styles.values()}) == len({style.marker for style in styles.values()}) == 8


def test_long_names_do_not_narrow_the_axes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The figure grows with the labels in its margin, so that the axes are as wide as with short names."""
    figures: list[Any] = []
    monkeypatch.setattr("puretree.bench.output.plots.save", lambda figure, path: figures.append(figure))
    for name in ("search", max(ENGINES, key=len)):
        draw_cactus({name: [1.0]}, tmp_path / "cactus.png")
        figures[-1].draw_without_rendering()
    short, long = (figure.axes[0].get_position().width * figure.get_figwidth() for figure in figures)
    assert long == pytest.approx(short, rel=0.1)


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([0.2, 0.8], [0.2, 0.8]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.0, 0.0, 0.0], [0.0, 0.1, 0.2]),
        ([1.0, 1.0], [0.9, 1.0]),
        ([0.1, 0.5, 0.52, 0.55], [0.1, 0.4233, 0.5233, 0.6233]),
        ([], []),
    ],
)
def test_labels_do_not_overlap(heights: list[float], expected: list[float]) -> None:
    """Labels are moved apart as little as possible, and stay within the height of the axes."""
    assert spread_labels(heights, 0.1) == pytest.approx(expected, abs=1e-4)


def test_too_many_labels_do_not_overlap() -> None:
    """If there is no room for all labels, they extend beyond the top instead of overlapping."""
    assert spread_labels([0.5] * 30, 0.1) == pytest.approx([0.1 * index for index in range(30)])
