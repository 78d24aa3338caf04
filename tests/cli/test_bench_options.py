"""``puretree bench``: invalid options, repeated cells, and unusual names of folders."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree.bench.cell import Row
from puretree.bench.classifiers import Classifiers
from puretree.bench.runtime import PROTOCOL, QUICK_DATASETS, Runtime, largest_datasets

FORMULA = ("--datasets", "formula:mux6")


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--shares 140: use percentages from 1 to 100", ("runtime", *FORMULA, "--shares", "140")),
        ("--shares nan: use percentages", ("runtime", *FORMULA, "--shares", "nan")),
        ("--engines all is not supported here; name the engines", ("runtime", *FORMULA, "--engines", "all")),
        ("--quick and --datasets exclude each other; choose one", ("runtime", *FORMULA, "--quick")),
        ("--engines dtmax is for max. accuracy", ("runtime", *FORMULA, "--engines", "dtmax")),
        ("--time-limit inf must be a finite number of seconds above 0", ("accuracy", *FORMULA, "--time-limit", "inf")),
    ],
)
def test_invalid_options_write_nothing(
    puretree: Puretree, tmp_path: Path, message: str, arguments: tuple[str, ...]
) -> None:
    """An invalid option is reported in one line with its name, and no folder is created."""
    result = puretree("bench", *arguments, "--out", tmp_path / "out")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert message in result.err
    assert not [*tmp_path.iterdir()]


@pytest.mark.data
def test_unknown_data_sets_are_rejected_at_once(puretree: Puretree, paper_folder: Path, tmp_path: Path) -> None:
    """A mistyped name is one error, not one failed measurement per cell."""
    for command in ("runtime", "accuracy"):
        result = puretree("bench", command, "--data", paper_folder, "--datasets", "iriss", "--out", tmp_path)
        assert (result.code, result.out) == (2, "")
        assert "the data set 'iriss' is not in the folder of data sets (did you mean 'iris'?)" in result.err


@pytest.mark.parametrize(("option", "n_datasets"), [((), 29), (("--quick",), 12)])
def test_the_data_sets_of_a_runtime_experiment(
    option: tuple[str, ...], n_datasets: int, puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default the 29 largest of the folder, with --quick the twelve; --datasets has no names for groups."""
    manifest = "".join(f"{name},{name},,{n}/2/2/{n}\n" for n, name in enumerate([*map("d{}".format, range(40)), "car"]))
    (tmp_path / "MANIFEST.csv").write_text(f"name,paper_name,continuous_columns,paper_counts\n{manifest}")
    experiments: list[Runtime] = []
    monkeypatch.setattr("puretree.cli.bench.run_bench", lambda experiment, options: experiments.append(experiment) or 0)
    assert puretree("bench", "runtime", "--data", tmp_path, *option).code == 0
    assert len(experiments[0].datasets) == n_datasets
    assert experiments[0].datasets == (QUICK_DATASETS if option else largest_datasets(str(tmp_path)))


@pytest.mark.parametrize(("option", "datasets"), [((), ("car",)), (("--part", "all"), ("car", "iris"))])
def test_the_data_sets_of_a_classifier_experiment(
    option: tuple[str, ...],
    datasets: tuple[str, ...],
    puretree: Puretree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By default those of the folder that are not reserved; methods whose package is missing are named."""
    (tmp_path / "MANIFEST.csv").write_text("name,paper_name,continuous_columns,paper_counts\ncar,,,\niris,,,\n")
    for name in ("car", "iris"):
        (tmp_path / f"{name}.csv").write_text("x,class\n" + "1,a\n2,b\n" * 50)
    experiments: list[Classifiers] = []
    monkeypatch.setattr("puretree.cli.bench.run_bench", lambda experiment, options: experiments.append(experiment) or 0)
    monkeypatch.setattr("puretree.bench.classifiers.methods.find_spec", lambda module: None)
    result = puretree("bench", "classifiers", "--data", tmp_path, *option)
    assert result.code == 0
    assert experiments[0].datasets == datasets
    assert not {"streed-cv", "fst-cv", "figs"} & set(experiments[0].methods)
    assert 'figs is not measured: it needs imodels; run: pip install "puretree[front-peers]"' in result.err


@pytest.mark.slow
def test_repeated_cells_are_counted_once(puretree: Puretree, tmp_path: Path) -> None:
    """After --retry repeats the only cell, which crashed before, 1 of 1 cells is done."""
    cells = Runtime(datasets=("formula:mux6",), engines=("search",), shares=(0.4,), samples=1, time_limit=5.0).cells({})
    crashed = Row("runtime", cells[0].key, "crashed", "ended by SIGSEGV", 0.5)
    (tmp_path / "results.jsonl").write_text(json.dumps(crashed.to_dict()) + "\n")
    options = ("--engines", "search,search", "--shares", "40,40", "--samples", 1, "--time-limit", 5, "--n-jobs", 1)
    result = puretree("bench", "runtime", *FORMULA, *options, "--retry", "--verbose", "--out", tmp_path)
    assert result.code == 0
    assert result.err.startswith(f"1 of 1: formula:mux6 0.4 0 search 5.0 {PROTOCOL}: done (")


@pytest.mark.slow
def test_a_folder_name_that_is_not_utf8(puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is used like any other; the recorded command contains the byte as an escape sequence."""
    folder = tmp_path / "odd\udcff"
    monkeypatch.setattr("sys.argv", ["puretree", "bench", "--out", str(folder)])
    options = ("--engines", "search", "--shares", 40, "--samples", 1, "--time-limit", 5, "--n-jobs", 1, "--quiet")
    assert puretree("bench", "runtime", *FORMULA, *options, "--out", folder).code == 0
    first, *_ = (folder / "results.jsonl").read_text().splitlines()
    assert json.loads(first)["session"]["command"].endswith("odd\\udcff'")
