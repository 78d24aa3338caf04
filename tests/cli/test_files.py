"""Commands on Parquet, Arrow and compressed CSV files."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.command_line import Puretree

NAMES = ("loans.parquet", "loans.feather", "loans.csv.gz")


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return 300 rows, of which at most 36 are distinct."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": random.integers(1, 7, size=300),
            "housing": random.choice(["rent", "own", None], size=300),
            "job": random.choice(["yes", "no"], size=300),
        }
    )
    return frame.assign(repaid=np.where((frame.income > 3) & (frame.job == "yes"), "yes", "no"))


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a data frame in the format of the suffix."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    else:
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_the_commands_accept_every_format(puretree: Puretree, tmp_path: Path, frame: pd.DataFrame, name: str) -> None:
    """A file is fitted with its hash, and shown, predicted, explained, exported and reported like a CSV file."""
    path, run = write(frame, tmp_path / name), tmp_path / "run"
    result = puretree("fit", path, "--target", "repaid", "--out", run, "--quiet")
    assert (result.code, result.err) == (0, "")
    assert "5 nodes, proved minimum" in result.out
    data = json.loads((run / "data.json").read_text())
    assert len(data["sha256"]) == 64
    assert data["columns"] == ["income", "housing", "job"]
    certificate = json.loads((run / "certificate.json").read_text())
    assert certificate["n_rows"] == 300
    predicted = puretree("predict", run, path)
    assert predicted.out.splitlines()[1:] == frame.repaid.tolist()
    assert puretree("explain", run, path, "--row", 299).code == 0
    exported = puretree("export", run, "--format", "python", "--out", tmp_path / "tree.py")
    assert "checked on the training rows" in exported.err
    report = puretree("report", run, "--test", path, "--json")
    assert report.code == 0, report.err
    assert "300 (300 training)" in (run / "report" / "dossier.md").read_text()
    best = puretree("trees", run, "--best", path)
    assert "100.00% of 300 rows" in best.out.replace("  ", " "), best.err


@pytest.mark.parametrize("name", NAMES)
def test_rows_can_be_held_out(puretree: Puretree, tmp_path: Path, frame: pd.DataFrame, name: str) -> None:
    """Weights are divided into training and selection rows; a report states both, from the same division."""
    path, run = write(frame, tmp_path / name), tmp_path / "run"
    result = puretree("fit", path, "--target", "repaid", "--out", run, "--quiet", "--selection", "holdout")
    assert result.code == 0, result.err
    outcome = json.loads((run / "outcome.json").read_text())
    assert sum(outcome["training_weights"]) == 240
    assert len(outcome["training_weights"]) == len(outcome["training_rows"])
    report = puretree("report", run)
    assert report.code == 0, report.err
    assert "300 (240 training, 60 selection)" in (run / "report" / "dossier.md").read_text()


def test_contradictory_rows_are_named_by_their_first_row(
    puretree: Puretree, tmp_path: Path, frame: pd.DataFrame
) -> None:
    """Rows of a Parquet file are counted from 0; of a CSV file the line is named. All rows are counted."""
    frame = pd.DataFrame({"a": [1, 2, 1, 1, 2], "y": ["u", "v", "u", "w", "v"]})
    raising = ("--target", "y", "--on-conflict", "raise")
    result = puretree("fit", write(frame, tmp_path / "t.parquet"), *raising)
    assert result.code == 2
    assert "3 rows are contradictory, with equal features and different labels: row 0 (u), row 3 (w)" in result.err
    result = puretree("fit", write(frame, tmp_path / "t.csv.gz"), *raising)
    assert "3 rows are contradictory, with equal features and different labels: line 2 (u), line 5 (w)" in result.err


def test_the_time_limit_covers_reading(puretree: Puretree, tmp_path: Path, frame: pd.DataFrame) -> None:
    """If the time limit is reached while a file is read, there is no tree."""
    result = puretree("fit", write(frame, tmp_path / "t.parquet"), "--target", "repaid", "--time-limit", 0)
    assert result.code == 20
    assert "t.parquet: the time limit was reached (limit 0 s) after 300 rows were read" in result.err


def test_a_missing_target_is_named_with_the_columns(puretree: Puretree, tmp_path: Path, frame: pd.DataFrame) -> None:
    """The error lists the columns of the file."""
    path = write(frame, tmp_path / "t.parquet")
    assert "one of income, housing, job, repaid in" in puretree("fit", path).err
    assert "has no column 'repayed' (did you mean 'repaid'?)" in puretree("fit", path, "--target", "repayed").err
    assert "there is no file" in puretree("fit", tmp_path / "none.parquet", "--target", "y").err


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_distinct", [True, False])
def test_only_plain_csv_files_are_certified(
    puretree: Puretree, tmp_path: Path, frame: pd.DataFrame, name: str, is_distinct: bool
) -> None:
    """A certificate contains the bytes of a CSV file; for other files the error says what to do."""
    path, run = write(frame.drop_duplicates() if is_distinct else frame, tmp_path / name), tmp_path / "run"
    assert puretree("fit", path, "--target", "repaid", "--out", run, "--quiet").code == 0
    result = puretree("certify", run)
    assert result.code == 2
    assert "a certificate contains the data file as CSV, with every row; save the table as a CSV file" in result.err


def test_rows_to_predict_are_checked(puretree: Puretree, tmp_path: Path, frame: pd.DataFrame) -> None:
    """A missing column, a column of another type, and a file without rows are rejected by name."""
    path, run = write(frame, tmp_path / "t.parquet"), tmp_path / "run"
    assert puretree("fit", path, "--target", "repaid", "--out", run, "--quiet").code == 0
    other = tmp_path / "new.parquet"
    write(frame.drop(columns="job"), other)
    assert "has no column 'job', which the tree tests" in puretree("predict", run, other).err
    write(frame.assign(job=1), other)
    assert "column 'job' held strings in training and holds numbers now" in puretree("predict", run, other).err
    write(frame.head(0), other)
    assert "has no rows" in puretree("predict", run, other).err
