"""Commands in processes of their own, and in this one, on a small table."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import LOANS, Puretree, in_this_process
from commands_in_processes import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Run commands in processes of their own."""
    with Server() as server:
        yield server


@pytest.fixture
def puretree(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Run a command in this process."""
    return in_this_process(capsys, monkeypatch)


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    """Write a small table."""
    path = tmp_path / "loans.csv"
    path.write_text(LOANS, encoding="utf-8")
    return path
