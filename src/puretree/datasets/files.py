"""Data sets in files: CSV files with a header, and the folder of the paper's data sets.

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
from typing import Any

import numpy as np

from ..errors import DataNotFoundError, FormatError, InputError, MissingValuesWarning, shorten, warn
from ..table import read_columns
from .csv_file import MISSING_VALUES, CsvFile
from .dataset import Dataset

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
        The file, in UTF-8.
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
    """
    file = CsvFile.read(path, MISSING_VALUES if missing_values is None else missing_values)
    file.require(target)
    labels = file.cells(target)
    _require_labels(file, target, labels)
    names = [name for name in file.header if name != target]
    if not names:
        raise InputError(f"{file.path} has no column other than the label")
    unknown = sorted(set(numbers or ()) - set(names))
    if unknown:
        raise InputError(f"numbers={shorten(map(repr, unknown))}: {file.path} has no such column")
    columns = {name: _read_column(file, name, numbers) for name in names}
    if missing_values is None and (found := file.describe_missing(dict.fromkeys(names, ()))):
        warn(MissingValuesWarning(found))
    return Dataset(file.path.stem, read_columns(columns), np.array(labels), target, str(file.path), file.missing_values)


def _require_labels(file: CsvFile, target: str, labels: list[str]) -> None:
    """Raise InputError if a label is missing."""
    if "" not in labels:
        return
    row = labels.index("")
    text, where = file.texts(target)[row], f"{file.path}, line {file.lines[row]}"
    if not text:
        raise InputError(f"{where}: no label in column {target!r}; remove the row, or add its label")
    raise InputError(
        f"{where}: the label {text!r} in column {target!r} is read as a missing value; remove the row, add its "
        "label, or change the texts of missing values",
        use={"missing_values": ()},
    )


def _read_column(file: CsvFile, name: str, numbers: Collection[str] | None) -> Any:
    if numbers is None:
        return file.values(name)
    return file.numbers(name) if name in numbers else [cell or None for cell in file.cells(name)]
