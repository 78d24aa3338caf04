"""The scale experiment: its cells, measurements, table and plot."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from puretree.bench.cell import Row, Values
from puretree.bench.scale import Scale, measure, plots, tables
from puretree.bench.scale.families import FAMILIES
from puretree.errors import InputError

SMALL = Scale(families=("nodes", "classes"), engines=("search", "mindt"), seeds=2, time_limit=5.0)


def rows_of(experiment: Scale) -> list[Row]:
    """Make rows: search takes a tenth of the size in seconds; mindt proves nothing."""
    rows = []
    for cell in experiment.cells({}):
        size = cell.key["size"]
        assert isinstance(size, int)
        is_search = cell.key["engine"] == "search"
        values: Values = {"seconds": size / 10 if is_search else 5.0, "optimum": 5 if is_search else None}
        rows.append(Row("scale", cell.key, "done", "", 1.0, None, 10**7 * size**2, [], values))
    return rows


def test_there_is_a_cell_for_each_size_seed_and_engine() -> None:
    """The number of cells is known in advance, and small problems come first."""
    for experiment in (SMALL, Scale()):
        cells = experiment.cells({})
        assert len({cell.id for cell in cells}) == len(cells) == experiment.n_cells
    assert SMALL.n_cells == (8 + 6) * 2 * 2
    assert SMALL.cells({})[0].key == {
        "family": "nodes", "size": 2, "seed": 0, "engine": "search", "limit": 5.0, "protocol": 2
    }  # fmt: skip
    assert [cell.key["size"] for cell in SMALL.cells({})[:8]] == [2] * 4 + [3] * 4


def test_a_measurement_has_the_optimum_if_proved() -> None:
    """The optimum is at most the planted size; an engine that proves nothing has none."""
    cell = next(cell for cell in SMALL.cells({}) if cell.key["size"] == 4)
    values = measure(cell, lambda values: None)
    assert values["status"] == "optimal"
    assert values["optimum"] == values["n_nodes"] == values["upper"] == values["lower"] <= 9
    assert {type(value) for value in values.values()} == {int, float, str}
    local_search = Scale(("nodes",), ("local-search(max_steps=1)",), time_limit=5.0).cells({})[-1]
    unproved = measure(local_search, lambda values: None)
    assert (unproved["status"], unproved["optimum"]) == ("unproved", None)


def test_engines_run_alone_within_the_memory_limit(tmp_path: Path) -> None:
    """No other solver continues after one that gives up; MinDT, without a limit of its own, has that of the cell."""
    program = tmp_path / "gives_up.py"
    program.write_text("print('s UNKNOWN')")
    gives_up = f"maxsat(backend='external:{sys.executable} {program}')"
    experiment = Scale(("columns",), (gives_up, "mindt"), seeds=1, time_limit=5.0, memory_limit=5e7)
    first, *_, last = experiment.cells({})
    assert (first.key["engine"], last.key["engine"]) == (gives_up, "mindt")
    assert measure(replace(first, memory=None), lambda values: None)["status"] == "unproved"
    assert measure(last, lambda values: None)["status"] == "memory_limit"


def test_the_table_has_medians_limits_and_exponents() -> None:
    """Seconds grow linearly and bytes quadratically; sizes without a proof are above the limit."""
    (growth,) = tables(SMALL, rows_of(SMALL))
    assert growth.groups == (("", 2), ("search", 2), ("mindt", 2))
    assert len(growth.rows) == 8 + 1 + 6 + 1
    assert growth.rules == (9,)
    assert growth.rows[0] == ("nodes", 2, pytest.approx(0.2), pytest.approx(40.0), "> 5", pytest.approx(40.0))
    assert growth.rows[8] == ("nodes", "exponent", pytest.approx(1.0), pytest.approx(2.0), None, None)


def test_missing_and_failed_cells_are_reported() -> None:
    """They are counted and listed; without rows the table has all sizes and no values."""
    rows = rows_of(SMALL)
    rows[0] = Row("scale", rows[0].key, "crashed", "killed by signal 9", 1.0)
    growth, failed = tables(SMALL, rows[:-1])
    assert "1 cells are missing" in growth.caption
    assert growth.rows[0][2] == "> 5"  # one of two has no proof
    assert "killed by signal 9" in map(str, failed.rows[0])
    (empty,) = tables(SMALL, [])
    assert empty.rows[0] == ("nodes", 2, None, None, None, None)


def test_the_plot_has_a_curve_for_each_family_and_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes without a row are not plotted; those without a proof are at the time limit."""
    plotted = []
    monkeypatch.setattr("puretree.bench.output.plots.growth", lambda *arguments: plotted.append(arguments))
    assert plots(SMALL, [], tmp_path) == []
    (path,) = plots(SMALL, rows_of(SMALL)[4:], tmp_path)
    curves, plotted_path = plotted[0]
    assert plotted_path == path
    assert curves["nodes"]["search"][0] == (3, pytest.approx(0.3), 9e7, True)
    assert curves["nodes"]["mindt"][0] == (3, 5.0, 9e7, False)
    assert [(family, *engines) for family, engines in curves.items()] == [
        ("nodes", "search", "mindt"),
        ("classes", "search", "mindt"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": ("row",)}, r"families='row' is unknown \(did you mean 'rows'\?\); choose from rows"),
        ({"families": ()}, "families=.* must list at least one value"),
        ({"engines": ("no-such",)}, "no-such"),
        ({"seeds": 0}, "seeds=0 must be an integer of at least 1"),
        ({"time_limit": -1.0}, "time_limit=-1.0 must be a finite number of seconds"),
        ({"memory_limit": -1.0}, "memory_limit=-1.0 must be a number of bytes"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], message: str) -> None:
    """The message names the option and the valid values."""
    with pytest.raises(InputError, match=message):
        Scale(**options)  # type: ignore[arg-type]


def test_all_families_are_measured_by_default() -> None:
    """The default includes every family."""
    assert Scale().families == tuple(FAMILIES)
