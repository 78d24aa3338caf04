"""Check that a proof refutes a formula: with an external checker if there is one, and with the built-in one.

The built-in check takes about as long as the solver took. Proofs of up to :data:`SMALL` bytes are always checked by it,
and first, so that a program that hangs does not use up its time. Larger proofs are checked by the program, with half of
the time, and by the built-in check only if the program gave no verdict. A proof that was not checked is reported as not
checked, never as verified.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from .._support.clock import Clock, TimeLimitReached
from ..errors import UnfinishedError
from .checker_programs import CheckerProgram, CheckerResult, find_checker
from .checkers import lrat as lrat_checker
from .refutation import Form
from .rup import check_rup

SMALL = 100_000_000
"""Size in bytes up to which a proof is always checked by the built-in check as well: a minute or two."""

_RUP, _LRAT = "built-in RUP check", "built-in LRAT check"
_TIMEOUT = "time limit reached before the proof was checked; allow more time"


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """Results of all checkers of a proof.

    Parameters
    ----------
    results : tuple of CheckerResult
        One for each checker that ran.
    """

    results: tuple[CheckerResult, ...]

    @property
    def verdict(self) -> bool | None:
        """Whether the proof holds: False if any checker rejects it, None if none gave a verdict."""
        verdicts = {result.verdict for result in self.results}
        return False if False in verdicts else True if True in verdicts else None

    @property
    def accepted_by(self) -> str:
        """Names of the checkers that accept the proof."""
        return ", ".join(result.checker for result in self.results if result.verdict)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons of the checkers that do not accept the proof."""
        return tuple(result.reason for result in self.results if not result.verdict)

    @property
    def seconds(self) -> float:
        """Total time of all checks."""
        return sum(result.seconds for result in self.results)


def check_proof(
    formula: Path, proof: Path, form: Form, *, checker: str | None = None, clock: Clock, small: int = SMALL
) -> CheckedProof:
    """Check that a proof refutes a formula.

    Parameters
    ----------
    formula, proof : Path
        A formula in DIMACS format; a proof as DRAT text, or LRAT.
    form : {"drat", "lrat"}
    checker : str, optional
        External checker, as for :func:`~puretree.proof.checker_programs.find_checker`; by default one on PATH, if there
        is one.
    clock : Clock
    small : int, default=SMALL
        Size in bytes up to which the built-in check always runs.

    Raises
    ------
    InputError
        If the requested checker does not exist or does not read such proofs.
    OSError
        If a file cannot be read.
    """
    program = find_checker(checker, form)
    if program is None:
        return CheckedProof((_check_built_in(formula, proof, form, clock),))
    if proof.stat().st_size <= small:
        first = _check_built_in(formula, proof, form, clock)
        return CheckedProof((first, _check_by_program(program, formula, proof, form, clock)))
    first = _check_by_program(program, formula, proof, form, clock.part(0.5))
    if first.verdict is not None:
        return CheckedProof((first,))
    return CheckedProof((first, _check_built_in(formula, proof, form, clock)))


def _check_by_program(program: CheckerProgram, formula: Path, proof: Path, form: Form, clock: Clock) -> CheckerResult:
    if program.kind.form == form:
        return program.check(formula, proof, clock)
    with TemporaryDirectory(prefix="puretree-") as folder:
        lrat_proof = Path(folder) / "proof.lrat"
        conversion = _convert_to_lrat(formula, proof, lrat_proof, clock)
        return program.check(formula, lrat_proof, clock) if conversion.verdict else conversion


def _convert_to_lrat(formula: Path, proof: Path, lrat_proof: Path, clock: Clock) -> CheckerResult:
    with lrat_proof.open("wb") as file:
        return _check_rup(formula, proof, clock, lrat=file)


def _check_built_in(formula: Path, proof: Path, form: Form, clock: Clock) -> CheckerResult:
    return _check_rup(formula, proof, clock) if form == "drat" else _check_lrat(formula, proof, clock)


def _check_rup(formula: Path, proof: Path, clock: Clock, lrat: BinaryIO | None = None) -> CheckerResult:
    watch = Clock()
    try:
        verdict = check_rup(formula, proof, clock, lrat=lrat)
    except TimeLimitReached:
        return CheckerResult(_RUP, None, _TIMEOUT, watch.seconds)
    except UnfinishedError as error:
        return CheckerResult(_RUP, None, str(error), watch.seconds)
    return CheckerResult(_RUP, verdict.is_refuted, verdict.reason, watch.seconds)


def _check_lrat(formula: Path, proof: Path, clock: Clock) -> CheckerResult:
    watch = Clock()
    try:
        with formula.open("rb") as formula_lines, proof.open("rb") as proof_lines:
            lrat_checker.check(formula_lines, proof_lines, clock.require_time)
    except TimeLimitReached:
        return CheckerResult(_LRAT, None, _TIMEOUT, watch.seconds)
    except MemoryError:
        return CheckerResult(_LRAT, None, "not enough memory to check the proof", watch.seconds)
    except lrat_checker.Rejected as reason:
        return CheckerResult(_LRAT, False, str(reason), watch.seconds)
    return CheckerResult(_LRAT, True, "", watch.seconds)
