"""Colours and escape sequences in printed text."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree.cli import main
from puretree.cli.output import MOST_LINES, console


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


@pytest.mark.parametrize("command", ["", "fit", "show", "trees", "certify", "compare", "bench", "bench runtime"])
def test_flags_have_no_type(puretree: Puretree, command: str) -> None:
    """The help shows an option that takes no value without a type."""
    shown = puretree(*command.split(), "--help").out
    assert "--help" in shown
    assert "bool" not in shown.lower()


def large_run(tmp_path: Path) -> tuple[Path, int]:
    """Save a run with a tree of more nodes than a terminal has lines, and return its folder and number of nodes."""
    labels = "".join(f"{x},{'ab'[x % 2]}\n" for x in range(48))
    table = tmp_path / "table.csv"
    table.write_text(f"x,y\n{labels}")
    assert main(["fit", str(table), "-t", "y", "-o", str(tmp_path / "run"), "--selection", "first", "-q"]) == 0
    return tmp_path / "run", 2 * 48 - 1


def test_a_terminal_gets_the_top_of_a_large_tree(
    terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """``fit`` and ``show`` print the top, the sizes of what is below, and how to see all; ``--all`` prints all."""
    terminal.setenv("NO_COLOR", "1")
    run, n_nodes = large_run(tmp_path)
    fitted = capsys.readouterr().out
    assert main(["show", str(run)]) == 0
    shown = capsys.readouterr().out
    for text in (fitted, shown):
        plain = re.sub("\x1b\\[[0-9;]*m", "", text)
        top, _, hint = plain.partition("\n… ")
        n_hidden = sum(int(size) for size in re.findall(r"(?:yes|no): … (\d+) nodes$", top, re.MULTILINE))
        n_shown = len(re.findall(r"\?$|\(\d+\)$", top, re.MULTILINE))
        assert n_shown + n_hidden == n_nodes
        assert len(top.splitlines()) <= MOST_LINES
        assert "puretree show RUN --all" in hint
    assert main(["show", str(run), "--all"]) == 0
    everything = capsys.readouterr().out
    assert len(everything.splitlines()) >= n_nodes
    assert "…" not in everything


def test_a_pipe_gets_all_of_a_large_tree(puretree: Puretree, tmp_path: Path) -> None:
    """Without a terminal, ``show`` prints every node."""
    run, n_nodes = large_run(tmp_path)
    puretree("engines")  # discards the output of fit
    shown = puretree("show", run).out
    assert len(re.findall(r"\?$|\(\d+\)$", shown, re.MULTILINE)) == n_nodes
    assert "…" not in shown
