"""Data sets by name from OpenML (Vanschoren et al. 2014), where there is a network.

Most tables that the literature compares on have a name there, with types and versions on record.
scikit-learn can read the archive but not ask a mirror, keep to a time limit or distrust an answer,
so its requests are redirected to code that does. This runs when ``openml:NAME`` is asked for.
"""

from __future__ import annotations

import io
import re
import shutil
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request
from urllib.response import addinfourl

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import _openml
from sklearn.datasets import fetch_openml as ask_openml

from ..table import read_columns
from .dataset import Dataset
from .download import Archive, UnusableError, download, explained, unpack

OPENML = Archive(
    title="OpenML",
    mirror_variable="PURETREE_OPENML_URL",
    home="https://www.openml.org",
    names=re.compile(r"\w[\w.(),-]*", re.ASCII),
)
NO_SUCH_DATASET = 412  # an HTTP status that scikit-learn knows how to read


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
    address = OPENML.address(url)
    kept_as = quote(f"{name}-{version}".lower(), safe="(),")
    folder = OPENML.cache_folder(address, cache) / kept_as
    with explained(OPENML, name, address, folder):
        OPENML.check_request(name, address)
        if not re.fullmatch("active|[1-9][0-9]*", str(version)):
            raise UnusableError(f"version {version!r} is neither a number nor 'active'")
        was_kept = folder.exists()
        try:
            return _read(name, version, folder, address, timeout)
        except Exception as error:
            # scikit-learn keeps wrong answers, and some releases do not replace spoilt files.
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, UnusableError) or not was_kept:
                raise
        return _read(name, version, folder, address, timeout)


def _read(name: str, version: int | str, folder: Path, address: str, timeout: float) -> Dataset:
    # A missing label that OpenML does not count is NaN cast to a class: on some machines the first.
    with _redirected(address, timeout), np.errstate(invalid="raise"), warnings.catch_warnings():
        # A spoilt file in the cache is fetched again: nothing that a user must know.
        warnings.filterwarnings("ignore", "Invalid cache", RuntimeWarning)
        bunch = ask_openml(
            name,
            version=version if version == "active" else int(version),
            data_home=folder,
            as_frame=False,  # with liac-arff, the way that does without pandas
            parser="liac-arff",
        )
    if issparse(bunch.data) or len(bunch.target_names) != 1:
        raise UnusableError("it is not a dense table with one column to predict")
    coded = zip(bunch.feature_names, bunch.data.T, strict=True)
    columns = {column: _decode(codes, bunch.categories.get(column)) for column, codes in coded}
    source = f"{address}/d/{bunch.details['id']}"
    return Dataset(name, read_columns(columns), bunch.target, bunch.target_names[0], source)


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
    so that is what is replaced, by one thread at a time. It also waits and repeats failed requests,
    some of them whatever ``n_retries`` says: here the first failure stands for the rest.
    """
    owner = threading.get_ident()
    failures: list[UnusableError] = []

    def open_here(request: Request, **options: Any) -> Any:
        if threading.get_ident() != owner:
            return original(request, **options)
        if not failures:
            try:
                return _answer(request, address, timeout)
            except UnusableError as error:
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
        raise UnusableError(f"it refers to {url}, which is no address of data")
    # A mirror hands on OpenML's descriptions, with the absolute addresses in them.
    if address != OPENML.home and not url.startswith(f"{address}/"):
        url = address + parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        body, headers = download(Request(url, headers={"Accept-Encoding": "gzip"}), timeout)
    except HTTPError as error:
        if error.code == NO_SUCH_DATASET:
            raise
        raise UnusableError(str(error)) from error
    if headers.get("Content-Encoding") == "gzip":
        body = unpack(body)
    return addinfourl(io.BytesIO(body), Message(), url)
