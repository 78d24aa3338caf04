"""The runtime experiment: its cells, measurements, tables and plots."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.random_problems import formula

from puretree.bench.cell import Cell, Row, Values
from puretree.bench.result_table import Reproduction
from puretree.bench.runtime import Runtime, largest_datasets, measure, plots, tables
from puretree.bench.runtime.experiment import DATASETS
from puretree.bounds.upper import iti_tree
from puretree.errors import DataNotFoundError, InputError

SMALL = Runtime(
    datasets=("formula:monks-1", "formula:mux6"),
    shares=(0.4, 0.8),
    samples=2,
    engines=("maxsat", "mindt"),
    time_limit=5.0,
)


def progress(*bounds: tuple[float, int, int | None]) -> list[Values]:
    """Return bounds as a measurement reports them."""
    return [{"seconds": seconds, "lower": lower, "upper": upper} for seconds, lower, upper in bounds]


def row(cell: Cell, *bounds: tuple[float, int, int | None]) -> Row:
    """Make a row of a cell."""
    return Row(cell.experiment, cell.key, "done", "", 5.0, progress=progress(*bounds), values={"status": "time_limit"})


def rows_of(experiment: Runtime) -> list[Row]:
    """Make rows: mindt keeps ITI's 15 nodes on the first sample of monks-1, 40 %; otherwise both engines have 9."""
    rows = []
    for cell in experiment.cells({}):
        is_first = cell.key["sample"] == 0 and cell.key["share"] == 0.4 and cell.key["dataset"] == "formula:monks-1"
        if cell.key["engine"] == "mindt" and is_first:
            rows.append(row(cell, (0.0, 3, None), (0.0, 3, 15)))
        else:
            rows.append(row(cell, (0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9)))
    return rows


def test_cells_are_ordered_by_sample_and_instance() -> None:
    """A run that is stopped early has fewer samples; the folder and the memory limit are not in the key."""
    cells = replace(SMALL, folder="somewhere", memory_limit=1e9).cells({})
    assert len(cells) == SMALL.n_cells == 16
    assert len({cell.id for cell in cells}) == 16
    assert [cell.key["engine"] for cell in cells[:4]] == ["maxsat", "mindt", "maxsat", "mindt"]
    assert [cell.key["sample"] for cell in cells] == [0] * 8 + [1] * 8
    assert cells[0].key == {
        "dataset": "formula:monks-1", "share": 0.4, "sample": 0, "engine": "maxsat", "limit": 5.0
    }  # fmt: skip
    assert (cells[0].context, cells[0].memory) == ({"folder": "somewhere"}, 1e9)
    assert cells[0].seconds > 5.0
    assert [cell.id for cell in cells] == [cell.id for cell in SMALL.cells({})]


def test_a_measurement_starts_from_iti_and_reports_every_bound() -> None:
    """Values are JSON types, the sample has its fraction of the rows, and the last reported bounds are final."""
    reported: list[Values] = []
    cell = next(cell for cell in replace(SMALL, engines=("search",), shares=(0.8,)).cells({}))
    values = measure(cell, reported.append)
    assert values["n_examples"] == round(0.8 * 432)  # all rows of the formula are distinct
    assert (values["n_features"], values["n_classes"]) == (10, 2)
    assert (reported[0]["lower"], reported[0]["upper"]) == (3, None)
    assert reported[1]["upper"] == values["start"]
    assert (reported[-1]["lower"], reported[-1]["upper"]) == (values["lower"], values["upper"])
    assert (values["status"], values["upper"], values["n_nodes"]) == ("optimal", values["lower"], values["upper"])
    assert values["seconds"] < 5.0
    assert {type(value) for value in (*values.values(), *reported[1].values())} == {int, str, float}


def test_the_whole_data_set_starts_from_the_tree_of_iti() -> None:
    """With a fraction of 1 the start is ITI's tree for the whole problem."""
    cell = Runtime(("formula:mux6",), shares=(1.0,), samples=1, engines=("search",)).cells({})[0]
    tree = iti_tree(formula("mux6"))
    assert tree is not None
    values = measure(cell, lambda values: None)
    assert (values["start"], values["n_examples"], values["n_nodes"]) == (tree.n_nodes, 64, 15)


def test_a_failing_solver_reports_its_bounds_and_a_reason() -> None:
    """The failure of a solver is reported, and the tree of ITI is kept."""
    engine = f"maxsat(backend='external:{sys.executable} -c raise(SystemExit(3))')"
    reported: list[Values] = []
    cell = Runtime(("formula:mux6",), shares=(0.8,), samples=1, engines=(engine,), time_limit=5.0).cells({})[0]
    values = measure(cell, reported.append)
    assert values["status"] == "failed"
    assert values["reason"]
    assert (values["lower"], values["upper"]) == (3, values["start"])
    assert reported[-1]["upper"] == values["start"]


def test_table_3_counts_ties_and_ranks_engines() -> None:
    """On 40 % maxsat alone is best on one of four instances; on 80 % both engines tie on all."""
    table3, ordering, instances = tables(SMALL, rows_of(SMALL))
    lines = [dict(zip(table3.header, line, strict=True)) for line in table3.rows]
    assert [(line["Sample size"], line["Solver"], line["# Best UB"], line["of"], line["rank"]) for line in lines] == [
        ("40%", "maxsat", 4, 4, "1"),
        ("40%", "mindt", 3, 4, "2"),
        ("80%", "maxsat", 4, 4, "1="),
        ("80%", "mindt", 4, 4, "1="),
    ]
    assert [line["Encoding"] for line in lines] == ["MaxSAT", "SAT"] * 2
    assert [line["alone"] for line in lines] == [1, 0, 0, 0]
    assert [line["proved"] for line in lines] == [4, 3, 4, 4]
    assert [line["PAR2"] for line in lines] == pytest.approx([2.0, (3 * 2 + 10) / 4, 2.0, 2.0])
    assert [line["primal integral"] for line in lines] == pytest.approx([2 / 5 * 0.4, (3 * 0.16 + 0.4) / 4, 0.16, 0.16])
    assert table3.rules == (2,)
    assert [line[2] for line in ordering.rows] == ["maxsat > mindt", "maxsat = mindt", "maxsat > mindt"]
    assert instances.rows[0] == ("formula:monks-1 40%, sample 0", 15, "9*", "15")


def test_published_counts_are_reported_in_percent() -> None:
    """505 of 580 for MPDT on 40 %, compared with the count among encodings; engines without encoding have none."""
    experiment = replace(SMALL, engines=("maxsat", "search"))
    table = tables(experiment, rows_of(experiment))[0]
    percent = {(line[0], line[2]): dict(zip(table.header, line, strict=True)) for line in table.rows}
    assert percent["40%", "maxsat"]["% of encodings"] == Reproduction(100.0, pytest.approx(100 * 505 / 580))
    assert percent["40%", "search"]["% of encodings"] is None
    assert percent["40%", "search"]["%"] == 100.0


def test_encodings_are_ranked_among_themselves() -> None:
    """The exact search does not hide the comparison of the encodings."""
    experiment = replace(SMALL, engines=("maxsat", "mindt", "search"), shares=(0.4,), samples=1)
    uppers = {"maxsat": 13, "mindt": 15, "search": 9}
    rows = [row(cell, (0.0, 3, uppers[str(cell.key["engine"])])) for cell in experiment.cells({})]
    table3, ordering, *_ = tables(experiment, rows)
    lines = {line[2]: dict(zip(table3.header, line, strict=True)) for line in table3.rows}
    assert [lines[name]["# Best UB"] for name in experiment.engines] == [0, 0, 2]
    assert [lines[name]["# Best UB of encodings"] for name in experiment.engines] == [2, 0, None]
    assert ordering.rows[0][2:] == ("search > maxsat = mindt", "maxsat > mindt")


def test_incomplete_instances_are_left_out() -> None:
    """The caption has their number; rows of another time limit do not count; without rows the tables are empty."""
    rows = rows_of(SMALL)
    table3 = tables(SMALL, rows[1:])[0]
    assert "1 instances are left out" in table3.caption
    assert [line[5] for line in table3.rows] == [3, 3, 4, 4]
    assert tables(replace(SMALL, time_limit=6.0), rows)[0].rows == ()
    assert [len(table.rows) for table in tables(SMALL, [])] == [0, 3, 0]


def test_failed_cells_count_with_their_bounds() -> None:
    """A crashed cell keeps its tree, a lost one has none, and the failure of a solver is listed with them."""
    rows = rows_of(SMALL)
    rows[0] = replace(rows[0], status="crashed", reason="killed by signal 9", values={})
    rows[1] = replace(rows[1], status="lost", reason="no machine", progress=[], values={})
    rows[2] = replace(rows[2], values={"status": "failed", "reason": "invalid model"})
    table3, _, instances, failed = tables(SMALL, rows)
    lines = {line[2]: dict(zip(table3.header, line, strict=True)) for line in table3.rows[:2]}
    assert [lines[name]["failed"] for name in ("maxsat", "mindt")] == [2, 1]
    assert [lines[name]["# Best UB"] for name in ("maxsat", "mindt")] == [4, 3]
    assert instances.rows[0] == ("formula:monks-1 40%, sample 0", 15, "9*", "–")
    assert "".join(map(str, failed.rows)).count("killed by signal 9") == 1
    assert "".join(map(str, failed.rows)).count("invalid model") == 1
    assert len(failed.rows) == 3


def test_plots_get_the_proofs_the_gaps_and_the_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One instance of each data set is plotted, of the largest sample; without rows there are no plots."""
    plotted = {}
    for name in ("cactus", "gaps_over_time", "bounds_over_time"):
        monkeypatch.setattr(
            f"puretree.bench.output.plots.{name}", lambda *arguments, name=name: plotted.update({name: arguments})
        )
    assert plots(SMALL, [], tmp_path) == []
    paths = plots(SMALL, rows_of(SMALL), tmp_path)
    assert [path.parent for path in paths] == [tmp_path] * 3
    assert plotted["cactus"] == ({"maxsat": [2.0] * 8, "mindt": [2.0] * 7}, paths[0], 5.0, 8)
    seconds, gaps = plotted["gaps_over_time"][0]["mindt"]
    assert (seconds[-1], gaps[0], gaps[-1]) == pytest.approx((5.0, 0.4, 0.4 / 8))
    histories = plotted["bounds_over_time"][0]
    assert list(histories) == ["formula:monks-1 80%, sample 0", "formula:mux6 80%, sample 0"]
    assert histories["formula:mux6 80%, sample 0"]["mindt"] == ((0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"datasets": ()}, "datasets=.* must list at least one value"),
        ({"engines": ("search", "search")}, "engines=.* without duplicates"),
        ({"engines": ("no-such",)}, "no-such"),
        ({"engines": ("dtmax",)}, "engines='dtmax' is for max. accuracy"),
        ({"shares": (1.5,)}, "shares=1.5 is not a fraction"),
        ({"samples": 0}, "samples=0 must be an integer of at least 1"),
        ({"time_limit": 0.0}, "time_limit=0.0 must be a finite number of seconds"),
        ({"time_limit": float("inf")}, "time_limit=inf must be a finite number of seconds"),
        ({"memory_limit": 0.0}, "memory_limit=0.0 must be a number of bytes"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], message: str) -> None:
    """The message names the option and the valid values."""
    with pytest.raises(InputError, match=message):
        Runtime(**options)  # type: ignore[arg-type]


def test_missing_data_sets_are_rejected_before_the_run(tmp_path: Path) -> None:
    """The message suggests a similar name."""
    header = "name,paper_name,continuous_columns,paper_counts\n"
    (tmp_path / "MANIFEST.csv").write_text(header + "car,car,,13/22/2/1728\nzoo,zoo,,5/6/7/10\nextra,,,\n")
    with pytest.raises(DataNotFoundError, match=r"the data set 'carr' .*did you mean 'car'"):
        Runtime(("carr",), folder=str(tmp_path)).cells({})
    assert largest_datasets(str(tmp_path), 1) == ("car",)
    assert largest_datasets(str(tmp_path)) == ("car", "zoo")


@pytest.mark.data
def test_the_samples_of_the_paper_s_data(paper_folder: Path) -> None:
    """All default data sets are in the folder, 29 are large, and a sample of 80 % can be measured."""
    experiment = Runtime(folder=str(paper_folder), samples=1, engines=("search",), time_limit=0.2)
    assert experiment.n_cells == 36
    large = largest_datasets(str(paper_folder))
    assert len(large) == 29
    assert large[:3] == ("letter", "splice-1-cp4im", "mushroom-cp4im")
    cell = next(cell for cell in experiment.cells({}) if cell.key["dataset"] == "mushroom" and cell.key["share"] == 0.8)
    assert measure(cell, lambda values: None)["n_examples"] == round(0.8 * 8124)
    assert set(DATASETS) - set(large) == {"mushroom"}  # which the paper uses in the binary form of CP4IM
