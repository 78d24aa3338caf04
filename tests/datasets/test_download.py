"""Downloads from any archive: data sets are cached, and errors are explained."""

import errno
import gzip
import importlib.util
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from helpers.archive_server import PMLB_PATH, SEARCH_PATH, ArchiveServer, Response, files_in

from puretree.datasets import download
from puretree.datasets.dataset import Dataset
from puretree.datasets.openml import OPENML, fetch_openml
from puretree.datasets.pmlb import PMLB, fetch_pmlb
from puretree.errors import DataNotFoundError

pytestmark = pytest.mark.usefixtures("isolated")


@dataclass
class Download:
    """A download of the local server's data set of one archive, and the path that is requested first."""

    archive: download.Archive
    name: str
    path: str
    fetch: Callable[..., Dataset]


@pytest.fixture(params=["openml", "pmlb"])
def archived(request: pytest.FixtureRequest, server: ArchiveServer, tmp_path: Path) -> Download:
    """Test each archive in turn."""
    options: dict[str, Any] = {"cache": tmp_path, "url": server.url}
    if request.param == "openml":
        fetch = partial(fetch_openml, name="weather", **options)
        return Download(OPENML, "weather", SEARCH_PATH, fetch)
    return Download(PMLB, "tiny", PMLB_PATH, partial(fetch_pmlb, name="tiny", **options))


def test_second_call_uses_the_cache(archived: Download, server: ArchiveServer) -> None:
    """A data set is downloaded only once."""
    first = archived.fetch()
    n_requests = len(server.requests)
    server.responses.clear()
    assert archived.fetch().target.tolist() == first.target.tolist()
    assert len(server.requests) == n_requests


def test_caches_of_two_servers_are_separate(archived: Download, server: ArchiveServer) -> None:
    """A cached response of one server is not used for another."""
    archived.fetch()
    with pytest.raises(DataNotFoundError):
        archived.fetch(url=f"{server.url}/elsewhere")


@pytest.mark.parametrize(
    "corrupt",
    [lambda body: body[:-5], lambda body: b"", lambda body: b"corrupted"],
    ids=["truncated", "empty", "overwritten"],
)
def test_corrupted_cache_is_downloaded_again(
    corrupt: Callable[[bytes], bytes], archived: Download, server: ArchiveServer, tmp_path: Path
) -> None:
    """A cached file that is truncated, empty or overwritten is downloaded again, and then used."""
    archived.fetch()
    cached = files_in(tmp_path)
    for file in cached:
        file.write_bytes(corrupt(file.read_bytes()))
    assert archived.fetch().n_rows == 3
    assert len(server.requests) == 2 * len(cached)
    archived.fetch()
    assert len(server.requests) == 2 * len(cached)


def test_environment(
    archived: Download,
    server: ArchiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The environment variables set mirror and cache; arguments take precedence."""
    monkeypatch.setenv(archived.archive.mirror_variable, server.url)
    archived.fetch(cache=None, url=None)
    assert files_in(tmp_path / "default")
    monkeypatch.setenv(archived.archive.mirror_variable, "http://127.0.0.1:9/nobody")
    assert archived.fetch(cache=tmp_path / "argument").n_rows == 3
    assert files_in(tmp_path / "argument")


def test_no_home_folder(archived: Download, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home folder, the message says which variable to set, and nothing is requested."""
    monkeypatch.delenv("PURETREE_CACHE")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as without an entry for the user
    with pytest.raises(DataNotFoundError, match=r"~.*no such home folder; set PURETREE_CACHE"):
        archived.fetch(cache=None)
    assert not server.requests


def test_mirror_below_a_path(archived: Download, server: ArchiveServer) -> None:
    """The address of a mirror may have a path, with or without a trailing slash."""
    server.responses = {f"/mirror{path}": response for path, response in server.responses.items()}
    assert archived.fetch(url=f"{server.url}/mirror/").n_rows == 3
    server.responses.clear()
    assert archived.fetch(url=f"{server.url}/mirror").n_rows == 3


def test_not_found(archived: Download, server: ArchiveServer) -> None:
    """The message names the data set, the server, the variable and the remedy."""
    del server.responses[archived.path]
    with pytest.raises(DataNotFoundError) as caught:
        archived.fetch()
    mirror = f"{archived.archive.mirror_variable} to a mirror"
    for text in (repr(archived.name), server.url, "404", "check the name", mirror, "local file"):
        assert text in str(caught.value)


BAD_NAMES = ["", ".", "..", "../tiny", "a/b", "a\\b", "a b", "a?b", "tiny\n", "ä", 7]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(name: Any, archived: Download, server: ArchiveServer, tmp_path: Path) -> None:
    """A name that could be a path or part of an address is rejected before any request."""
    with pytest.raises(DataNotFoundError, match="not a valid name"):
        archived.fetch(name=name)
    assert not server.requests
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["file:///etc", "ftp://127.0.0.1", "..", "127.0.0.1"])
def test_bad_addresses(url: str, archived: Download) -> None:
    """Only http and https addresses are accepted."""
    with pytest.raises(DataNotFoundError, match="must begin with http"):
        archived.fetch(url=url)


def test_connection_refused(archived: Download) -> None:
    """If no server listens, the message says so and names the address."""
    with socket.create_server(("127.0.0.1", 0)) as closed_soon:
        port = closed_soon.getsockname()[1]
    with pytest.raises(DataNotFoundError, match=f"127.0.0.1:{port}.*refused"):
        archived.fetch(url=f"http://127.0.0.1:{port}")


def test_hanging_server(archived: Download, server: ArchiveServer) -> None:
    """A server that does not respond is abandoned after the time limit, without retries."""
    server.responses[archived.path] = Response(hangs=True)
    start = monotonic()
    with pytest.raises(DataNotFoundError, match="timed out"):
        archived.fetch(timeout=0.2)
    assert monotonic() - start < 10
    assert server.requests == [archived.path]


def test_incomplete_download(archived: Download, server: ArchiveServer) -> None:
    """A response shorter than its declared length is not used, even if it could be parsed."""
    body = server.responses[archived.path].body
    server.responses[archived.path] = Response(body, declared_length=len(body) + 10)
    with pytest.raises(DataNotFoundError, match=f"ended after {len(body)} of"):
        archived.fetch()
    server.responses[archived.path] = Response(body)
    assert archived.fetch().n_rows == 3


def test_response_too_large(archived: Download, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response larger than the limit is rejected, whatever its declared length."""
    monkeypatch.setattr(download, "MAX_BYTES", 20)
    with pytest.raises(DataNotFoundError, match="larger than 20 bytes"):
        archived.fetch()


def test_decompressed_too_large(archived: Download, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small response that decompresses to more than the limit is rejected too."""
    monkeypatch.setattr(download, "MAX_BYTES", 10_000)
    monkeypatch.setattr(download, "CHUNK_BYTES", 1_000)
    bomb = gzip.compress(bytes(1_000_000))
    assert len(bomb) < 10_000
    server.responses[archived.path] = Response(bomb, encoding="gzip")
    with pytest.raises(DataNotFoundError, match="larger than 10000 bytes"):
        archived.fetch()


def test_cache_that_cannot_be_written(archived: Download, tmp_path: Path) -> None:
    """If the cache folder cannot be created, the message names it and the variable to set."""
    cache = tmp_path / "a file, not a folder"
    cache.write_text("")
    with pytest.raises(DataNotFoundError, match=r"stored in .*a file, not.*PURETREE_CACHE"):
        archived.fetch(cache=cache)


def test_full_disk(archived: Download, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the message says so, and no incomplete file is left."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    monkeypatch.setattr("shutil.copyfileobj", fail)  # used by scikit-learn
    with pytest.raises(DataNotFoundError, match=r"stored in .*No space left.*free space"):
        archived.fetch()
    assert not files_in(tmp_path)


@pytest.mark.parametrize("module", ["download", "openml", "pmlb"])
def test_import_opens_no_connection(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the module opens no connection."""

    def fail(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", fail)
    monkeypatch.setattr(socket, "getaddrinfo", fail)
    spec = importlib.util.find_spec(f"puretree.datasets.{module}")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
