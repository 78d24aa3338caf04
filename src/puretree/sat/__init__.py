"""SAT solvers of python-sat behind one small face, in this process or in one of their own."""

from .isolated import IsolatedOracle
from .oracle import DEFAULT_SOLVER, LocalOracle, Oracle, OracleSink, make_oracle, require_solver
from .race import first_found

__all__ = [
    "DEFAULT_SOLVER",
    "IsolatedOracle",
    "LocalOracle",
    "Oracle",
    "OracleSink",
    "first_found",
    "make_oracle",
    "require_solver",
]
