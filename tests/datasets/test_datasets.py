"""Loading by name."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from helpers.stand_in import StandIn

from puretree.datasets import load, names
from puretree.errors import DataNotFoundError


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder of data sets, whatever the machine has."""
    monkeypatch.delenv("PURETREE_DATA", raising=False)


def test_bare_names_are_looked_for_here_only() -> None:
    """Formulas and scikit-learn's data sets need no prefix."""
    assert load("mux6").source == "formula"
    assert load("iris").source == "scikit-learn"
    assert set(names()) >= {"mux6", "mux11", "monks-1", "corral", "balloons4", "iris", "wine"}


def test_the_folder_comes_first_and_a_prefix_decides(tmp_path: Path) -> None:
    """A data set of the folder hides a built-in one of the same name, unless the source is named."""
    (tmp_path / "MANIFEST.csv").write_text("name,paper_name,continuous_columns,paper_counts\niris,,,\n")
    (tmp_path / "iris.csv").write_text("a,class\nx,1\n")
    assert load("iris", folder=tmp_path).n_rows == 1
    assert load("file:iris", folder=tmp_path).n_rows == 1
    assert load("sklearn:iris", folder=tmp_path).n_rows == 150


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("irsi", "no data set is called 'irsi'; known here: .*iris.*openml:NAME"),
        ("formula:irsi", "formula has no data set 'irsi'; it has mux6"),
        ("sklearn:irsi", "sklearn has no data set 'irsi'; it has iris"),
        ("kaggle:iris", "source 'kaggle' is not known"),
        ("file:iris", "set PURETREE_DATA"),
    ],
)
def test_unknown_names_are_told_what_is_known(name: str, match: str) -> None:
    """A typo, a wrong source and a missing folder are told apart."""
    with pytest.raises(DataNotFoundError, match=match):
        load(name)


def test_scikit_learns_tables_have_plain_names() -> None:
    """Columns are called as people call them, labels are words."""
    iris = load("sklearn:iris")
    assert iris.table.names == ("sepal length", "sepal width", "petal length", "petal width")
    assert set(iris.target) == {"setosa", "versicolor", "virginica"}


@pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_data_set_becomes_a_frame(backend: str, kind: type) -> None:
    """Columns and target, in the library of the caller's choice."""
    frame = load("formula:balloons3").to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame.columns) == ["color", "size", "act", "age", "class"]
    assert frame.shape == (16, 5)


def test_rows_can_be_taken() -> None:
    """Some rows of a data set are a data set."""
    part = load("formula:mux6").take([5, 7])
    assert part.n_rows == len(part.target) == 2


@pytest.mark.parametrize(
    ("name", "variable", "n_rows"),
    [("openml:weather", "PURETREE_OPENML_URL", 3), ("pmlb:tiny", "PURETREE_PMLB_URL", 3)],
)
def test_the_archives_are_asked_by_name(
    name: str, variable: str, n_rows: int, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prefix is all it takes to load from the network; here from a stand-in server."""
    monkeypatch.setenv(variable, server.url)
    assert load(name).n_rows == n_rows
    assert server.asked


def test_a_bare_name_never_asks_the_network(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a name that the archives know is not looked for there."""
    for variable in ("PURETREE_OPENML_URL", "PURETREE_PMLB_URL"):
        monkeypatch.setenv(variable, server.url)
    with pytest.raises(DataNotFoundError, match="no data set is called 'weather'"):
        load("weather")
    assert not server.asked
