"""What a limit of memory leaves, and what the process takes."""

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puretree import InputError
from puretree._support.resources import (
    COUNTED,
    LEAST_BYTES,
    MOST_BYTES,
    free_bytes,
    most_own_bytes,
    own_bytes,
    resident_bytes,
)

tells = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")


@tells
def test_what_is_taken_is_seen() -> None:
    """An array of 50 MB that is written to is memory taken, and what is left is less by as much."""
    taken, left = resident_bytes(), free_bytes(8e9)
    array = np.ones(50_000_000, dtype=np.uint8)
    assert resident_bytes() - taken == pytest.approx(array.nbytes, rel=0.1)
    assert left - free_bytes(8e9) == pytest.approx(COUNTED * array.nbytes, rel=0.1)


@tells
def test_pages_of_files_are_nobodys_own(tmp_path: Path) -> None:
    """An array of 50 MB is a process's own, a file of 50 MB that it reads where it lies is not."""
    before = own_bytes()
    array = np.ones(50_000_000, dtype=np.uint8)
    assert own_bytes() - before == pytest.approx(array.nbytes, rel=0.1)
    array.tofile(tmp_path / "file")
    before, all_before = own_bytes(), resident_bytes()
    mapped = np.memmap(tmp_path / "file", dtype=np.uint8, mode="r")
    assert mapped.sum() == array.sum()
    assert resident_bytes() - all_before > 40e6
    assert own_bytes() - before < 5e6
    assert most_own_bytes() >= own_bytes() - 5e6


@tells
def test_a_limit_counts_what_is_taken_already() -> None:
    """The limit is one for the process: numpy and the table are in it."""
    limit = resident_bytes() + 1e9
    assert free_bytes(limit) == pytest.approx(COUNTED * 1e9, rel=0.01)


def test_half_of_the_memory_unless_said_otherwise() -> None:
    """No limit is half of the machine's, less what is taken."""
    assert free_bytes(None) == pytest.approx(COUNTED * (MOST_BYTES - resident_bytes()), rel=0.01)


@pytest.mark.parametrize("limit", [1, 1.5, np.float32(2), np.int64(3)])
def test_a_little_is_always_left(limit: float) -> None:
    """A search needs something to begin with, however small the limit."""
    assert free_bytes(limit) == LEAST_BYTES


def test_no_limit_at_all_is_a_number() -> None:
    """What is left of infinity fits into a machine word."""
    assert 2**61 < free_bytes(inf) <= 2**62


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody knows what is taken, the limit is what may be taken."""

    def fail(*args: object, **options: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", fail)
    assert resident_bytes() == own_bytes() == most_own_bytes() == 0
    assert free_bytes(1e9) == COUNTED * 1e9


@pytest.mark.parametrize("limit", [0, -5, float("nan"), "1e9", True, 1j])
def test_limits_that_make_no_sense(limit: Any) -> None:
    """The message shows what was given and what can be."""
    with pytest.raises(InputError, match=r"memory_limit=.* is not a number of bytes above 0; 2e9 is two gigabytes"):
        free_bytes(limit)
