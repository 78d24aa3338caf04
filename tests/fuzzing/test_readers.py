"""Fuzzing: readers read a corrupted external file or raise one of their expected errors."""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from helpers.fuzzing.readers import READERS, Reader, model, proof_files, run_files, trees
from helpers.fuzzing.run_inputs import Hang, limits, run_input, run_inputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

N_INPUTS = 100_000
N_QUICK_INPUTS = 2_000


@pytest.fixture(scope="module", autouse=True)
def _clear_caches() -> Iterator[None]:
    """Release the cached models at the end, before the native module is unloaded."""
    yield
    for cached in (model, trees, run_files, proof_files):
        cached.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory if possible: rewriting a file a hundred thousand times on disk takes minutes."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        yield Path(name)


names = [reader.name for reader in READERS]


def n_inputs_of(reader: Reader, n_inputs: int) -> int:
    """Return the number of inputs for a reader, by its weight, rounded up."""
    total = sum(other.weight for other in READERS)
    return -(-reader.weight * n_inputs // total)


def run_all(n_inputs: int, seed: int, folder: Path) -> Counter[str]:
    """Run all readers; each must reject some inputs, and read a valid one."""
    results: Counter[str] = Counter()
    for reader in READERS:
        subfolder = folder / reader.name.replace(":", "")
        subfolder.mkdir()
        of_reader = run_inputs(reader, n_inputs_of(reader, n_inputs), seed, subfolder)
        assert of_reader["read"] < of_reader.total(), f"{reader.name}: {of_reader}"
        with limits(), FileIO(subfolder / reader.file, "w") as file:
            assert "read" in {run_input(reader, file, subfolder / reader.file, valid) for valid in reader.valid()}
        results += of_reader
    return results


def test_corrupted_files_are_read_or_rejected(folder: Path) -> None:
    """2000 corrupted files cause no other error, no hang, and no excessive memory use."""
    assert run_all(N_QUICK_INPUTS, 0, folder).total() >= N_QUICK_INPUTS


@pytest.mark.slow
def test_a_hundred_thousand_corrupted_files(folder: Path) -> None:
    """The same holds for 100,000 corrupted files."""
    assert run_all(N_INPUTS, 1, folder).total() >= N_INPUTS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
contents = st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("reader", READERS, ids=names)
@given(content=contents | json_values.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_rejected(reader: Reader, folder: Path, content: bytes) -> None:
    """Arbitrary bytes, text and JSON are read or rejected."""
    for name, sibling in reader.siblings().items():
        (folder / name).write_bytes(sibling)
    path = folder / reader.file
    with limits(), FileIO(path, "w") as file:
        run_input(reader, file, path, content)


def test_hangs_memory_and_other_errors_are_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that hangs, uses too much memory or raises another error fails the tests above."""

    def make_reader(read: Any) -> Reader:
        return Reader("faulty", read, lambda: [b"x"], weight=1)

    def hang(path: Path) -> None:
        while True:
            pass

    monkeypatch.setattr("helpers.fuzzing.run_inputs.SECONDS", 0.1)
    with pytest.raises(Hang):
        run_inputs(make_reader(hang), 1, 0, tmp_path)
    with pytest.raises(MemoryError):
        run_inputs(make_reader(lambda path: bytearray(2 << 30)), 1, 0, tmp_path)
    with pytest.raises(KeyError):
        run_inputs(make_reader(lambda path: {}["a"]), 1, 0, tmp_path)
