"""The experiment: its options, cells and measurements."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puretree import InputError
from puretree.bench.classifiers import Classifiers, measure, tables
from puretree.bench.classifiers import methods as module
from puretree.bench.measurement import ResultsFile, run

CORRAL = Classifiers(("formula:corral",), methods=("cart", "cart-ccp"), time_limit=20.0)


def test_each_cell_is_a_fold_of_a_repetition() -> None:
    """The number of cells is known in advance, and all data sets come before the next fold."""
    experiment = Classifiers(("iris", "zoo"), repetitions=3, methods=("cart", "rf"))
    cells = experiment.cells({})
    assert len({cell.id for cell in cells}) == len(cells) == experiment.n_cells == 2 * 3 * 5 * 2
    assert [cell.key["fold"] for cell in cells[:5]] == [0, 0, 0, 0, 1]
    assert [cell.key["repetition"] for cell in cells[::20]] == [0, 1, 2]


def test_more_repetitions_keep_the_cells_so_far() -> None:
    """Further repetitions add cells, and another limit makes other cells."""
    ids = {cell.id for cell in CORRAL.cells({})}
    assert ids < {cell.id for cell in replace(CORRAL, repetitions=2).cells({})}
    assert not ids & {cell.id for cell in replace(CORRAL, time_limit=9.0).cells({})}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"datasets": ()}, r"datasets=\(\) must list at least one value"),
        ({"methods": ("cart", "c4.5")}, "methods='c4.5' is unknown; choose from front-cv"),
        ({"repetitions": 0}, "repetitions=0 must be an integer of at least 1"),
        ({"time_limit": 0}, "time_limit=0 must be a finite number of seconds above 0"),
        ({"memory_limit": -1}, "memory_limit=-1 must be a number of bytes above 0"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    """The message names the option, its value, and the valid values."""
    with pytest.raises(InputError, match=message):
        replace(CORRAL, **options)


def test_methods_without_their_package_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are one error at the start, not one failed measurement per fold."""
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"methods='streed-cv' needs pystreed; run: pip install \"puretree\[peers\]\""):
        replace(CORRAL, methods=("cart", "streed-cv"))


@pytest.mark.parametrize("method", ["pure", "cart", "cart-ccp", "rf"])
def test_a_cell_has_scores_size_and_status(method: str) -> None:
    """Values are JSON; measuring a cell twice gives the same scores."""
    cell = replace(CORRAL, methods=(method,)).cells({})[0]
    first, second = (measure(cell, lambda values: None) for _ in range(2))
    assert json.loads(json.dumps(first, allow_nan=False)) == first
    assert first | {"seconds": 0} == second | {"seconds": 0}
    assert 50 < first["accuracy"] <= 100
    assert 0 <= first["brier_score"] <= 2
    assert first["n_nodes"] >= 3
    assert first["status"] == ("optimal" if method == "pure" else "unproved")
    assert (first["setting"] is not None) == (method == "cart-ccp")


def test_a_pure_tree_is_accurate_where_labels_are_not_noisy() -> None:
    """Noise-free tables with few rows have pure trees that generalise; conflicts and limits raise no warning."""
    cell = Classifiers(("formula:mux6",), methods=("pure",)).cells({})[0]
    assert measure(cell, lambda values: None)["accuracy"] > 80


@pytest.mark.slow
def test_an_experiment_resumes(tmp_path: Path) -> None:
    """Rows are kept in the results file: the second run measures only the cells of the second repetition."""
    rows: list[Any] = []
    for experiment in (CORRAL, replace(CORRAL, repetitions=2)):
        with ResultsFile(tmp_path / "results.jsonl", {}) as results:
            run(experiment, results, n_jobs=1, on_row=rows.append)
    assert len(rows) == 20
    assert {row.status for row in rows} == {"done"}
    assert tables(replace(CORRAL, repetitions=2), rows)[-1].name == "effort"  # no table of failed cells
