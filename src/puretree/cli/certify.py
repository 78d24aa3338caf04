"""``puretree certify``: write a certificate of a run, which can be checked without trusting puretree or a solver."""

from __future__ import annotations

from math import isinf
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import options
from .exit_codes import ExitCode


def certify(
    run: options.RunFolder,
    form: Annotated[
        str,
        typer.Option("--proof", metavar="FORM", help="The format of the refutation: drat, lrat, or none to skip it."),
    ] = "drat",
    without_data: Annotated[
        bool,
        typer.Option(
            "--without-data",
            help="Omit the table; verification then needs the file. The binary features of the rows are included.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing certificate and its seal.")] = False,
    data: options.MovedData = None,
    time_limit: Annotated[
        str,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            help="For both proofs of minimality, half of it for each: the refutation takes at most 30 s by default. "
            "'none' for no limit.",
        ),
    ] = options.DEFAULT_TIME_LIMIT,
    memory_limit: options.MemoryLimit = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Write the certificate of a run into its folder: data, tree, two proofs of minimality, and checkers for them.

    Ctrl-C stops the current proof and keeps the others. The exit code is 10 if there is no proof of minimality.
    """
    from .._support.clock import Clock
    from ..datasets.formats import format_of, is_compressed
    from ..proof import CertifyOptions
    from ..proof import certify as make
    from ..runs import load_run
    from .inputs import reread_data
    from .output import note, put, put_json, put_marked
    from .progress import StepProgress

    if form not in ("drat", "lrat", "none"):
        raise InputError(f"--proof {form} is unknown; use drat, lrat or none")
    folder = Path(run)
    loaded = load_run(folder)
    table = reread_data(loaded, data)
    is_csv = table.record.is_file and format_of(table.record.source) in ("csv", None)
    file = Path(table.record.source) if is_csv and not is_compressed(table.record.source) else None
    with StepProgress(quiet=quiet) as progress:

        def on_start(name: str) -> None:
            limit = certify_options.proof_limit
            limited = "" if name in ("table", "purity") or isinf(limit) else f"at most {limit:g} s; "
            progress.begin(f"{name} ({limited}Ctrl-C skips this step)")

        def on_done(name: str, part: Any, seconds: float) -> None:
            progress.end()
            if not (quiet or json):
                put_marked(part["made"], f"{name}: {part['detail']} ({seconds:.1f} s)")

        certify_options = CertifyOptions(
            form=None if form == "none" else form,  # type: ignore[arg-type]  # checked above
            with_data=not without_data,
            clock=Clock.of(options.parse_seconds(time_limit)),
            memory_limit=options.parse_bytes(memory_limit),
            on_start=on_start,
            on_done=on_done,
        )
        manifest = make(loaded, folder, table.dataset, certify_options, file=file, force=force)
    if json:
        put_json({"seal": manifest.seal, "claim": dict(manifest.claim), "parts": dict(manifest.parts)})
    else:
        put(f"seal {manifest.seal}")
        if not quiet:
            note(f"'puretree verify {run}' checks it; 'puretree report {run}' documents it")
        if without_data and not quiet:
            note("problem.json contains the binary features of every row; treat it as confidentially as the data")
    return ExitCode.OK if manifest.has_proof else ExitCode.INCUMBENT
