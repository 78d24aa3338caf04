"""Reading OpenML through scikit-learn; what fetching has in common is in ``test_download.py``."""

import sys
import threading
from collections.abc import Callable
from email.message import Message
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request

import numpy as np
import pytest
from helpers.stand_in import (
    ARFF,
    ARFF_PATH,
    FEATURES_PATH,
    INFO_PATH,
    SEARCH,
    SEARCH_PATH,
    VERSION_PATH,
    Answer,
    StandIn,
    files_in,
)
from sklearn.datasets import _openml

from puretree.datasets import openml
from puretree.datasets.dataset import Dataset
from puretree.datasets.download import UnusableError
from puretree.datasets.openml import fetch_openml
from puretree.errors import DataNotFoundError

pytestmark = pytest.mark.usefixtures("isolated")
Fetch = Callable[..., Dataset]


@pytest.fixture
def fetch(server: StandIn, tmp_path: Path) -> Fetch:
    """Fetch the stand-in's data set."""
    return partial(fetch_openml, name="weather", cache=tmp_path, url=server.url)


def test_table(fetch: Fetch, server: StandIn) -> None:
    """Nominal columns are categories, numeric ones numbers, gaps gaps; row numbers are left out."""
    weather = fetch()
    sky, humidity = weather.table
    assert (sky.name, sky.kind) == ("sky", "category")
    assert (humidity.name, humidity.kind) == ("humidity", "number")
    assert weather.table.to_dict()["sky"].tolist() == ["sunny", None, "partly cloudy"]
    np.testing.assert_array_equal(humidity.values, [85.5, 70, np.nan])
    assert weather.target.tolist() == ["no", "yes", "yes"]
    assert (weather.name, weather.target_name) == ("weather", "play")
    assert weather.source == f"{server.url}/d/7"


def test_pandas_is_not_needed(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is read where pandas is not installed."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert fetch().n_rows == 3


@pytest.mark.parametrize("version", [2, "2"])
def test_version(version: int | str, fetch: Fetch, server: StandIn) -> None:
    """A version is asked for by number, written either way."""
    assert fetch(version=version).n_rows == 3
    assert server.asked[0] == VERSION_PATH


@pytest.mark.parametrize("version", [0, -1, "newest", "1/../2", 1.5])
def test_bad_versions(version: Any, fetch: Fetch, server: StandIn) -> None:
    """A version is a number or "active"."""
    with pytest.raises(DataNotFoundError, match="neither a number nor 'active'"):
        fetch(version=version)
    assert not server.asked


def test_warning_of_several_versions(fetch: Fetch, server: StandIn) -> None:
    """Where a name means several data sets, scikit-learn's warning reaches the user."""
    server.put_json(SEARCH_PATH, {"data": {"dataset": SEARCH["data"]["dataset"] * 2}})
    with pytest.warns(UserWarning, match="Multiple active versions"):
        assert fetch().n_rows == 3


@pytest.mark.filterwarnings("error")
def test_warning_as_error(fetch: Fetch, server: StandIn) -> None:
    """Who wants warnings to be errors gets the warning, not a missing data set."""
    server.put_json(SEARCH_PATH, {"data": {"dataset": SEARCH["data"]["dataset"] * 2}})
    with pytest.raises(UserWarning, match="Multiple active versions"):
        fetch()


def test_no_such_data_set(fetch: Fetch, server: StandIn) -> None:
    """OpenML's own error code is understood."""
    server.answers[SEARCH_PATH] = Answer(status=412)
    with pytest.raises(DataNotFoundError, match="No active dataset weather found"):
        fetch()


@pytest.mark.parametrize("path", [SEARCH_PATH, INFO_PATH, ARFF_PATH])
def test_failure_is_final(
    path: str, fetch: Fetch, server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure at any request is neither waited on nor repeated, and leaves nothing behind."""

    def refuse(*_: object) -> None:
        raise AssertionError("somebody waits")

    failure = Answer(status=500)
    if path == ARFF_PATH:
        server.put_arff(failure)
    else:
        server.answers[path] = failure
    monkeypatch.setattr("time.sleep", refuse)
    with pytest.raises(DataNotFoundError, match="500"):
        fetch()
    assert len(server.asked) == len(set(server.asked))
    assert not files_in(tmp_path)


@pytest.mark.parametrize("path", [SEARCH_PATH, INFO_PATH, FEATURES_PATH])
@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]", b'{"data": {"dataset": []}}'])
def test_garbage(path: str, body: bytes, fetch: Fetch, server: StandIn) -> None:
    """A wrong answer is refused, and does not stay in the cache when the server has recovered."""
    server.answers[path] = Answer(body)
    with pytest.raises(DataNotFoundError, match="'weather' cannot be had from"):
        fetch()
    server.put_weather()
    assert fetch().n_rows == 3


def test_checksum(fetch: Fetch, server: StandIn) -> None:
    """Data that do not match the description's checksum are refused."""
    server.put_arff(Answer(ARFF.replace("85.5", "58.5").encode()))
    with pytest.raises(DataNotFoundError, match="md5 checksum"):
        fetch()


def test_arff_garbage(fetch: Fetch, server: StandIn) -> None:
    """Data that are not ARFF are refused."""
    server.put_weather(arff="what is this?\n")
    with pytest.raises(DataNotFoundError, match="Invalid layout of the ARFF file"):
        fetch()


@pytest.mark.parametrize("targets", [{"row", "humidity"}, set()], ids=["two", "none"])
def test_not_one_target(targets: set[str], fetch: Fetch, server: StandIn) -> None:
    """A data set with no column to predict, or with two, is refused."""
    features = server.get_json(FEATURES_PATH)
    for column in features["data_features"]["feature"]:
        column["is_target"] = str(column["name"] in targets).lower()
        column["is_row_identifier"] = "false"
    server.put_json(FEATURES_PATH, features)
    with pytest.raises(DataNotFoundError, match="one column to predict"):
        fetch()


def test_missing_label(fetch: Fetch, server: StandIn) -> None:
    """A label that is missing, though the description counts none, is not taken for a class."""
    server.put_weather(f"{ARFF}4,rain,60,?\n")
    with pytest.raises(DataNotFoundError, match="invalid value"):
        fetch()


def test_sparse(fetch: Fetch, server: StandIn) -> None:
    """A sparse matrix is refused: scikit-learn leaves the labels it does not list undefined."""
    head, _ = ARFF.split("@DATA")
    arff = f"{head}@DATA\n{{0 1,1 rain,2 85.5,3 yes}}\n"
    server.put_weather(arff, data_format="Sparse_ARFF")
    with pytest.raises(DataNotFoundError, match="not a dense table"):
        fetch()


def test_mirror_with_its_own_addresses(fetch: Fetch, server: StandIn) -> None:
    """A mirror may describe the data with its own addresses, below a path or not."""
    info = server.get_json(INFO_PATH)
    info["data_set_description"]["url"] = f"{server.url}/mirror{ARFF_PATH}"
    server.put_json(INFO_PATH, info)
    server.answers = {f"/mirror{path}": answer for path, answer in server.answers.items()}
    assert fetch(url=f"{server.url}/mirror").n_rows == 3


def test_descriptions_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenML itself may keep its data on another host; only a mirror has them all in one place."""
    opened: list[str] = []

    def record(request: Request, timeout: float) -> tuple[bytes, Message]:
        opened.append(request.full_url)
        return b"", Message()

    monkeypatch.setattr(openml, "download", record)
    elsewhere = Request("https://data.example.org/a/b.arff?c=d")
    openml._answer(elsewhere, openml.OPENML.home, 1.0)
    openml._answer(elsewhere, "http://mirror.example.org/openml", 1.0)
    assert opened == [elsewhere.full_url, "http://mirror.example.org/openml/a/b.arff?c=d"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", openml.OPENML.home])
def test_description_that_leads_to_a_local_file(address: str) -> None:
    """A description cannot pass off a file of this machine as data."""
    with pytest.raises(UnusableError, match="no address of data"):
        openml._answer(Request("file:///etc/hostname"), address, 1.0)


def test_answer_that_leads_out_of_the_cache(fetch: Fetch, server: StandIn, tmp_path: Path) -> None:
    """An answer cannot make scikit-learn write outside of the cache."""
    server.put_json(SEARCH_PATH, {"data": {"dataset": [{"did": "../" * 11 + "7"}]}})
    with pytest.raises(DataNotFoundError, match="no address of data"):
        fetch(cache=tmp_path / "deep" / "cache")
    assert server.asked == [SEARCH_PATH]
    assert not files_in(tmp_path)


def test_scikit_learn_is_left_as_it_was(fetch: Fetch) -> None:
    """After a fetch, good or bad, scikit-learn asks its own server again."""
    before = _openml.urlopen
    fetch()
    assert _openml.urlopen is before
    with pytest.raises(DataNotFoundError):
        fetch(name="other")
    assert _openml.urlopen is before


def test_other_threads_are_not_redirected(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever uses scikit-learn in another thread meanwhile reaches whom they meant to."""
    elsewhere: list[Any] = []
    monkeypatch.setattr(_openml, "urlopen", elsewhere.append)
    with openml._redirected(server.url, 1.0):
        thread = threading.Thread(target=lambda: _openml.urlopen("https://example.org"))
        thread.start()
        thread.join()
    assert elsewhere == ["https://example.org"]
    assert not server.asked
