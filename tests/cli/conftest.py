"""A run of the small table."""

from pathlib import Path

import pytest
from helpers.command_line import Puretree


@pytest.fixture
def run_folder(puretree: Puretree, loans: Path, tmp_path: Path) -> Path:
    """Fit the small table, and keep the run."""
    folder = tmp_path / "run"
    ended = puretree("fit", loans, "--target", "risk", "--out", folder, "--random-state", 0, "--quiet")
    assert (ended.code, ended.err) == (0, "")
    return folder
