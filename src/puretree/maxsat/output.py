"""Parse the output of a MaxSAT solver: ``o`` lines (a cost), ``v`` lines (a model) and the ``s`` line (the status).

The rules of the MaxSAT Evaluations are loose, and solvers differ. A model is given as literals over one or more lines,
with or without a final 0, or as a string of bits; only at the end or after every improved cost; variables that do not
occur in the formula may be missing, and auxiliary variables may be added. An ``o`` line may be repeated after the ``s``
line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..formula import Model

Status = Literal["optimal", "satisfiable", "unsatisfiable", "unknown"]

_STATUSES: dict[bytes, Status] = {
    b"OPTIMUM FOUND": "optimal",
    b"SATISFIABLE": "satisfiable",
    b"UNSATISFIABLE": "unsatisfiable",
    b"UNKNOWN": "unknown",
}
_EXPECTED = {
    b"o": "a cost ('o 17')",
    b"s": f"a status ({b', '.join(_STATUSES).decode()})",
    b"v": "a model ('v 1 -2 3 0' or 'v 101')",
}
_MAX_DIGITS = 10  # of a literal: a longer token of 0s and 1s is a string of bits


@dataclass(frozen=True, slots=True, eq=False)
class ReportedModel:
    """A model as printed by a solver, with the last cost printed before it."""

    model: Model
    cost: int | None


class OutputParser:
    """Parser of output lines that stores the newest model, the last cost and the status.

    Parameters
    ----------
    n_vars : int
        Number of variables of the formula.
    n_used : int
        The highest variable that occurs in a clause. A model is complete when all variables up to it have a value;
        higher ones are auxiliary variables of the solver and are ignored.

    Attributes
    ----------
    newest : ReportedModel or None
        The last complete model; a consumer resets it to None.
    cost : int or None
        The cost of the last ``o`` line.
    status : Status or None
    error : str or None
        Description of the first invalid line, with the expected format.

    Examples
    --------
    >>> parser = OutputParser(3, 3)
    >>> for line in [b"c hello", b"o 4", b"v -1 2", b"v 3 0", b"s OPTIMUM FOUND"]:
    ...     parser.feed(line)
    >>> parser.status, parser.newest.cost, parser.newest.model.tolist()
    ('optimal', 4, [False, False, True, True])
    """

    def __init__(self, n_vars: int, n_used: int) -> None:
        self.newest: ReportedModel | None = None
        self.cost: int | None = None
        self.status: Status | None = None
        self.error: str | None = None
        self._n_vars = n_vars
        self._n_used = n_used
        self._is_open = False  # a model has started and may continue
        self._is_full = False  # the last model was complete; further values of it are redundant
        self._start_model()

    def feed(self, line: bytes) -> None:
        """Parse a line; comments and other text are ignored."""
        line = line.strip()
        kind, blank, rest = line[:1], line[1:2], line[2:].strip()
        if blank.strip() or kind not in (b"o", b"s", b"v"):
            return
        try:
            if kind == b"v":
                self._parse_values(rest)
            else:
                self.finish_model()
                self._is_full = False
                self._parse_cost(rest) if kind == b"o" else self._parse_status(rest)
        except ValueError:
            self.record_error(line)

    def record_error(self, line: bytes) -> None:
        """Record an invalid line, if it is the first one."""
        expected = _EXPECTED[line[:1]]
        self.error = self.error or f"printed {_quote(line)} instead of {expected}"

    def finish_model(self) -> None:
        """Store the started model, if any, as complete."""
        if self._is_open:
            self.newest = ReportedModel(self._model, self.cost)
            self._is_open = False

    def _parse_cost(self, rest: bytes) -> None:
        self.cost = int(rest.split()[0]) if rest else int(rest)

    def _parse_status(self, rest: bytes) -> None:
        words = b" ".join(rest.upper().split())
        if words not in _STATUSES:
            raise ValueError(words)
        self.status = _STATUSES[words]

    def _parse_values(self, rest: bytes) -> None:
        if not self._is_open and self._is_bits(rest):
            self._start_model()
            bits = np.frombuffer(rest, dtype=np.uint8)[: self._n_used] == ord("1")
            self._model[1 : len(bits) + 1] = bits
            self._is_open = self._is_full = True
            self.finish_model()
            return
        literals, has_end = _literals(rest)
        literals = literals[np.abs(literals) <= self._n_used]
        if self._is_open or len(literals) or not self._is_full:
            self._add(literals)
            self._is_full = self._n_known >= self._n_used and not has_end
            if self._n_known >= self._n_used or has_end:
                self.finish_model()

    def _is_bits(self, rest: bytes) -> bool:
        return len(rest) >= min(self._n_used, _MAX_DIGITS + 1) and rest != b"0" and not rest.strip(b"01")

    def _start_model(self) -> None:
        self._model: Model = np.zeros(self._n_vars + 1, dtype=np.bool_)
        self._known = np.zeros(self._n_vars + 1, dtype=np.bool_)
        self._n_known = 0

    def _add(self, literals: NDArray[np.int32]) -> None:
        if not self._is_open:
            self._start_model()
            self._is_open = True
        variables = np.abs(literals)
        self._model[variables] = literals > 0
        fresh = np.unique(variables[~self._known[variables]])
        self._known[fresh] = True
        self._n_known += len(fresh)


def _literals(rest: bytes) -> tuple[NDArray[np.int32], bool]:
    """Return the literals of a line, and whether they end with a 0."""
    has_end = rest == b"0" or rest.endswith((b" 0", b"\t0"))
    literals, clauses, _, _, weights, *_ = _native.parse_dimacs(b"h %s%s" % (rest, b"" if has_end else b" 0"))
    if len(clauses) + len(weights) != 1:
        raise ValueError("a 0 in the middle")
    return literals, has_end


def _quote(line: bytes, limit: int = 40) -> str:
    text = line[: limit + 1].decode(errors="backslashreplace")
    return repr(text if len(line) <= limit else f"{text[:limit]}…")
