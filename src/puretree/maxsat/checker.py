"""Check solver results: models against the formula, and reported statuses and costs against the models."""

from __future__ import annotations

from typing import NoReturn

from ..errors import SolverError, shorten
from ..formula import Model, Wcnf
from .backend import Answer, OnModel
from .output import ReportedModel, Status


class ModelChecker:
    """Checker that verifies models, passes improved ones to a callback, and derives the answer.

    Parameters
    ----------
    formula : Wcnf
    name : str
        The name of the solver in messages.
    on_model : callable
        Called with every checked model that is better than all before it.
    """

    def __init__(self, formula: Wcnf, name: str, on_model: OnModel) -> None:
        self._formula = formula
        self._name = name
        self._on_model = on_model
        self._best: Model | None = None
        self._best_cost: int | None = None
        self._last_cost: int | None = None

    def check(self, reported: ReportedModel, *, is_lenient: bool = False) -> None:
        """Check a model; raise SolverError if it is invalid.

        Parameters
        ----------
        reported : ReportedModel
        is_lenient : bool, default=False
            Ignore an invalid model: its text may be truncated.
        """
        falsified = self._formula.falsified_clause(reported.model)
        cost = self._formula.cost(reported.model)
        if falsified is not None:
            if is_lenient:
                return
            self._reject(f"its model falsifies the hard clause {self._format(falsified)}")
        if reported.cost is not None and cost > reported.cost and not is_lenient:
            self._reject(f"it reported a cost of {reported.cost}, but its model costs {cost}")
        self._last_cost = cost
        if self._best_cost is None or cost < self._best_cost:
            self._best, self._best_cost = reported.model, cost
            self._on_model(reported.model.copy())  # the callback may modify it

    def conclude(self, status: Status | None, cost: int | None) -> Answer:
        """Return the answer for a solver's status and the last cost that it reported."""
        if status == "unsatisfiable":
            if self._best is not None:
                self._reject(f"it reported that no model exists, but printed one of cost {self._best_cost}")
            return Answer("unsatisfiable")
        if status == "optimal":
            if self._best is None:
                self._reject("it reported an optimum but printed no model; enable the printing of models (v lines)")
            if cost is not None and cost != self._last_cost:
                self._reject(f"it reported an optimum of cost {cost}, but its model costs {self._last_cost}")
            if self._last_cost != self._best_cost:
                self._reject(
                    f"it reported an optimum of cost {self._last_cost}, but printed a model of cost {self._best_cost}"
                )
            return Answer("optimal", self._best, self._best_cost)
        return self.best

    @property
    def best(self) -> Answer:
        """The best model so far, with status "unknown"."""
        return Answer("unknown", self._best, self._best_cost)

    def _reject(self, reason: str) -> NoReturn:
        raise SolverError(
            f"{self._name} returned an invalid result: {reason}; use another version of it, or another solver"
        )

    def _format(self, clause: list[int]) -> str:
        names = (f"{'¬' if lit < 0 else ''}{self._formula.names.get(abs(lit), f'x{abs(lit)}')}" for lit in clause)
        return f"({shorten(names)})"
