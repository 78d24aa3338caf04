"""Reading OpenML through scikit-learn; downloads in general are tested in ``test_download.py``."""

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
from helpers.archive_server import (
    ARFF,
    ARFF_PATH,
    FEATURES_PATH,
    INFO_PATH,
    SEARCH,
    SEARCH_PATH,
    VERSION_PATH,
    ArchiveServer,
    Response,
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
def fetch(server: ArchiveServer, tmp_path: Path) -> Fetch:
    """Download the local server's data set."""
    return partial(fetch_openml, name="weather", cache=tmp_path, url=server.url)


def test_table(fetch: Fetch, server: ArchiveServer) -> None:
    """Nominal columns are categorical, numeric ones numeric; missing values stay missing; row numbers are left out."""
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
def test_version(version: int | str, fetch: Fetch, server: ArchiveServer) -> None:
    """A version is requested by its number, as an integer or a string."""
    assert fetch(version=version).n_rows == 3
    assert server.requests[0] == VERSION_PATH


@pytest.mark.parametrize("version", [0, -1, "newest", "1/../2", 1.5])
def test_bad_versions(version: Any, fetch: Fetch, server: ArchiveServer) -> None:
    """A version is a number or "active"."""
    with pytest.raises(DataNotFoundError, match="neither a number nor 'active'"):
        fetch(version=version)
    assert not server.requests


def test_warning_of_several_versions(fetch: Fetch, server: ArchiveServer) -> None:
    """If a name stands for several data sets, scikit-learn's warning is shown."""
    server.set_json(SEARCH_PATH, {"data": {"dataset": SEARCH["data"]["dataset"] * 2}})
    with pytest.warns(UserWarning, match="Multiple active versions"):
        assert fetch().n_rows == 3


@pytest.mark.filterwarnings("error")
def test_warning_as_error(fetch: Fetch, server: ArchiveServer) -> None:
    """If warnings are errors, the warning is raised, not DataNotFoundError."""
    server.set_json(SEARCH_PATH, {"data": {"dataset": SEARCH["data"]["dataset"] * 2}})
    with pytest.raises(UserWarning, match="Multiple active versions"):
        fetch()


def test_no_such_data_set(fetch: Fetch, server: ArchiveServer) -> None:
    """OpenML's own status code for an unknown name is handled."""
    server.responses[SEARCH_PATH] = Response(status=412)
    with pytest.raises(DataNotFoundError, match="No active dataset weather found"):
        fetch()


@pytest.mark.parametrize("path", [SEARCH_PATH, INFO_PATH, ARFF_PATH])
def test_failure_is_final(
    path: str, fetch: Fetch, server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed request is not repeated, and leaves no file in the cache."""

    def fail(*_: object) -> None:
        raise AssertionError("sleep was called")

    failure = Response(status=500)
    if path == ARFF_PATH:
        server.set_arff(failure)
    else:
        server.responses[path] = failure
    monkeypatch.setattr("time.sleep", fail)
    with pytest.raises(DataNotFoundError, match="500"):
        fetch()
    assert len(server.requests) == len(set(server.requests))
    assert not files_in(tmp_path)


@pytest.mark.parametrize("path", [SEARCH_PATH, INFO_PATH, FEATURES_PATH])
@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]", b'{"data": {"dataset": []}}'])
def test_invalid_response(path: str, body: bytes, fetch: Fetch, server: ArchiveServer) -> None:
    """An invalid response is rejected and not cached, so that a later download succeeds."""
    server.responses[path] = Response(body)
    with pytest.raises(DataNotFoundError, match="'weather' cannot be downloaded from"):
        fetch()
    server.set_weather()
    assert fetch().n_rows == 3


def test_checksum(fetch: Fetch, server: ArchiveServer) -> None:
    """Data that do not match the checksum of the description are rejected."""
    server.set_arff(Response(ARFF.replace("85.5", "58.5").encode()))
    with pytest.raises(DataNotFoundError, match="md5 checksum"):
        fetch()


def test_invalid_arff(fetch: Fetch, server: ArchiveServer) -> None:
    """Data that are not ARFF are rejected."""
    server.set_weather(arff="what is this?\n")
    with pytest.raises(DataNotFoundError, match="Invalid layout of the ARFF file"):
        fetch()


@pytest.mark.parametrize("targets", [{"row", "humidity"}, set()], ids=["two", "none"])
def test_not_one_target(targets: set[str], fetch: Fetch, server: ArchiveServer) -> None:
    """A data set without a target column, or with two, is rejected."""
    features = server.get_json(FEATURES_PATH)
    for column in features["data_features"]["feature"]:
        column["is_target"] = str(column["name"] in targets).lower()
        column["is_row_identifier"] = "false"
    server.set_json(FEATURES_PATH, features)
    with pytest.raises(DataNotFoundError, match="one target column"):
        fetch()


def test_missing_label(fetch: Fetch, server: ArchiveServer) -> None:
    """A missing label that the description does not report is not read as a class."""
    server.set_weather(f"{ARFF}4,rain,60,?\n")
    with pytest.raises(DataNotFoundError, match="invalid value"):
        fetch()


def test_sparse(fetch: Fetch, server: ArchiveServer) -> None:
    """A sparse matrix is rejected: scikit-learn leaves labels that are not listed undefined."""
    head, _ = ARFF.split("@DATA")
    arff = f"{head}@DATA\n{{0 1,1 rain,2 85.5,3 yes}}\n"
    server.set_weather(arff, data_format="Sparse_ARFF")
    with pytest.raises(DataNotFoundError, match="not a dense table"):
        fetch()


def test_mirror_with_its_own_addresses(fetch: Fetch, server: ArchiveServer) -> None:
    """A mirror may use its own addresses in descriptions, with a path or not."""
    info = server.get_json(INFO_PATH)
    info["data_set_description"]["url"] = f"{server.url}/mirror{ARFF_PATH}"
    server.set_json(INFO_PATH, info)
    server.responses = {f"/mirror{path}": response for path, response in server.responses.items()}
    assert fetch(url=f"{server.url}/mirror").n_rows == 3


def test_descriptions_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenML itself may serve data from another host; with a mirror, all requests go to the mirror."""
    opened: list[str] = []

    def record(request: Request, timeout: float) -> tuple[bytes, Message]:
        opened.append(request.full_url)
        return b"", Message()

    monkeypatch.setattr(openml, "download", record)
    elsewhere = Request("https://data.example.org/a/b.arff?c=d")
    openml._respond(elsewhere, openml.OPENML.default_url, 1.0)
    openml._respond(elsewhere, "http://mirror.example.org/openml", 1.0)
    assert opened == [elsewhere.full_url, "http://mirror.example.org/openml/a/b.arff?c=d"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", openml.OPENML.default_url])
def test_description_with_a_local_file(address: str) -> None:
    """A description cannot refer to a local file."""
    with pytest.raises(UnusableError, match="not a valid address"):
        openml._respond(Request("file:///etc/hostname"), address, 1.0)


def test_response_with_a_path_out_of_the_cache(fetch: Fetch, server: ArchiveServer, tmp_path: Path) -> None:
    """A response cannot make scikit-learn write outside of the cache."""
    server.set_json(SEARCH_PATH, {"data": {"dataset": [{"did": "../" * 11 + "7"}]}})
    with pytest.raises(DataNotFoundError, match="not a valid address"):
        fetch(cache=tmp_path / "deep" / "cache")
    assert server.requests == [SEARCH_PATH]
    assert not files_in(tmp_path)


def test_scikit_learn_is_restored(fetch: Fetch) -> None:
    """After a download, successful or not, scikit-learn uses its own server again."""
    before = _openml.urlopen
    fetch()
    assert _openml.urlopen is before
    with pytest.raises(DataNotFoundError):
        fetch(name="other")
    assert _openml.urlopen is before


def test_other_threads_are_not_redirected(server: ArchiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of other threads through scikit-learn are not redirected."""
    elsewhere: list[Any] = []
    monkeypatch.setattr(_openml, "urlopen", elsewhere.append)
    with openml._redirected(server.url, 1.0):
        thread = threading.Thread(target=lambda: _openml.urlopen("https://example.org"))
        thread.start()
        thread.join()
    assert elsewhere == ["https://example.org"]
    assert not server.requests
