"""A PySAT solver with a time limit, used directly or as the child process of an :class:`IsolatedOracle`.

The file imports only the standard library and PySAT, so that a child process starts in a tenth of a second.

The time limit is enforced by a loop over conflict budgets, since PySAT's CaDiCaL offers no other way to stop. The loop
calls ``solve_limited``: with a budget, ``solve`` may report a satisfiable formula as unsatisfiable.
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

HEADER = struct.Struct("<cidQ")  # command, width of the block, seconds, size of the payload in bytes
REPLY = struct.Struct("<cQ")
ADD, ADD_PADDED, SET_PHASES, SOLVE = b"A", b"Z", b"P", b"S"
FIRST_BUDGET, MAX_BUDGET = 1_000, 100_000  # conflicts
TARGET_SECONDS = 0.1  # the budget is doubled while a call takes less time than this


class Session:
    """One solver and its clauses.

    Parameters
    ----------
    name : str
        The name of a PySAT solver.
    with_proof : bool, default=False
        Record a DRAT proof. Conflict budgets are then disabled: they grow with the elapsed time, so proofs would not be
        reproducible.
    """

    def __init__(self, name: str, *, with_proof: bool = False) -> None:
        self._solver = Solver(name=name, with_proof=with_proof) if with_proof else Solver(name=name)
        self._has_budget = not with_proof

    def add(self, literals: list[int], width: int, *, is_padded: bool) -> None:
        """Add a block of clauses, given as literals row by row; zeros are padding."""
        rows = [literals[start : start + width] for start in range(0, len(literals), width)]
        if is_padded:
            rows = [[literal for literal in row if literal] for row in rows]
        self._solver.append_formula(rows, no_return=True)

    def set_phases(self, literals: list[int]) -> None:
        """Set the preferred values of variables."""
        with suppress(NotImplementedError):  # not supported by every solver, and only a hint
            self._solver.set_phases(literals)

    def solve(self, assumptions: list[int], seconds: float) -> bool | None:
        """Return whether a model exists under the assumptions; None if the time limit is reached first."""
        end = monotonic() + seconds
        budget = FIRST_BUDGET
        while monotonic() < end:
            if not self._set_budget(budget):
                return bool(self._solver.solve(assumptions=assumptions))
            start = monotonic()
            answer = self._solver.solve_limited(assumptions=assumptions)
            if answer is not None:
                return bool(answer)
            if monotonic() - start < TARGET_SECONDS:
                budget = min(2 * budget, MAX_BUDGET)
            _leave_if_orphaned()
        return None

    def _set_budget(self, budget: int) -> bool:
        """Set the conflict budget; return False if the solver supports none, so that only the parent can stop it."""
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
        """Write the proof of unsatisfiability in the solver's binary format; PySAT's conversion to text is slow."""
        backend = self._solver.solver
        pysolvers.flushpr(backend.prfp)
        backend.prfile.seek(0)
        with path.open("xb") as file:
            shutil.copyfileobj(backend.prfile, file, 1 << 20)

    def close(self) -> None:
        """Release the solver's memory."""
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
            raise SystemExit(0)  # the parent closed the connection
        view = view[n_read:]
    return bytes(data)


def serve(connection: socket.socket, name: str, proof: Path | None = None) -> None:
    """Execute the parent's commands until it closes the connection; write a proof of unsatisfiability if requested."""
    session = Session(name, with_proof=proof is not None)
    while True:
        command, width, seconds, size = HEADER.unpack(_receive(connection, HEADER.size))
        literals = array("i", _receive(connection, size)).tolist()
        if command in (ADD, ADD_PADDED):
            session.add(literals, width, is_padded=command == ADD_PADDED)
        elif command == SET_PHASES:
            session.set_phases(literals)
        else:
            answer = session.solve(literals, seconds)
            if proof is not None and answer is False:
                session.save_proof(proof)
            model = array("i", session.model() if answer else []).tobytes()
            connection.sendall(REPLY.pack({True: b"T", False: b"F", None: b"U"}[answer], len(model)) + model)


def _limit_memory(n_bytes: int) -> None:
    """Limit the memory of this process where the system supports it; exceeding it ends the process with an error."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))


if __name__ == "__main__":
    _parent = os.getppid()
    if max_bytes := int(sys.argv[2]):
        _limit_memory(max_bytes)
    path = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if path is not None:
        tempfile.tempdir = str(path.parent)  # where PySAT stores the proof: /tmp may be small, or in memory
    with socket.socket(fileno=os.dup(0)) as parent:
        serve(parent, sys.argv[1], path)
