"""What is written beside its place first, and swept away by the next one if its writer died before it was done.

A writer holds a lock on what it writes. The system lets go of the lock when the writer ends, however it ends: so what
lies here under such a name and is not locked belongs to nobody, and two who write at once leave each other alone.
Where there are no locks, nothing is swept away.
"""

from __future__ import annotations

import importlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ENDING = ".puretree"  # nobody else's files are called so, and only these are ever swept away

try:
    _locks: Any = importlib.import_module("fcntl")
except ImportError:  # Windows
    _locks = None


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Make a hidden folder beside a path; whatever has its name in the end is removed."""
    with _claimed(path, Path.mkdir) as beside:
        try:
            yield beside
        finally:
            shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Make a hidden file beside a path; it is removed in the end unless it has another name by then."""
    with _claimed(path, lambda beside: beside.touch(exist_ok=False)) as beside:
        try:
            yield beside
        finally:
            beside.unlink(missing_ok=True)


def temporary_name(path: Path, ending: str = ENDING) -> Path:
    """Return a name beside a path that nobody else comes to use."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{ending}")


@contextmanager
def _claimed(path: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """Make something beside a path and keep it locked; another one if it was swept away before the lock was there."""
    _sweep(path)
    while True:
        beside = temporary_name(path)
        make(beside)
        try:
            handle = _lock(beside)
        except (BlockingIOError, FileNotFoundError):
            continue
        if beside.exists():
            break
        _close(handle)
    try:
        yield beside
    finally:
        _close(handle)


def is_leftover(path: Path, names: Iterable[str]) -> bool:
    """Whether a path was written to become one of these names beside it, by a writer that is at work or dead."""
    known = "|".join(map(re.escape, names))
    return re.fullmatch(rf"\.(?:{known})\.[0-9a-f]{{8}}{re.escape(ENDING)}", path.name) is not None


def _sweep(path: Path) -> None:
    """Remove what writers of this path left beside it that are dead by now."""
    with suppress(OSError):  # a folder that cannot be looked into
        for entry in [each for each in path.parent.iterdir() if is_leftover(each, [path.name])]:
            with suppress(OSError):  # its writer is at work, or done this very moment; or it is not ours to remove
                _remove(entry)


def _remove(entry: Path) -> None:
    handle = _lock(entry)
    if handle is None:
        return
    try:
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    finally:
        _close(handle)


def _lock(path: Path) -> int | None:
    """Lock a file or folder until the handle is closed; BlockingIOError if another has it, None if there are no locks.

    Some file systems of networks have none.
    """
    if _locks is None:
        return None
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        _locks.flock(handle, _locks.LOCK_EX | _locks.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None
    return handle


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)
