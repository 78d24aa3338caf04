"""What a MaxSAT solver prints: ``o`` lines (a cost), ``v`` lines (a model) and the ``s`` line (its status).

The rules of the MaxSAT Evaluations leave room, and solvers use it. A model comes as literals over one or more lines,
with or without a 0 at its end, or as a string of bits; only at the end or after every better cost; variables that
occur nowhere may be missing, and the solver's own may be added. An ``o`` line may be repeated after the ``s`` line.
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
_MOST_DIGITS = 10  # of a literal: a longer word of 0s and 1s is a string of bits


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A model as a solver printed it, with the cost it named last before it."""

    model: Model
    cost: int | None


class Output:
    """Listens to lines and remembers the newest model, the last cost and the status.

    Parameters
    ----------
    n_vars : int
        Variables of the formula.
    n_used : int
        The highest variable that occurs in a clause. A model that gives a value to all up to it is complete; beyond it
        a solver numbers its own, so what it says of those is ignored.

    Attributes
    ----------
    newest : Claim or None
        The last complete model; whoever takes it sets it to None.
    cost : int or None
        The last ``o`` line.
    status : Status or None
    garbage : str or None
        What the first line that cannot be understood says, and what it should say.

    Examples
    --------
    >>> output = Output(3, 3)
    >>> for line in [b"c hello", b"o 4", b"v -1 2", b"v 3 0", b"s OPTIMUM FOUND"]:
    ...     output.hear(line)
    >>> output.status, output.newest.cost, output.newest.model.tolist()
    ('optimal', 4, [False, False, True, True])
    """

    def __init__(self, n_vars: int, n_used: int) -> None:
        self.newest: Claim | None = None
        self.cost: int | None = None
        self.status: Status | None = None
        self.garbage: str | None = None
        self._n_vars = n_vars
        self._n_used = n_used
        self._is_open = False  # a model has begun and may go on
        self._is_full = False  # the last model had all values; what still comes of it says nothing new
        self._begin()

    def hear(self, line: bytes) -> None:
        """Take a line; comments and whatever else solvers print are ignored."""
        line = line.strip()
        kind, blank, rest = line[:1], line[1:2], line[2:].strip()
        if blank.strip() or kind not in (b"o", b"s", b"v"):
            return
        try:
            if kind == b"v":
                self._hear_values(rest)
            else:
                self.end()
                self._is_full = False
                self._hear_cost(rest) if kind == b"o" else self._hear_status(rest)
        except ValueError:
            self.complain(line)

    def complain(self, line: bytes) -> None:
        """Remember the first line that cannot be understood."""
        expected = _EXPECTED[line[:1]]
        self.garbage = self.garbage or f"printed {_shown(line)} in place of {expected}"

    def end(self) -> None:
        """Take the model that has begun as complete: no more of it will come."""
        if self._is_open:
            self.newest = Claim(self._model, self.cost)
            self._is_open = False

    def _hear_cost(self, rest: bytes) -> None:
        self.cost = int(rest.split()[0]) if rest else int(rest)

    def _hear_status(self, rest: bytes) -> None:
        words = b" ".join(rest.upper().split())
        if words not in _STATUSES:
            raise ValueError(words)
        self.status = _STATUSES[words]

    def _hear_values(self, rest: bytes) -> None:
        if not self._is_open and self._is_bits(rest):
            self._begin()
            bits = np.frombuffer(rest, dtype=np.uint8)[: self._n_used] == ord("1")
            self._model[1 : len(bits) + 1] = bits
            self._is_open = self._is_full = True
            self.end()
            return
        literals, has_end = _literals(rest)
        literals = literals[np.abs(literals) <= self._n_used]
        if self._is_open or len(literals) or not self._is_full:
            self._add(literals)
            self._is_full = self._n_known >= self._n_used and not has_end
            if self._n_known >= self._n_used or has_end:
                self.end()

    def _is_bits(self, rest: bytes) -> bool:
        return len(rest) >= min(self._n_used, _MOST_DIGITS + 1) and rest != b"0" and not rest.strip(b"01")

    def _begin(self) -> None:
        self._model: Model = np.zeros(self._n_vars + 1, dtype=np.bool_)
        self._known = np.zeros(self._n_vars + 1, dtype=np.bool_)
        self._n_known = 0

    def _add(self, literals: NDArray[np.int32]) -> None:
        if not self._is_open:
            self._begin()
            self._is_open = True
        variables = np.abs(literals)
        self._model[variables] = literals > 0
        fresh = np.unique(variables[~self._known[variables]])
        self._known[fresh] = True
        self._n_known += len(fresh)


def _literals(rest: bytes) -> tuple[NDArray[np.int32], bool]:
    """Return the literals of a line, and whether a 0 ends them."""
    has_end = rest == b"0" or rest.endswith((b" 0", b"\t0"))
    literals, clauses, _, _, weights, *_ = _native.parse_dimacs(b"h %s%s" % (rest, b"" if has_end else b" 0"))
    if len(clauses) + len(weights) != 1:
        raise ValueError("a 0 in the middle")
    return literals, has_end


def _shown(line: bytes, limit: int = 40) -> str:
    text = line[: limit + 1].decode(errors="backslashreplace")
    return repr(text if len(line) <= limit else f"{text[:limit]}…")
