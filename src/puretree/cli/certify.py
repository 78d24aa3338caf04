"""``puretree certify``: proof of a run's tree for somebody who trusts neither us nor the solver."""

from __future__ import annotations

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
        typer.Option("--proof", metavar="FORM", help="How the refutation is written: drat, lrat, or none to skip it."),
    ] = "drat",
    without_data: Annotated[
        bool,
        typer.Option(
            "--without-data",
            help="Leave the table out; whoever verifies needs the file. What rows answer to all questions stays in.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older certificate, and its seal.")] = False,
    data: options.MovedData = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="For both proofs of minimality together.")
    ] = 300.0,
    memory_limit: options.MemoryLimit = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Write the certificate of a run into its folder: data, tree, two proofs of minimality, programs that check them.

    Ctrl-C ends the proof under way and keeps the others. The exit code is 10 if neither proof of minimality was made.
    """
    from .._support.clock import Clock
    from ..proof import CertifyOptions
    from ..proof import certify as make
    from ..runs import load_run
    from .inputs import reread_data
    from .output import note, put, put_json, put_marked
    from .progress import PartAtHand

    if form not in ("drat", "lrat", "none"):
        raise InputError(f"--proof {form} is not known; use drat, lrat or none")
    folder = Path(run)
    loaded = load_run(folder)
    table = reread_data(loaded, data)
    file = Path(table.record.source) if table.record.is_file else None
    with PartAtHand(quiet=quiet) as at_hand:

        def tell(name: str, part: Any, seconds: float) -> None:
            at_hand.end()
            if not (quiet or json):
                put_marked(part["made"], f"{name}: {part['detail']} ({seconds:.1f} s)")

        given = CertifyOptions(
            form=None if form == "none" else form,  # type: ignore[arg-type]  # one of both, as was made sure
            with_data=not without_data,
            clock=Clock.of(time_limit),
            memory_limit=options.parse_bytes(memory_limit),
            on_start=lambda name: at_hand.begin(f"{name} (Ctrl-C keeps the other parts)"),
            on_done=tell,
        )
        manifest = make(loaded, folder, table.dataset, given, file=file, force=force)
    if json:
        put_json({"seal": manifest.seal, "claim": dict(manifest.claim), "parts": dict(manifest.parts)})
    else:
        put(f"seal {manifest.seal}")
        if not quiet:
            note(f"'puretree verify {run}' checks it; 'puretree report {run}' tells of it")
        if without_data and not quiet:
            note("problem.json still tells what every row answers to every question: as private as the data")
    return ExitCode.OK if manifest.has_proof else ExitCode.INCUMBENT
