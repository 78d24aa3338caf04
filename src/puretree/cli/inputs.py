"""Reading what commands work on: a labelled table, a run, or a tree."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from ..binarize.predicate import columns_of
from ..datasets import Dataset, load, read_file
from ..datasets.files import read_column_names
from ..datasets.formats import format_of
from ..datasets.prediction_rows import read_rows
from ..errors import (
    ConflictError,
    ConflictWarning,
    DataNotFoundError,
    InputError,
    MissingValuesWarning,
    MixedColumnWarning,
    NoisyLabelsWarning,
    UnfinishedWarning,
    shorten,
)
from ..estimators.persistence import load_if_saved
from ..problem import Conflict
from ..proof.claim import data_hash
from ..runs import DataRecord, Run, load_run, read_model
from ..table import Column, Table, read_labels
from ..tree import Tree
from .options import parse_missing_values
from .output import note


@dataclass(frozen=True, slots=True)
class InputData:
    """A labelled table, and its source."""

    dataset: Dataset
    record: DataRecord


@dataclass(frozen=True, slots=True)
class Model:
    """A tree, and its run if there is one."""

    tree: Tree
    run: Run | None

    @property
    def columns(self) -> list[Column]:
        """The columns that the tree tests."""
        if self.tree.predicates is None:
            raise InputError("the tree tests features of a 0/1 matrix, not columns of a table; fit it on a table")
        return columns_of(list(self.tree.predicates.values()))

    def missing_values(self, option: str | None) -> tuple[str, ...] | None:
        """Return the texts of missing values in other files: those of the option, else of the run, if it has any."""
        return parse_missing_values(option) if option is not None or self.run is None else self.run.data.missing_values

    def read_rows(self, path: Path, option: str | None) -> Table:
        """Read rows to predict."""
        with printing_warnings():
            return read_rows(path, self.columns, self.missing_values(option))


def read_data(
    source: str,
    target: str | None,
    missing_values: tuple[str, ...] | None = None,
    *,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
) -> InputData:
    """Read a file, or load a data set by name.

    Parameters
    ----------
    source : str
        The path or the name.
    target : str or None
        The column to predict; data sets have their own.
    missing_values : tuple of str, optional
        The texts of missing values in a CSV file; the usual ones by default, with a warning that names them.
    clock : Clock
        No time limit by default.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """
    path = Path(source)
    if path.is_dir():
        raise InputError(f"{source} is a folder; give a file, or the name of a data set")
    is_name = not path.exists() and format_of(path) is None and len(path.parts) == 1
    if is_name and missing_values:
        raise InputError(f"--missing-values: {source} is a data set, not a file; omit --missing-values")
    with printing_warnings():
        dataset = (
            _load(source, target)
            if is_name
            else read_file(
                path,
                target=_require_target(path, target),
                missing_values=missing_values,
                time_limit=clock,
                memory_limit=memory_limit,
            )
        )
    labels = read_labels(dataset.target, dataset.n_rows)
    record = DataRecord(
        source=source if is_name else str(path.resolve()),
        is_file=not is_name,
        sha256=_sha256(path) if path.is_file() and not is_name else None,
        data_hash=data_hash(dataset.table, labels),
        target=dataset.target_name,
        columns=dataset.table.names,
        ranges=dataset.table.ranges(),
        missing_values=dataset.missing_values,
    )
    return InputData(dataset, record)


_PRINTED = (ConflictWarning, MissingValuesWarning, MixedColumnWarning, NoisyLabelsWarning, UnfinishedWarning)


@contextmanager
def printing_warnings(data: InputData | None = None) -> Iterator[None]:
    """Print warnings about the data as single lines, with the line or row numbers of a file; errors name them, too.

    The warning that a limit was reached is left out: commands print the status.
    """
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            for category in _PRINTED:
                warnings.simplefilter("always", category)
            yield
    except ConflictError as error:
        if data is None:
            raise
        raise ConflictError(
            f"{_describe_conflicts(error.conflicts, data)}. No tree can classify all of them correctly: correct "
            "them, add a column that distinguishes them, or use --on-conflict majority or drop",
            error.conflicts,
        ) from None
    finally:  # an error may be a consequence of dropped rows
        for warning in caught:
            _print_warning(warning, data)


def _print_warning(warning: warnings.WarningMessage, data: InputData | None) -> None:
    message = warning.message
    if isinstance(message, ConflictWarning) and data is not None:
        conflicts = _describe_conflicts(message.conflicts, data)
        note(f"warning: {conflicts}. Only rows with the most frequent label of each group are kept")
    elif isinstance(message, MissingValuesWarning):
        note(f"warning: {message.found}; --missing-values changes this")
    elif isinstance(message, NoisyLabelsWarning) and data is not None:
        note(f"warning: {_describe_noise(message, data)}")
    elif isinstance(message, ConflictWarning | MixedColumnWarning | NoisyLabelsWarning):
        note(f"warning: {message}")
    elif not isinstance(message, UnfinishedWarning):
        warnings.warn_explicit(message, warning.category, warning.filename, warning.lineno)


def _describe_noise(warning: NoisyLabelsWarning, data: InputData) -> str:
    """Describe noisy labels, with the lines of a CSV file, and name the command that allows errors."""
    positions = data.dataset.positions

    def describe_rows(rows: Sequence[int]) -> str:
        numbers = rows if positions is None else [int(positions[row]) for row in rows]
        return f"{'lines' if _is_csv(data) else 'rows'} {', '.join(map(str, numbers))}"

    remedy = "'puretree fit --alpha cv'"
    return warning.describe(describe_rows if data.record.is_file else None, remedy)


def _describe_conflicts(conflicts: Sequence[Conflict], data: InputData) -> str:
    """Describe contradictory rows, by their lines in a CSV file, else by their numbers, which count from 0."""
    table, positions = data.dataset.table, data.dataset.positions
    names = _position_names(data, np.arange(table.n_rows) if positions is None else positions)
    groups = [_describe_group(group, names) for group in conflicts]
    shown = "; ".join(groups[:3]) + "; …" * (len(groups) > 3)
    n_rows = sum(int(table.row_weights[list(group.rows)].sum()) for group in conflicts)
    return f"{data.record.source}: {n_rows} rows are contradictory, with equal features and different labels: {shown}"


def _position_names(data: InputData, positions: NDArray[np.int64]) -> Callable[[int], str]:
    name = "line" if _is_csv(data) else "row"
    return lambda row: f"{name} {positions[row]}"


def _is_csv(data: InputData) -> bool:
    return data.record.is_file and format_of(data.record.source) in ("csv", None)


def _describe_group(group: Conflict, name_of: Callable[[int], str]) -> str:
    """Name one row for each label first, which shows the contradiction."""
    pairs = list(zip(group.rows, group.labels, strict=True))
    first_of = {label: row for row, label in reversed(pairs)}
    pairs.sort(key=lambda pair: first_of[pair[1]] != pair[0])
    return shorten(f"{name_of(row)} ({label})" for row, label in pairs)


def _load(name: str, target: str | None) -> Dataset:
    try:
        dataset = load(name)
    except DataNotFoundError as error:
        raise error if ":" in name else DataNotFoundError(f"there is no file {name}, and {error}") from None
    if target not in (None, dataset.target_name):
        raise InputError(f"--target {target!r}: the target of {name} is {dataset.target_name!r}; omit --target")
    return dataset


def _require_target(path: Path, target: str | None) -> str:
    if target is None:
        raise InputError(f"--target is missing; name the column to predict, one of {_columns(path)} in {path}")
    return target


def _columns(path: Path) -> str:
    return shorten(read_column_names(path), 20)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reread_data(run: Run, moved_to: str | None = None) -> InputData:
    """Read the data of a run; raise an error if they are missing or have changed.

    Parameters
    ----------
    run : Run
    moved_to : str, optional
        Their new location, if they were moved.
    """
    record, source = run.data, moved_to or run.data.source
    if not source:
        raise DataNotFoundError("the model was fitted in Python, and its file does not contain the training rows")
    try:
        target = record.target if record.is_file or Path(source).exists() else None
        data = read_data(source, target, record.missing_values)
    except DataNotFoundError as error:
        remedy = "give the file instead of the run, or its location with --data (certify and report)"
        raise DataNotFoundError(f"the data of the run are missing: {error}; {remedy}") from None
    hashes = {data.record.sha256, record.sha256} if record.is_file else set()
    if len(hashes) > 1 or data.record.data_hash != record.data_hash:
        what = "is not the data of the run" if moved_to else "has changed since the run"
        raise InputError(f"{source} {what}; fit again, or locate the data with --data (certify and report)")
    return data


def open_model(path: str) -> Model:
    """Open a run folder, the JSON file of a tree, or that of a classifier."""
    location = Path(path)
    if location.is_dir():
        run = load_run(location)
        return Model(run.tree, run)
    if not location.exists():
        raise DataNotFoundError(f"there is no run folder or model {path}; 'puretree fit --out {path}' writes one")
    saved = load_if_saved(location)
    return Model(read_model(location), None) if saved is None else Model(saved.run.tree, saved.run)
