"""What every MaxSAT solver looks like from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from .._support.clock import Clock
from ..errors import InputError
from ..formula import Model, Wcnf

OnModel = Callable[[Model], None]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a solver says of a formula.

    Parameters
    ----------
    status : {"optimal", "unsatisfiable", "unknown"}
        ``unknown``: the time was over first; the model is then the best so far.
    model : Model, optional
        Checked: it satisfies every hard clause.
    cost : int, optional
        The weight of the soft clauses the model breaks, counted here.
    """

    status: Literal["optimal", "unsatisfiable", "unknown"]
    model: Model | None = None
    cost: int | None = None


def nobody_listens(model: Model) -> None:
    """Do nothing with a model: for callers who wait for the answer."""


def require_machine_weights(formula: Wcnf, name: str) -> None:
    """Refuse weights that do not fit into a machine word together: most solvers count in one, and silently wrap."""
    if formula.total_weight >= 2**63:
        raise InputError(f"{name} cannot take weights that add up to 2**63 or more; use smaller ones")


class Backend(Protocol):
    """A solver for weighted partial MaxSAT formulas."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def is_trusted(self) -> bool:
        """Whether its word is enough for "no better model exists"; a model is checked in any case."""

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = ...) -> Answer:
        """Look for the cheapest model until the clock is over.

        Parameters
        ----------
        formula : Wcnf
        clock : Clock
            When it is over, the best model so far is returned within a second.
        on_model : callable
            Gets every model that is better than those before it, as soon as it is known, after it was checked.

        Raises
        ------
        SolverError
            If the solver dies, lies or cannot be understood. The models passed to ``on_model`` before stay good.
        KeyboardInterrupt
            On Ctrl-C, after the solver was stopped.
        """
