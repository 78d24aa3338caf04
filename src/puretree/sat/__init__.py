"""SAT solvers of python-sat behind one small face, in this process or in one of their own."""

from .isolated import IsolatedOracle
from .oracle import LocalOracle, Oracle, TimeIsOver, make_oracle

__all__ = ["IsolatedOracle", "LocalOracle", "Oracle", "TimeIsOver", "make_oracle"]
