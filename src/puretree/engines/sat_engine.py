"""What engines have in common that ask SAT solvers of python-sat, and begin with the heuristics' trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bounds.upper import Start
from ..sat import DEFAULT_SOLVER, require_solver


@dataclass(frozen=True, slots=True)
class SatEngine:
    """The options of an engine that asks one SAT solver.

    Parameters
    ----------
    solver : str, default="cadical195"
        By the name python-sat gives it.
    isolated : bool, default=True
        Run the SAT solver in a process of its own, so that the time limit holds whatever it does.
    """

    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    starts_from: ClassVar[tuple[Start, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
