"""The data sets of the classifier experiment, and their folds."""

from pathlib import Path

import numpy as np
import pytest

from puretree import InputError
from puretree.bench.classifiers.folds import N_FOLDS, LabelledRows, datasets_of, is_reserved

MONKS = LabelledRows.load("formula:monks-1", None)


def test_folds_divide_the_rows() -> None:
    """Each row is in the test part of one fold, and each fold has the same share of every class, within one row."""
    folds = MONKS.folds(0)
    assert len(folds) == N_FOLDS
    assert sum(test.table.n_rows for _, test in folds) == MONKS.table.n_rows
    for training, test in folds:
        assert training.table.n_rows + test.table.n_rows == MONKS.table.n_rows
        shares = np.bincount(MONKS.codes) / N_FOLDS
        assert (abs(np.bincount(test.codes) - shares) <= 1).all()
        assert (training.n_classes, test.n_classes) == (2, 2)


def test_folds_depend_on_the_seed_alone() -> None:
    """A repetition has the same folds in each process; another repetition has others."""
    first, same, other = (MONKS.folds(seed)[0][1].codes.tolist() for seed in (0, 0, 1))
    assert first == same != other


def test_rare_classes_raise_no_warning() -> None:
    """A class with fewer rows than folds is missing in some of them (warnings are errors here)."""
    codes = MONKS.codes.copy()
    codes[:2] = 2
    rows = LabelledRows(MONKS.table, codes, 3)
    assert {len(np.unique(test.codes)) for _, test in rows.folds(0)} == {2, 3}


def test_merged_rows_are_repeated(tmp_path: Path) -> None:
    """Equal rows of a compressed file are merged when it is read; here each counts, with its class."""
    import gzip

    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,class\n1,x\n2,y\n1,x\n"))
    rows = LabelledRows.load(str(path), None)
    assert rows.table.weights is None
    assert rows.codes.tolist() == [0, 0, 1]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Write a folder with data sets of three sizes for each of six names."""
    names = [f"{name}-{n_rows}" for name in "abcdef" for n_rows in (79, 80, 2001)]
    manifest = "".join(f"{name},,x,\n" for name in names)
    (tmp_path / "MANIFEST.csv").write_text(f"name,paper_name,continuous_columns,paper_counts\n{manifest}")
    for name in names:
        n_rows = int(name.split("-")[1])
        lines = "".join(f"{row},{row % 2}\n" for row in range(n_rows))
        (tmp_path / f"{name}.csv").write_text(f"x,class\n{lines}")
    return str(tmp_path)


def test_the_parts_divide_the_data_sets_of_medium_size(folder: str) -> None:
    """The name decides whether a data set is reserved; those with fewer than 80 or more than 2000 rows are left out."""
    everything, design, reserved = (datasets_of(part, folder) for part in ("all", "design", "reserved"))
    assert everything == tuple(f"{name}-80" for name in "abcdef")
    assert sorted((*design, *reserved)) == sorted(everything)
    assert reserved == tuple(filter(is_reserved, everything))
    assert design
    assert reserved


def test_unknown_parts_are_rejected(folder: str) -> None:
    """The message lists the parts."""
    with pytest.raises(InputError, match="part='train' is unknown; choose from design, reserved, all"):
        datasets_of("train", folder)
