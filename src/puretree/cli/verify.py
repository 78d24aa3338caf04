"""``puretree verify``: whether a certificate holds."""

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
        Path | None, typer.Option("--data", metavar="FILE", help="The table, if it is not in the certificate.")
    ] = None,
    checker: Annotated[
        str | None,
        typer.Option(
            "--checker",
            metavar="PROGRAM",
            help="drat-trim or cake_lpr by its path, or drat-trim:PATH, for the refutation; by default what is on the "
            "PATH. The built-in check is made in any case.",
        ),
    ] = None,
    seal: Annotated[
        str | None, typer.Option("--seal", metavar="SHA256", help="The seal that the certificate must have.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", help="For both proofs. Default: no limit.")
    ] = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Check the certificate of a run: every byte, the tree on the data, and the proofs that none is smaller.

    RUN is a run folder, or its folder proof alone. Verified (0) is what is claimed if the tree is right on the data and
    at least one proof of its minimality holds; 10 if that could not be checked, 30 if anything does not hold.
    """
    from .._support.clock import Clock
    from ..proof import VerifyOptions
    from ..proof import verify as check
    from .output import put_json
    from .progress import PartAtHand

    with PartAtHand(quiet=quiet) as at_hand:

        def tell(found: Check) -> None:
            at_hand.end()
            if not (quiet or json):
                _tell(found)

        verdict = check(Path(run), VerifyOptions(data, checker, seal, Clock.of(time_limit), at_hand.begin, tell))
    if json:
        put_json(verdict.to_dict())
    else:
        _put(verdict)
    return ExitCode.OK if verdict.holds else ExitCode.INCUMBENT


def _tell(check: Check) -> None:
    from .output import put_marked

    put_marked(check.result == "verified", f"{check.part}: {check.result}: {check.detail} ({check.seconds:.1f} s)")


def _put(verdict: Verdict) -> None:
    from .output import put_marked

    claim = verdict.manifest.claim
    if not verdict.holds:
        put_marked(False, "not verified: see above for what could not be checked")
        return
    wishes = f" ({'; '.join(verdict.constraints)})" if verdict.constraints else ""
    than = "" if claim["is_minimum"] else f" than {claim['lower_bound']}"
    put_marked(True, f"verified: {claim['n_nodes']} nodes, and no pure tree of these questions{wishes} has fewer{than}")
