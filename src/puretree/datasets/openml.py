"""Data sets from OpenML (Vanschoren et al. 2014), downloaded for names like ``openml:NAME``.

Most tables that the literature compares on are there, with column types and versions. scikit-learn reads the archive,
but supports neither mirrors nor time limits and does not validate responses, so its requests are redirected to
:mod:`puretree.datasets.download`.
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
from sklearn.datasets import fetch_openml as sklearn_fetch_openml

from ..table import read_columns
from .dataset import Dataset
from .download import Archive, UnusableError, decompress, download, explain_errors

OPENML = Archive(
    title="OpenML",
    mirror_variable="PURETREE_OPENML_URL",
    default_url="https://www.openml.org",
    names=re.compile(r"\w[\w.(),-]*", re.ASCII),
)
NO_SUCH_DATASET = 412  # an HTTP status that scikit-learn handles


def fetch_openml(
    name: str,
    *,
    version: int | str = "active",
    cache: Path | None = None,
    url: str | None = None,
    timeout: float = 30.0,
) -> Dataset:
    """Download a data set from OpenML: nominal columns become categorical, numeric ones stay numeric.

    Parameters
    ----------
    name : str
        Its name on OpenML, which is not case-sensitive.
    version : int or "active", default="active"
        Several data sets may share a name; "active" selects the oldest one without known errors.
    cache : path, optional
        The cache folder.
    url : str, optional
        URL of a server to use instead of OpenML; it must serve the same paths.
    timeout : float, default=30.0
        Seconds to wait for the server.

    Returns
    -------
    Dataset
    """
    address = OPENML.address(url)
    cache_name = quote(f"{name}-{version}".lower(), safe="(),")
    folder = OPENML.cache_folder(address, cache) / cache_name
    with explain_errors(OPENML, name, address, folder):
        OPENML.check_request(name, address)
        if not re.fullmatch("active|[1-9][0-9]*", str(version)):
            raise UnusableError(f"version {version!r} is neither a number nor 'active'")
        was_cached = folder.exists()
        try:
            return _read(name, version, folder, address, timeout)
        except Exception as error:
            # scikit-learn caches invalid responses, and some releases do not replace corrupted files.
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, UnusableError) or not was_cached:
                raise
        return _read(name, version, folder, address, timeout)


def _read(name: str, version: int | str, folder: Path, address: str, timeout: float) -> Dataset:
    # A missing label that OpenML does not report is a NaN cast to a class, on some machines the first one.
    with _redirected(address, timeout), np.errstate(invalid="raise"), warnings.catch_warnings():
        # A corrupted file in the cache is downloaded again: not relevant to the user.
        warnings.filterwarnings("ignore", "Invalid cache", RuntimeWarning)
        bunch = sklearn_fetch_openml(
            name,
            version=version if version == "active" else int(version),
            data_home=folder,
            as_frame=False,  # with liac-arff, this does not need pandas
            parser="liac-arff",
        )
    if issparse(bunch.data) or len(bunch.target_names) != 1:
        raise UnusableError("it is not a dense table with one target column")
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
    """Redirect scikit-learn's requests of this thread to ``address``, limited in time and size.

    scikit-learn has no option for the server or for a time limit, and its constants with the addresses differ between
    releases. But all its requests go through one name, ``urlopen``, which is replaced here, by one thread at a time.
    scikit-learn also waits and repeats failed requests, some of them regardless of ``n_retries``: here the first
    failure is final.
    """
    owner = threading.get_ident()
    failures: list[UnusableError] = []

    def redirect(request: Request, **options: Any) -> Any:
        if threading.get_ident() != owner:
            return original(request, **options)
        if not failures:
            try:
                return _respond(request, address, timeout)
            except UnusableError as error:
                failures.append(error)
        raise failures[0]

    with _redirecting:
        original, _openml.urlopen = _openml.urlopen, redirect
        try:
            yield
        finally:
            _openml.urlopen = original


def _respond(request: Request, address: str, timeout: float) -> addinfourl:
    """Return the decompressed response of the server, in the form of ``urlopen``."""
    url, parts = request.full_url, urlsplit(request.full_url)
    if parts.scheme not in ("http", "https") or ".." in parts.path:  # it becomes part of a path as well
        raise UnusableError(f"it refers to {url}, which is not a valid address")
    # A mirror serves OpenML's descriptions, with absolute addresses in them.
    if address != OPENML.default_url and not url.startswith(f"{address}/"):
        url = address + parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        body, headers = download(Request(url, headers={"Accept-Encoding": "gzip"}), timeout)
    except HTTPError as error:
        if error.code == NO_SUCH_DATASET:
            raise
        raise UnusableError(str(error)) from error
    if headers.get("Content-Encoding") == "gzip":
        body = decompress(body)
    return addinfourl(io.BytesIO(body), Message(), url)
