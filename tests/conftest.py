"""Fixtures and settings for all tests."""

import os
from pathlib import Path

import pytest
from helpers.command_line import LOANS, Puretree, in_this_process
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    """Return the folder of the paper's data sets, or skip the test."""
    folder = os.environ.get("PURETREE_DATA")
    if not folder:
        pytest.skip("needs the paper's data sets: set PURETREE_DATA")
    return Path(folder)


@pytest.fixture
def puretree(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Return a function that runs a command in this process."""
    return in_this_process(capsys, monkeypatch)


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    """Write a small table with strings, codes, missing values and a name that looks like markup."""
    path = tmp_path / "loans.csv"
    path.write_text(LOANS, encoding="utf-8")
    return path
