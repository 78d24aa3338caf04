"""Loading data sets by name."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from helpers.archive_server import ArchiveServer

from puretree.datasets import load, names
from puretree.errors import DataNotFoundError


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the folder of data sets from the environment."""
    monkeypatch.delenv("PURETREE_DATA", raising=False)


def test_built_in_data_sets_need_no_source() -> None:
    """Formulas and scikit-learn's data sets are loaded without a source."""
    assert load("mux6").source == "formula"
    assert load("iris").source == "scikit-learn"
    assert set(names()) >= {"mux6", "mux11", "monks-1", "corral", "balloons4", "iris", "wine"}


def test_the_folder_takes_precedence_over_built_in_data_sets(tmp_path: Path) -> None:
    """A data set of the folder hides a built-in one of the same name, unless the source is given."""
    (tmp_path / "MANIFEST.csv").write_text("name,paper_name,continuous_columns,paper_counts\niris,,,\n")
    (tmp_path / "iris.csv").write_text("a,class\nx,1\n")
    assert load("iris", folder=tmp_path).n_rows == 1
    assert load("file:iris", folder=tmp_path).n_rows == 1
    assert load("sklearn:iris", folder=tmp_path).n_rows == 150


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("irsi", "there is no data set 'irsi'; available are .*iris.*openml:NAME"),
        ("formula:irsi", "formula has no data set 'irsi'; it has mux6"),
        ("sklearn:irsi", "sklearn has no data set 'irsi'; it has iris"),
        ("kaggle:iris", "source 'kaggle' is unknown"),
        ("file:iris", "set PURETREE_DATA"),
    ],
)
def test_errors_for_unknown_names_list_the_known_ones(name: str, match: str) -> None:
    """A typo, an unknown source and a missing folder have different messages."""
    with pytest.raises(DataNotFoundError, match=match):
        load(name)


def test_scikit_learns_data_sets_have_short_names() -> None:
    """Column names have no unit, and labels are names."""
    iris = load("sklearn:iris")
    assert iris.table.names == ("sepal length", "sepal width", "petal length", "petal width")
    assert set(iris.target) == {"setosa", "versicolor", "virginica"}


@pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_data_set_is_converted_to_a_data_frame(backend: str, kind: type) -> None:
    """The data frame has the columns and the target, in the chosen library."""
    frame = load("formula:balloons3").to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame.columns) == ["color", "size", "act", "age", "class"]
    assert frame.shape == (16, 5)


def test_rows_can_be_taken() -> None:
    """``take`` returns a data set with the chosen rows."""
    part = load("formula:mux6").take([5, 7])
    assert part.n_rows == len(part.target) == 2


@pytest.mark.parametrize(
    ("name", "variable", "n_rows"),
    [("openml:weather", "PURETREE_OPENML_URL", 3), ("pmlb:tiny", "PURETREE_PMLB_URL", 3)],
)
def test_archives_are_loaded_by_source(
    name: str, variable: str, n_rows: int, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with an archive as its source is downloaded, here from the local server."""
    monkeypatch.setenv(variable, server.url)
    assert load(name).n_rows == n_rows
    assert server.requests


def test_a_name_without_source_never_uses_the_network(server: ArchiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name without a source is not searched in the archives, even if they have it."""
    for variable in ("PURETREE_OPENML_URL", "PURETREE_PMLB_URL"):
        monkeypatch.setenv(variable, server.url)
    with pytest.raises(DataNotFoundError, match="there is no data set 'weather'"):
        load("weather")
    assert not server.requests
