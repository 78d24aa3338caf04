"""Commands run in this process, on a small table."""

from pathlib import Path

import pytest
from command_line import LOANS, Puretree, in_this_process


@pytest.fixture
def puretree(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Run a command in this process."""
    return in_this_process(capsys, monkeypatch)


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    """Write a small table with strings, codes, gaps and a name that looks like markup."""
    path = tmp_path / "loans.csv"
    path.write_text(LOANS, encoding="utf-8")
    return path


@pytest.fixture
def run_folder(puretree: Puretree, loans: Path, tmp_path: Path) -> Path:
    """Fit the small table, and keep the run."""
    folder = tmp_path / "run"
    ended = puretree("fit", loans, "--target", "risk", "--out", folder, "--random-state", 0, "--quiet")
    assert (ended.code, ended.err) == (0, "")
    return folder
