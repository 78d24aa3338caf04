"""Data sets from PMLB (Olson et al. 2017, Romano et al. 2021), downloaded for names like ``pmlb:NAME``.

Much work on small trees is evaluated on the tables of this archive, so a comparison needs the same tables. They are
compressed TSV files, one per data set, and need no other library.
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
from .download import Archive, UnusableError, decompress, download, explain_errors, write_atomically

PMLB = Archive(
    title="PMLB",
    mirror_variable="PURETREE_PMLB_URL",
    default_url="https://github.com/EpistasisLab/pmlb/raw/master/datasets",
    names=re.compile(r"\w[\w.-]*", re.ASCII),
)


def fetch_pmlb(
    name: str,
    *,
    cache: Path | None = None,
    url: str | None = None,
    timeout: float = 30.0,
) -> Dataset:
    """Download a data set from PMLB, where categories are numbered, so that all columns are numeric.

    Parameters
    ----------
    name : str
        Its name in PMLB.
    cache : path, optional
        The cache folder.
    url : str, optional
        URL of the server, up to the folder that has ``{name}/{name}.tsv.gz``.
    timeout : float, default=30.0
        Seconds to wait for the server.

    Returns
    -------
    Dataset
    """
    base = PMLB.address(url)
    address, folder = f"{base}/{name}/{name}.tsv.gz", PMLB.cache_folder(base, cache)
    with explain_errors(PMLB, name, address, folder):
        PMLB.check_request(name, address)
        path = folder / f"{name}.tsv.gz"
        try:
            return _read(name, address, path.read_bytes())
        except (OSError, UnusableError):  # not cached, or corrupted
            body, _ = download(Request(address), timeout)
        dataset = _read(name, address, body)  # parsed before it is cached, so that only valid tables are
        write_atomically(path, body)
        return dataset


def _read(name: str, address: str, body: bytes) -> Dataset:
    try:
        text = io.StringIO(decompress(body).decode("utf-8"), newline="")
        header, *rows = filter(None, csv.reader(text, delimiter="\t"))
        cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    except (ValueError, csv.Error) as error:
        raise UnusableError(f"the file is not a table ({error})") from error
    if len(cells) < max(2, len(header)) or "target" not in cells:
        raise UnusableError("the file needs a column 'target' and others, with distinct names")
    columns = {column: parse_cells(values) for column, values in cells.items()}
    labels = list(columns.pop("target"))
    if any(map(is_missing, labels)):
        raise UnusableError("the file has rows without a label")
    if all(isinstance(label, float) and label.is_integer() for label in labels):
        labels = [int(label) for label in labels]
    return Dataset(name, read_columns(columns), np.array(labels), "target", address)
