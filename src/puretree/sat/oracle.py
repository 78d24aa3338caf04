"""What every search sees of a SAT solver: clauses in, yes or no or no time left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from .._support.clock import NO_LIMIT, Clock
from ..errors import InputError
from ..formula import Block, Model
from .session import Session

DEFAULT_SOLVER = "cadical195"
UNUSABLE = ("kissat", "cryptosat")  # takes no assumptions; needs a package that python-sat does not bring


class Oracle(Protocol):
    """An incremental SAT solver; clauses stay, assumptions hold for one question."""

    def add(self, block: Block, clock: Clock = ...) -> None:
        """Take clauses; TimeIsOver if the clock is over first."""

    def solve(self, assumptions: Sequence[int], clock: Clock = ..., turn: Clock | None = None) -> bool | None:
        """Return whether a model exists under the assumptions; None if the clock is over first, or this turn is.

        A solver that does not hear the end of its turn goes on; only the end of the clock ends it.
        """

    def model(self, n_vars: int) -> Model:
        """Return the last model."""

    def suggest(self, literals: Sequence[int], clock: Clock = ...) -> None:
        """Ask the solver to try these values first; TimeIsOver if the clock is over first."""

    def close(self) -> None:
        """End the solver."""


class LocalOracle:
    """A solver in this process: nothing to start, but it is deaf while it thinks.

    Parameters
    ----------
    solver : str
        The name of a solver of python-sat.
    """

    def __init__(self, solver: str = DEFAULT_SOLVER) -> None:
        require_solver(solver)
        self._session = Session(solver)

    def add(self, block: Block, clock: Clock = NO_LIMIT) -> None:
        """Take clauses."""
        clock.require_time()
        block = with_empty_clauses(block)
        if block.size:
            self._session.add(block.reshape(-1).tolist(), block.shape[1], is_padded=not block.all())

    def solve(self, assumptions: Sequence[int], clock: Clock = NO_LIMIT, turn: Clock | None = None) -> bool | None:
        """Return whether a model exists; clocks are heard between budgets of conflicts only."""
        try:
            return self._session.solve(list(assumptions), min(clock.left, (turn or clock).left))
        except Exception as error:
            if "keyboard interrupt" in str(error):  # what python-sat makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise

    def model(self, n_vars: int) -> Model:
        """Return the last model."""
        return model_of(np.asarray(self._session.model(), dtype=np.int32), n_vars)

    def suggest(self, literals: Sequence[int], clock: Clock = NO_LIMIT) -> None:
        """Ask the solver to try these values first."""
        clock.require_time()
        self._session.suggest(list(literals))

    def close(self) -> None:
        """End the solver."""
        self._session.close()


class OracleSink:
    """A sink that hands clauses on to an oracle under a clock; TimeIsOver if that is over first.

    Parameters
    ----------
    oracle : Oracle
    clock : Clock
    """

    def __init__(self, oracle: Oracle, clock: Clock) -> None:
        self._oracle, self._clock = oracle, clock

    def add(self, block: Block) -> None:
        """Take clauses."""
        self._oracle.add(block, self._clock)


def with_empty_clauses(block: Block) -> Block:
    """Return a block in which clauses without literals have a place of padding: they still say "never"."""
    return np.zeros((len(block), 1), dtype=np.int32) if len(block) and not block.shape[1] else block


def model_of(literals: Block, n_vars: int) -> Model:
    """Return a model of the literals a solver says are true; variables it never saw are false."""
    model = np.zeros(n_vars + 1, dtype=np.bool_)
    model[literals[(literals > 0) & (literals <= n_vars)]] = True
    return model


def require_solver(name: str) -> None:
    """Refuse a name that is not that of an incremental solver of python-sat, and name those that are."""
    from pysat.solvers import SolverNames

    aliases = [names for key, names in vars(SolverNames).items() if not key.startswith(("_", *UNUSABLE))]
    known = ", ".join(max(names, key=len) for names in aliases)
    if not any(name in names for names in aliases):
        raise InputError(f"there is no solver {name!r}; use one of {known}")


def make_oracle(solver: str = DEFAULT_SOLVER, *, isolated: bool = True, most_bytes: int | None = None) -> Oracle:
    """Start a solver, in a process of its own unless told otherwise; only that one can be held to some memory."""
    from .isolated import IsolatedOracle

    return IsolatedOracle(solver, most_bytes) if isolated else LocalOracle(solver)
