"""The formats of table files, by suffix, and how compressed text is opened."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO

from ..errors import DataNotFoundError, FormatError, InputError

Format = Literal["csv", "parquet", "arrow"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
}
"""The format of each suffix. A file with any other suffix is read as CSV."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""The suffixes of compressed CSV files."""


def format_of(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that the suffix of a file stands for; None for an unknown suffix.

    >>> format_of("a.csv"), format_of("a.CSV.gz"), format_of("a.pq"), format_of("a.txt")
    ('csv', 'csv', 'parquet', None)
    """
    name = Path(path)
    return FORMATS.get((name.with_suffix("") if is_compressed(name) else name).suffix.lower())


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Return whether the suffix of a file says that it is compressed."""
    return Path(path).suffix.lower() in COMPRESSIONS


def stem_of(path: Path) -> str:
    """Return the name of a file without its suffixes.

    >>> stem_of(Path("data/sales.2024.csv.gz"))
    'sales.2024'
    """
    return path.with_suffix("").stem if is_compressed(path) else path.stem


def import_pyarrow(path: str | os.PathLike[str]) -> Any:
    """Import pyarrow, or raise InputError: it is an optional dependency."""
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            f"reading {path} needs pyarrow; install it with: pip install 'puretree[files]', or save the table as CSV"
        ) from None
    return pyarrow


@contextmanager
def explaining_missing_files(path: Path, what: str) -> Iterator[None]:
    """Raise the errors of this package if there is no such file, or if it is a folder."""
    try:
        yield
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; pass {what}") from None
    except FileNotFoundError:
        raise DataNotFoundError(f"there is no file {path}") from None


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a text file in UTF-8, compressed or not; bad bytes and bad compression raise FormatError."""
    with explaining_missing_files(path, "a CSV file"):
        try:
            with _open_bytes(path) as file, io.TextIOWrapper(file, newline="", encoding="utf-8-sig") as text:
                yield text
        except UnicodeDecodeError as error:
            raise FormatError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise _damaged(path, error) from None
        except OSError as error:
            if not is_compressed(path) or error.errno is not None:
                raise
            raise _damaged(path, error) from None  # bz2 and pyarrow raise OSError without a number


def _damaged(path: Path, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return FormatError(f"{path} is damaged, or not compressed as its suffix says: {reason}")


def _open_bytes(path: Path) -> Any:
    openers: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _zstd}
    suffix = path.suffix.lower()
    return openers[suffix](path) if suffix in openers else path.open("rb")


def _zstd(path: Path) -> Any:
    pyarrow = import_pyarrow(path)
    path.stat()  # or pyarrow raises its own error for a missing file
    return pyarrow.CompressedInputStream(pyarrow.OSFile(str(path), "rb"), "zstd")
