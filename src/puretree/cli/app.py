"""All commands, and the way in."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from . import bench, certify, compare, encode, explain, export, fit, listing, predict, report, show, trees, verify
from .exit_codes import guarded

app = typer.Typer(
    name="puretree",
    help="The smallest decision tree that is right on every row, and the proof that no smaller one is.",
    epilog="Exit codes: 0 proved or done, 10 best tree so far, 2 bad input, 20 no such tree, 30 rejected, "
    "1 a solver that failed, or a bug.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (fit.fit, show.show, trees.trees, predict.predict, export.export, explain.explain, encode.encode):
    app.command()(command)
app.command()(certify.certify)
app.command()(verify.verify)
app.command()(report.report)
app.command()(compare.compare)
app.command()(listing.engines)
app.command()(listing.datasets)
app.add_typer(bench.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"puretree {version('puretree')}")
        raise typer.Exit


@app.callback()
def _every_command(
    wants_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@cache
def _commands() -> Any:
    """Build the commands, once: that takes longer than many a command."""
    return get_command(app)


def _open_missing_streams() -> None:
    """Print to nowhere where a process was started without standard streams; else the next file takes their number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # ≤ and the names of columns print wherever this runs
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _commands()(given or ["--help"], prog_name="puretree", standalone_mode=False))
