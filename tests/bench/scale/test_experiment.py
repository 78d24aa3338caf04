"""Growth with the size of problems: which cells there are, what each leaves, and what the table says."""

from pathlib import Path

import pytest

from puretree.bench.cell import Row, Values
from puretree.bench.scale import Scale, measure, plots, tables
from puretree.bench.scale.families import FAMILIES
from puretree.errors import InputError

SMALL = Scale(families=("nodes", "classes"), engines=("search", "mindt"), seeds=2, limit=5.0)


def rows_of(experiment: Scale) -> list[Row]:
    """Make up rows: search takes a tenth of the size in seconds; mindt proves nothing."""
    rows = []
    for cell in experiment.cells({}):
        size = cell.key["size"]
        assert isinstance(size, int)
        is_search = cell.key["engine"] == "search"
        values: Values = {"seconds": size / 10 if is_search else 5.0, "optimum": 5 if is_search else None}
        rows.append(Row("scale", cell.key, "done", "", 1.0, None, 10**7 * size**2, [], values))
    return rows


def test_there_is_a_cell_for_each_size_seed_and_engine() -> None:
    """The number told beforehand is that of the cells, and small problems come first."""
    for experiment in (SMALL, Scale()):
        cells = experiment.cells({})
        assert len({cell.id for cell in cells}) == len(cells) == experiment.n_cells
    assert SMALL.n_cells == (8 + 6) * 2 * 2
    assert SMALL.cells({})[0].key == {"family": "nodes", "size": 2, "seed": 0, "engine": "search", "limit": 5.0}
    assert [cell.key["size"] for cell in SMALL.cells({})[:8]] == [2] * 4 + [3] * 4


def test_a_measurement_is_plain_and_has_the_optimum_if_proved() -> None:
    """The planted size is not passed, and an engine that proves nothing has no optimum."""
    cell = next(cell for cell in SMALL.cells({}) if cell.key["size"] == 4)
    values = measure(cell, lambda told: None)
    assert values["status"] == "optimal"
    assert values["optimum"] == values["n_nodes"] == values["upper"] == values["lower"] <= 9
    assert {type(value) for value in values.values()} == {int, float, str}
    walk = Scale(("nodes",), ("local-search(most_steps=1)",), limit=5.0).cells({})[-1]
    unproved = measure(walk, lambda told: None)
    assert (unproved["status"], unproved["optimum"]) == ("unproved", None)


def test_the_table_has_medians_limits_and_exponents() -> None:
    """Seconds grow as the size, bytes as its square; what is not proved is above the limit."""
    (growth,) = tables(SMALL, rows_of(SMALL))
    assert growth.groups == (("", 2), ("search", 2), ("mindt", 2))
    assert len(growth.rows) == 8 + 1 + 6 + 1
    assert growth.rules == (9,)
    assert growth.rows[0] == ("nodes", 2, pytest.approx(0.2), pytest.approx(40.0), "> 5", pytest.approx(40.0))
    assert growth.rows[8] == ("nodes", "exponent", pytest.approx(1.0), pytest.approx(2.0), None, None)


def test_rows_that_are_missing_or_went_wrong_break_nothing() -> None:
    """They are counted and told; without any row the table is empty but whole."""
    rows = rows_of(SMALL)
    rows[0] = Row("scale", rows[0].key, "crashed", "killed by signal 9", 1.0)
    growth, failed = tables(SMALL, rows[:-1])
    assert "1 cells are missing" in growth.caption
    assert growth.rows[0][2] == "> 5"  # one of two is open
    assert "killed by signal 9" in map(str, failed.rows[0])
    (empty,) = tables(SMALL, [])
    assert empty.rows[0] == ("nodes", 2, None, None, None, None)


def test_the_picture_gets_a_line_for_each_family_and_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes without a row are not drawn; those without a proof stand at the limit."""
    drawn = []
    monkeypatch.setattr("puretree.bench.output.plots.growth", lambda *given: drawn.append(given))
    assert plots(SMALL, [], tmp_path) == []
    (path,) = plots(SMALL, rows_of(SMALL)[4:], tmp_path)
    lines, given = drawn[0]
    assert given == path
    assert lines["nodes"]["search"][0] == (3, pytest.approx(0.3), 9e7, True)
    assert lines["nodes"]["mindt"][0] == (3, 5.0, 9e7, False)
    assert [(family, *each) for family, each in lines.items()] == [
        ("nodes", "search", "mindt"),
        ("classes", "search", "mindt"),
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"families": ("row",)}, r"families='row' is not known \(did you mean 'rows'\?\); use some of rows"),
        ({"families": ()}, "families=.* must name one or more"),
        ({"engines": ("no-such",)}, "no-such"),
        ({"seeds": 0}, "seeds=0 is not a whole number of at least 1"),
        ({"limit": -1.0}, "limit=-1.0 is not a finite number of seconds"),
        ({"memory": -1.0}, "memory=-1.0 is not a number of bytes"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], words: str) -> None:
    """The message names the option and what to use."""
    with pytest.raises(InputError, match=words):
        Scale(**options)  # type: ignore[arg-type]


def test_all_families_are_measured_unless_said() -> None:
    """A new family is not forgotten."""
    assert Scale().families == tuple(FAMILIES)
