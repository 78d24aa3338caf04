"""Check a certificate: that nothing was changed, that the tree is pure, and that no smaller one exists.

What is run is this package's own checkers, never a program that lies in the folder: those are for people who would
rather read and run them on their own. A part that could not be checked in the time is told as such, not as verified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from ..clock import Clock, TimeIsOver
from ..errors import DataNotFoundError, FormatError, InputError, RejectedError
from ..runs import is_run, load_run, read_json, read_model
from .checker_programs import find_checker
from .checkers import bound, purity
from .formula_file import formula_digest
from .manifest import MANIFEST, Manifest, describe_file
from .parts import FORMULA, LOG, MODEL, PROBLEM, PROOF, TABLE, checker_sources, proof_name
from .problem_file import ProblemFile
from .proof_checking import check_proof
from .refutation import FORMS
from .same_run import require_same

Result = Literal["verified", "not checked", "not made"]


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
    tell : callable, optional
        Gets each part as soon as it is checked.
    """

    table: Path | None = None
    checker: str | None = None
    seal: str | None = None
    clock: Clock = field(default_factory=Clock)
    tell: Callable[[Check], None] = lambda check: None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a certificate is worth.

    Parameters
    ----------
    manifest : Manifest
    checks : tuple of Check
    """

    manifest: Manifest
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether all that is claimed is verified: the tree is pure, and a proof of the bound was checked."""
        results = {check.part: check.result for check in self.checks}
        needs_proof = self.manifest.claim["lower_bound"] > 1
        is_bound = "verified" in (results["bound"], results["refutation"]) or not needs_proof
        return results["purity"] == "verified" and is_bound

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "holds": self.holds,
            "seal": self.manifest.seal,
            "claim": dict(self.manifest.claim),
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
            result, told = check()
            checks.append(Check(part, result, told, clock.seconds))
            given.tell(checks[-1])
    except (FormatError, purity.Rejected, bound.Rejected) as error:
        raise RejectedError(str(error)) from None
    return Verdict(manifest, tuple(checks))


def _checks(
    manifest: Manifest, proof: Path, run: Path | None, given: Verifying
) -> dict[str, Callable[[], tuple[Result, str]]]:
    return {
        "files": lambda: _check_files(manifest, proof, run),
        "purity": lambda: _check_purity(manifest, proof, given.table),
        "bound": lambda: _check_bound(manifest, proof),
        "refutation": lambda: _check_refutation(manifest, proof, given),
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
    if given.seal is not None and given.seal.lower() != manifest.seal:
        raise FormatError(f"the seal is {manifest.seal}, not {given.seal}: this is another certificate")
    return manifest


def _check_files(manifest: Manifest, proof: Path, run: Path | None) -> tuple[Result, str]:
    """Check that every byte is the one that was written, and that the run says what the certificate claims."""
    manifest.require_files(proof)
    tree = read_model(proof / MODEL)
    if tree.digest != manifest.claim["tree"]:
        raise FormatError(f"{MODEL} is another tree than the one that the claim is of")
    doubts = _tell_foreign_programs(manifest)
    if run is None:
        return "verified", f"{len(manifest.files)} files without the run, seal {manifest.seal}{doubts}"
    loaded = load_run(run)
    manifest.require_run(loaded, run)
    require_same(loaded, read_json(proof / PROBLEM), manifest.files.get(TABLE) or manifest.left_out.get(TABLE))
    if not loaded.data.is_file:
        doubts += f"; that the table is {loaded.data.source} is not checked"
    return "verified", f"{len(manifest.files) + len(manifest.run)} files, seal {manifest.seal}{doubts}"


def _tell_foreign_programs(manifest: Manifest) -> str:
    """Warn of programs that are not ours: they are never run here, but whoever reads 'verified' may run them."""
    own = {name: sha256(source).hexdigest() for name, source in checker_sources().items()}
    foreign = [name for name in own if name in manifest.files and manifest.files[name]["sha256"] != own[name]]
    return f"; not the programs of this release: {', '.join(foreign)}" if foreign else ""


def _check_purity(manifest: Manifest, proof: Path, table: Path | None) -> tuple[Result, str]:
    if table is None and TABLE not in manifest.files:
        return "not checked", "the data are not in the certificate; name the file with --data"
    if table is not None:
        said = manifest.files.get(TABLE) or manifest.left_out.get(TABLE)
        if describe_file(table) != said:
            raise InputError(f"{table} is not the table that the certificate is of; give the file that was fitted")
    found = purity.check(proof, table)
    if found["n_nodes"] != manifest.claim["n_nodes"]:
        raise FormatError(f"the tree has {found['n_nodes']} nodes, not {manifest.claim['n_nodes']}")
    return "verified", _tell_purity(found, read_json(proof / PROBLEM))


def _tell_purity(found: dict[str, Any], problem: dict[str, Any]) -> str:
    """Tell what the tree is right on, and all that makes the claim a smaller one: the problem may be anybody's."""
    others = found["n_table_rows"] - found["n_rows"]
    roots, max_depth = problem["roots"], problem["max_depth"]
    limits = (
        (others, f"{others} rows of the table did not train"),
        (found["n_left_out"], f"{found['n_left_out']} contradict others"),
        (found["n_cuts_not_asked"], f"{found['n_cuts_not_asked']} cuts by one value are none of the questions"),
        (found["forbidden"], f"not asked: {', '.join(map(repr, found['forbidden']))}"),
        (roots is not None, f"the first test is one of {len(roots or ())}"),
        (max_depth is not None, f"at most {max_depth} tests on a path"),
    )
    right = f"{found['n_nodes']} nodes, right on {found['n_rows'] - found['n_left_out']} rows"
    return "; ".join([right, *(told for holds, told in limits if holds)])


def _check_bound(manifest: Manifest, proof: Path) -> tuple[Result, str]:
    if LOG not in manifest.files:
        return "not made", _one_line(manifest.parts["bound"]["told"])
    log = (proof / LOG).read_bytes().decode("ascii", "replace")  # what is no text is no line of a log
    n_tests = bound.check(read_json(proof / PROBLEM), log)
    _require_bound(2 * n_tests + 1, manifest, LOG)
    return "verified", f"no tree of fewer than {2 * n_tests + 1} nodes, by the search's log"


def _check_refutation(manifest: Manifest, proof: Path, given: Verifying) -> tuple[Result, str]:
    """Check that the formula is that of a smaller tree, made anew here, and that it has no model."""
    form = next((form for form in FORMS if proof_name(form) in manifest.files), None)
    if form is None:
        return "not made", _one_line(manifest.parts["refutation"]["told"])
    n_nodes = int(manifest.claim["lower_bound"]) - 2
    try:
        _require_formula(manifest, proof, n_nodes, given.clock)
    except TimeIsOver:
        return "not checked", "the time was over before the formula was made anew; allow more"
    checked = check_proof(proof / FORMULA, proof / proof_name(form), form, checker=given.checker, clock=given.clock)
    if checked.verdict is None:
        return "not checked", "; ".join(checked.reasons)
    if not checked.verdict:
        raise FormatError(f"{proof_name(form)} does not refute {FORMULA}: {'; '.join(checked.reasons)}")
    doubts = f" ({'; '.join(checked.reasons)})" if checked.reasons else ""
    return "verified", f"no tree of at most {n_nodes} nodes, by {checked.how}{doubts}"


def _require_formula(manifest: Manifest, proof: Path, n_nodes: int, clock: Clock) -> None:
    """Refuse a formula that is not the one of a pure tree of so many nodes, made anew from the problem."""
    read = ProblemFile.from_dict(read_json(proof / PROBLEM))
    if n_nodes < 3 or FORMULA not in manifest.files:
        raise FormatError(f"there is a refutation, and no formula that it could be of, for {n_nodes} nodes")
    if formula_digest(read.problem, read.steering, n_nodes, clock) != manifest.files[FORMULA]["sha256"]:
        raise FormatError(f"{FORMULA} does not say that there is a pure tree of at most {n_nodes} nodes")


def _one_line(told: str) -> str:
    """Return what a certificate tells of itself so that it cannot pass for a line of ours."""
    return " ".join(told.split())


def _require_bound(proved: int, manifest: Manifest, name: str) -> None:
    if proved < manifest.claim["lower_bound"]:
        raise FormatError(f"{name} proves {proved} nodes, not {manifest.claim['lower_bound']}")
