"""A solver of python-sat with a time limit: used as it is, or run as the child of an :class:`IsolatedOracle`.

The file needs nothing but the standard library and python-sat, so that a child starts in a tenth of a second.

The time limit is kept by a loop over budgets of conflicts, since python-sat's CaDiCaL has no other way to stop. The
loop asks ``solve_limited`` only: with a budget, ``solve`` may say "unsatisfiable" of a satisfiable formula.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import sys
import tempfile
from array import array
from contextlib import suppress
from pathlib import Path
from time import monotonic

from pysat.solvers import Solver, pysolvers

HEADER = struct.Struct("<cidQ")  # what to do, width of the block, seconds, bytes that follow
REPLY = struct.Struct("<cQ")
ADD, ADD_PADDED, SUGGEST, SOLVE = b"A", b"Z", b"P", b"S"
FIRST_BUDGET, LARGEST_BUDGET = 1_000, 100_000  # conflicts; the budget grows while a call takes less than this:
PATIENCE = 0.1  # seconds


class Session:
    """One solver and its clauses.

    Parameters
    ----------
    name : str
        As python-sat knows it.
    with_proof : bool, default=False
        Keep a proof, as DRAT. There are no budgets of conflicts then: with budgets, which grow by the clock, no two
        proofs would be the same.
    """

    def __init__(self, name: str, *, with_proof: bool = False) -> None:
        self._solver = Solver(name=name, with_proof=with_proof) if with_proof else Solver(name=name)
        self._has_budget = not with_proof

    def add(self, literals: list[int], width: int, *, is_padded: bool) -> None:
        """Take a block of clauses: literals row by row, zeros as padding."""
        rows = [literals[start : start + width] for start in range(0, len(literals), width)]
        if is_padded:
            rows = [[literal for literal in row if literal] for row in rows]
        self._solver.append_formula(rows, no_return=True)

    def suggest(self, literals: list[int]) -> None:
        """Ask the solver to try these values first."""
        with suppress(NotImplementedError):  # a hint that not every solver can take
            self._solver.set_phases(literals)

    def solve(self, assumptions: list[int], seconds: float) -> bool | None:
        """Return whether there is a model under the assumptions; None if the time was over first."""
        end = monotonic() + seconds
        budget = FIRST_BUDGET
        while monotonic() < end:
            if not self._set_budget(budget):
                return bool(self._solver.solve(assumptions=assumptions))
            start = monotonic()
            answer = self._solver.solve_limited(assumptions=assumptions)
            if answer is not None:
                return bool(answer)
            if monotonic() - start < PATIENCE:
                budget = min(2 * budget, LARGEST_BUDGET)
            _leave_if_orphaned()
        return None

    def _set_budget(self, budget: int) -> bool:
        """Set the budget; False for a solver that has none, which only the parent can stop."""
        if self._has_budget:
            try:
                self._solver.conf_budget(budget)
            except NotImplementedError:
                self._has_budget = False
        return self._has_budget

    def model(self) -> list[int]:
        """Return the literals of the last model."""
        return self._solver.get_model() or []

    def save_proof(self, path: Path) -> None:
        """Write the proof that there is no model as the solver wrote it: python-sat would make text of it, slowly."""
        kept = self._solver.solver
        pysolvers.flushpr(kept.prfp)
        kept.prfile.seek(0)
        with path.open("xb") as file:
            shutil.copyfileobj(kept.prfile, file, 1 << 20)

    def close(self) -> None:
        """Let go of the solver's memory."""
        self._solver.delete()


def _leave_if_orphaned() -> None:
    if _parent is not None and os.getppid() != _parent:
        sys.exit("the parent is gone")


_parent: int | None = None


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        n_read = connection.recv_into(view)
        if not n_read:
            raise SystemExit(0)  # the parent closed the connection: the work is done
        view = view[n_read:]
    return bytes(data)


def serve(connection: socket.socket, name: str, proof: Path | None = None) -> None:
    """Do what the parent asks until it closes the connection; leave a proof at a path, if one is given."""
    session = Session(name, with_proof=proof is not None)
    while True:
        what, width, seconds, size = HEADER.unpack(_receive(connection, HEADER.size))
        literals = array("i", _receive(connection, size)).tolist()
        if what in (ADD, ADD_PADDED):
            session.add(literals, width, is_padded=what == ADD_PADDED)
        elif what == SUGGEST:
            session.suggest(literals)
        else:
            answer = session.solve(literals, seconds)
            if proof is not None and answer is False:
                session.save_proof(proof)
            model = array("i", session.model() if answer else []).tobytes()
            connection.sendall(REPLY.pack({True: b"T", False: b"F", None: b"U"}[answer], len(model)) + model)


def _take_at_most(n_bytes: int) -> None:
    """Let the system refuse more memory than this, where it can: solver and Python both end then, and say why."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))


if __name__ == "__main__":
    _parent = os.getppid()
    if most_bytes := int(sys.argv[2]):
        _take_at_most(most_bytes)
    path = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if path is not None:
        tempfile.tempdir = str(path.parent)  # where python-sat keeps the proof: /tmp may be small, or in memory
    with socket.socket(fileno=os.dup(0)) as parent:
        serve(parent, sys.argv[1], path)
