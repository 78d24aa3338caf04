"""RC2 (Ignatiev, Morgado and Marques-Silva, 2019), from PySAT: core-guided, so it climbs to the optimum from below.

It pays where few soft clauses must be broken. It knows no model before the end, so after the time is over it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .._support import processes
from .._support.clock import Clock
from ..formula import Wcnf
from .backend import Answer, OnModel, nobody_listens, require_machine_weights
from .run import STREAMS, run

_PROGRAM = Path(__file__).with_name("programs") / "rc2.py"


@dataclass(frozen=True, slots=True)
class Rc2:
    """RC2 in a process of its own; stratified where weights differ.

    Parameters
    ----------
    solver : str, default="glucose4"
        PySAT's name of the SAT solver below.

    Examples
    --------
    >>> from puretree.formula import Soft, as_block
    >>> formula = Wcnf(2, [as_block([[1, 2]])], [Soft(3, (-1,)), Soft(1, (-2,))])
    >>> Rc2().minimise(formula, clock=Clock()).cost
    1
    """

    solver: str = "glucose4"

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"RC2 ({self.solver})"

    @property
    def is_trusted(self) -> bool:
        """Yes: it is used everywhere."""
        return True

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = nobody_listens) -> Answer:
        """Look for the cheapest model until the clock is over; see :class:`~puretree.maxsat.backend.Backend`."""
        require_machine_weights(formula, self.name)
        return run(
            lambda file: processes.start_python(_PROGRAM, str(file), self.solver, **STREAMS),
            formula,
            name=self.name,
            style="new",
            clock=clock,
            on_model=on_model,
        )
