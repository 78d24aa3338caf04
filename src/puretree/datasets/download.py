"""Common parts of downloading from OpenML and PMLB: server addresses, the cache, and error handling.

A network fails in more ways than a file: it is missing, slow, or interrupted, or the server sends something else. So a
response is limited in time and size, and every failure (no network, an invalid response, a full disk) becomes a
:class:`~puretree.DataNotFoundError` that names cause and remedy.

Nothing is downloaded until a data set of an archive is loaded, and a data set is downloaded only once. The environment
variables PURETREE_OPENML_URL and PURETREE_PMLB_URL set a mirror of the archive, PURETREE_CACHE the cache folder
(``~/.cache/puretree`` by default); arguments take precedence over variables.
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

MAX_BYTES = 500_000_000  # of one response, compressed or not: a server must not fill the memory
CHUNK_BYTES = 1 << 20
CACHE_VARIABLE = "PURETREE_CACHE"


class UnusableError(Exception):
    """The request or the response of the server cannot be used."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A server with data sets by name.

    Parameters
    ----------
    title : str
        Name of the archive.
    mirror_variable : str
        The environment variable with the URL of a mirror.
    default_url : str
        URL of the archive itself.
    names : re.Pattern
        Pattern of valid names. They become part of URLs and paths: no slash, and no leading dot.
    """

    title: str
    mirror_variable: str
    default_url: str
    names: re.Pattern[str]

    def address(self, url: str | None) -> str:
        """Return the URL of the server: the argument, the mirror, or the archive itself."""
        return (url or os.environ.get(self.mirror_variable) or self.default_url).rstrip("/")

    def cache_folder(self, address: str, cache: Path | None) -> Path:
        """Return the cache folder of one server: responses of different servers are kept apart."""
        root = Path(cache or os.environ.get(CACHE_VARIABLE) or "~/.cache/puretree")
        try:
            root = root.expanduser()
        except RuntimeError as error:
            raise DataNotFoundError(
                f"the cache folder {root} cannot be located: there is no such home folder; set {CACHE_VARIABLE} to a "
                "writable folder"
            ) from error
        return root / self.title.lower() / quote(address, safe="")

    def check_request(self, name: str, address: str) -> None:
        """Reject a name or an address that could lead elsewhere than to a data set on a web server."""
        if not isinstance(name, str) or not self.names.fullmatch(name):
            raise UnusableError("this is not a valid name of a data set")
        if urlsplit(address).scheme not in ("http", "https"):
            raise UnusableError("the address must begin with http:// or https://")


@contextmanager
def explain_errors(archive: Archive, name: str, address: str, folder: Path) -> Iterator[None]:
    """Turn any error into a DataNotFoundError with cause and remedy."""
    try:
        yield
    except UserWarning:
        raise  # the user turned warnings into errors
    except Exception as error:  # scikit-learn raises many kinds of errors on invalid responses
        dataset, cause = f"{archive.title} data set {name!r}", str(error)
        if isinstance(error, LookupError | TypeError | AttributeError):
            cause = f"the response is invalid ({error!r})"
        if isinstance(error, OSError) and not isinstance(error, URLError):
            raise DataNotFoundError(
                f"{dataset} cannot be stored in {folder}: {cause}; free space there, or set {CACHE_VARIABLE} to a "
                "writable folder"
            ) from error
        raise DataNotFoundError(
            f"{dataset} cannot be downloaded from {address}: {cause}; check the name and the network, set "
            f"{archive.mirror_variable} to a mirror, or use a local file"
        ) from error


def download(request: Request, timeout: float) -> tuple[bytes, Message]:
    """Return the complete body and the headers of a response.

    Raises
    ------
    HTTPError
        If the server reports an error; some archives use special status codes.
    UnusableError
        If the response is missing, too large, or shorter than its declared length.
    """
    try:
        with urlopen(request, timeout=timeout) as response:
            body, headers = _read_limited(response), response.headers
    except HTTPError as error:
        error.close()  # else its socket stays open as long as the traceback exists
        raise
    except (OSError, HTTPException, ValueError) as error:
        raise UnusableError(str(error) or type(error).__name__) from error
    declared = headers.get("Content-Length", str(len(body)))
    if declared != str(len(body)):
        raise UnusableError(f"the response ended after {len(body)} of {declared} bytes")
    return body, headers


def decompress(body: bytes) -> bytes:
    """Return the content of a gzip file, if it is complete and not too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            return _read_limited(file)
    except (OSError, EOFError, zlib.error) as error:
        raise UnusableError(f"the response is not a complete gzip file ({error})") from error


def _read_limited(stream: IO[bytes] | gzip.GzipFile) -> bytes:
    body = bytearray()
    while chunk := stream.read(CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_BYTES:
            raise UnusableError(f"the response is larger than {MAX_BYTES} bytes")
    return bytes(body)


def write_atomically(path: Path, body: bytes) -> None:
    """Write a file atomically, by a rename: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        temporary = Path(folder) / path.name
        temporary.write_bytes(body)
        temporary.replace(path)
