"""``puretree verify``: check a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .exit_codes import ExitCode

if TYPE_CHECKING:
    from ..proof import Check, Verdict


def verify(
    run: options.RunFolder,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FILE", help="The table, if the certificate does not contain it.")
    ] = None,
    checker: Annotated[
        str | None,
        typer.Option(
            "--checker",
            metavar="PROGRAM",
            help="The path of drat-trim or cake_lpr, or drat-trim:PATH, to check the refutation as well; by default "
            "those on the PATH. The built-in checker always runs.",
        ),
    ] = None,
    seal: Annotated[
        str | None, typer.Option("--seal", metavar="SHA256", help="The expected seal of the certificate.")
    ] = None,
    time_limit: Annotated[
        str, typer.Option("--time-limit", metavar="SECONDS", help="For both proofs. Default: no limit.")
    ] = "none",
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Check the certificate of a run: the hash of every file, the tree on the data, and the proofs of minimality.

    RUN is a run folder, or its proof folder alone. Exit code 0: the tree classifies the data correctly, and at least
    one proof of minimality is valid; 10: this could not be checked; 30: something is wrong.
    """
    from .._support.clock import Clock
    from ..proof import VerifyOptions
    from ..proof import verify as check
    from .output import put_json
    from .progress import StepProgress

    clock = Clock.of(options.parse_seconds(time_limit))
    with StepProgress(quiet=quiet) as progress:

        def on_check(result: Check) -> None:
            progress.end()
            if not (quiet or json):
                _put_check(result)

        verdict = check(Path(run), VerifyOptions(data, checker, seal, clock, progress.begin, on_check))
    if json:
        put_json(verdict.to_dict())
    else:
        _put(verdict)
    return ExitCode.OK if verdict.holds else ExitCode.INCUMBENT


def _put_check(check: Check) -> None:
    from .output import put_marked

    put_marked(check.result == "verified", f"{check.part}: {check.result}: {check.detail} ({check.seconds:.1f} s)")


def _put(verdict: Verdict) -> None:
    from .output import put_marked

    if verdict.holds:
        put_marked(True, f"verified: {verdict.statement}")
    else:
        put_marked(False, "not verified: see above what could not be checked")
