"""Parquet and Arrow (Feather) files, read in batches by pyarrow.

A batch is encoded as it is read: numbers as doubles, categories as codes. Parquet stores most columns of strings as a
dictionary and indices, and pyarrow returns them so: a string is decoded once for each dictionary, not once for each
row. Types are those of the file. Nothing is guessed from text, unlike in CSV files: strings stay categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from ..errors import FormatError, InputError, InputTypeError, near, shorten
from ..table import LARGEST_EXACT_INTEGER, Level, Table, TableColumn, is_missing, label_array, sort_levels
from .dataset import Dataset
from .formats import explaining_missing_files, format_of, import_pyarrow, stem_of
from .merging import Encoded, RowMerger

BATCH_ROWS = 2**18


def read_arrow(
    path: Path,
    target: str,
    *,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Dataset:
    """Read a Parquet or Arrow file, and merge equal rows into weights.

    Parameters
    ----------
    path : Path
    target : str
        The column to predict.
    clock, memory_limit
        As for :class:`RowMerger`.
    batch_rows : int
        The greatest number of rows that are read at once.
    """
    file = _ArrowFile(path)
    encoders = [file.encoder(name) for name in file.names_with_target_last(target)]
    merger = RowMerger(path, clock, memory_limit)
    for batch in file.batches([encoder.name for encoder in encoders], batch_rows):
        columns = [encoder.encode(batch.column(i), merger.n_read) for i, encoder in enumerate(encoders)]
        encoders[-1].require_labels(columns[-1], merger.n_read)
        merger.add(columns, np.arange(merger.n_read, merger.n_read + batch.num_rows))
    if not merger.n_read:
        raise InputError(f"{path} has no rows; it needs at least one")
    rows = merger.finish()
    decoded = [encoders.pop(0).column(rows.columns.pop(0)).copied() for _ in range(len(encoders) - 1)]
    weights = None if len(rows) == merger.n_read else rows.weights
    table = Table(tuple(decoded), len(rows), weights=weights)
    labels = encoders[0].labels(rows.columns[0])
    return Dataset(stem_of(path), table, labels, target, str(path), positions=rows.positions)


def read_arrow_columns(path: Path, names: Sequence[str]) -> Any:
    """Read some columns of a file as a pyarrow table, with a row for each row of the file."""
    file = _ArrowFile(path)
    for name in names:
        file.require(name)
        file.encoder(name)
    batches = list(file.batches(names, BATCH_ROWS))
    return file.pyarrow.Table.from_batches(batches) if batches else file.schema.empty_table().select(list(names))


def arrow_columns(path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return list(_ArrowFile(path).schema.names)


class _ArrowFile:
    """A file with a schema, whose batches are read on demand."""

    def __init__(self, path: Path) -> None:
        self.path, self.pyarrow = path, import_pyarrow(path)
        self._is_parquet = format_of(path) == "parquet"
        self._what = "a Parquet file" if self._is_parquet else "an Arrow file"
        with explaining_missing_files(path, self._what), path.open("rb"):
            pass
        with self._explaining():
            self.schema = self._parquet().schema_arrow if self._is_parquet else self._ipc()[0]
        names = self.schema.names
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise InputError(f"{path} has columns with the same name: {', '.join(repeated)}; rename them")

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise FormatError for the errors of pyarrow; some are of type OSError, but without a number."""
        try:
            yield
        except (self.pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FormatError(f"{self.path} is not {self._what}, or is damaged: {reason}") from None

    def _parquet(self, dictionaries: Sequence[str] = ()) -> Any:
        from pyarrow import parquet

        return parquet.ParquetFile(self.path, read_dictionary=list(dictionaries))

    def _ipc(self) -> tuple[Any, Iterator[Any]]:
        """Return the schema and the batches of an Arrow file, or of a stream of Arrow."""
        from pyarrow import ipc

        try:
            file = ipc.open_file(self.pyarrow.OSFile(str(self.path), "rb"))
        except self.pyarrow.ArrowInvalid:
            stream = ipc.open_stream(self.pyarrow.OSFile(str(self.path), "rb"))
            return stream.schema, iter(stream)
        return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))

    def require(self, name: str) -> None:
        """Raise InputError if there is no such column, with a suggestion."""
        names = self.schema.names
        if name not in names:
            raise InputError(
                f"{self.path} has no column {name!r}{near(name, names)}; its columns are {shorten(names, 20)}"
            )

    def names_with_target_last(self, target: str) -> list[str]:
        """Return the names of the columns, in order, but the target last."""
        self.require(target)
        names = [name for name in self.schema.names if name != target]
        if not names:
            raise InputError(f"{self.path} has no column other than the label")
        return [*names, target]

    def batches(self, names: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Yield record batches of some columns, in the order of ``names``."""
        with self._explaining():
            if self._is_parquet:
                is_string = [_is_string(self.pyarrow, self.schema.field(name).type) for name in names]
                strings = [name for name, is_one in zip(names, is_string, strict=True) if is_one]
                file = self._parquet(strings)
                batches = file.iter_batches(batch_rows, columns=list(names), use_threads=False)
            else:
                batches = self._ipc()[1]
        while True:
            with self._explaining():
                batch = next(batches, None)
                if batch is None:
                    return
                batch = batch.select(list(names))
                batch.validate(full=True)  # indices and UTF-8, which pyarrow does not check; a tenth of the time
            for start in range(0, batch.num_rows, batch_rows):
                yield batch.slice(start, batch_rows)

    def encoder(self, name: str) -> _Encoder:
        """Return the encoder of a column; raise InputTypeError if its type is not supported."""
        kind, types = self.schema.field(name).type, self.pyarrow.types
        if types.is_null(kind) or types.is_integer(kind) or types.is_floating(kind):
            return _Numbers(self, name)
        if types.is_boolean(kind):
            return _Booleans(self, name)
        if types.is_decimal(kind):
            return _Decimals(self, name)
        values = kind.value_type if types.is_dictionary(kind) else kind
        if _is_string(self.pyarrow, values):
            return _Levels(self, name)
        if values is not kind and any(is_kind(values) for is_kind in (types.is_integer, types.is_floating)):
            return _Levels(self, name)
        raise InputTypeError(
            f"{self.path}: column {name!r} holds {kind} values, which are neither numbers nor categories; convert it "
            "first, for example a date to its year or to the days since a reference date"
        )


def _is_string(pyarrow: Any, kind: Any) -> bool:
    types = pyarrow.types
    is_view = getattr(types, "is_string_view", lambda kind: False)  # since pyarrow 16
    return bool(types.is_string(kind) or types.is_large_string(kind) or is_view(kind))


class _Encoder:
    """Encodes the batches of a column, and decodes the distinct rows; ``first_row`` is the number of the first row."""

    def __init__(self, file: _ArrowFile, name: str) -> None:
        self.file, self.name, self.pyarrow = file, name, file.pyarrow

    def encode(self, array: Any, first_row: int) -> Encoded:
        """Return integer codes, negative where missing, or numbers, NaN where missing."""
        raise NotImplementedError

    def column(self, codes: Encoded) -> TableColumn:
        """Return the column of encoded rows."""
        raise NotImplementedError

    def labels(self, codes: Encoded) -> NDArray[Any]:
        """Return the labels of encoded rows."""
        raise NotImplementedError

    def require_labels(self, codes: Encoded, first_row: int) -> None:
        """Raise InputError if a label is missing."""
        self._reject(codes < 0, first_row, "no label in this row; remove the row, or add its label")

    def _reject(self, is_bad: NDArray[np.bool_], first_row: int, reason: str) -> None:
        if is_bad.any():
            raise InputError(f"{self._place(first_row + int(is_bad.argmax()))}: {reason}")

    def _place(self, row: int) -> str:
        return f"{self.file.path}, row {row}, column {self.name!r}"


class _Numbers(_Encoder):
    """A column of integers or floats."""

    def encode(self, array: Any, first_row: int) -> Encoded:
        if self.pyarrow.types.is_int64(array.type) or self.pyarrow.types.is_uint64(array.type):
            self._require_exact(array, first_row)
        numbers = array.cast(self.pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
        self._reject(
            np.isinf(numbers),
            first_row,
            "the number is infinite; replace it with a finite number, or with null for a missing value",
        )
        return np.asarray(numbers)

    def _require_exact(self, array: Any, first_row: int) -> None:
        integers = array.fill_null(0).to_numpy(zero_copy_only=False)
        is_inexact = integers > LARGEST_EXACT_INTEGER
        if integers.dtype.kind == "i":
            is_inexact |= integers < -LARGEST_EXACT_INTEGER
        self._reject(
            is_inexact,
            first_row,
            "the integer is beyond 2**53, which floats cannot represent exactly; save the column as strings if they "
            "are identifiers, or scale it down if they are quantities",
        )

    def column(self, codes: Encoded) -> TableColumn:
        return TableColumn(self.name, "number", codes)

    def require_labels(self, codes: Encoded, first_row: int) -> None:
        super().require_labels(np.where(np.isnan(codes), -1, 0), first_row)
        self._reject(
            codes != np.floor(codes),
            first_row,
            "the label is not an integer; a classifier needs classes: bin a continuous target first",
        )

    def labels(self, codes: Encoded) -> NDArray[Any]:
        return codes.astype(np.int64)


class _Decimals(_Numbers):
    """A column of decimal numbers, which must be the decimals of doubles."""

    def encode(self, array: Any, first_row: int) -> Encoded:
        array = array.dictionary_encode()
        decimals = array.dictionary.to_pylist()
        numbers = np.array([*map(float, decimals), np.nan])
        is_exact = [Decimal(repr(float(cell))) == cell for cell in decimals]
        indices = _indices(array)
        self._reject(
            ~np.array([*is_exact, True])[indices],
            first_row,
            "the number has more digits than double precision can hold; round the column, or subtract a constant",
        )
        values: Encoded = numbers[indices]
        return values


class _Booleans(_Encoder):
    """A column of booleans."""

    def encode(self, array: Any, first_row: int) -> Encoded:
        codes = array.cast(self.pyarrow.int8()).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(codes)

    def column(self, codes: Encoded) -> TableColumn:
        return TableColumn(self.name, "category", np.where(codes < 0, np.nan, codes), (False, True))

    def labels(self, codes: Encoded) -> NDArray[Any]:
        return codes.astype(np.bool_)


class _Levels(_Encoder):
    """A column of strings, or of a dictionary of strings or numbers: the codes are in the order of occurrence."""

    def __init__(self, file: _ArrowFile, name: str) -> None:
        super().__init__(file, name)
        self._code_of: dict[Level | None, int] = {}
        kind = file.schema.field(name).type
        self._is_ordered = file.pyarrow.types.is_dictionary(kind) and kind.ordered
        self._order: list[Any] | None = None

    def encode(self, array: Any, first_row: int) -> Encoded:
        if not self.pyarrow.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        levels = [_level(cell) for cell in array.dictionary.to_pylist()]
        if self._is_ordered:
            self._require_order(levels, first_row)
        code_of = self._code_of
        codes = [-1 if level is None else code_of.setdefault(level, len(code_of)) for level in levels]
        encoded: Encoded = np.array([*codes, -1], dtype=np.int32)[_indices(array)]
        return encoded

    def _require_order(self, levels: list[Level | None], first_row: int) -> None:
        """Raise InputError if the batches list the levels of an ordered category differently."""
        if self._order is None or self._order == levels[: len(self._order)]:
            self._order = levels
        elif self._order[: len(levels)] != levels:
            raise InputError(
                f"{self._place(first_row)}: the categories are ordered, but their order changes within the file; save "
                "them as strings or numbers"
            )

    def column(self, codes: Encoded) -> TableColumn:
        observed = np.unique(codes[codes >= 0])
        names = list(self._code_of)
        found = [names[code] for code in observed.tolist()]
        levels = tuple(self._order) if self._order is not None else _sorted(found)
        rank_of = {level: rank for rank, level in enumerate(levels)}
        ranks = np.full(len(names) + 1, np.nan)  # the last for missing values, whose code is -1
        ranks[observed] = [rank_of[level] for level in found]
        return TableColumn(self.name, "category" if self._order is None else "ordered", ranks[codes], levels)

    def labels(self, codes: Encoded) -> NDArray[Any]:
        labels: NDArray[Any] = label_array(list(self._code_of))[codes]  # type: ignore[arg-type]
        return labels


def _level(cell: Any) -> Level | None:
    """Return a value of a dictionary as a level: a float that is an integer as an integer, as from a data frame."""
    if is_missing(cell):
        return None
    level: Level = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    return level


def _sorted(levels: list[Level]) -> tuple[Level, ...]:
    """Return levels in the order of the reader for data frames."""
    if all(isinstance(level, str) for level in levels):
        return sort_levels([str(level) for level in levels])
    return tuple(sorted(levels))  # numbers


def _indices(array: Any) -> NDArray[Any]:
    """Return the indices into the dictionary, -1 where missing."""
    indices = array.indices
    if str(indices.type).startswith("u"):
        indices = indices.cast("int64")
    numbers: NDArray[Any] = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return numbers
