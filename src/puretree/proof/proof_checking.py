"""Is a formula refuted by its proof? By a checker of others where there is one, and by the built-in one.

The built-in check takes about as long as the solver took. Proofs up to :data:`SMALL` are always checked by it, and
first, so that a program which hangs does not take its time; larger ones when the program, which gets half of the time,
has not found out. What is not checked is told as not checked, never as verified.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from .._support.clock import Clock, TimeIsOver
from ..errors import UnfinishedError
from .checker_programs import Check, CheckerProgram, find_checker
from .checkers import lrat as lrat_checker
from .refutation import Form
from .rup import check_rup

SMALL = 100_000_000
"""Bytes of a proof that the built-in check takes in addition to another one: a minute or two."""

_RUP, _LRAT = "built-in RUP check", "built-in LRAT check"
_LATE = "the time was over before the proof was checked; allow more"


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """What became of a proof.

    Parameters
    ----------
    checks : tuple of Check
        One for each checker that was asked.
    """

    checks: tuple[Check, ...]

    @property
    def verdict(self) -> bool | None:
        """Whether the proof holds: False if any checker says no, None if none found out."""
        verdicts = {check.verdict for check in self.checks}
        return False if False in verdicts else True if True in verdicts else None

    @property
    def how(self) -> str:
        """The checkers that found the proof to hold."""
        return ", ".join(check.by for check in self.checks if check.verdict)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What kept checkers from saying yes."""
        return tuple(check.reason for check in self.checks if not check.verdict)

    @property
    def seconds(self) -> float:
        """What all the checks took."""
        return sum(check.seconds for check in self.checks)


def check_proof(
    formula: Path, proof: Path, form: Form, *, checker: str | None = None, clock: Clock, small: int = SMALL
) -> CheckedProof:
    """Check that a proof refutes a formula.

    Parameters
    ----------
    formula, proof : Path
        In DIMACS form; DRAT in text, or LRAT.
    form : {"drat", "lrat"}
    checker : str, optional
        A checker to use, as :func:`~puretree.proof.checker_programs.find_checker` takes it; by default one on PATH, if
        there is one.
    clock : Clock
    small : int, default=SMALL
        Bytes of a proof up to which the built-in check is made in any case.

    Raises
    ------
    InputError
        If the checker asked for is not there, or does not read such proofs.
    OSError
        If a file cannot be read.
    """
    program = find_checker(checker, form)
    if program is None:
        return CheckedProof((_built_in(formula, proof, form, clock),))
    if proof.stat().st_size <= small:
        first = _built_in(formula, proof, form, clock)
        return CheckedProof((first, _by_program(program, formula, proof, form, clock)))
    first = _by_program(program, formula, proof, form, clock.part(0.5))
    if first.verdict is not None:
        return CheckedProof((first,))
    return CheckedProof((first, _built_in(formula, proof, form, clock)))


def _by_program(program: CheckerProgram, formula: Path, proof: Path, form: Form, clock: Clock) -> Check:
    if program.kind.form == form:
        return program.check(formula, proof, clock)
    with TemporaryDirectory(prefix="puretree-") as folder:
        elaborated = Path(folder) / "proof.lrat"
        made = _elaborate(formula, proof, elaborated, clock)
        return program.check(formula, elaborated, clock) if made.verdict else made


def _elaborate(formula: Path, proof: Path, elaborated: Path, clock: Clock) -> Check:
    with elaborated.open("wb") as file:
        return _by_rup(formula, proof, clock, lrat=file)


def _built_in(formula: Path, proof: Path, form: Form, clock: Clock) -> Check:
    return _by_rup(formula, proof, clock) if form == "drat" else _by_lrat(formula, proof, clock)


def _by_rup(formula: Path, proof: Path, clock: Clock, lrat: BinaryIO | None = None) -> Check:
    watch = Clock()
    try:
        found = check_rup(formula, proof, clock, lrat=lrat)
    except TimeIsOver:
        return Check(_RUP, None, _LATE, watch.seconds)
    except UnfinishedError as error:
        return Check(_RUP, None, str(error), watch.seconds)
    return Check(_RUP, found.is_refuted, found.reason, watch.seconds)


def _by_lrat(formula: Path, proof: Path, clock: Clock) -> Check:
    watch = Clock()
    try:
        with formula.open("rb") as clauses, proof.open("rb") as steps:
            lrat_checker.check(clauses, steps, clock.require_time)
    except TimeIsOver:
        return Check(_LRAT, None, _LATE, watch.seconds)
    except MemoryError:
        return Check(_LRAT, None, "the check of the proof needs more memory than there is", watch.seconds)
    except lrat_checker.Rejected as reason:
        return Check(_LRAT, False, str(reason), watch.seconds)
    return Check(_LRAT, True, "", watch.seconds)
