"""The built-in check of DRAT proofs: every clause must follow from the previous ones by unit propagation (RUP)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .. import _native
from .._support import resources
from .._support.clock import Clock, TimeLimitReached
from ..errors import UnfinishedError

_TOO_LARGE = "checking the proof needs more than half of the memory; use a machine with more memory, or another checker"


@dataclass(frozen=True, slots=True)
class RupVerdict:
    """Result of the check.

    Parameters
    ----------
    is_refuted : bool
        Whether the proof holds.
    reason : str
        Why it does not hold; else empty.
    n_lemmas : int
        Number of clauses that were checked.
    n_kept : int
        Number of clauses of the LRAT proof, if one was written.
    """

    is_refuted: bool
    reason: str
    n_lemmas: int = 0
    n_kept: int = 0


def check_rup(formula: Path, proof: Path, clock: Clock, *, lrat: BinaryIO | None = None) -> RupVerdict:
    """Check that a DRAT proof refutes a formula by RUP steps only, and optionally write it as LRAT.

    Parameters
    ----------
    formula, proof : Path
        A formula in DIMACS format, and a proof as DRAT text.
    clock : Clock
    lrat : binary file, optional
        Receives the same proof as LRAT, restricted to the steps that the empty clause depends on.

    Raises
    ------
    TimeLimitReached
    UnfinishedError
        If the check needs more than half of the memory.
    """
    max_bytes = int(resources.free_bytes(None)) - formula.stat().st_size - proof.stat().st_size
    if max_bytes <= 0:
        raise UnfinishedError(_TOO_LARGE, None)
    formula_text, proof_text = formula.read_bytes(), proof.read_bytes()

    def write(piece: bytes) -> None:
        assert lrat is not None
        lrat.write(piece)

    try:
        result = _native.check_rup(formula_text, proof_text, None if lrat is None else write, max_bytes, clock.left)
    except ValueError as error:
        is_in_formula, offset, expected = error.args
        text, name = (formula_text, "formula") if is_in_formula else (proof_text, "proof")
        return RupVerdict(False, f"line {_line_number(text, offset)} of the {name}: expected {expected}")
    except MemoryError:
        raise UnfinishedError(_TOO_LARGE, None) from None
    if result is None:
        raise TimeLimitReached
    is_refuted, offset, n_lemmas, n_kept = result
    return RupVerdict(is_refuted, "" if is_refuted else _describe_failure(proof_text, offset), n_lemmas, n_kept)


def _describe_failure(proof: bytes, offset: int | None) -> str:
    if offset is None:
        return "the proof ends without the empty clause; is it complete?"
    line = _line_number(proof, offset)
    return f"line {line} of the proof is not a RUP step: its clause does not follow by unit propagation"


def _line_number(text: bytes, offset: int) -> int:
    return text.count(b"\n", 0, offset) + 1
