"""The formats of table files."""

import builtins
import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from puretree.datasets import load, read_csv, read_file
from puretree.errors import DataNotFoundError, FormatError, InputError

TEXT = "n,colour,class\n1,red,yes\n2,blue,no\n1.0,red,yes\n"


def compress_zstd(data: bytes) -> bytes:
    """Compress bytes by zstd."""
    compressed: bytes = pa.Codec("zstd").compress(data, asbytes=True)
    return compressed


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": compress_zstd,
}


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_compressed_csv_files_are_read(tmp_path: Path, suffix: str) -> None:
    """A compressed CSV file is the same table; read_file merges equal rows, and so does load."""
    path = tmp_path / f"table.csv.{suffix}"
    path.write_bytes(COMPRESSORS[suffix](TEXT.encode()))
    unmerged, merged, loaded = read_csv(path), read_file(path), load(str(path))
    assert unmerged.name == merged.name == "table"
    assert unmerged.table.columns[0].values.tolist() == [1, 2, 1]
    assert unmerged.table.weights is None
    for dataset in (merged, loaded):
        assert dataset.table.to_dict()["colour"].tolist() == ["red", "blue"]
        assert dataset.table.weights is not None
        assert dataset.table.weights.tolist() == [2, 1]
        assert dataset.target.tolist() == ["yes", "no"]
        assert dataset.positions is not None
        assert dataset.positions.tolist() == [2, 3]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_damaged_compressed_files_are_rejected(tmp_path: Path, suffix: str) -> None:
    """A truncated file and one that is not compressed are rejected by name."""
    rows = "".join(
        f"{number},c{number},{number % 2}\n" for number in np.random.default_rng(0).integers(10**9, size=999)
    )
    path = tmp_path / f"table.csv.{suffix}"
    for data in (COMPRESSORS[suffix](f"n,colour,class\n{rows}".encode())[:-600], TEXT.encode()):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=r"table\.csv\.\w+ is damaged"):
            read_file(path)
    with pytest.raises(DataNotFoundError, match="there is no file"):
        read_file(tmp_path / f"other.csv.{suffix}")


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.csv.zst"])
def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Formats that need pyarrow say how to install it."""
    original = builtins.__import__

    def without_pyarrow(module: str, *rest: Any) -> Any:
        if module.partition(".")[0] == "pyarrow":
            raise ImportError(module)
        return original(module, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    with pytest.raises(InputError, match=r"needs pyarrow; install it with: pip install 'puretree\[files\]'"):
        read_file(tmp_path / name)


def test_options_of_csv_files_are_for_csv_files(tmp_path: Path) -> None:
    """Typed files have no texts to interpret; empty options, as a run stores them, are accepted."""
    for option in ({"numbers": ["a"]}, {"missing_values": ["NA"]}):
        with pytest.raises(InputError, match=r"is for CSV files, but .*a\.parquet has typed columns"):
            read_file(tmp_path / "a.parquet", **option)  # type: ignore[arg-type]
    with pytest.raises(DataNotFoundError):
        read_file(tmp_path / "a.parquet", missing_values=())
