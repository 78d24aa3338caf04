"""Data sets by name from OpenML and PMLB, where there is a network.

A comparison with other work needs the tables that work used, and most of them have a name in one
of two archives: OpenML (Vanschoren et al. 2014) and PMLB (Olson et al. 2017, Romano et al. 2021).
Nothing is fetched until a function is called; what was fetched is kept and not fetched again.

The environment variables PURETREE_OPENML_URL and PURETREE_PMLB_URL name a mirror, PURETREE_CACHE
the folder that keeps things (``~/.cache/puretree`` by default); an argument goes before its
variable. Whatever goes wrong on the way (no network, a slow or a lying server, a full disk) is a
:class:`~puretree.DataNotFoundError` that says so.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import shutil
import tempfile
import threading
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen
from urllib.response import addinfourl

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import _openml
from sklearn.datasets import fetch_openml as ask_openml

from ..errors import DataNotFoundError
from ..predicate import is_missing
from ..table import Table
from .dataset import Dataset

MAX_BYTES = 500_000_000  # of one answer, packed or not: a lying server must not fill the memory
CHUNK_BYTES = 1 << 20
CACHE_VARIABLE = "PURETREE_CACHE"
OPENML_GENERIC_ERROR = 412  # OpenML's "no such data set", which scikit-learn knows how to read


@dataclass(frozen=True, slots=True)
class _Archive:
    title: str
    mirror_variable: str
    home: str
    names: re.Pattern[str]  # they go into addresses and paths: no slash, and no dot in front


OPENML = _Archive(
    "OpenML", "PURETREE_OPENML_URL", "https://www.openml.org", re.compile(r"\w[\w.(),-]*", re.ASCII)
)
PMLB = _Archive(
    "PMLB",
    "PURETREE_PMLB_URL",
    "https://github.com/EpistasisLab/pmlb/raw/master/datasets",
    re.compile(r"\w[\w.-]*", re.ASCII),
)


class _UnusableError(Exception):
    """What was asked for, or what the server answered, cannot be used."""


def fetch_openml(
    name: str,
    *,
    version: int | str = "active",
    cache: Path | None = None,
    url: str | None = None,
    timeout: float = 30.0,
) -> Dataset:
    """Fetch a data set of OpenML: nominal columns as categories, numeric ones as numbers.

    Parameters
    ----------
    name : str
        Its name on OpenML; upper and lower case are the same there.
    version : int or "active", default="active"
        Several data sets share a name; "active" takes the oldest one without known faults.
    cache : path, optional
        The folder that keeps what was fetched.
    url : str, optional
        The server to ask instead of OpenML's own; it need only serve the same paths.
    timeout : float, default=30.0
        How many seconds the server may stay silent.

    Returns
    -------
    Dataset
    """
    address = _address(OPENML, url)
    folder = _cache_folder(OPENML, address, cache) / quote(f"{name}-{version}".lower(), safe="(),")
    with _explained(OPENML, name, address, folder):
        _check_request(OPENML, name, address)
        if not re.fullmatch("active|[1-9][0-9]*", str(version)):
            raise _UnusableError(f"version {version!r} is neither a number nor 'active'")
        try:
            return _read_openml(name, version, folder, address, timeout)
        except Exception:
            # A well-formed but wrong answer would come from the cache for ever.
            shutil.rmtree(folder, ignore_errors=True)
            raise


def fetch_pmlb(
    name: str, *, cache: Path | None = None, url: str | None = None, timeout: float = 30.0
) -> Dataset:
    """Fetch a data set of PMLB, where categories are numbered, so that all columns are numbers.

    Parameters
    ----------
    name : str
        Its name in PMLB.
    cache : path, optional
        The folder that keeps what was fetched.
    url : str, optional
        The server to ask, up to the folder that has ``{name}/{name}.tsv.gz``.
    timeout : float, default=30.0
        How many seconds the server may stay silent.

    Returns
    -------
    Dataset
    """
    base = _address(PMLB, url)
    address, folder = f"{base}/{name}/{name}.tsv.gz", _cache_folder(PMLB, base, cache)
    with _explained(PMLB, name, address, folder):
        _check_request(PMLB, name, address)
        path = folder / f"{name}.tsv.gz"
        try:
            return _read_pmlb(name, address, path.read_bytes())
        except (OSError, _UnusableError):  # not there, or spoilt
            body, _ = _download(Request(address), timeout)
        dataset = _read_pmlb(name, address, body)  # first read, then kept: only tables are
        _write(path, body)
        return dataset


def _address(archive: _Archive, url: str | None) -> str:
    return (url or os.environ.get(archive.mirror_variable) or archive.home).rstrip("/")


def _cache_folder(archive: _Archive, address: str, cache: Path | None) -> Path:
    """Return where one server's answers are kept: a mirror's must not pass for the original's."""
    root = Path(cache or os.environ.get(CACHE_VARIABLE) or "~/.cache/puretree").expanduser()
    return root / archive.title.lower() / quote(address, safe="")


def _check_request(archive: _Archive, name: str, address: str) -> None:
    if not isinstance(name, str) or not archive.names.fullmatch(name):
        raise _UnusableError("no data set there can have such a name")
    if urlsplit(address).scheme not in ("http", "https"):
        raise _UnusableError("an address begins with http:// or https://")


@contextmanager
def _explained(archive: _Archive, name: str, address: str, folder: Path) -> Iterator[None]:
    """Turn whatever goes wrong into a message with cause and remedy."""
    try:
        yield
    except Warning:
        raise  # of a user who wants warnings to be errors
    except Exception as error:  # scikit-learn trips over a bad answer in many ways
        what, why = f"{archive.title} data set {name!r}", str(error) or type(error).__name__
        if isinstance(error, OSError) and not isinstance(error, URLError):
            raise DataNotFoundError(
                f"{what} cannot be kept in {folder}: {why}; make room there, or set "
                f"{CACHE_VARIABLE} to a folder that can be written to"
            ) from error
        raise DataNotFoundError(
            f"{what} cannot be had from {address}: {why}; check the name and the network, set "
            f"{archive.mirror_variable} to a mirror, or use a local file"
        ) from error


def _download(request: Request, timeout: float) -> tuple[bytes, Message]:
    """Return the whole body and the headers."""
    try:
        with urlopen(request, timeout=timeout) as response:
            body, headers = _read_limited(response), response.headers
    except HTTPError as error:
        error.close()  # else its socket lives as long as the traceback
        if error.code == OPENML_GENERIC_ERROR:
            raise
        raise _UnusableError(str(error)) from error
    except (OSError, HTTPException, ValueError) as error:
        raise _UnusableError(str(error) or type(error).__name__) from error
    promised = headers.get("Content-Length", str(len(body)))
    if promised != str(len(body)):
        raise _UnusableError(f"the answer broke off after {len(body)} of {promised} bytes")
    return body, headers


def _read_limited(stream: IO[bytes]) -> bytes:
    body = bytearray()
    while chunk := stream.read(CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_BYTES:
            raise _UnusableError(f"the answer is larger than {MAX_BYTES} bytes")
    return bytes(body)


def _unpack(body: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
            return _read_limited(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise _UnusableError(f"the answer is not a whole gzip file ({error})") from error


def _write(path: Path, body: bytes) -> None:
    """Write the file whole or not at all: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        draft = Path(scratch) / path.name
        draft.write_bytes(body)
        draft.replace(path)


def _read_pmlb(name: str, address: str, body: bytes) -> Dataset:
    try:
        text = io.StringIO(_unpack(body).decode("utf-8"), newline="")
        header, *rows = filter(None, csv.reader(text, delimiter="\t"))
        cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    except (ValueError, csv.Error) as error:
        raise _UnusableError(f"the file is not a table ({error})") from error
    if len(cells) < max(2, len(header)) or "target" not in cells:
        raise _UnusableError("the file needs a column 'target' and others, each named once")
    columns = {column: _numbers_or_strings(values) for column, values in cells.items()}
    labels = list(columns.pop("target"))
    if any(map(is_missing, labels)):
        raise _UnusableError("the file has rows without a label")
    if all(isinstance(label, float) and label.is_integer() for label in labels):
        labels = [int(label) for label in labels]
    return Dataset(name, Table.from_dict(columns), np.array(labels), "target", address)


def _numbers_or_strings(cells: tuple[str, ...]) -> Any:
    strings = [cell or None for cell in cells]
    if any("_" in cell for cell in cells):  # Python reads 1_000 as a number; nobody else does
        return strings
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return strings


def _read_openml(
    name: str, version: int | str, folder: Path, address: str, timeout: float
) -> Dataset:
    with _redirected(address, timeout), warnings.catch_warnings():
        # A spoilt file in the cache is fetched again: nothing that a user must know.
        warnings.filterwarnings("ignore", "Invalid cache", RuntimeWarning)
        bunch = ask_openml(
            name,
            version=version if version == "active" else int(version),
            data_home=folder,
            as_frame=False,  # with liac-arff, the way that does without pandas
            parser="liac-arff",
            n_retries=0,
        )
    if issparse(bunch.data) or len(bunch.target_names) != 1:
        raise _UnusableError("it is not a dense table with one column to predict")
    columns = zip(bunch.feature_names, bunch.data.T, strict=True)
    table = Table.from_dict(
        {column: _decode(codes, bunch.categories.get(column)) for column, codes in columns}
    )
    source = f"{address}/d/{bunch.details['id']}"
    return Dataset(name, table, bunch.target, bunch.target_names[0], source)


def _decode(codes: Any, levels: list[str] | None) -> Any:
    if levels is None:
        return codes
    return [None if np.isnan(code) else levels[int(code)] for code in codes]


_redirecting = threading.Lock()


@contextmanager
def _redirected(address: str, timeout: float) -> Iterator[None]:
    """Let scikit-learn's requests from this thread go to ``address``, within time and size.

    scikit-learn has an option neither for the server nor for a time limit, and its constants with
    the addresses differ between releases. But all its requests go through one name, ``urlopen``,
    so that is what is replaced, by one thread at a time. It also repeats failed requests, some of
    them whatever ``n_retries`` says: here the first failure stands for the rest.
    """
    owner = threading.get_ident()
    failures: list[_UnusableError] = []

    def open_here(request: Request, **options: Any) -> Any:
        if threading.get_ident() != owner:
            return urlopen(request, **options)
        if not failures:
            try:
                return _answer(request, address, timeout)
            except _UnusableError as error:
                failures.append(error)
        raise failures[0]

    with _redirecting:
        original, _openml.urlopen = _openml.urlopen, open_here
        try:
            yield
        finally:
            _openml.urlopen = original


def _answer(request: Request, address: str, timeout: float) -> addinfourl:
    """Return what the server says, unpacked, in the form of ``urlopen``."""
    url, parts = request.full_url, urlsplit(request.full_url)
    if parts.scheme not in ("http", "https") or ".." in parts.path:  # it goes into a path as well
        raise _UnusableError(f"it refers to {url}, which is no address of data")
    # A mirror hands on OpenML's descriptions, with the absolute addresses in them.
    if address != OPENML.home and not url.startswith(f"{address}/"):
        url = address + parts.path + (f"?{parts.query}" if parts.query else "")
    body, headers = _download(Request(url, headers={"Accept-Encoding": "gzip"}), timeout)
    if headers.get("Content-Encoding") == "gzip":
        body = _unpack(body)
    return addinfourl(io.BytesIO(body), Message(), url)
