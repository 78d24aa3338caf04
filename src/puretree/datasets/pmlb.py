"""Data sets by name from PMLB (Olson et al. 2017, Romano et al. 2021), where there is a network.

Much work on small trees is measured on the tables of this archive: to compare with it takes the
same tables. They are packed TSV files, one per data set, which need no other library. This runs
when ``pmlb:NAME`` is asked for.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.request import Request

import numpy as np

from ..table import is_missing, read_columns
from .csv_file import parse_cells
from .dataset import Dataset
from .download import Archive, UnusableError, download, explained, unpack, write_whole

PMLB = Archive(
    title="PMLB",
    mirror_variable="PURETREE_PMLB_URL",
    home="https://github.com/EpistasisLab/pmlb/raw/master/datasets",
    names=re.compile(r"\w[\w.-]*", re.ASCII),
)


def fetch_pmlb(
    name: str,
    *,
    cache: Path | None = None,
    url: str | None = None,
    timeout: float = 30.0,
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
    base = PMLB.address(url)
    address, folder = f"{base}/{name}/{name}.tsv.gz", PMLB.cache_folder(base, cache)
    with explained(PMLB, name, address, folder):
        PMLB.check_request(name, address)
        path = folder / f"{name}.tsv.gz"
        try:
            return _read(name, address, path.read_bytes())
        except (OSError, UnusableError):  # not there, or spoilt
            body, _ = download(Request(address), timeout)
        dataset = _read(name, address, body)  # first read, then kept: only tables are
        write_whole(path, body)
        return dataset


def _read(name: str, address: str, body: bytes) -> Dataset:
    try:
        text = io.StringIO(unpack(body).decode("utf-8"), newline="")
        header, *rows = filter(None, csv.reader(text, delimiter="\t"))
        cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    except (ValueError, csv.Error) as error:
        raise UnusableError(f"the file is not a table ({error})") from error
    if len(cells) < max(2, len(header)) or "target" not in cells:
        raise UnusableError("the file needs a column 'target' and others, each named once")
    columns = {column: parse_cells(values) for column, values in cells.items()}
    labels = list(columns.pop("target"))
    if any(map(is_missing, labels)):
        raise UnusableError("the file has rows without a label")
    if all(isinstance(label, float) and label.is_integer() for label in labels):
        labels = [int(label) for label in labels]
    return Dataset(name, read_columns(columns), np.array(labels), "target", address)
