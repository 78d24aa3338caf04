"""Colours and escape sequences in printed text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from puretree.cli import main
from puretree.cli.output import console


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Treat standard output as a terminal with colours."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    console.cache_clear()
    yield monkeypatch
    console.cache_clear()


@pytest.mark.parametrize("has_colour", [True, False])
def test_names_are_printed_literally(
    terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, has_colour: bool
) -> None:
    """Markup in names is not interpreted, escape sequences are escaped, and NO_COLOR disables colours."""
    if not has_colour:
        terminal.setenv("NO_COLOR", "1")
    path = tmp_path / "table.csv"
    path.write_text("[red]x[/red],y\n1,p\x1b]0;title\x07\n2,q\n")
    assert main(["fit", str(path), "-t", "y"]) == 0
    shown = capsys.readouterr().out
    assert "[red]x[/red] ≤ 1?" in shown
    assert r"p\x1b]0;title\x07" in shown
    assert "\x1b]0;" not in shown
    assert "\x1b[1" in shown  # bold
    assert ("32m" in shown) == has_colour  # green
