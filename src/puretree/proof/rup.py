"""The built-in check of DRAT proofs: every clause must follow from those before it by unit propagation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .. import _native
from .._support import resources
from .._support.clock import Clock, TimeIsOver
from ..errors import UnfinishedError

_TOO_LARGE = "the check of the proof needs more than half of the memory; use more of it, or another checker"


@dataclass(frozen=True, slots=True)
class RupVerdict:
    """What the check found.

    Parameters
    ----------
    is_refuted : bool
        Whether the proof holds.
    reason : str
        Why it does not; else empty.
    n_lemmas : int
        Clauses that were checked.
    n_kept : int
        Clauses of the LRAT proof, if one was asked for.
    """

    is_refuted: bool
    reason: str
    n_lemmas: int = 0
    n_kept: int = 0


def check_rup(formula: Path, proof: Path, clock: Clock, *, lrat: BinaryIO | None = None) -> RupVerdict:
    """Check that a DRAT proof refutes a formula, by RUP steps alone, and write it as LRAT if asked to.

    Parameters
    ----------
    formula, proof : Path
        In DIMACS form, and DRAT in text.
    clock : Clock
    lrat : binary file, optional
        Gets the same proof with the reasons of its steps, without those that the empty clause does not need.

    Raises
    ------
    TimeIsOver
    UnfinishedError
        If it needs more than half of the memory.
    """
    most = int(resources.free_bytes(None)) - formula.stat().st_size - proof.stat().st_size
    if most <= 0:
        raise UnfinishedError(_TOO_LARGE, None)
    formula_text, proof_text = formula.read_bytes(), proof.read_bytes()

    def write(piece: bytes) -> None:
        assert lrat is not None
        lrat.write(piece)

    try:
        found = _native.check_rup(formula_text, proof_text, None if lrat is None else write, most, clock.left)
    except ValueError as error:
        is_in_formula, place, expected = error.args
        text, name = (formula_text, "formula") if is_in_formula else (proof_text, "proof")
        return RupVerdict(False, f"line {_line(text, place)} of the {name}: expected {expected}")
    except MemoryError:
        raise UnfinishedError(_TOO_LARGE, None) from None
    if found is None:
        raise TimeIsOver
    is_refuted, place, n_lemmas, n_kept = found
    return RupVerdict(is_refuted, "" if is_refuted else _why_not(proof_text, place), n_lemmas, n_kept)


def _why_not(proof: bytes, place: int | None) -> str:
    if place is None:
        return "the proof ends without the empty clause; is it complete?"
    return f"line {_line(proof, place)} of the proof is not a RUP step: its clause does not follow by unit propagation"


def _line(text: bytes, place: int) -> int:
    return text.count(b"\n", 0, place) + 1
