"""RC2 (Ignatiev, Morgado and Marques-Silva, 2019), from PySAT: core-guided, so it approaches the optimum from below.

It is best if few soft clauses have to be falsified. Its first model is the optimum, so at the time limit it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .._support import processes
from .._support.clock import Clock
from ..formula import Wcnf
from .backend import Answer, OnModel, ignore_model, require_64_bit_weights
from .run import STREAMS, run_program

_PROGRAM = Path(__file__).with_name("programs") / "rc2.py"


@dataclass(frozen=True, slots=True)
class Rc2:
    """RC2 in a child process; stratified if the weights differ.

    Parameters
    ----------
    solver : str, default="glucose4"
        The underlying SAT solver, by its PySAT name.

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
        """The name in messages."""
        return f"RC2 ({self.solver})"

    @property
    def is_trusted(self) -> bool:
        """True: it is widely used."""
        return True

    @property
    def proves(self) -> bool:
        """True: it is complete."""
        return True

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = ignore_model) -> Answer:
        """Search for a model of minimum cost; see :class:`~puretree.maxsat.backend.Backend`."""
        require_64_bit_weights(formula, self.name)
        return run_program(
            lambda file: processes.start_python(_PROGRAM, str(file), self.solver, **STREAMS),
            formula,
            name=self.name,
            style="new",
            clock=clock,
            on_model=on_model,
        )
