"""The accuracy experiment: its options, cells and measurements."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puretree import InputError
from puretree.bench.accuracy import Accuracy, measure
from puretree.bench.accuracy.methods import BASELINES, DEPTHS, DIVERSE, METHODS, MINIMUM, SEVERAL
from puretree.bench.cell import Cell, Row, Values
from puretree.bench.measurement import ResultsFile
from puretree.engines import HEURISTIC_SOURCES
from puretree.selection.candidates import CandidateSet, Plan, find_candidates

CORRAL = Accuracy(datasets=("formula:corral",), splits=4, n_trees=5, time_limit=20.0)


def ignore(_: Values) -> None:
    """Ignore progress."""


def done(cell: Cell, **values: Any) -> Row:
    """Make the row of a measured cell."""
    return Row(cell.experiment, cell.key, "done", "", 1.0, values=values)


def failed(cell: Cell, reason: str = "it crashed") -> Row:
    """Make the row of a failed cell."""
    return Row(cell.experiment, cell.key, "crashed", reason, 1.0)


def rows_by_id(rows: list[Row]) -> dict[str, Row]:
    """Return rows by id."""
    return {row.id: row for row in rows}


def methods_of(cells: list[Cell]) -> list[Any]:
    """Return the methods of cells."""
    return [cell.key["method"] for cell in cells]


def test_baselines_follow_the_mpdt_methods_of_their_training_part() -> None:
    """Baselines are listed once all mpdt methods of the part have rows, with their largest number of trees and size."""
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=2)
    first = experiment.cells({})
    assert len(first) == 2 * 2 * (len(METHODS) - len(BASELINES))
    assert not set(methods_of(first)) & set(BASELINES)
    of_part = [cell for cell in first if (cell.key["dataset"], cell.key["train_seed"]) == ("zoo", 1)]
    minimum = [cell for cell in of_part if cell.key["method"] in MINIMUM]
    n_trees = {"mpdt-nd": 40, "mpdt-lay-nd": 70, "mpdt-1": 1, "mpdt": 30, "mpdt-lay": 7, "all": 10**30, "all-mdsol": 99}
    rows = [done(cell, n_trees=n_trees[str(cell.key["method"])], size=17.0) for cell in minimum]
    assert len(experiment.cells(rows_by_id(rows[:-1]))) == len(first)
    second = experiment.cells(rows_by_id(rows))
    assert second[: len(first)] == first
    added = second[len(first) :]
    assert methods_of(added) == list(BASELINES)
    assert {(cell.key["dataset"], cell.key["train_seed"]) for cell in added} == {("zoo", 1)}
    assert all((cell.key["n_seeds"], cell.key["n_nodes"]) == (70, 17) for cell in added)


def test_baselines_match_the_methods_that_succeeded() -> None:
    """Failed mpdt methods do not block the baselines; if all failed, the number of seeds is the option ``trees``."""
    cells = [cell for cell in CORRAL.cells({}) if cell.key["method"] in MINIMUM]
    rows = [failed(cell) for cell in cells]
    after_failures = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in after_failures] == [(5, None)] * 3
    rows[methods_of(cells).index("mpdt-lay")] = done(cells[methods_of(cells).index("mpdt-lay")], n_trees=3, size=15.0)
    after_success = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in after_success] == [(3, 15)] * 3
    of_method = {str(cell.key["method"]): cell for cell in after_failures}
    assert measure(of_method["psk"], ignore)["n_trees"] == 5
    with pytest.raises(InputError, match="no mpdt method found one"):
        measure(of_method["lsk"], ignore)


def test_the_number_of_cells_is_known_in_advance() -> None:
    """``n_cells`` equals the number of cells listed in the end."""
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=3, methods=("psk", "mpdt", "dtmax-2"))
    rows = rows_by_id([failed(cell) for cell in experiment.cells({})])
    assert len(experiment.cells(rows)) == experiment.n_cells == 18


def test_baselines_alone_are_listed_at_once() -> None:
    """Without mpdt methods in the experiment, baselines do not wait for their rows."""
    experiment = Accuracy(datasets=("iris",), methods=("ask",), n_trees=9)
    assert [cell.key["n_seeds"] for cell in experiment.cells({})] == [9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_seeds": 0}, "train_seeds=0 must be an integer"),
        ({"splits": True}, "splits=True must be an integer"),
        ({"n_trees": 1.5}, "n_trees=1.5 must be an integer"),
        ({"time_limit": 0}, "time_limit=0 must be a finite number of seconds above 0"),
        ({"time_limit": float("inf")}, "time_limit=inf must be a finite number of seconds above 0"),
        ({"memory_limit": -1}, "memory_limit=-1 must be a number of bytes above 0"),
        ({"datasets": ()}, r"datasets=\(\) must list at least one value"),
        ({"methods": ("psk", "psk")}, "must list at least one value, without duplicates"),
        ({"methods": ("psk", "c4.5")}, "methods='c4.5' is unknown; choose from psk, lsk"),
        ({"n_trees": "all"}, "n_trees='all' must be an integer of at least 1"),
        ({"n_trees": "paper", "datasets": ("iris", "car")}, "n_trees='paper' is for the data sets of .*, without car;"),
        ({"binarize": "thresholds"}, "binarize='thresholds' is unknown; choose from bits, onehot"),
        ({"pace": "hurry"}, "pace='hurry' is unknown; choose from prove, share"),
        ({"engine": "dtmax"}, "engine='dtmax' has the objective 'max. accuracy'"),
        ({"engine": "maxsat(speed=9)"}, r"engine='maxsat\(speed=9\)' is invalid: maxsat has no option speed"),
        ({"backend": "loandra"}, "backend='loandra' is unknown; use one of linear, rc2"),
        ({"dtmax_encoding": "sparse"}, "dtmax_encoding='sparse' is unknown; choose from complete, layout"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    """The message names the option, its value, and the valid values."""
    with pytest.raises(InputError, match=message):
        Accuracy(**options)


@pytest.mark.parametrize(
    ("option", "methods"),
    [
        ({"engine": "maxsat"}, MINIMUM),
        ({"n_trees": 7}, SEVERAL),
        ({"pace": "share"}, DIVERSE),
        ({"backend": "rc2"}, DEPTHS),
        ({"dtmax_encoding": "layout"}, DEPTHS),
        ({"binarize": "onehot"}, METHODS),
        ({"time_limit": 9.0}, METHODS),
    ],
)
def test_an_option_makes_other_cells_of_the_methods_that_have_it(option: dict[str, Any], methods: Any) -> None:
    """Results of different options are different cells, so they are never mixed; the other methods are unaffected."""
    changed: Accuracy = replace(CORRAL, **option)
    differs = {method for method in METHODS if CORRAL.key("x", 0, method) != changed.key("x", 0, method)}
    assert differs == set(methods)


def test_rows_of_earlier_versions_are_ignored(tmp_path: Path) -> None:
    """Their keys do not have the options, so their results are neither used nor an obstacle."""
    old = {"dataset": "formula:corral", "train_seed": 0, "method": "mpdt", "trees": 5, "limit": 20.0, "splits": 4}
    row = Row("accuracy", old, "done", "", 1.0, values={"accuracy": 12.0, "size": 9.0, "n_trees": 3})
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(row.to_dict()) + "\n")
    with ResultsFile(file, {}) as results:
        cells = CORRAL.cells(results.rows)
    assert cells == CORRAL.cells({})
    assert row.id not in {cell.id for cell in cells}


def test_the_paper_s_numbers_of_trees() -> None:
    """Each method has its published number of trees for the data set, others that of mpdt; an integer is for all."""
    experiment = Accuracy(datasets=("iris",), n_trees="paper", methods=("mpdt-nd", "mpdt", "all-mdsol", "all"))
    trees = {cell.key["method"]: cell.key.get("trees") for cell in experiment.cells({})}
    assert trees == {"mpdt-nd": 30000, "mpdt": 436, "all-mdsol": 436, "all": None}
    (psk,) = replace(experiment, methods=("psk",)).cells({})
    assert psk.key["n_seeds"] == 436


@pytest.fixture(scope="module")
def measured() -> dict[str, Row]:
    """Measure every method on a small table."""
    rows: dict[str, Row] = {}
    for _ in range(2):
        for cell in CORRAL.cells(rows):
            if cell.id not in rows:
                reported: list[Values] = []
                values = measure(cell, reported.append)
                assert json.loads(json.dumps(values)) == values  # JSON types only
                assert reported[0]["n_trees"] == values["n_trees"]
                rows[cell.id] = done(cell, **values)
    return rows


def values_of(rows: dict[str, Row], method: str) -> Values:
    """Return the measured values of a method."""
    return next(row.values for row in rows.values() if row.key["method"] == method)


def test_every_method_is_measured(measured: dict[str, Row]) -> None:
    """Each has an accuracy for each split, their mean, and a best seen accuracy that is at least the mean."""
    assert sorted(str(row.key["method"]) for row in measured.values()) == sorted(METHODS)
    for row in measured.values():
        values = row.values
        assert len(values["accuracy_of_split"]) == 4
        assert values["accuracy"] == pytest.approx(sum(values["accuracy_of_split"]) / 4)
        assert 0 < values["accuracy"] <= values["best_seen"] + 1e-9 <= 100 + 1e-8
        assert values["n_exact_splits"] == 4


def test_methods_produce_their_trees(measured: dict[str, Row]) -> None:
    """Minimum trees have one size, proved; the forest has most trees; lsk has that size; depth limits sizes."""
    size = values_of(measured, "all")["n_nodes"]
    for method in MINIMUM:
        values = values_of(measured, method)
        assert (values["n_nodes"], values["size"], values["status"]) == (size, size, "optimal")
    n_trees = [values_of(measured, method)["n_trees"] for method in ("mpdt-1", "mpdt-nd", "mpdt", "all-mdsol")]
    assert n_trees == [1, 5, 5, 5]
    assert values_of(measured, "all")["n_trees"] > 5
    assert values_of(measured, "all")["best_seen"] >= values_of(measured, "mpdt")["best_seen"]
    assert values_of(measured, "lsk")["size"] <= size <= values_of(measured, "psk")["size"]
    assert values_of(measured, "ask")["n_trees"] > values_of(measured, "psk")["n_trees"] == 5
    assert values_of(measured, "dtmax-2")["size"] <= 7
    errors = [values_of(measured, f"dtmax-{depth}")["train_errors"] for depth in (2, 3, 4)]
    assert errors == sorted(errors, reverse=True)


def test_diverse_trees_are_proved_and_far_from_each_other(measured: dict[str, Row]) -> None:
    """At the pace "prove" no tree is unproved; diverse trees of both kinds have a greater distance than any trees."""
    assert {values_of(measured, method)["n_unproved"] for method in METHODS} == {0}
    any_trees, by_sat, of_forest = (
        values_of(measured, method)["mean_hamming"] for method in ("mpdt-nd", "mpdt", "all-mdsol")
    )
    assert any_trees < min(by_sat, of_forest)


def test_trees_not_proved_farthest_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row has the number of diverse trees whose part of the time ended before the proof."""

    def find(*args: Any) -> CandidateSet:
        return replace(find_candidates(*args), n_unproved=4)

    monkeypatch.setattr("puretree.bench.accuracy.methods.find_candidates", find)
    (cell,) = replace(CORRAL, pace="share", methods=("mpdt",)).cells({})
    assert measure(cell, ignore)["n_unproved"] == 4


def test_the_pace_is_that_of_the_extraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option reaches the plan of the methods that extract diverse trees."""
    paces = []

    def find(prepared: Any, constraints: Any, plan: Plan, *args: Any) -> CandidateSet:
        paces.append(plan.pace)
        return find_candidates(prepared, constraints, plan, *args)

    monkeypatch.setattr("puretree.bench.accuracy.methods.find_candidates", find)
    for pace in ("prove", "share"):
        for cell in replace(CORRAL, pace=pace, methods=DIVERSE).cells({}):
            measure(cell, ignore)
    assert paces == ["prove", "prove", "share", "share"]


PAPER_ENGINE = "maxsat(warm_start=False, objective='totaliser', lazy=False, upper_bound='iti')"


@pytest.mark.parametrize("engine", ["maxsat", PAPER_ENGINE])
@pytest.mark.parametrize("method", ["mpdt-nd", "mpdt", "mpdt-lay"])
def test_the_paper_s_solver_chain_proves_the_same_minimum(measured: dict[str, Row], method: str, engine: str) -> None:
    """With the engine maxsat, ours or the paper's, the minimum of the extracted trees is that of the exact search."""
    experiment = replace(CORRAL, methods=(method,), engine=engine)
    (cell,) = experiment.cells({})
    values = measure(cell, ignore)
    assert (values["status"], values["n_trees"], values["n_unproved"]) == ("optimal", 5, 0)
    assert values["n_nodes"] == values_of(measured, "all")["n_nodes"]


def test_one_hot_features_are_used() -> None:
    """A one-hot test separates one value from all others, so pure trees of some tables differ in size from bits."""
    experiment = Accuracy(datasets=("formula:monks-1",), splits=2, methods=("mpdt-1",))
    sizes = []
    for binarize in ("bits", "onehot"):
        (cell,) = replace(experiment, binarize=binarize).cells({})
        sizes.append(measure(cell, ignore)["n_nodes"])
    assert sizes[0] != sizes[1]


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_the_backends_of_dtmax_agree(measured: dict[str, Row], backend: str) -> None:
    """Each backend, with either encoding, finds the tree with the fewest errors."""
    errors = set()
    for encoding in ("complete", "layout"):
        experiment = replace(CORRAL, methods=("dtmax-2",), backend=backend, dtmax_encoding=encoding)
        (cell,) = experiment.cells({})
        values = measure(cell, ignore)
        assert values["lower_bound"] <= values["upper_bound"] == values["train_errors"]
        errors.add(values["train_errors"])
    assert errors == {values_of(measured, "dtmax-2")["train_errors"]}


def test_measurements_are_reproducible(measured: dict[str, Row]) -> None:
    """Measuring a cell twice gives the same accuracies."""
    for method in ("mpdt-nd", "all", "ask"):
        cell = next(cell for cell in CORRAL.cells(measured) if cell.key["method"] == method)
        assert measure(cell, ignore)["accuracy_of_split"] == measured[cell.id].values["accuracy_of_split"]


def test_without_a_proof_there_is_one_tree() -> None:
    """If the time limit is reached before the minimum is proved, the result is one tree without a proved size."""
    methods = ("mpdt-1", "mpdt", "all", "all-mdsol")
    experiment = Accuracy(datasets=("formula:monks-2",), splits=2, time_limit=1e-3, methods=methods)
    for cell in experiment.cells({}):
        values = measure(cell, ignore)
        assert (values["status"], values["stopped"], values["n_trees"]) == ("time_limit", "limit", 1)
        assert values["n_nodes"] is None
        assert values["lower_bound"] < values["upper_bound"] == values["size"]


@pytest.mark.parametrize("method", ["mpdt-1", "mpdt", "dtmax-4"])
def test_the_row_says_who_found_the_tree(method: str) -> None:
    """Within a limit too short to start the solver's process, the tree is that of a heuristic, and the row names it."""
    experiment = Accuracy(datasets=("formula:monks-2",), splits=2, time_limit=1e-3, methods=(method,), engine="maxsat")
    (cell,) = experiment.cells({})
    values = measure(cell, ignore)
    assert (values["status"], values["stopped"]) == ("time_limit", "limit")
    assert values["found_by"] in HEURISTIC_SOURCES


def test_trees_of_the_engine_are_its_own(measured: dict[str, Row]) -> None:
    """Rows of proved optima name who found the tree, too: for DT(max) its solver, where it improved the greedy tree."""
    found_by = {method: values_of(measured, method)["found_by"] for method in (*MINIMUM, *DEPTHS)}
    assert all(found_by.values())
    assert "linear" in {found_by[method] for method in DEPTHS}


@pytest.mark.data
def test_the_paper_s_data_sets_are_read(paper_folder: Path) -> None:
    """Minimum trees of a training part of mux6 have the 15 nodes of the formula's minimum tree."""
    experiment = Accuracy(datasets=("mux6",), folder=str(paper_folder), splits=3, n_trees=2, methods=("mpdt-nd", "all"))
    for cell in experiment.cells({}):
        values = measure(cell, ignore)
        assert values["n_nodes"] == 15
        assert values["status"] == "optimal"
