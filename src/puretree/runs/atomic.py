"""Atomic writes: a file or folder appears under its name only when it is complete.

Contents are written to a temporary file or folder next to the target, synced to disk (fsync) and renamed. If the
process dies before the rename, the old contents stay. What is replaced keeps its permissions; what is new has those of
the umask.

A non-empty folder cannot be replaced by a rename. Linux can exchange two names atomically; elsewhere the old folder is
renamed first, and renamed back if the new one cannot take its name. A process that dies between these two steps leaves
the old folder under a name that ends in ``.old``, which is never deleted automatically.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .._support.permissions import copy_permissions
from ..errors import InputError
from .temporary import temporary_file, temporary_folder, temporary_name

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # as in linux/fcntl.h and linux/fs.h


@contextmanager
def path_in_errors(path: Path) -> Iterator[None]:
    """Make OSErrors name the target path, not the temporary file; reject a path that cannot exist."""
    require_parent(path)
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def require_parent(path: Path) -> None:
    """Raise InputError if the folder of a path does not exist, or if the path is a symbolic link that has no end."""
    if not path.parent.is_dir():
        raise InputError(
            f"{path} cannot be written: there is no folder {path.parent}; create it first, or write elsewhere"
        )
    _resolve(path)


def _resolve(path: Path) -> Path:
    """Follow symbolic links; raise InputError if they lead back to themselves."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:  # Path.resolve raises RuntimeError or nothing, depending on the version
            raise InputError(
                f"{path} cannot be written: it is a symbolic link that leads to itself; remove it, or write elsewhere"
            ) from None
    return path.resolve()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file atomically; a target that is not a regular file, such as /dev/stdout, is written directly."""
    with path_in_errors(path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(_resolve(path), content)  # a symbolic link is kept, and its target is replaced


def _replace(path: Path, content: bytes) -> None:
    with temporary_file(path) as temporary:
        write_and_sync(temporary, content)
        copy_permissions(path, temporary)
        temporary.replace(path)


def replace_folder(folder: Path, files: Mapping[str, bytes], *, force: bool = True) -> None:
    """Replace a folder by one with exactly these files.

    Parameters
    ----------
    folder : Path
        Its parent must exist.
    files : mapping of str to bytes
        Contents by name.
    force : bool, default=True
        Replace a folder that is not empty. If False, raise InputError instead, also if another process has just written
        into the folder.
    """
    with replacement_folder(folder, force=force) as temporary:
        for name, content in files.items():
            write_and_sync(temporary / name, content)


@contextmanager
def replacement_folder(folder: Path, *, force: bool = True) -> Iterator[Path]:
    """Yield an empty temporary folder that replaces the target at the end of the block, unless an error occurs.

    Parameters
    ----------
    folder : Path
        The target. Its parent must exist. The caller must sync the files, for example with :func:`write_and_sync`.
    force : bool, default=True
        As for :func:`replace_folder`.
    """
    with path_in_errors(folder):
        target = _resolve(folder)
        with temporary_folder(target) as temporary:
            yield temporary
            _sync_folder(temporary)
            _copy_permissions_of_folder(target, temporary)
            _rename_over(temporary, target, force)
            _sync_folder(target.parent)


def _copy_permissions_of_folder(old: Path, new: Path) -> None:
    """Copy the permissions of a folder, and of its files by name."""
    for file in new.iterdir():
        copy_permissions(old / file.name, file)
    copy_permissions(old, new)


def _rename_over(temporary: Path, folder: Path, force: bool) -> None:
    try:
        temporary.rename(folder)  # succeeds if the target does not exist, or is an empty folder
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not force:
            raise InputError(f"{folder} is no longer empty; use another folder, or --force to replace it") from None
        if not _exchange(temporary, folder):
            _rename_in_two_steps(temporary, folder)


def _rename_in_two_steps(temporary: Path, folder: Path) -> None:
    old = temporary_name(folder, ".old")
    folder.rename(old)
    try:
        temporary.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    old.rename(temporary)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names atomically; return False if the system does not support it."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE) == 0)


def write_and_sync(path: Path, content: bytes) -> None:
    """Write a file and sync it to disk (fsync)."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, on systems where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
