"""What commands are given: a table, a run, or a tree."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..binarize.predicate import columns_of
from ..datasets import Dataset, load, read_csv
from ..datasets.csv_file import CsvFile
from ..errors import ConflictError, DataNotFoundError, InputError, MixedColumnWarning, shorten
from ..estimators.persistence import load_if_saved
from ..problem import Conflict
from ..proof.claim import data_hash
from ..runs import DataRecord, Run, load_run, read_model
from ..table import Column, read_labels
from ..tree import Tree
from .output import note


@dataclass(frozen=True, slots=True)
class Given:
    """A labelled table, and where it is from."""

    dataset: Dataset
    record: DataRecord


@dataclass(frozen=True, slots=True)
class Model:
    """A tree, and the run that it is from, if it is from one."""

    tree: Tree
    run: Run | None

    @property
    def columns(self) -> list[Column]:
        """The columns that the tree asks about."""
        if self.tree.predicates is None:
            raise InputError("the tree asks about a 0/1 matrix, not about the columns of a table; fit it on a table")
        return columns_of(list(self.tree.predicates.values()))


def read_data(data: str, target: str | None) -> Given:
    """Read a CSV file or load a data set by name.

    Parameters
    ----------
    data : str
        The path or the name.
    target : str or None
        The column to predict; a data set knows its own.
    """
    path = Path(data)
    if path.is_dir():
        raise InputError(f"{data} is a folder; give a CSV file, or a data set by its name")
    is_name = not path.exists() and path.suffix.lower() != ".csv" and len(path.parts) == 1
    with _telling_warnings():
        dataset = _load(data, target) if is_name else read_csv(path, target=_require_target(path, target))
    labels = read_labels(dataset.target, dataset.n_rows)
    record = DataRecord(
        source=data if is_name else str(path.resolve()),
        is_file=not is_name,
        sha256=_sha256(path) if path.is_file() and not is_name else None,
        data_hash=data_hash(dataset.table, labels),
        target=dataset.target_name,
        columns=dataset.table.names,
        ranges=dataset.table.ranges(),
    )
    return Given(dataset, record)


@contextmanager
def _telling_warnings() -> Iterator[None]:
    """Tell of columns that may not be read as they were meant, in a line for each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MixedColumnWarning)
        yield
    for one in caught:
        if issubclass(one.category, MixedColumnWarning):
            note(f"warning: {one.message}")
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _load(name: str, target: str | None) -> Dataset:
    try:
        dataset = load(name)
    except DataNotFoundError as error:
        raise error if ":" in name else DataNotFoundError(f"there is no file {name}, and {error}") from None
    if target not in (None, dataset.target_name):
        raise InputError(f"--target {target!r}: what {name} predicts is {dataset.target_name!r}; leave --target out")
    return dataset


def _require_target(path: Path, target: str | None) -> str:
    if target is None:
        raise InputError(f"--target is missing: which column to predict? {path} has {_columns(path)}")
    return target


def _columns(path: Path) -> str:
    return shorten(CsvFile.read(path).header, 20)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reread_data(run: Run, moved_to: str | None = None) -> Given:
    """Read the data of a run; an error if they are gone or not the same.

    Parameters
    ----------
    run : Run
    moved_to : str, optional
        Where they are now, if not where they were.
    """
    record, source = run.data, moved_to or run.data.source
    try:
        given = read_data(source, record.target if record.is_file or Path(source).exists() else None)
    except DataNotFoundError as error:
        remedy = "give the file instead of the run, or name it by --data (certify and report)"
        raise DataNotFoundError(f"the data of the run are gone: {error}; {remedy}") from None
    hashes = {given.record.sha256, record.sha256} if record.is_file else set()
    if len(hashes) > 1 or given.record.data_hash != record.data_hash:
        what = "is not what the run was made of" if moved_to else "changed since the run"
        raise InputError(f"{source} {what}; fit again, or name the data of the run by --data (certify and report)")
    return given


@contextmanager
def naming_lines(given: Given) -> Iterator[None]:
    """Tell rows that contradict each other by their lines in the file."""
    try:
        yield
    except ConflictError as error:
        if not given.record.is_file:
            raise
        lines = CsvFile.read(given.record.source).lines
        groups = [_tell_lines(group, lines) for group in error.conflicts]
        told = "; ".join(groups[:3]) + "; …" * (len(groups) > 3)
        n_rows = sum(len(group.rows) for group in error.conflicts)
        raise ConflictError(
            f"{given.record.source}: {n_rows} rows contradict each other, equal in every question that may be asked "
            f"but with different labels: {told}. No tree can be right on all of them: correct them, add a column that "
            "tells them apart, or use --on-conflict majority or drop",
            error.conflicts,
        ) from None


def _tell_lines(group: Conflict, lines: list[int]) -> str:
    """Name one line for each label first: the contradiction."""
    pairs = list(zip(group.rows, group.labels, strict=True))
    first_of = {label: row for row, label in reversed(pairs)}
    pairs.sort(key=lambda pair: first_of[pair[1]] != pair[0])
    return shorten(f"line {lines[row]} ({label})" for row, label in pairs)


def open_model(path: str) -> Model:
    """Open a run folder, the JSON file of a tree, or that of a classifier."""
    place = Path(path)
    if place.is_dir():
        run = load_run(place)
        return Model(run.tree, run)
    if not place.exists():
        raise DataNotFoundError(f"there is no run folder and no model {path}; 'puretree fit --out {path}' makes one")
    saved = load_if_saved(place)
    return Model(read_model(place), None) if saved is None else Model(saved.run.tree, saved.run)
