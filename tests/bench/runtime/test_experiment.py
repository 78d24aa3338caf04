"""The runtime experiment: its cells, measurements, tables and plots."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.random_problems import formula

from puretree.bench.cell import Cell, Row, Values
from puretree.bench.output.markup import to_latex
from puretree.bench.result_table import Reproduction, ResultTable, Value
from puretree.bench.runtime import PROTOCOL, QUICK_DATASETS, Runtime, largest_datasets, measure, plots, tables
from puretree.bounds.upper import iti_tree
from puretree.errors import DataNotFoundError, InputError

MAXSAT = "maxsat(objective='totaliser', warm_start=False)"
MINDT = "mindt(warm_start=False)"
SMALL = Runtime(
    datasets=("formula:monks-1", "formula:mux6"),
    shares=(0.4, 0.8),
    samples=2,
    engines=(MAXSAT, MINDT),
    time_limit=5.0,
)


def progress(*bounds: tuple[float, int, int | None]) -> list[Values]:
    """Return bounds as a measurement reports them; the first two are from the start."""
    sources = ("trivial bound", "iti", *("linear" for _ in bounds))
    return [
        {"seconds": seconds, "lower": lower, "upper": upper, "by": by}
        for (seconds, lower, upper), by in zip(bounds, sources, strict=False)
    ]


def row(cell: Cell, *bounds: tuple[float, int, int | None]) -> Row:
    """Make a row of a cell."""
    return Row(cell.experiment, cell.key, "done", "", 5.0, progress=progress(*bounds), values={"status": "time_limit"})


def tables_of(experiment: Runtime, rows: list[Row]) -> dict[str, ResultTable]:
    """Return the tables by name."""
    return {table.name: table for table in tables(experiment, rows)}


def records(table: ResultTable) -> list[dict[str, Value]]:
    """Return the rows of a table by column name."""
    return [dict(zip(table.columns, line, strict=True)) for line in table.rows]


def rows_of(experiment: Runtime) -> list[Row]:
    """Make rows: mindt keeps ITI's 15 nodes on the first sample of monks-1, 40 %; otherwise both engines have 9."""
    rows = []
    for cell in experiment.cells({}):
        is_first = cell.key["sample"] == 0 and cell.key["share"] == 0.4 and cell.key["dataset"] == "formula:monks-1"
        if cell.key["engine"] == MINDT and is_first:
            rows.append(row(cell, (0.0, 3, None), (0.0, 3, 15)))
        else:
            rows.append(row(cell, (0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9)))
    return rows


def test_cells_are_ordered_by_sample_and_instance() -> None:
    """A run that is stopped early has fewer samples; the folder and the memory limit are not in the key."""
    cells = replace(SMALL, folder="somewhere", memory_limit=1e9).cells({})
    assert len(cells) == SMALL.n_cells == 16
    assert len({cell.id for cell in cells}) == 16
    assert [cell.key["engine"] for cell in cells[:4]] == [MAXSAT, MINDT, MAXSAT, MINDT]
    assert [cell.key["sample"] for cell in cells] == [0] * 8 + [1] * 8
    assert cells[0].key == {
        "dataset": "formula:monks-1", "share": 0.4, "sample": 0, "engine": MAXSAT, "limit": 5.0, "protocol": PROTOCOL
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
    assert (reported[1]["upper"], reported[1]["by"]) == (values["start"], "iti")
    assert {step["by"] for step in reported[2:]} == {"search"}
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


@pytest.mark.parametrize(("option", "improves"), [("", False), (", takeover=True", True)])
def test_a_solver_that_gives_up_is_credited_with_nothing(option: str, improves: bool, tmp_path: Path) -> None:
    """After ``s UNKNOWN`` no other solver continues, unless the engine asks for it; then that one gets the credit."""
    program = tmp_path / "gives_up.py"
    program.write_text("print('s UNKNOWN')")
    engine = f"maxsat(backend='external:{sys.executable} {program}'{option})"
    experiment = Runtime(("formula:mux6",), shares=(0.8,), samples=1, engines=(engine,), time_limit=5.0)
    (cell,) = experiment.cells({})
    reported: list[Values] = []
    values = measure(cell, reported.append)
    assert (values["upper"] < values["start"]) == improves
    assert values["status"] == ("optimal" if improves else "unproved")
    row = Row(cell.experiment, cell.key, "done", "", 1.0, progress=reported, values=values)
    (line,) = records(tables_of(experiment, [row])["improvements"])
    assert (line["Solver"], line["instances improved"], line["proofs"]) == (engine, int(improves), int(improves))
    assert str(line["improved by"]).split()[0] == ("linear" if improves else "–")
    assert str(line["proved by"]).split()[0] == ("linear" if improves else "–")


def test_memory_limits_apply_to_all_engines() -> None:
    """MinDT has no memory limit of its own; its formula is limited as that of MaxSAT is."""
    engines = ("maxsat(warm_start=False)", "mindt(warm_start=False)", "local-search-c")
    experiment = Runtime(
        ("formula:mux11",), shares=(0.8,), samples=1, engines=engines, time_limit=5.0, memory_limit=2e7
    )
    statuses = [measure(cell, lambda values: None)["status"] for cell in experiment.cells({})]
    assert statuses == ["memory_limit"] * 3


def test_table_3_counts_ties_and_ranks_engines() -> None:
    """On 40 % maxsat alone is best on one of four instances; on 80 % both engines tie on all."""
    found = tables_of(SMALL, rows_of(SMALL))
    table3, lines = found["table3"], records(found["table3"])
    assert [(line["Sample size"], line["Solver"], line["# Best UB"], line["of"], line["rank"]) for line in lines] == [
        ("40%", MAXSAT, 4, 4, "1"),
        ("40%", MINDT, 3, 4, "2"),
        ("80%", MAXSAT, 4, 4, "1="),
        ("80%", MINDT, 4, 4, "1="),
    ]
    assert [line["Encoding"] for line in lines] == ["MaxSAT", "SAT"] * 2
    assert [line["alone"] for line in lines] == [1, 0, 0, 0]
    assert [line["proved"] for line in lines] == [4, 3, 4, 4]
    assert [line["PAR2"] for line in lines] == pytest.approx([2.0, (3 * 2 + 10) / 4, 2.0, 2.0])
    assert [line["primal integral"] for line in lines] == pytest.approx([2 / 5 * 0.4, (3 * 0.16 + 0.4) / 4, 0.16, 0.16])
    assert table3.rules == (2,)
    assert found["ordering"].rows == ((MAXSAT, 4, 4, 8, 4, 4, 8), (MINDT, 3, 4, 7, 3, 4, 7))
    assert found["instances"].rows[0] == ("formula:monks-1 40%, sample 0", 15, "9*", "15")
    assert found["instances"].columns[2] == "maxsat objective='totaliser', warm_start=False"
    assert records(found["maxsat-mindt"])[0]["smaller"] == 1
    assert [line[1:] for line in found["improvements"].rows] == [
        (8, 8, "linear 8", 8, "linear 8"),
        (7, 7, "linear 7", 7, "linear 7"),
    ]


@pytest.mark.parametrize(
    ("limit", "printed"),
    [(3600.0, {"40%": (505, 469, 504), "80%": (404, 374, 383)}), (36000.0, {"80%": (425, 400, 405)}), (20.0, {})],
)
def test_published_values_are_for_the_same_limit(limit: float, printed: dict[str, tuple[int, ...]]) -> None:
    """One hour, or ten for the largest samples; they are compared with the ranking among the paper's solvers only."""
    engines = (MAXSAT, MINDT, "local-search-c", "search", "maxsat(warm_start=True)")
    experiment = replace(SMALL, engines=engines, time_limit=limit)
    table = tables_of(experiment, rows_of(experiment))["table3"]
    percent = {(line["Sample size"], line["Solver"]): line["% of those in the paper"] for line in records(table)}
    for size in ("40%", "80%"):
        counts = printed.get(size, (None, None, None))
        for engine, count in zip(engines, counts, strict=False):
            ours = 75.0 if (size, engine) == ("40%", MINDT) else 100.0
            assert percent[size, engine] == Reproduction(ours, None if count is None else pytest.approx(count / 5.8))
        assert percent[size, "search"] is percent[size, "maxsat(warm_start=True)"] is None
    assert ("in brackets" in table.caption) == bool(printed)


def test_local_search_is_not_presented_as_satlike() -> None:
    """The name of the paper's solver is marked, and the caption says that the algorithms differ."""
    experiment = replace(SMALL, engines=("local-search-ck", MAXSAT))
    table = tables_of(experiment, rows_of(experiment))["table3"]
    names = {line["Solver"]: line["in the paper"] for line in records(table)}
    assert names == {"local-search-ck": "≈ satlike-ck", MAXSAT: "MPDT"}
    assert "≈: the algorithms differ, local-search-ck from satlike-ck; ours have a warm start." in table.caption
    assert to_latex(table).isascii()
    assert "differ" not in tables_of(SMALL, [])["table3"].caption


def test_encodings_are_ranked_among_themselves() -> None:
    """The exact search does not hide the comparison of the encodings."""
    experiment = replace(SMALL, engines=(MAXSAT, MINDT, "search"), shares=(0.4,), samples=1)
    uppers = {MAXSAT: 13, MINDT: 15, "search": 9}
    rows = [row(cell, (0.0, 3, None), (0.0, 3, uppers[str(cell.key["engine"])])) for cell in experiment.cells({})]
    found = tables_of(experiment, rows)
    lines = {line["Solver"]: line for line in records(found["table3"])}
    assert [lines[name]["# Best UB"] for name in experiment.engines] == [0, 0, 2]
    assert [lines[name]["# Best UB of encodings"] for name in experiment.engines] == [2, 0, None]
    assert found["ordering"].rows == (("search", 2, 2, None, None), (MAXSAT, 0, 0, 2, 2), (MINDT, 0, 0, 0, 0))


def test_incomplete_instances_are_left_out() -> None:
    """The caption has their number; rows of another time limit do not count; without rows the tables are empty."""
    rows = rows_of(SMALL)
    table3 = tables_of(SMALL, rows[1:])["table3"]
    assert "1 instances are left out" in table3.caption
    assert [line["of"] for line in records(table3)] == [3, 3, 4, 4]
    assert tables_of(replace(SMALL, time_limit=6.0), rows)["table3"].rows == ()
    assert {name: len(table.rows) for name, table in tables_of(SMALL, []).items()} == {
        **{"table3": 0, "ordering": 0, "warm-start": 0, "maxsat-mindt": 0, "improvements": 2, "instances": 0}
    }


def test_failed_cells_count_with_their_bounds() -> None:
    """A crashed cell keeps its tree, a lost one has none, and the failure of a solver is listed with them."""
    rows = rows_of(SMALL)
    rows[0] = replace(rows[0], status="crashed", reason="killed by signal 9", values={})
    rows[1] = replace(rows[1], status="lost", reason="no machine", progress=[], values={})
    rows[2] = replace(rows[2], values={"status": "failed", "reason": "invalid model"})
    found = tables_of(SMALL, rows)
    lines = {line["Solver"]: line for line in records(found["table3"])[:2]}
    assert [lines[name]["failed"] for name in (MAXSAT, MINDT)] == [2, 1]
    assert [lines[name]["# Best UB"] for name in (MAXSAT, MINDT)] == [4, 3]
    assert found["instances"].rows[0] == ("formula:monks-1 40%, sample 0", 15, "9*", "–")
    assert "".join(map(str, found["failed"].rows)).count("killed by signal 9") == 1
    assert "".join(map(str, found["failed"].rows)).count("invalid model") == 1
    assert len(found["failed"].rows) == 3


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
    assert plotted["cactus"] == ({MAXSAT: [2.0] * 8, MINDT: [2.0] * 7}, paths[0], 5.0, 8)
    seconds, gaps = plotted["gaps_over_time"][0][MINDT]
    assert (seconds[-1], gaps[0], gaps[-1]) == pytest.approx((5.0, 0.4, 0.4 / 8))
    histories = plotted["bounds_over_time"][0]
    assert list(histories) == ["formula:monks-1 80%, sample 0", "formula:mux6 80%, sample 0"]
    assert histories["formula:mux6 80%, sample 0"][MINDT] == ((0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9))


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
        Runtime(**{"datasets": QUICK_DATASETS, **options})  # type: ignore[arg-type]


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
    """All quick data sets are in the folder, 29 are large, and a sample of 80 % can be measured."""
    experiment = Runtime(QUICK_DATASETS, folder=str(paper_folder), samples=1, engines=("search",), time_limit=0.2)
    assert experiment.n_cells == 36
    large = largest_datasets(str(paper_folder))
    assert len(large) == 29
    assert large[:3] == ("letter", "splice-1-cp4im", "mushroom-cp4im")
    cell = next(cell for cell in experiment.cells({}) if cell.key["dataset"] == "mushroom" and cell.key["share"] == 0.8)
    assert measure(cell, lambda values: None)["n_examples"] == round(0.8 * 8124)
    assert set(QUICK_DATASETS) - set(large) == {"mushroom"}  # which the paper uses in the binary form of CP4IM


def test_rows_of_an_earlier_protocol_are_ignored() -> None:
    """A row whose key lacks the protocol is another measurement: its cell is measured again and not in the tables."""
    cell = SMALL.cells({})[0]
    earlier = Row("runtime", {name: value for name, value in cell.key.items() if name != "protocol"}, "failed", "", 1.0)
    assert earlier.id not in {cell.id for cell in SMALL.cells({earlier.id: earlier})}
    assert [table.name for table in tables(SMALL, [earlier])] == [table.name for table in tables(SMALL, [])]
