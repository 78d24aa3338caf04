"""Check a certificate: that nothing was changed, that the tree is pure, and that no smaller one exists.

What is run is this package's own checkers, never a program that lies in the folder: those are for people who would
rather read and run them on their own. A part that could not be checked in the time is told as such, not as verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .._support.clock import Clock
from ..errors import DataNotFoundError, FormatError, InputError, RejectedError
from ..runs import is_run, read_json
from .checker_programs import find_checker
from .checkers import bound, purity
from .component_checks import CheckResult, Result, check_bound, check_files, check_purity, check_refutation, wishes_of
from .manifest import MANIFEST, PROBLEM, PROOF, Manifest


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one part of a certificate.

    Parameters
    ----------
    part : {"files", "purity", "bound", "refutation"}
    result : {"verified", "not checked", "not made"}
        A part that does not hold is no result but a RejectedError.
    told : str
        What was found, or why nothing was.
    seconds : float
        How long it took.
    """

    part: str
    result: Result
    told: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Verifying:
    """What a certificate is checked with.

    Parameters
    ----------
    table : Path, optional
        The data, where they are not in the certificate.
    checker : str, optional
        A program that checks refutations: a path to ``drat-trim`` or ``cake_lpr``. By default those on the PATH.
    seal : str, optional
        The seal that the certificate must have.
    clock : Clock, optional
    begin : callable, optional
        Gets the name of each part before it is checked.
    tell : callable, optional
        Gets each part as soon as it is checked.
    """

    table: Path | None = None
    checker: str | None = None
    seal: str | None = None
    clock: Clock = field(default_factory=Clock)
    begin: Callable[[str], None] = lambda name: None
    tell: Callable[[Check], None] = lambda check: None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a certificate is worth.

    Parameters
    ----------
    manifest : Manifest
    checks : tuple of Check
    wishes : tuple of str
        What else was asked of a tree, and is part of the claim.
    """

    manifest: Manifest
    checks: tuple[Check, ...]
    wishes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all that is claimed is verified: the tree is pure, and a proof of the bound was checked."""
        results = {check.part: check.result for check in self.checks}
        is_bound = "verified" in (results["bound"], results["refutation"]) or not self.manifest.needs_proof
        return results["purity"] == "verified" and is_bound

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "holds": self.holds,
            "seal": self.manifest.seal,
            "claim": dict(self.manifest.claim),
            "wishes": list(self.wishes),
            "checks": [asdict(check) for check in self.checks],
        }


def verify(folder: Path, given: Verifying | None = None) -> Verdict:
    """Check the certificate of a run.

    Parameters
    ----------
    folder : Path
        The run folder, or the folder of a certificate that was handed over alone.
    given : Verifying, optional

    Raises
    ------
    RejectedError
        If anything does not hold.
    """
    proof, run = _find(folder)
    given = given or Verifying()
    find_checker(given.checker, "drat")  # one that is not there is better told before the work than after it
    checks = []
    try:
        manifest = _read_manifest(proof, given)
        for part, check in _checks(manifest, proof, run, given).items():
            clock = Clock()
            given.begin(part)
            result, told = check()
            checks.append(Check(part, result, told, clock.seconds))
            given.tell(checks[-1])
        return Verdict(manifest, tuple(checks), wishes_of(read_json(proof / PROBLEM)))
    except (FormatError, purity.Rejected, bound.Rejected) as error:
        raise RejectedError(str(error)) from None


def _checks(
    manifest: Manifest, proof: Path, run: Path | None, given: Verifying
) -> dict[str, Callable[[], CheckResult]]:
    return {
        "files": lambda: check_files(manifest, proof, run),
        "purity": lambda: check_purity(manifest, proof, given.table),
        "bound": lambda: check_bound(manifest, proof, given.clock),
        "refutation": lambda: check_refutation(manifest, proof, given.checker, given.clock),
    }


def _find(folder: Path) -> tuple[Path, Path | None]:
    """Return the folder of the certificate, and that of the run if it is not alone."""
    if (folder / MANIFEST).is_file():
        return folder, None
    if (folder / PROOF / MANIFEST).is_file():
        return folder / PROOF, folder
    if not folder.is_dir():
        raise DataNotFoundError(f"there is no folder {folder}")
    if is_run(folder):
        raise DataNotFoundError(f"{folder} is a run without a certificate; 'puretree certify {folder}' makes one")
    raise DataNotFoundError(
        f"{folder} is neither a run nor a certificate; give the folder that 'puretree fit --out' made"
    )


def _read_manifest(proof: Path, given: Verifying) -> Manifest:
    manifest = Manifest.from_bytes((proof / MANIFEST).read_bytes())
    if given.seal is not None and not re.fullmatch("[0-9a-fA-F]{64}", given.seal):
        raise InputError(f"{given.seal!r} is not a seal: it has 64 hexadecimal digits, and all of them count")
    if given.seal is not None and given.seal.lower() != manifest.seal:
        raise FormatError(f"the seal is {manifest.seal}, not {given.seal}: this is another certificate")
    return manifest
