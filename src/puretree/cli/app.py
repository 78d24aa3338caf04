"""The command line: all commands, and :func:`main`."""

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

from . import (
    bench,
    certify,
    compare,
    encode,
    explain,
    explore,
    export,
    fit,
    front,
    listing,
    predict,
    report,
    show,
    trees,
    verify,
)
from .exit_codes import guarded

HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="puretree",
    help="Find the smallest decision tree that classifies every row correctly, and prove that no smaller one does.",
    epilog="Exit codes: 0 proved or done, 10 best tree so far, 2 invalid input, 20 infeasible, 30 rejected, "
    "1 solver failure or bug.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=HELP,
)
for command in (
    fit.fit,
    front.front,
    show.show,
    trees.trees,
    explore.explore,
    predict.predict,
    export.export,
    explain.explain,
    encode.encode,
):
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
def _main_options(
    wants_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@cache
def commands() -> Any:
    """Build the commands once; it takes longer than many commands."""
    commands = get_command(app)
    _hide_types_of_flags(commands)
    return commands


def _hide_types_of_flags(command: Any) -> None:
    """Show a flag without a type in the help: it takes no value."""
    for parameter in command.get_params(typer.Context(command, **HELP)):  # those of the command, and --help
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for subcommand in getattr(command, "commands", {}).values():
        _hide_types_of_flags(subcommand)


def _options(argv: Sequence[str]) -> set[str]:
    """Return the options of the command that the arguments name."""
    command = commands()
    for argument in argv:
        subcommands = getattr(command, "commands", {})
        if argument not in subcommands:
            break
        command = subcommands[argument]
    return {option for parameter in command.params for option in parameter.opts}


def _open_missing_streams() -> None:
    """Open the null device for missing standard streams; else the next opened file gets their descriptor."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code; see :func:`puretree.cli.main`."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # ≤ and column names print in every locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    argv = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: commands()(argv or ["--help"], prog_name="puretree", standalone_mode=False), _options(argv))
