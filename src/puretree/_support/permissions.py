"""Permissions of a file or folder that is replaced by a rename, which would otherwise give it those of a new one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def copy_permissions(old: Path, new: Path) -> None:
    """Give a new file or folder the permission bits, the group and the owner of the one that it replaces.

    Only the superuser can keep another owner. If the group cannot be kept, the new group gets no permissions. If there
    is no old one, nothing is changed.
    """
    try:
        status = old.stat()
    except FileNotFoundError:
        return
    current, mode = new.stat(), stat.S_IMODE(status.st_mode)
    if current.st_uid != status.st_uid:
        with suppress(OSError):
            os.chown(new, status.st_uid, -1)
    if current.st_gid != status.st_gid:
        try:
            os.chown(new, -1, status.st_gid)
        except OSError:
            mode &= ~stat.S_IRWXG
    new.chmod(mode)
