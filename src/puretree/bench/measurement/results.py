"""An append-only results file: one JSON line per measured cell, so a run that dies loses none of them.

A row is flushed to disk before it is reported. A dying process can leave an incomplete last line, which is removed when
the run resumes. Session lines between the rows record the versions and the machine of each run. A lock on the file
ensures that only one run writes at a time.
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
except ImportError:  # not a POSIX system: concurrent runs are not detected
    fcntl = None  # type: ignore[assignment]

SESSION = "session"


class ResultsFile:
    """A results file open for appending.

    Parameters
    ----------
    path : Path
        Created if missing.
    session : mapping
        Metadata of the rows that this run adds: versions, machine, options.

    Attributes
    ----------
    rows : dict of str to Row
        By the id of their cells; the last row of a cell counts.
    sessions : list of dict
        Metadata of all runs that added rows, including this one.
    """

    def __init__(self, path: Path, session: Mapping[str, Any]) -> None:
        self.path = path
        with path_in_errors(path):
            self._file = path.open("a+b", buffering=0)  # unbuffered: a failed write must not be retried on close
        try:
            self._lock()
            self._file.seek(0)
            content = self._file.read()
            end = content.rfind(b"\n") + 1
            self.rows, self.sessions = parse_results(content[:end], path)
            self._file.truncate(end)  # remove the incomplete line of a run that died
            self._write({SESSION: dict(session)})
        except BaseException:
            self._file.close()
            raise
        self.sessions.append(dict(session))

    def append(self, row: Row) -> None:
        """Write a row and flush it to disk."""
        self._write(row.to_dict())
        self.rows[row.id] = row

    def close(self) -> None:
        """Close the file and release the lock."""
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
            raise InputError(
                f"{self.path} is being written by another run; wait for it, or choose another folder"
            ) from None
        except OSError:  # some cluster file systems have no locks: concurrent runs are not detected there
            pass

    def _write(self, plain: Values) -> None:
        with path_in_errors(self.path):
            end = self._file.seek(0, os.SEEK_END)
            remaining = json.dumps(plain, ensure_ascii=False).encode() + b"\n"
            try:
                while remaining:
                    remaining = remaining[self._file.write(remaining) :]
                os.fsync(self._file.fileno())
            except OSError:  # such as a full disk: restore the previous content
                self._file.truncate(end)
                raise


def read_results(path: Path) -> tuple[dict[str, Row], list[Values]]:
    """Read the rows and sessions of a file that a run may be writing to; an incomplete last line is ignored."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there are no results in {path.parent}: no file {path.name}") from None
    return parse_results(content[: content.rfind(b"\n") + 1], path)


def parse_results(content: bytes, path: Path) -> tuple[dict[str, Row], list[Values]]:
    """Parse the lines of a results file; raise FormatError with the line number of an invalid line."""
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
