"""Linear search SAT-UNSAT, from above: the paper's Algorithm 1.

A model gives an upper bound on the cost; search for a better model until there is none. One incremental solver is used
for all bounds, so what it learns for one bound helps with the next. A bound is assumed, never added as a clause: when
the search ends, the clauses with the last satisfiable assumptions describe *all* optimal models, which can then be
enumerated (the paper's Algorithm 2). Adding achieved bounds as clauses was tried, and was no faster in single runs of
25 s on nine of the paper's data sets.

Een and Sörensson 2006; Le Berre and Parrain, *The Sat4j library*, JSAT 2010.

>>> from puretree.formula import Soft, clause
>>> from puretree.sat import LocalOracle
>>> formula = Wcnf(2, [clause(1, 2)], [Soft(3, (-1,)), Soft(1, (-2,))])
>>> search = LinearSearch.of(formula, LocalOracle())
>>> search.run(NO_LIMIT)
'optimal'
>>> search.costs, search.model.tolist()
((1,), [False, False, True])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from ..errors import SolverError
from ..formula import Block, Model, Objective, VarPool, Wcnf
from ..formula.sums import Sum, make_sum
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver
from .backend import Answer, OnModel, ignore_model

Status = Literal["optimal", "unsatisfiable", "time_limit", "interrupted"]


@dataclass(frozen=True, slots=True)
class Improvement:
    """An improved bound of an objective.

    Parameters
    ----------
    objective : int
        The index of the objective.
    lower, upper : int
        Its bounds.
    """

    objective: int
    lower: int
    upper: int


class LinearSearch:
    """Minimise objectives lexicographically over the models of an oracle's clauses.

    Parameters
    ----------
    oracle : Oracle
        Stays usable after the search, with all clauses added and learnt.
    objectives : sequence of Objective
    pool : VarPool
        Holds all variables of the formula; the search allocates more.
    lower : int, default=0
        A lower bound on the first objective.
    refine : callable, optional
        Called with every model; returns clauses of the formula that the model falsifies, or none. So clauses can be
        added lazily. A proof that there is no model remains valid without the missing clauses.
    on_model : callable, optional
        Called with every improved model.
    on_improvement : callable, optional
        Called with every improved bound.

    Attributes
    ----------
    model : Model or None
        The best model so far.
    costs : tuple of int
        Its cost for each objective.
    assumptions : list of int
        Under these, the models of the oracle are exactly those that cost no more than the best one.
    """

    def __init__(
        self,
        oracle: Oracle,
        objectives: Sequence[Objective],
        pool: VarPool,
        *,
        lower: int = 0,
        refine: Callable[[Model], Iterable[Block]] | None = None,
        on_model: OnModel = ignore_model,
        on_improvement: Callable[[Improvement], None] | None = None,
    ) -> None:
        self.oracle = oracle
        self.objectives = tuple(objectives)
        self.model: Model | None = None
        self.lower = [lower, *(0 for _ in self.objectives[1:])]
        self._pool = pool
        self._n_vars = pool.n_vars  # variables of the formula, without those of the search
        self._refine = refine or (lambda model: ())
        self._on_model = on_model
        self._on_improvement = on_improvement or (lambda improvement: None)
        self._sums: dict[int, Sum] = {}
        self._fixed: list[int] = []  # assumptions for the objectives whose optimum is proved
        self._current = 0  # index of the objective that is being minimised
        self._clock = NO_LIMIT

    @classmethod
    def of(
        cls, formula: Wcnf, oracle: Oracle, *, on_model: OnModel = ignore_model, clock: Clock = NO_LIMIT
    ) -> LinearSearch:
        """Return a search over a formula; its hard clauses are added to the oracle."""
        pool = VarPool()
        pool.array("x", formula.n_vars)
        for block in formula.hard:
            oracle.add(block, clock)
        return cls(oracle, [Objective.of(formula.soft)], pool, on_model=on_model)

    @property
    def assumptions(self) -> list[int]:
        """Upper bounds on the objectives: the proved optima, and the best cost of the current objective."""
        if self.model is None or self._current == len(self.objectives):
            return self._fixed
        return self._fixed + self._at_most(self._current, self.costs[self._current])

    @property
    def costs(self) -> tuple[int, ...]:
        """The cost of the best model for each objective."""
        return () if self.model is None else tuple(objective.cost(self.model) for objective in self.objectives)

    def start_from(self, literals: Sequence[int], clock: Clock) -> bool:
        """Complete literals to a first model and set the solver's phases to it; return False if no model fits."""
        if not self._solve(literals, clock):
            return False
        model = self._model()
        self.oracle.set_phases([var if model[var] else -var for var in range(1, len(model))], clock)
        self._accept(model, 0)
        return True

    def run(self, clock: Clock) -> Status:
        """Search until the best model is proved optimal, the time limit, or Ctrl-C; the best model is kept."""
        self._clock = clock
        try:
            while self._current < len(self.objectives):
                is_proved = self._minimise(self._current)
                if not is_proved:
                    return "time_limit"
                if self.model is None:
                    return "unsatisfiable"
                self._current += 1
            return "optimal"
        except TimeLimitReached:
            return "time_limit"
        except KeyboardInterrupt:
            return "interrupted"

    def add(self, block: Block) -> None:
        """Add clauses to the oracle; the search is the sink of its sums."""
        self.oracle.add(block, self._clock)

    def _minimise(self, index: int) -> bool:
        """Minimise one objective until its optimum is proved; return False if the time limit is reached first."""
        while True:
            better = self._better(index)
            if better is not None:
                result = self._solve(better, self._clock)
                if result is None:
                    return False
                if result:
                    self._process_model(index)
                    continue
            if self.model is not None:
                self._fix(index)
            return True

    def _better(self, index: int) -> list[int] | None:
        """Return the assumptions for a better model; None if the lower bound excludes one."""
        if self.model is None:
            return []
        cost = self.objectives[index].cost(self.model)
        return None if cost <= self.lower[index] else self._at_most(index, cost - 1)

    def _process_model(self, index: int) -> None:
        """Accept the oracle's model, or add the missing clauses that it falsifies."""
        model = self._model()
        n_missing = 0
        for block in self._refine(model):
            self.add(block)
            n_missing += len(block)
        if n_missing:
            return
        if self.model is not None and self.objectives[index].cost(model) >= self.costs[index]:
            raise SolverError("the SAT solver returned a model that violates its assumptions; use another solver")
        self._accept(model, index)

    def _accept(self, model: Model, index: int) -> None:
        self.model = model
        self._on_model(model)
        self._report(index)

    def _fix(self, index: int) -> None:
        """Keep the proved optimum of an objective for the objectives after it."""
        assert self.model is not None
        cost = self.objectives[index].cost(self.model)
        is_improved = self.lower[index] < cost
        self.lower[index] = cost
        self._fixed += self._at_most(index, cost)
        if is_improved:
            self._report(index)

    def _report(self, index: int) -> None:
        self._on_improvement(Improvement(index, self.lower[index], self.costs[index]))

    def _at_most(self, index: int, k: int) -> list[int]:
        if index not in self._sums:
            assert self.model is not None
            objective = self.objectives[index]
            upper = objective.cost(self.model) + 1
            self._sums[index] = make_sum(objective, self._pool, self, upper=upper)
        return self._sums[index].at_most(k)

    def _solve(self, assumptions: Sequence[int], clock: Clock) -> bool | None:
        return self.oracle.solve([*self._fixed, *assumptions], clock)

    def _model(self) -> Model:
        return self.oracle.model(self._n_vars)


@dataclass(frozen=True, slots=True)
class Linear:
    """The linear search as a MaxSAT backend.

    Parameters
    ----------
    solver : str, default="cadical195"
        A SAT solver of PySAT.
    isolated : bool, default=True
        Run it in a child process, so that the time limit is always enforced.
    """

    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    name: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        require_solver(self.solver)

    @property
    def is_trusted(self) -> bool:
        """True: it is part of this package."""
        return True

    def minimise(self, formula: Wcnf, *, clock: Clock = NO_LIMIT, on_model: OnModel = ignore_model) -> Answer:
        """Search for a model of minimum cost; see :class:`~puretree.maxsat.backend.Backend`."""
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            search = LinearSearch.of(formula, oracle, on_model=on_model, clock=clock)
            status = search.run(clock)
        except TimeLimitReached:
            return Answer("unknown")
        finally:
            oracle.close()
        if status == "interrupted":
            raise KeyboardInterrupt
        if status == "unsatisfiable":
            return Answer("unsatisfiable")
        cost = search.costs[0] if search.model is not None else None
        return Answer("optimal" if status == "optimal" else "unknown", search.model, cost)
