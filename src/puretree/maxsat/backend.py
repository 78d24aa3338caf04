"""The protocol of MaxSAT solvers and their answers."""

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
    """The answer of a MaxSAT solver.

    Parameters
    ----------
    status : {"optimal", "unsatisfiable", "unknown"}
        ``unknown``: the solver stopped without a proof; the model is the best so far.
    model : Model, optional
        It satisfies every hard clause, which has been checked.
    cost : int, optional
        The total weight of the soft clauses that the model falsifies, recomputed from the model.
    """

    status: Literal["optimal", "unsatisfiable", "unknown"]
    model: Model | None = None
    cost: int | None = None


def ignore_model(model: Model) -> None:
    """Ignore a model: the default callback."""


def require_64_bit_weights(formula: Wcnf, name: str) -> None:
    """Raise InputError if the total weight exceeds 64 bits: most solvers overflow silently."""
    if formula.total_weight >= 2**63:
        raise InputError(f"{name} cannot handle weights that add up to 2**63 or more; use smaller weights")


class Backend(Protocol):
    """A solver for weighted partial MaxSAT formulas."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def is_trusted(self) -> bool:
        """Whether a claim of optimality is accepted without a proof; models are always checked."""

    @property
    def proves(self) -> bool:
        """Whether it can prove optimality so that the claim is accepted; always False if it is not trusted."""

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = ...) -> Answer:
        """Search for a model of minimum cost until the time limit.

        Parameters
        ----------
        formula : Wcnf
        clock : Clock
            At the time limit, the best model so far is returned within a second.
        on_model : callable
            Called with every checked model that is better than those before it, as soon as it is found.

        Raises
        ------
        SolverError
            If the solver fails, or its output is invalid. Models passed to ``on_model`` before remain valid.
        KeyboardInterrupt
            On Ctrl-C, after the solver has been stopped.
        """
