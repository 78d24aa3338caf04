"""A fixture with a run of the small table."""

from pathlib import Path

import pytest
from helpers.command_line import Puretree


@pytest.fixture
def run_folder(puretree: Puretree, loans: Path, tmp_path: Path) -> Path:
    """Fit the small table, and return the run folder."""
    folder = tmp_path / "run"
    result = puretree("fit", loans, "--target", "risk", "--out", folder, "--random-state", 0, "--quiet")
    assert (result.code, result.err) == (0, "")
    return folder
