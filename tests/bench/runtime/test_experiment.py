"""The race of engines: which cells it has, what each leaves, and what the tables say of them."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.random_problems import formula

from puretree.bench.cell import Beside, Cell, Row, Values
from puretree.bench.runtime import Runtime, largest_datasets, measure, plots, tables
from puretree.bench.runtime.experiment import DATASETS
from puretree.bounds.upper import iti_tree
from puretree.errors import DataNotFoundError, InputError

SMALL = Runtime(
    datasets=("formula:monks-1", "formula:mux6"), shares=(0.4, 0.8), samples=2, engines=("maxsat", "mindt"), limit=5.0
)


def bounds(*told: tuple[float, int, int | None]) -> list[Values]:
    """Return what a measurement tells of its bounds."""
    return [{"seconds": seconds, "lower": lower, "upper": upper} for seconds, lower, upper in told]


def row(cell: Cell, *told: tuple[float, int, int | None]) -> Row:
    """Make a row up."""
    return Row(cell.experiment, cell.key, "done", "", 5.0, told=bounds(*told), values={"status": "time_limit"})


def rows_of(experiment: Runtime) -> list[Row]:
    """Make up rows: mindt stays with ITI's 15 nodes on the first sample of monks-1, 40 %; maxsat always has 9."""
    made = []
    for cell in experiment.cells({}):
        is_first = cell.key["sample"] == 0 and cell.key["share"] == 0.4 and cell.key["dataset"] == "formula:monks-1"
        if cell.key["engine"] == "mindt" and is_first:
            made.append(row(cell, (0.0, 3, None), (0.0, 3, 15)))
        else:
            made.append(row(cell, (0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9)))
    return made


def test_cells_of_an_instance_come_together_and_first_samples_first() -> None:
    """A run that ends early is one with fewer samples; the folder and the memory are not in the key."""
    cells = replace(SMALL, folder="somewhere", memory=1e9).cells({})
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


def test_a_measurement_begins_with_iti_and_tells_every_bound() -> None:
    """The values are plain, the sample has its share of the rows, and the last bounds told are those of the end."""
    told: list[Values] = []
    cell = next(cell for cell in replace(SMALL, engines=("search",), shares=(0.8,)).cells({}))
    values = measure(cell, told.append)
    assert values["n_examples"] == round(0.8 * 432)  # all rows of the formula, none twice
    assert (values["n_features"], values["n_classes"]) == (10, 2)
    assert (told[0]["lower"], told[0]["upper"]) == (3, None)
    assert told[1]["upper"] == values["start"]
    assert (told[-1]["lower"], told[-1]["upper"]) == (values["lower"], values["upper"])
    assert (values["status"], values["upper"], values["n_nodes"]) == ("optimal", values["lower"], values["upper"])
    assert values["seconds"] < 5.0
    assert {type(value) for value in (*values.values(), *told[1].values())} == {int, str, float}


def test_the_whole_data_set_starts_from_the_tree_of_iti() -> None:
    """With a share of 1 the start is what ITI finds for the problem itself."""
    cell = Runtime(("formula:mux6",), shares=(1.0,), samples=1, engines=("search",)).cells({})[0]
    tree = iti_tree(formula("mux6"))
    assert tree is not None
    values = measure(cell, lambda told: None)
    assert (values["start"], values["n_examples"], values["n_nodes"]) == (tree.n_nodes, 64, 15)


def test_a_solver_that_fails_leaves_its_bounds_and_a_reason() -> None:
    """A program that dies is told as such; the tree of ITI is kept."""
    engine = f"maxsat(backend='external:{sys.executable} -c raise(SystemExit(3))')"
    told: list[Values] = []
    cell = Runtime(("formula:mux6",), shares=(0.8,), samples=1, engines=(engine,), limit=5.0).cells({})[0]
    values = measure(cell, told.append)
    assert values["status"] == "failed"
    assert values["reason"]
    assert (values["lower"], values["upper"]) == (3, values["start"])
    assert told[-1]["upper"] == values["start"]


def test_the_table_counts_ties_for_all_and_gives_ranks() -> None:
    """On 40 % maxsat is alone once in four; on 80 % both have every tree."""
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


def test_the_paper_s_count_stands_beside_in_percent() -> None:
    """505 of 580 for MPDT on 40 %, beside the count among encodings as the paper's is; none for other engines."""
    experiment = replace(SMALL, engines=("maxsat", "search"))
    table = tables(experiment, rows_of(experiment))[0]
    percent = {(line[0], line[2]): dict(zip(table.header, line, strict=True)) for line in table.rows}
    assert percent["40%", "maxsat"]["% of encodings"] == Beside(100.0, pytest.approx(100 * 505 / 580))
    assert percent["40%", "search"]["% of encodings"] is None
    assert percent["40%", "search"]["%"] == 100.0


def test_the_exact_search_hides_no_race_of_the_others() -> None:
    """Encodings are counted among themselves as well."""
    experiment = replace(SMALL, engines=("maxsat", "mindt", "search"), shares=(0.4,), samples=1)
    uppers = {"maxsat": 13, "mindt": 15, "search": 9}
    rows = [row(cell, (0.0, 3, uppers[str(cell.key["engine"])])) for cell in experiment.cells({})]
    table3, ordering, *_ = tables(experiment, rows)
    lines = {line[2]: dict(zip(table3.header, line, strict=True)) for line in table3.rows}
    assert [lines[name]["# Best UB"] for name in experiment.engines] == [0, 0, 2]
    assert [lines[name]["# Best UB of encodings"] for name in experiment.engines] == [2, 0, None]
    assert ordering.rows[0][2:] == ("search > maxsat = mindt", "maxsat > mindt")


def test_an_instance_without_all_its_rows_is_left_out_and_told() -> None:
    """Also rows of another limit do not count; nothing at all gives tables all the same."""
    rows = rows_of(SMALL)
    table3 = tables(SMALL, rows[1:])[0]
    assert "1 instances are left out" in table3.caption
    assert [line[5] for line in table3.rows] == [3, 3, 4, 4]
    assert tables(replace(SMALL, limit=6.0), rows)[0].rows == ()
    assert [len(table.rows) for table in tables(SMALL, [])] == [0, 3, 0]


def test_rows_that_went_wrong_count_with_what_they_had_told() -> None:
    """A killed row keeps its tree, a lost one has none, and a solver's failure is told with the others."""
    rows = rows_of(SMALL)
    rows[0] = replace(rows[0], status="crashed", reason="killed by signal 9", values={})
    rows[1] = replace(rows[1], status="lost", reason="no machine", told=[], values={})
    rows[2] = replace(rows[2], values={"status": "failed", "reason": "it lied"})
    table3, _, instances, failed = tables(SMALL, rows)
    lines = {line[2]: dict(zip(table3.header, line, strict=True)) for line in table3.rows[:2]}
    assert [lines[name]["failed"] for name in ("maxsat", "mindt")] == [2, 1]
    assert [lines[name]["# Best UB"] for name in ("maxsat", "mindt")] == [4, 3]
    assert instances.rows[0] == ("formula:monks-1 40%, sample 0", 15, "9*", "–")
    assert "".join(map(str, failed.rows)).count("killed by signal 9") == 1
    assert "".join(map(str, failed.rows)).count("it lied") == 1
    assert len(failed.rows) == 3


def test_pictures_get_the_proofs_the_gaps_and_the_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One instance a data set is drawn, with the largest share; without rows there is nothing to draw."""
    drawn = {}
    for name in ("cactus", "gaps_over_time", "bounds_over_time"):
        monkeypatch.setattr(
            f"puretree.bench.output.plots.{name}", lambda *given, name=name: drawn.update({name: given})
        )
    assert plots(SMALL, [], tmp_path) == []
    paths = plots(SMALL, rows_of(SMALL), tmp_path)
    assert [path.parent for path in paths] == [tmp_path] * 3
    assert drawn["cactus"] == ({"maxsat": [2.0] * 8, "mindt": [2.0] * 7}, paths[0], 5.0, 8)
    seconds, gaps = drawn["gaps_over_time"][0]["mindt"]
    assert (seconds[-1], gaps[0], gaps[-1]) == pytest.approx((5.0, 0.4, 0.4 / 8))
    histories = drawn["bounds_over_time"][0]
    assert list(histories) == ["formula:monks-1 80%, sample 0", "formula:mux6 80%, sample 0"]
    assert histories["formula:mux6 80%, sample 0"]["mindt"] == ((0.0, 3, None), (0.0, 3, 15), (2.0, 9, 9))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"datasets": ()}, "datasets=.* must name one or more"),
        ({"engines": ("search", "search")}, "engines=.* each once"),
        ({"engines": ("no-such",)}, "no-such"),
        ({"engines": ("dtmax",)}, "engines='dtmax' is for max. accuracy"),
        ({"shares": (1.5,)}, "shares=1.5 is not a share"),
        ({"samples": 0}, "samples=0 is not a whole number of at least 1"),
        ({"limit": 0.0}, "limit=0.0 is not a finite number of seconds"),
        ({"limit": float("inf")}, "limit=inf is not a finite number of seconds"),
        ({"memory": 0.0}, "memory=0.0 is not a number of bytes"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], words: str) -> None:
    """The message names the option and what to use."""
    with pytest.raises(InputError, match=words):
        Runtime(**options)  # type: ignore[arg-type]


def test_a_data_set_that_is_not_there_is_told_before_anything_runs(tmp_path: Path) -> None:
    """Rather than in every cell; and what was meant is guessed."""
    header = "name,paper_name,continuous_columns,paper_counts\n"
    (tmp_path / "MANIFEST.csv").write_text(header + "car,car,,13/22/2/1728\nzoo,zoo,,5/6/7/10\nextra,,,\n")
    with pytest.raises(DataNotFoundError, match=r"datasets='carr' .*did you mean 'car'"):
        Runtime(("carr",), folder=str(tmp_path)).cells({})
    assert largest_datasets(str(tmp_path), 1) == ("car",)
    assert largest_datasets(str(tmp_path)) == ("car", "zoo")


@pytest.mark.data
def test_the_samples_of_the_paper_s_data(paper_folder: Path) -> None:
    """All data sets of the default race are there, 29 are large, and a sample of 80 % is measured in a second."""
    experiment = Runtime(folder=str(paper_folder), samples=1, engines=("search",), limit=0.2)
    assert experiment.n_cells == 36
    large = largest_datasets(str(paper_folder))
    assert len(large) == 29
    assert large[:3] == ("letter", "splice-1-cp4im", "mushroom-cp4im")
    cell = next(cell for cell in experiment.cells({}) if cell.key["dataset"] == "mushroom" and cell.key["share"] == 0.8)
    assert measure(cell, lambda told: None)["n_examples"] == round(0.8 * 8124)
    assert set(DATASETS) - set(large) == {"mushroom"}  # which the paper has in the bits of CP4IM
