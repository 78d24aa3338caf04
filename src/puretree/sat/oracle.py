"""The protocol of incremental SAT solvers, and its implementation in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from .._support.clock import NO_LIMIT, Clock
from ..errors import InputError
from ..formula import Block, Model
from .session import Session

DEFAULT_SOLVER = "cadical195"
UNUSABLE = ("kissat", "cryptosat")  # no assumptions; needs a package that PySAT does not install


class Oracle(Protocol):
    """An incremental SAT solver: clauses are permanent, assumptions hold for one call."""

    def add(self, block: Block, clock: Clock = ...) -> None:
        """Add clauses; raise TimeLimitReached if the time limit is reached first."""

    def solve(self, assumptions: Sequence[int], clock: Clock = ..., time_slice: Clock | None = None) -> bool | None:
        """Return whether a model exists under the assumptions; None if a time limit is reached first.

        At the end of the optional time slice the solver stops by itself if it can; only the end of the clock stops it
        in any case.
        """

    def model(self, n_vars: int) -> Model:
        """Return the model of the last call of :meth:`solve`."""

    def set_phases(self, literals: Sequence[int], clock: Clock = ...) -> None:
        """Set the preferred values of variables; raise TimeLimitReached if the time limit is reached first."""

    def close(self) -> None:
        """Release the solver."""


class LocalOracle:
    """A SAT solver in this process: no start-up cost, but the time limit is only checked between conflict budgets.

    Parameters
    ----------
    solver : str
        The name of a PySAT solver.
    """

    def __init__(self, solver: str = DEFAULT_SOLVER) -> None:
        require_solver(solver)
        self._session = Session(solver)

    def add(self, block: Block, clock: Clock = NO_LIMIT) -> None:
        """Add clauses."""
        clock.require_time()
        block = with_empty_clauses(block)
        if block.size:
            self._session.add(block.reshape(-1).tolist(), block.shape[1], is_padded=not block.all())

    def solve(
        self, assumptions: Sequence[int], clock: Clock = NO_LIMIT, time_slice: Clock | None = None
    ) -> bool | None:
        """Return whether a model exists under the assumptions; None if a time limit is reached first."""
        try:
            return self._session.solve(list(assumptions), min(clock.left, (time_slice or clock).left))
        except Exception as error:
            if "keyboard interrupt" in str(error):  # how PySAT reports Ctrl-C
                raise KeyboardInterrupt from None
            raise

    def model(self, n_vars: int) -> Model:
        """Return the model of the last call of :meth:`solve`."""
        return model_of(np.asarray(self._session.model(), dtype=np.int32), n_vars)

    def set_phases(self, literals: Sequence[int], clock: Clock = NO_LIMIT) -> None:
        """Set the preferred values of variables."""
        clock.require_time()
        self._session.set_phases(list(literals))

    def close(self) -> None:
        """Release the solver."""
        self._session.close()


class OracleSink:
    """A sink that adds clauses to an oracle; raises TimeLimitReached when the time limit is reached.

    Parameters
    ----------
    oracle : Oracle
    clock : Clock
    """

    def __init__(self, oracle: Oracle, clock: Clock) -> None:
        self._oracle, self._clock = oracle, clock

    def add(self, block: Block) -> None:
        """Add clauses."""
        self._oracle.add(block, self._clock)


def with_empty_clauses(block: Block) -> Block:
    """Return a block in which empty clauses are padded to width 1, so that they are not lost."""
    return np.zeros((len(block), 1), dtype=np.int32) if len(block) and not block.shape[1] else block


def model_of(literals: Block, n_vars: int) -> Model:
    """Return the model in which the given literals are true; variables that do not occur are false."""
    model = np.zeros(n_vars + 1, dtype=np.bool_)
    model[literals[(literals > 0) & (literals <= n_vars)]] = True
    return model


def require_solver(name: str) -> None:
    """Raise InputError if a name is not that of an incremental PySAT solver."""
    from pysat.solvers import SolverNames

    aliases = [names for key, names in vars(SolverNames).items() if not key.startswith(("_", *UNUSABLE))]
    known = ", ".join(max(names, key=len) for names in aliases)
    if not any(name in names for names in aliases):
        raise InputError(f"there is no solver {name!r}; use one of {known}")


def make_oracle(solver: str = DEFAULT_SOLVER, *, isolated: bool = True, max_bytes: int | None = None) -> Oracle:
    """Start a solver, by default in a child process; a memory limit applies only there."""
    from .isolated import IsolatedOracle

    return IsolatedOracle(solver, max_bytes) if isolated else LocalOracle(solver)
