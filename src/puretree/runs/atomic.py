"""Files and folders that appear under their name when they are complete: a process that dies leaves what was before.

A folder that is not empty cannot be renamed over. Linux can exchange two names in one step; elsewhere the old folder is
moved aside first, and back if the new one cannot take its place. A process that dies between these two steps leaves the
old folder aside, under a name that ends in ``.old``: nobody deletes it.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError
from .temporary import temporary_file, temporary_folder, temporary_name

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # as in linux/fcntl.h and linux/fs.h


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Tell what goes wrong with the name that a person gave, not with that of the file beside it."""
    require_parent(path)
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def require_parent(path: Path) -> None:
    """Refuse a path in a folder that is not there."""
    if not path.parent.is_dir():
        raise InputError(
            f"{path} cannot be written: there is no folder {path.parent}; make it first, or write elsewhere"
        )


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, all of it or nothing; what is not a plain file, such as /dev/stdout, is written to as it is."""
    with writing_to(path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)  # a link stays a link, to a new file


def _replace(path: Path, content: bytes) -> None:
    with temporary_file(path) as beside:
        write_lasting(beside, content)
        beside.replace(path)


def replace_folder(folder: Path, files: Mapping[str, bytes], *, force: bool = True) -> None:
    """Make a folder of these files and nothing else, in place of what is there.

    Parameters
    ----------
    folder : Path
        Its parent must exist.
    files : mapping of str to bytes
        Contents by name.
    force : bool, default=True
        Replace a folder that holds something; without it that is an InputError, also if the folder came to hold
        something this very moment.
    """
    with building_folder(folder, force=force) as beside:
        for name, content in files.items():
            write_lasting(beside / name, content)


@contextmanager
def building_folder(folder: Path, *, force: bool = True) -> Iterator[Path]:
    """Give an empty folder to write into, which takes the place of what is there at the end, if there is no error.

    Parameters
    ----------
    folder : Path
        Its parent must exist. Whoever writes sees to it that files last, as :func:`write_lasting` does.
    force : bool, default=True
        As for :func:`replace_folder`.
    """
    with writing_to(folder):
        place = folder.resolve()
        with temporary_folder(place) as beside:
            yield beside
            _sync(beside)
            _take_place(beside, place, force)
            _sync(place.parent)


def _take_place(beside: Path, folder: Path, force: bool) -> None:
    try:
        beside.rename(folder)  # there is nothing, or an empty folder
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not force:
            raise InputError(f"{folder} holds something by now; use another folder, or --force to replace it") from None
        if not _exchange(beside, folder):
            _move_aside(beside, folder)


def _move_aside(beside: Path, folder: Path) -> None:
    aside = temporary_name(folder, ".old")
    folder.rename(aside)
    try:
        beside.rename(folder)
    except BaseException:
        aside.rename(folder)
        raise
    aside.rename(beside)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step, or return False where the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


def write_lasting(path: Path, content: bytes) -> None:
    """Write a file, and make it last."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make the names in a folder last; only where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
