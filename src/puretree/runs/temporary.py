"""Temporary files and folders next to their target; those of a dead process are removed by the next writer.

A writer holds a lock on its temporary file. The system releases the lock when the process ends, however it ends. So an
unlocked temporary file belongs to no running process and can be removed, and two processes that write at the same time
do not disturb each other. On systems without locks nothing is removed.
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

SUFFIX = ".puretree"  # specific to this package: only files with this suffix are ever removed

try:
    _locks: Any = importlib.import_module("fcntl")
except ImportError:  # Windows
    _locks = None


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Create a hidden folder next to a path, and remove whatever has its name at the end.

    If it replaces a folder, only the owner can read it, since the umask may admit more users than the old folder does.
    """
    mode = 0o700 if path.exists() else 0o777
    with _create_locked(path, lambda temporary: temporary.mkdir(mode)) as temporary:
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Create a hidden file next to a path, and remove it at the end unless it was renamed.

    If it replaces a file, only the owner can read it, as in :func:`temporary_folder`.
    """
    mode = 0o600 if path.exists() else 0o666
    with _create_locked(path, lambda temporary: temporary.touch(mode, exist_ok=False)) as temporary:
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


def temporary_name(path: Path, suffix: str = SUFFIX) -> Path:
    """Return a unique name next to a path."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{suffix}")


@contextmanager
def _create_locked(path: Path, create: Callable[[Path], None]) -> Iterator[Path]:
    """Create a temporary file or folder and lock it; try again if another writer removed it before it was locked."""
    _remove_stale(path)
    while True:
        temporary = temporary_name(path)
        create(temporary)
        try:
            handle = _lock(temporary)
        except (BlockingIOError, FileNotFoundError):
            continue
        if temporary.exists():
            break
        _close(handle)
    try:
        yield temporary
    finally:
        _close(handle)


def is_temporary(path: Path, names: Iterable[str]) -> bool:
    """Return whether a path is named like a temporary file or folder for one of these targets next to it."""
    targets = "|".join(map(re.escape, names))
    return re.fullmatch(rf"\.(?:{targets})\.[0-9a-f]{{8}}{re.escape(SUFFIX)}", path.name) is not None


def _remove_stale(path: Path) -> None:
    """Remove the temporary files and folders that dead processes left next to this path."""
    with suppress(OSError):  # the folder may be unreadable
        for entry in [entry for entry in path.parent.iterdir() if is_temporary(entry, [path.name])]:
            with suppress(OSError):  # it is locked, was just renamed, or belongs to another user
                _remove_unlocked(entry)


def _remove_unlocked(entry: Path) -> None:
    handle = _lock(entry)
    if handle is None:
        return
    try:
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    finally:
        _close(handle)


def _lock(path: Path) -> int | None:
    """Lock a file or folder until the handle is closed; return None if the system or file system has no locks.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.
    """
    if _locks is None:
        return None
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        _locks.flock(handle, _locks.LOCK_EX | _locks.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # some network file systems
        os.close(handle)
        return None
    return handle


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)
