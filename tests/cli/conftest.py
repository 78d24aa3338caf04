"""Commands run in this process, on a small table."""

from pathlib import Path

import pytest
from command_line import LOANS, Ended, Puretree

from puretree.cli import main


@pytest.fixture
def puretree(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Run a command in this process; no command may ever show a traceback, or colour in a pipe."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("PURETREE_DATA", raising=False)

    def run(*arguments: object) -> Ended:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err, captured.err
        assert "\x1b" not in captured.out + captured.err
        return Ended(code, captured.out, captured.err)

    return run


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
