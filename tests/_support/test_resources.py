"""The memory of a process, and what remains under a memory limit."""

import mmap
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from joblib import effective_n_jobs

from puretree import InputError
from puretree._support.resources import (
    COUNTED,
    LEAST_BYTES,
    MOST_BYTES,
    free_bytes,
    peak_private_bytes,
    private_bytes,
    require_n_jobs,
    resident_bytes,
)

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")


def new_array(n_bytes: int) -> np.ndarray:
    """Return an array in newly mapped memory: np.ones may reuse memory that earlier tests freed."""
    memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    array = np.frombuffer(memory, dtype=np.uint8)
    array[:] = 1
    return array


@needs_proc
def test_allocated_memory_is_counted() -> None:
    """Writing to an array of 50 MB increases the resident memory and decreases the free memory accordingly."""
    resident, free = resident_bytes(), free_bytes(8e9)
    array = new_array(50_000_000)
    assert resident_bytes() - resident == pytest.approx(array.nbytes, rel=0.1)
    assert free - free_bytes(8e9) == pytest.approx(COUNTED * array.nbytes, rel=0.1)


@needs_proc
def test_pages_of_files_are_not_private(tmp_path: Path) -> None:
    """An array of 50 MB is private memory, a memory-mapped file of 50 MB is not."""
    before = private_bytes()
    array = new_array(50_000_000)
    assert private_bytes() - before == pytest.approx(array.nbytes, rel=0.1)
    array.tofile(tmp_path / "file")
    before, resident_before = private_bytes(), resident_bytes()
    mapped = np.memmap(tmp_path / "file", dtype=np.uint8, mode="r")
    assert mapped.sum() == array.sum()
    assert resident_bytes() - resident_before > 40e6
    assert private_bytes() - before < 5e6
    assert peak_private_bytes() >= private_bytes() - 5e6


@needs_proc
def test_a_limit_includes_the_memory_in_use() -> None:
    """The limit applies to the whole process, including numpy and the table."""
    limit = resident_bytes() + 1e9
    assert free_bytes(limit) == pytest.approx(COUNTED * 1e9, rel=0.01)


def test_the_default_limit_is_half_of_the_memory() -> None:
    """Without a limit, half of the machine's memory may be used, including what is in use."""
    assert free_bytes(None) == pytest.approx(COUNTED * (MOST_BYTES - resident_bytes()), rel=0.01)


@pytest.mark.parametrize("limit", [1, 1.5, np.float32(2), np.int64(3)])
def test_a_minimum_is_always_free(limit: float) -> None:
    """A search gets the memory that it needs to start, however small the limit."""
    assert free_bytes(limit) == LEAST_BYTES


def test_an_infinite_limit_leaves_a_finite_number() -> None:
    """The free memory under an infinite limit fits into a machine word."""
    assert 2**61 < free_bytes(inf) <= 2**62


def test_unknown_memory_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the memory in use cannot be read, the whole limit is free."""

    def deny(*args: object, **options: object) -> Any:
        raise psutil.AccessDenied

    def fail(*args: object, **options: object) -> str:
        raise OSError

    monkeypatch.setattr(psutil.Process, "memory_info", deny)
    monkeypatch.setattr(Path, "read_text", fail)
    assert resident_bytes() == private_bytes() == peak_private_bytes() == 0
    assert free_bytes(1e9) == COUNTED * 1e9


@pytest.mark.parametrize("limit", [0, -5, float("nan"), "1e9", True, 1j])
def test_invalid_memory_limits_raise(limit: Any) -> None:
    """The message shows the value and an example of a valid one."""
    with pytest.raises(InputError, match=r"memory_limit=.* is not a number of bytes above 0; 2e9 is two gigabytes"):
        free_bytes(limit)


@pytest.mark.parametrize("n_jobs", [None, 1, 7, -1, -2, np.int64(3)])
def test_numbers_of_jobs_of_joblib_are_accepted(n_jobs: int | None) -> None:
    """Whatever joblib accepts is accepted: negative numbers count from the number of processors, None means one."""
    require_n_jobs(n_jobs)
    assert effective_n_jobs(n_jobs) >= 1


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "2"])
def test_other_numbers_of_jobs_are_rejected(n_jobs: Any) -> None:
    """The error names the parameter, its value and the remedy."""
    with pytest.raises(InputError, match=rf"^n_jobs={n_jobs!r} is not a number of jobs; use 1 or more, or -1"):
        require_n_jobs(n_jobs)
