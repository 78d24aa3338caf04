"""Whatever archive is asked: what was fetched is kept, and what goes wrong is explained."""

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
from helpers.stand_in import PMLB_PATH, SEARCH_PATH, Answer, StandIn, files_in

from puretree.datasets import download
from puretree.datasets.dataset import Dataset
from puretree.datasets.openml import OPENML, fetch_openml
from puretree.datasets.pmlb import PMLB, fetch_pmlb
from puretree.errors import DataNotFoundError

pytestmark = pytest.mark.usefixtures("isolated")


@dataclass
class Door:
    """How to get the stand-in's data set of one archive, and the path that is asked for first."""

    archive: download.Archive
    name: str
    path: str
    fetch: Callable[..., Dataset]


@pytest.fixture(params=["openml", "pmlb"])
def door(request: pytest.FixtureRequest, server: StandIn, tmp_path: Path) -> Door:
    """Test each archive in turn."""
    options: dict[str, Any] = {"cache": tmp_path, "url": server.url}
    if request.param == "openml":
        fetch = partial(fetch_openml, name="weather", **options)
        return Door(OPENML, "weather", SEARCH_PATH, fetch)
    return Door(PMLB, "tiny", PMLB_PATH, partial(fetch_pmlb, name="tiny", **options))


def test_second_call_comes_from_the_cache(door: Door, server: StandIn) -> None:
    """What was fetched is not fetched again."""
    first = door.fetch()
    n_asked = len(server.asked)
    server.answers.clear()
    assert door.fetch().target.tolist() == first.target.tolist()
    assert len(server.asked) == n_asked


def test_caches_of_two_servers_are_apart(door: Door, server: StandIn) -> None:
    """What one server said is not passed off as what another says."""
    door.fetch()
    with pytest.raises(DataNotFoundError):
        door.fetch(url=f"{server.url}/elsewhere")


@pytest.mark.parametrize(
    "spoil",
    [lambda body: body[:-5], lambda body: b"", lambda body: b"spoilt"],
    ids=["cut", "empty", "overwritten"],
)
def test_spoilt_cache_is_fetched_again(
    spoil: Callable[[bytes], bytes], door: Door, server: StandIn, tmp_path: Path
) -> None:
    """A cached file that is cut short, empty or overwritten is replaced, and then used again."""
    door.fetch()
    kept = files_in(tmp_path)
    for file in kept:
        file.write_bytes(spoil(file.read_bytes()))
    assert door.fetch().n_rows == 3
    assert len(server.asked) == 2 * len(kept)
    door.fetch()
    assert len(server.asked) == 2 * len(kept)


def test_environment(
    door: Door,
    server: StandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The variables name mirror and cache; an argument goes before them."""
    monkeypatch.setenv(door.archive.mirror_variable, server.url)
    door.fetch(cache=None, url=None)
    assert files_in(tmp_path / "default")
    monkeypatch.setenv(door.archive.mirror_variable, "http://127.0.0.1:9/nobody")
    assert door.fetch(cache=tmp_path / "given").n_rows == 3
    assert files_in(tmp_path / "given")


def test_no_home_folder(door: Door, server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody is at home, the message says which variable to set, and nobody is asked."""
    monkeypatch.delenv("PURETREE_CACHE")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as without an entry for the user
    with pytest.raises(DataNotFoundError, match=r"~.*no such home folder; set PURETREE_CACHE"):
        door.fetch(cache=None)
    assert not server.asked


def test_mirror_below_a_path(door: Door, server: StandIn) -> None:
    """A mirror may sit below a path, with or without a slash at the end."""
    server.answers = {f"/mirror{path}": answer for path, answer in server.answers.items()}
    assert door.fetch(url=f"{server.url}/mirror/").n_rows == 3
    server.answers.clear()
    assert door.fetch(url=f"{server.url}/mirror").n_rows == 3


def test_not_found(door: Door, server: StandIn) -> None:
    """The message names the data set, where it was looked for, the variable and the way out."""
    del server.answers[door.path]
    with pytest.raises(DataNotFoundError) as caught:
        door.fetch()
    mirror = f"{door.archive.mirror_variable} to a mirror"
    for part in (repr(door.name), server.url, "404", "check the name", mirror, "local file"):
        assert part in str(caught.value)


BAD_NAMES = ["", ".", "..", "../tiny", "a/b", "a\\b", "a b", "a?b", "tiny\n", "ä", 7]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(name: Any, door: Door, server: StandIn, tmp_path: Path) -> None:
    """A name that could be a path or part of an address is refused before anything is asked."""
    with pytest.raises(DataNotFoundError, match="such a name"):
        door.fetch(name=name)
    assert not server.asked
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["file:///etc", "ftp://127.0.0.1", "..", "127.0.0.1"])
def test_bad_addresses(url: str, door: Door) -> None:
    """Only web servers are asked."""
    with pytest.raises(DataNotFoundError, match="begins with http"):
        door.fetch(url=url)


def test_nothing_listens(door: Door) -> None:
    """Where nobody listens, the message says so and names the address."""
    with socket.create_server(("127.0.0.1", 0)) as closed_soon:
        port = closed_soon.getsockname()[1]
    with pytest.raises(DataNotFoundError, match=f"127.0.0.1:{port}.*refused"):
        door.fetch(url=f"http://127.0.0.1:{port}")


def test_hanging_server(door: Door, server: StandIn) -> None:
    """A server that accepts and stays silent is given up after the time limit, once for all."""
    server.answers[door.path] = Answer(hangs=True)
    began = monotonic()
    with pytest.raises(DataNotFoundError, match="timed out"):
        door.fetch(timeout=0.2)
    assert monotonic() - began < 10
    assert server.asked == [door.path]


def test_download_breaks_off(door: Door, server: StandIn) -> None:
    """A download shorter than promised is not used, even if what came could be read."""
    body = server.answers[door.path].body
    server.answers[door.path] = Answer(body, promised=len(body) + 10)
    with pytest.raises(DataNotFoundError, match=f"broke off after {len(body)} of"):
        door.fetch()
    server.answers[door.path] = Answer(body)
    assert door.fetch().n_rows == 3


def test_answer_too_large(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer larger than the limit is given up, whatever length it promised."""
    monkeypatch.setattr(download, "MAX_BYTES", 20)
    with pytest.raises(DataNotFoundError, match="larger than 20 bytes"):
        door.fetch()


def test_unpacked_too_large(door: Door, server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small answer that unpacks to more than the limit is given up too."""
    monkeypatch.setattr(download, "MAX_BYTES", 10_000)
    monkeypatch.setattr(download, "CHUNK_BYTES", 1_000)
    bomb = gzip.compress(bytes(1_000_000))
    assert len(bomb) < 10_000
    server.answers[door.path] = Answer(bomb, encoding="gzip")
    with pytest.raises(DataNotFoundError, match="larger than 10000 bytes"):
        door.fetch()


def test_cache_that_cannot_be_written(door: Door, tmp_path: Path) -> None:
    """Where the cache folder cannot be made, the message names it and the variable to change."""
    cache = tmp_path / "a file, not a folder"
    cache.write_text("")
    with pytest.raises(DataNotFoundError, match=r"kept in .*a file, not.*PURETREE_CACHE"):
        door.fetch(cache=cache)


def test_full_disk(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the message says so, and no half file is left."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    monkeypatch.setattr("shutil.copyfileobj", fail)  # what scikit-learn writes with
    with pytest.raises(DataNotFoundError, match=r"kept in .*No space left.*make room"):
        door.fetch()
    assert not files_in(tmp_path)


@pytest.mark.parametrize("module", ["download", "openml", "pmlb"])
def test_import_asks_nobody(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Running the module's code opens no connection."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    spec = importlib.util.find_spec(f"puretree.datasets.{module}")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
