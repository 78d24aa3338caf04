"""What replaces a file has its permissions."""

import os
import stat
from pathlib import Path

import pytest

from puretree._support.permissions import copy_permissions

NOBODY = 65534
as_superuser = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can give a file away"
)


def mode_of(path: Path) -> int:
    """Return the permission bits of a path."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o664])
def test_bits_are_copied(tmp_path: Path, mode: int) -> None:
    """The bits of the old file are those of the new one; without an old file nothing is changed."""
    old, new = tmp_path / "old", tmp_path / "new"
    new.touch(0o600)
    copy_permissions(old, new)
    assert mode_of(new) == 0o600
    old.touch()
    old.chmod(mode)
    copy_permissions(old, new)
    assert mode_of(new) == mode


@as_superuser
def test_another_group_gets_no_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the group of the old file cannot be kept, no group can read the new one."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(0o664)
    os.chown(old, -1, NOBODY)
    new.touch(0o600)

    def forbidden(path: Path, owner: int, group: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", forbidden)
    copy_permissions(old, new)
    assert mode_of(new) == 0o604


@as_superuser
def test_the_owner_is_kept(tmp_path: Path) -> None:
    """If the superuser replaces a private file, its owner can still read it."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch(0o600)
    os.chown(old, NOBODY, NOBODY)
    new.touch()
    copy_permissions(old, new)
    status = new.stat()
    assert (status.st_uid, status.st_gid, mode_of(new)) == (NOBODY, NOBODY, 0o600)
