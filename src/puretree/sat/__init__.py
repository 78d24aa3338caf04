"""Incremental SAT solvers of PySAT behind one protocol, in this process or in a child process."""

from .isolated import IsolatedOracle
from .oracle import DEFAULT_SOLVER, LocalOracle, Oracle, OracleSink, make_oracle, require_solver
from .race import first_result

__all__ = [
    "DEFAULT_SOLVER",
    "IsolatedOracle",
    "LocalOracle",
    "Oracle",
    "OracleSink",
    "first_result",
    "make_oracle",
    "require_solver",
]
