"""Files from outside cannot hurt: whatever stands in them, a reader reads it or refuses it with one of its errors."""

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
from helpers.fuzzing.trying import Hang, limits, try_input, try_inputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

N_INPUTS = 100_000
N_INPUTS_AT_ONCE = 2_000


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    """Let go of the models in the end, before the native module goes."""
    yield
    for kept in (model, trees, run_files, proof_files):
        kept.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Give a folder in memory where there is one: changing a file a hundred thousand times takes minutes elsewhere."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        yield Path(name)


names = [reader.name for reader in READERS]


def share_of(reader: Reader, n_inputs: int) -> int:
    """Return how many of all inputs are for a reader, rounded up."""
    total = sum(each.share for each in READERS)
    return -(-reader.share * n_inputs // total)


def try_all(n_inputs: int, seed: int, folder: Path) -> Counter[str]:
    """Try so many inputs over all readers; every reader must refuse some, and read what is valid."""
    ends: Counter[str] = Counter()
    for reader in READERS:
        place = folder / reader.name.replace(":", "")
        place.mkdir()
        of_reader = try_inputs(reader, share_of(reader, n_inputs), seed, place)
        assert of_reader["read"] < of_reader.total(), f"{reader.name}: {of_reader}"
        with limits(), FileIO(place / reader.file, "w") as file:
            assert "read" in {try_input(reader, file, place / reader.file, valid) for valid in reader.valid()}
        ends += of_reader
    return ends


def test_broken_files_are_read_or_refused(folder: Path) -> None:
    """2000 broken files: no other error, no hang, no more memory than there may be."""
    assert try_all(N_INPUTS_AT_ONCE, 0, folder).total() >= N_INPUTS_AT_ONCE


@pytest.mark.slow
def test_a_hundred_thousand_broken_files(folder: Path) -> None:
    """The same with 100,000."""
    assert try_all(N_INPUTS, 1, folder).total() >= N_INPUTS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
contents = st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("reader", READERS, ids=names)
@given(content=contents | json_values.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(reader: Reader, folder: Path, content: bytes) -> None:
    """Bytes, text and JSON that have nothing to do with what is expected."""
    for name, beside in reader.beside().items():
        (folder / name).write_bytes(beside)
    path = folder / reader.file
    with limits(), FileIO(path, "w") as file:
        try_input(reader, file, path, content)


def test_the_alarm_and_the_bound_of_memory_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can fail: a reader that hangs, takes too much or raises something else is caught."""

    def broken(read: Any) -> Reader:
        return Reader("broken", read, lambda: [b"x"], share=1)

    def hang(path: Path) -> None:
        while True:
            pass

    monkeypatch.setattr("helpers.fuzzing.trying.SECONDS", 0.1)
    with pytest.raises(Hang):
        try_inputs(broken(hang), 1, 0, tmp_path)
    with pytest.raises(MemoryError):
        try_inputs(broken(lambda path: bytearray(2 << 30)), 1, 0, tmp_path)
    with pytest.raises(KeyError):
        try_inputs(broken(lambda path: {}["a"]), 1, 0, tmp_path)
