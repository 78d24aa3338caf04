"""Believes no solver: every model is checked against the formula, and what a solver says against its models."""

from __future__ import annotations

from typing import NoReturn

from ..errors import SolverError, shorten
from ..formula import Model, Wcnf
from .backend import Answer, OnModel
from .output import Claim, Status


class Judge:
    """Checks models, passes on those that are better than all before, and draws the conclusion.

    Parameters
    ----------
    formula : Wcnf
    name : str
        What messages call the solver.
    on_model : callable
    """

    def __init__(self, formula: Wcnf, name: str, on_model: OnModel) -> None:
        self._formula = formula
        self._name = name
        self._on_model = on_model
        self._best: Model | None = None
        self._best_cost: int | None = None
        self._last_cost: int | None = None

    def check(self, claim: Claim, *, is_lenient: bool = False) -> None:
        """Check a model.

        Parameters
        ----------
        claim : Claim
        is_lenient : bool, default=False
            A bad model is ignored, not an error: its text may have been cut off.
        """
        broken = self._formula.broken(claim.model)
        cost = self._formula.cost(claim.model)
        if broken is not None:
            return None if is_lenient else self._accuse(f"its model breaks the hard clause {self._spell(broken)}")
        if claim.cost is not None and cost > claim.cost and not is_lenient:
            self._accuse(f"it claims a cost of {claim.cost}, but its model costs {cost}")
        self._last_cost = cost
        if self._best_cost is None or cost < self._best_cost:
            self._best, self._best_cost = claim.model, cost
            self._on_model(claim.model.copy())  # whatever the caller does to it

    def conclude(self, status: Status | None, cost: int | None) -> Answer:
        """Draw the conclusion from a solver's status and the last cost it named."""
        if status == "unsatisfiable":
            if self._best is not None:
                self._accuse(f"it claims that no model exists, but printed one of cost {self._best_cost}")
            return Answer("unsatisfiable")
        if status == "optimal":
            if self._best is None:
                self._accuse("it claims an optimum but printed no model; turn on the printing of models (v lines)")
            if cost is not None and cost != self._last_cost:
                self._accuse(f"it claims an optimum of cost {cost}, but its model costs {self._last_cost}")
            if self._last_cost != self._best_cost:
                self._accuse(f"it claims an optimum of cost {self._last_cost}, but printed one of {self._best_cost}")
            return Answer("optimal", self._best, self._best_cost)
        return self.best

    @property
    def best(self) -> Answer:
        """The best model so far, of which nothing more is known."""
        return Answer("unknown", self._best, self._best_cost)

    def _accuse(self, charge: str) -> NoReturn:
        raise SolverError(f"{self._name} cannot be trusted: {charge}; use another version of it, or another solver")

    def _spell(self, clause: list[int]) -> str:
        names = (f"{'¬' if lit < 0 else ''}{self._formula.names.get(abs(lit), f'x{abs(lit)}')}" for lit in clause)
        return f"({shorten(names)})"
