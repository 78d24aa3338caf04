"""Data sets in files: CSV, Parquet and Arrow files, and the folder of the paper's data sets.

The folder has a ``MANIFEST.csv`` that lists the continuous columns of each table (all others are categorical) and the
counts of the paper. The folder is an argument or the environment variable PURETREE_DATA; the data are not part of
puretree.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._support.clock import Clock
from ..errors import DataNotFoundError, FormatError, InputError, MissingValuesWarning, warn
from ..table import read_columns
from .arrow_file import arrow_columns, read_arrow
from .csv_file import MISSING_VALUES, CsvFile, describe_missing, parse_column, read_header, require_columns
from .dataset import Dataset
from .formats import format_of, is_compressed, stem_of
from .merged_csv import read_merged_csv

MAX_BYTES_UNMERGED = 2**26  # of a CSV file; its cells take about twenty times as much memory
ENVIRONMENT_VARIABLE = "PURETREE_DATA"
Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """Entry of a data set in the manifest.

    Parameters
    ----------
    name : str
        The file is ``{name}.csv``.
    paper_name : str
        Its name in the paper; empty if it is not in the paper.
    continuous : frozenset of str
        Numeric columns; the others are categorical.
    paper_counts : tuple of int
        Numbers of binary columns, one-hot columns, labels and rows in the paper's table.
    """

    name: str
    paper_name: str
    continuous: frozenset[str]
    paper_counts: Counts


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of data sets: the argument, or the one in PURETREE_DATA."""
    name = folder or os.environ.get(ENVIRONMENT_VARIABLE)
    if not name:
        raise DataNotFoundError(
            "there is no folder of data sets; pass one (folder=, or --data on the command line) or set "
            f"{ENVIRONMENT_VARIABLE}"
        )
    path = Path(name)
    where = str(path) if folder else f"{path} (from {ENVIRONMENT_VARIABLE})"
    if not path.is_dir():
        raise DataNotFoundError(f"there is no folder {where}")
    if not (path / "MANIFEST.csv").is_file():
        raise DataNotFoundError(f"{where} is not a folder of data sets: it has no MANIFEST.csv")
    return path


def read_manifest(folder: Path) -> dict[str, ManifestEntry]:
    """Read the manifest of the folder, by the names of its data sets."""
    path = folder / "MANIFEST.csv"
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    try:
        return {line["name"]: _manifest_entry(line) for line in lines}
    except (KeyError, ValueError, AttributeError) as error:
        raise FormatError(f"{path} is not a manifest of data sets: {error!r}") from error


def _manifest_entry(line: dict[str, str]) -> ManifestEntry:
    continuous = filter(None, line["continuous_columns"].split(";"))
    counts = filter(None, line["paper_counts"].split("/"))
    return ManifestEntry(line["name"], line["paper_name"], frozenset(continuous), tuple(map(int, counts)))


def load_file(name: str, folder: Path) -> Dataset:
    """Load a data set of the folder, with the numeric columns of the manifest."""
    manifest = read_manifest(folder)
    if name not in manifest:
        raise DataNotFoundError(f"{folder} has no data set {name!r}; it has {', '.join(manifest)}")
    return read_csv(folder / f"{name}.csv", numbers=manifest[name].continuous, missing_values=())


def read_csv(
    path: str | os.PathLike[str],
    *,
    target: str = "class",
    numbers: Collection[str] | None = None,
    missing_values: Collection[str] | None = None,
) -> Dataset:
    """Read a table from a CSV file with a header line; an empty cell is a missing value.

    Parameters
    ----------
    path : path
        The file, in UTF-8; it may be compressed (``.csv.gz``, ``.csv.bz2``, ``.csv.xz`` or ``.csv.zst``).
    target : str, default="class"
        The column to predict.
    numbers : collection of str, optional
        The numeric columns; by default those where every value is a number.
    missing_values : collection of str, optional
        Cells with one of these texts are missing values, too; ``()`` for empty cells only. By default those of pandas
        (NA, N/A, NaN, null, None and others) and "?", and a ``MissingValuesWarning`` names those that occur.

    Returns
    -------
    Dataset
        With a row for each row of the file; :func:`read_file` merges equal rows.
    """
    file = CsvFile.read(path, MISSING_VALUES if missing_values is None else missing_values)
    names = require_columns(file.path, file.header, target, numbers)
    labels = file.column(target)
    labels.require_labels()
    cells = [file.column(name) for name in names]
    table = read_columns({column.name: parse_column(column, numbers) for column in cells})
    if missing_values is None and (found := describe_missing(cells)):
        warn(MissingValuesWarning(found))
    return Dataset(
        *(stem_of(file.path), table, np.array(labels.cells), target, str(file.path), file.missing_values),
        positions=np.array(file.lines, dtype=np.int64),
    )


def read_file(
    path: str | os.PathLike[str],
    *,
    target: str = "class",
    numbers: Collection[str] | None = None,
    missing_values: Collection[str] | None = None,
    time_limit: float | Clock | None = None,
    memory_limit: float | None = None,
) -> Dataset:
    """Read a table from a file of any supported format, in batches; equal rows are merged into weights.

    Only the distinct rows are kept, in the order of their first occurrence, and ``table.weights`` says how often each
    occurs: a file that is larger than memory can be read if its distinct rows fit. Labels count: rows with different
    labels are different. A small CSV file that is not compressed is read with a row for each line.

    Parameters
    ----------
    path : path
        The suffix says the format: ``.csv``; ``.csv.gz``, ``.csv.bz2``, ``.csv.xz``, ``.csv.zst``; ``.parquet``,
        ``.pq``; ``.feather``, ``.arrow``, ``.ipc``. Any other is read as CSV. All but CSV, and ``.zst``, need pyarrow:
        ``pip install puretree[files]``.
    target : str, default="class"
        The column to predict.
    numbers, missing_values
        As for :func:`read_csv`, and only for CSV: the columns of other files have types, and null is a missing value.
    time_limit : float or None, default=None
        Seconds. None: no limit.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.

    Returns
    -------
    Dataset

    Raises
    ------
    UnfinishedError
        If the time limit is reached.
    InputError
        If the distinct rows do not fit into memory; also for columns and rows that cannot be used.
    """
    path, clock = Path(path), Clock.of(time_limit)
    if format_of(path) not in ("csv", None):
        for option, value in (("numbers", numbers), ("missing_values", missing_values)):
            if value:
                raise InputError(f"is for CSV files, but {path} has typed columns", parameter=option, value=value)
        return read_arrow(path, target, clock=clock, memory_limit=memory_limit)
    if is_compressed(path) or (path.is_file() and path.stat().st_size > MAX_BYTES_UNMERGED):
        return read_merged_csv(path, target, numbers, missing_values, clock=clock, memory_limit=memory_limit)
    return read_csv(path, target=target, numbers=numbers, missing_values=missing_values)


def read_column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the columns of a file."""
    return read_header(Path(path)) if format_of(path) in ("csv", None) else arrow_columns(Path(path))
