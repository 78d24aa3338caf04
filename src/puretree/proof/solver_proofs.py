"""Proofs as solvers write them, made text.

Proofs are kept as text, whatever the solver writes. In bytes they are a third as large, but nothing in a file says that
it is in bytes: drat-trim guesses from its first ten, and a wrong guess would say of a good proof that it is not one.
"""

from __future__ import annotations

from pathlib import Path

from .. import _native
from ..clock import Clock
from ..errors import SolverError

WRITES_BYTES = {"cadical153": True, "cadical195": True, "cadical300": True, "glucose4": False}
"""The solvers that are known to write proofs by RUP steps alone, and whether they write them in bytes."""

_PIECE = 1 << 24  # bytes of a proof that are rewritten at once


def write_text(solver: str, raw: Path, text: Path, clock: Clock) -> None:
    """Make text of the proof of a solver; its own file is gone then.

    Raises
    ------
    SolverError
        If it is no proof, or not all of one: a solver does not notice that the disk is full.
    TimeIsOver
    """
    if not WRITES_BYTES[solver]:
        raw.replace(text)
        return
    with raw.open("rb") as source, text.open("wb") as target:
        rest = b""
        while piece := source.read(_PIECE):
            clock.require_time()
            lines, n_read = _rewrite(solver, rest + piece)
            rest = (rest + piece)[n_read:]
            target.write(lines)
    raw.unlink()
    if rest:
        raise SolverError(f"the proof of {solver} ends in the middle of a step; see whether the disk is full")


def _rewrite(solver: str, piece: bytes) -> tuple[bytes, int]:
    try:
        return _native.drat_to_text(piece)
    except ValueError as error:
        raise SolverError(f"the proof of {solver} cannot be read: expected {error.args[1]}") from None
