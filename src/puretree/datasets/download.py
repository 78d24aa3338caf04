"""What fetching from OpenML and from PMLB shares: where to ask, where to keep, what to trust.

A network fails in more ways than a file: it is absent, slow, breaks off, or a stranger answers. So
an answer is limited in time and size, and whatever goes wrong on the way (no network, a lying
server, a full disk) becomes a :class:`~puretree.DataNotFoundError` that names cause and remedy.

Nothing here runs until a data set of an archive is asked for; what was fetched is kept and not
fetched again. An archive's variable (PURETREE_OPENML_URL, PURETREE_PMLB_URL) names a mirror,
PURETREE_CACHE the folder that keeps things (``~/.cache/puretree`` by default); an argument goes
before its variable.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from ..errors import DataNotFoundError

MAX_BYTES = 500_000_000  # of one answer, packed or not: a lying server must not fill the memory
CHUNK_BYTES = 1 << 20
CACHE_VARIABLE = "PURETREE_CACHE"


class UnusableError(Exception):
    """What was asked for, or what the server answered, cannot be used."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A place on the network that has data sets by name.

    Parameters
    ----------
    title : str
        What people call it.
    mirror_variable : str
        The environment variable that names a server to ask instead.
    home : str
        The address of its own server.
    names : re.Pattern
        What its names look like. They go into addresses and paths: no slash, and no dot in front.
    """

    title: str
    mirror_variable: str
    home: str
    names: re.Pattern[str]

    def address(self, url: str | None) -> str:
        """Return the server to ask: the one given, the mirror, or the archive's own."""
        return (url or os.environ.get(self.mirror_variable) or self.home).rstrip("/")

    def cache_folder(self, address: str, cache: Path | None) -> Path:
        """Return where one server's answers are kept: a mirror's must not pass for another's."""
        root = Path(cache or os.environ.get(CACHE_VARIABLE) or "~/.cache/puretree")
        try:
            root = root.expanduser()
        except RuntimeError as error:
            raise DataNotFoundError(
                f"the cache {root} cannot be located: there is no such home folder; set "
                f"{CACHE_VARIABLE} to a folder that can be written to"
            ) from error
        return root / self.title.lower() / quote(address, safe="")

    def check_request(self, name: str, address: str) -> None:
        """Refuse what could lead elsewhere than to a data set on a web server."""
        if not isinstance(name, str) or not self.names.fullmatch(name):
            raise UnusableError("no data set there can have such a name")
        if urlsplit(address).scheme not in ("http", "https"):
            raise UnusableError("an address begins with http:// or https://")


@contextmanager
def explained(archive: Archive, name: str, address: str, folder: Path) -> Iterator[None]:
    """Turn whatever goes wrong into a message with cause and remedy."""
    try:
        yield
    except UserWarning:
        raise  # for a user who wants warnings to be errors
    except Exception as error:  # scikit-learn trips over a bad answer in many ways
        what, why = f"{archive.title} data set {name!r}", str(error)
        if isinstance(error, LookupError | TypeError | AttributeError):
            why = f"the answer makes no sense ({error!r})"
        if isinstance(error, OSError) and not isinstance(error, URLError):
            raise DataNotFoundError(
                f"{what} cannot be kept in {folder}: {why}; make room there, or set "
                f"{CACHE_VARIABLE} to a folder that can be written to"
            ) from error
        raise DataNotFoundError(
            f"{what} cannot be had from {address}: {why}; check the name and the network, set "
            f"{archive.mirror_variable} to a mirror, or use a local file"
        ) from error


def download(request: Request, timeout: float) -> tuple[bytes, Message]:
    """Return the whole body and the headers.

    Raises
    ------
    HTTPError
        If the server says that it failed; some archives mean something by the number.
    UnusableError
        If it says nothing, too much, or less than it promised.
    """
    try:
        with urlopen(request, timeout=timeout) as response:
            body, headers = _read_limited(response), response.headers
    except HTTPError as error:
        error.close()  # else its socket lives as long as the traceback
        raise
    except (OSError, HTTPException, ValueError) as error:
        raise UnusableError(str(error) or type(error).__name__) from error
    promised = headers.get("Content-Length", str(len(body)))
    if promised != str(len(body)):
        raise UnusableError(f"the answer broke off after {len(body)} of {promised} bytes")
    return body, headers


def unpack(body: bytes) -> bytes:
    """Return what a gzip file contains, if it is whole and not too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
            return _read_limited(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise UnusableError(f"the answer is not a whole gzip file ({error})") from error


def _read_limited(stream: IO[bytes] | gzip.GzipFile) -> bytes:
    body = bytearray()
    while chunk := stream.read(CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_BYTES:
            raise UnusableError(f"the answer is larger than {MAX_BYTES} bytes")
    return bytes(body)


def write_whole(path: Path, body: bytes) -> None:
    """Write the file whole or not at all: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        draft = Path(scratch) / path.name
        draft.write_bytes(body)
        draft.replace(path)
