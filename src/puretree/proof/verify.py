"""Check a certificate: that nothing was changed, that the tree is pure, and that no smaller tree exists.

Only this package's own checkers are run, never the programs in the folder: those are for readers who prefer to read and
run them on their own. A component that could not be checked in time is reported as such, not as verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .._support.clock import Clock
from ..errors import DataNotFoundError, FormatError, InputError, RejectedError
from ..runs import is_run, load_run
from .checker_programs import find_checker
from .checkers import bound, purity, table
from .component_checks import (
    CheckResult,
    Result,
    check_bound,
    check_files,
    check_purity,
    check_refutation,
    check_table,
)
from .manifest import MANIFEST, PROOF, Manifest


@dataclass(frozen=True, slots=True)
class Check:
    """Result of checking one component of a certificate.

    Parameters
    ----------
    part : {"files", "table", "purity", "bound", "refutation"}
        The component.
    result : {"verified", "not checked", "not made"}
        A component that does not hold has no result; it raises RejectedError.
    detail : str
        What was verified, or why it was not.
    seconds : float
        How long the check took.
    """

    part: str
    result: Result
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Options of :func:`verify`.

    Parameters
    ----------
    table : Path, optional
        The data, if the certificate does not include them.
    checker : str, optional
        A program that checks refutations: a path to ``drat-trim`` or ``cake_lpr``. By default one on the PATH.
    seal : str, optional
        The seal that the certificate must have.
    clock : Clock, optional
    on_start : callable, optional
        Called with the name of each component before it is checked.
    on_done : callable, optional
        Called with the Check of each component.
    """

    table: Path | None = None
    checker: str | None = None
    seal: str | None = None
    clock: Clock = field(default_factory=Clock)
    on_start: Callable[[str], None] = lambda name: None
    on_done: Callable[[Check], None] = lambda check: None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of verifying a certificate.

    Parameters
    ----------
    manifest : Manifest
    checks : tuple of Check
    scope : str
        The rows and the trees that the claim is about, and its limitations; empty if the table was not checked.
    """

    manifest: Manifest
    checks: tuple[Check, ...]
    scope: str

    @property
    def holds(self) -> bool:
        """Whether the whole claim is verified: the problem is the table's, the tree is pure, and a bound is proved."""
        results = {check.part: check.result for check in self.checks}
        is_bound = "verified" in (results["bound"], results["refutation"]) or not self.manifest.needs_proof
        return results["table"] == results["purity"] == "verified" and is_bound

    @property
    def statement(self) -> str:
        """What is verified, in words that can be quoted; empty if the claim is not verified."""
        if not self.holds:
            return ""
        n_nodes, lower_bound = self.manifest.claim["n_nodes"], self.manifest.claim["lower_bound"]
        bound = "fewer nodes" if self.manifest.claim["is_minimum"] else f"fewer than {lower_bound} nodes"
        return (
            f"The decision tree in model.json has {n_nodes} node{'s' * (n_nodes > 1)}, is one of the trees in (2), and "
            f"predicts the label of every row in (1). No tree in (2) with {bound} does. {self.scope}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "holds": self.holds,
            "seal": self.manifest.seal,
            "claim": dict(self.manifest.claim),
            "statement": self.statement,
            "checks": [asdict(check) for check in self.checks],
        }


def verify(folder: Path, options: VerifyOptions | None = None) -> Verdict:
    """Check the certificate of a run.

    Parameters
    ----------
    folder : Path
        The run folder, or the folder of a certificate without its run.
    options : VerifyOptions, optional

    Raises
    ------
    RejectedError
        If any component does not hold.
    """
    proof, run = _find_certificate(folder)
    options = options or VerifyOptions()
    find_checker(options.checker, "drat")  # report a missing checker before the work, not after it
    checks, scope = [], ""
    try:
        manifest = _read_manifest(proof, options)
        for part, make_check in _checks(manifest, proof, run, options).items():
            clock = Clock()
            options.on_start(part)
            checked = make_check()
            scope = scope or checked.scope
            checks.append(Check(part, checked.result, checked.detail, clock.seconds))
            options.on_done(checks[-1])
        return Verdict(manifest, tuple(checks), scope)
    except (FormatError, table.Rejected, purity.Rejected, bound.Rejected) as error:
        raise RejectedError(str(error)) from None


def _checks(
    manifest: Manifest, proof: Path, run: Path | None, options: VerifyOptions
) -> dict[str, Callable[[], CheckResult]]:
    return {
        "files": lambda: check_files(manifest, proof, run),
        "table": lambda: check_table(manifest, proof, options.table),
        "purity": lambda: check_purity(manifest, proof),
        "bound": lambda: check_bound(manifest, proof, options.clock),
        "refutation": lambda: check_refutation(manifest, proof, options.checker, options.clock),
    }


def _find_certificate(folder: Path) -> tuple[Path, Path | None]:
    """Return the folder of the certificate, and that of the run or None."""
    if (folder / MANIFEST).is_file():
        return folder, None
    if (folder / PROOF / MANIFEST).is_file():
        return folder / PROOF, folder
    if not folder.is_dir():
        raise DataNotFoundError(f"there is no folder {folder}")
    if is_run(folder):
        if load_run(folder).allows_errors:
            raise InputError(
                f"{folder} is a run that allows errors, and certificates are about minimum trees without errors"
            )
        raise DataNotFoundError(f"{folder} is a run without a certificate; 'puretree certify {folder}' makes one")
    raise DataNotFoundError(
        f"{folder} is neither a run nor a certificate; pass a folder that 'puretree fit --out' wrote"
    )


def _read_manifest(proof: Path, options: VerifyOptions) -> Manifest:
    manifest = Manifest.from_bytes((proof / MANIFEST).read_bytes())
    if options.seal is not None and not re.fullmatch("[0-9a-fA-F]{64}", options.seal):
        raise InputError(f"{options.seal!r} is not a seal: a seal has 64 hexadecimal digits")
    if options.seal is not None and options.seal.lower() != manifest.seal:
        raise FormatError(f"the seal is {manifest.seal}, not {options.seal}: this is another certificate")
    return manifest
