"""A file of results that only grows: a line of JSON for each finished cell, so a run that dies loses none of them.

A line is on the disk before the next cell is said to be done. What a dying process may leave is half a line at the end,
which is cut off when the run goes on. Lines that say with which versions and on what machine a run was begun stand
between the rows. One run at a time writes: a lock on the file keeps a second one out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import FormatError, InputError
from ...runs.atomic import path_in_errors
from ..cell import Row, Values

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing keeps a second run out
    fcntl = None  # type: ignore[assignment]

SESSION = "session"


class ResultsFile:
    """The rows of a file, and a way to add to them.

    Parameters
    ----------
    path : Path
        Made if it is not there.
    session : mapping
        What is to be known of the rows that this run adds: versions, machine, options.

    Attributes
    ----------
    rows : dict of str to Row
        By the id of their cells; of several for a cell the last.
    sessions : list of dict
        Of all runs that added to it, this one included.
    """

    def __init__(self, path: Path, session: Mapping[str, Any]) -> None:
        self.path = path
        with path_in_errors(path):
            self._file = path.open("a+b", buffering=0)  # what a full disk refuses must not be tried again at the end
        try:
            self._lock()
            self._file.seek(0)
            content = self._file.read()
            end = content.rfind(b"\n") + 1
            self.rows, self.sessions = parse_results(content[:end], path)
            self._file.truncate(end)  # half a line that a dying process left
            self._write({SESSION: dict(session)})
        except BaseException:
            self._file.close()
            raise
        self.sessions.append(dict(session))

    def append(self, row: Row) -> None:
        """Write a row down, for good."""
        self._write(row.to_dict())
        self.rows[row.id] = row

    def close(self) -> None:
        """Let others write."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.path} is being written by another run; wait for it, or write elsewhere") from None
        except OSError:  # a file system without locks, as some of clusters are: nothing keeps a second run out there
            pass

    def _write(self, plain: Values) -> None:
        with path_in_errors(self.path):
            end = self._file.seek(0, os.SEEK_END)
            left = json.dumps(plain, ensure_ascii=False).encode() + b"\n"
            try:
                while left:
                    left = left[self._file.write(left) :]
                os.fsync(self._file.fileno())
            except OSError:  # such as a full disk: what was there stays as it was
                self._file.truncate(end)
                raise


def read_results(path: Path) -> tuple[dict[str, Row], list[Values]]:
    """Read rows and sessions of a file that may still be written to; half a line at its end is not there yet."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there are no results in {path.parent}: no file {path.name}") from None
    return parse_results(content[: content.rfind(b"\n") + 1], path)


def parse_results(content: bytes, path: Path) -> tuple[dict[str, Row], list[Values]]:
    """Read lines of results; FormatError with the number of a line that is none."""
    rows: dict[str, Row] = {}
    sessions: list[Values] = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            plain = json.loads(line)
            if isinstance(plain, dict) and isinstance(plain.get(SESSION), dict):
                sessions.append(plain[SESSION])
                continue
            row = Row.from_dict(plain)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{path}, line {number} is not a line of results: {error}") from None
        rows[row.id] = row
    return rows, sessions
