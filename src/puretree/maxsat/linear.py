"""Linear search from above: the paper's Algorithm 1.

A model bounds the cost; ask for a better one until there is none. One incremental solver hears all questions, so
what it learns for one bound serves the next. A bound is assumed, never added: when the search ends, the clauses with
the last assumptions that had a model describe *all* best models, ready to be enumerated (the paper's Algorithm 2).
Adding the bounds that were met as clauses was tried, and was no faster in single runs of 25 s on nine of the paper's
data sets.

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

from .._support.clock import NO_LIMIT, Clock, TimeIsOver
from ..errors import SolverError
from ..formula import Block, Model, Objective, VarPool, Wcnf
from ..formula.sums import Sum, make_sum
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver
from .backend import Answer, OnModel, nobody_listens

Status = Literal["optimal", "unsatisfiable", "time_limit", "interrupted"]


@dataclass(frozen=True, slots=True)
class Improvement:
    """News of a search.

    Parameters
    ----------
    objective : int
        The place of the objective that improved.
    lower, upper : int
        Its bounds.
    """

    objective: int
    lower: int
    upper: int


class LinearSearch:
    """Minimise objectives, the first one first, over the models of what an oracle was told.

    Parameters
    ----------
    oracle : Oracle
        Lives on after the search, with all it was told and has learnt.
    objectives : sequence of Objective
    pool : VarPool
        Holds all variables of the formula; the search takes more.
    lower : int, default=0
        What the first objective costs at least.
    refine : callable, optional
        Gets every model and returns clauses that it breaks although they should hold, or nothing. So clauses can be
        left out until they matter. A proof that there is no model holds with the clauses left out.
    on_model : callable, optional
        Gets every better model.
    on_improvement : callable, optional
        Gets every improved bound.

    Attributes
    ----------
    model : Model or None
        The best so far.
    costs : tuple of int
        What it costs, objective by objective.
    assumptions : list of int
        With these, the oracle has exactly the models of what it was told that cost no more than the best one.
    """

    def __init__(
        self,
        oracle: Oracle,
        objectives: Sequence[Objective],
        pool: VarPool,
        *,
        lower: int = 0,
        refine: Callable[[Model], Iterable[Block]] | None = None,
        on_model: OnModel = nobody_listens,
        on_improvement: Callable[[Improvement], None] | None = None,
    ) -> None:
        self.oracle = oracle
        self.objectives = tuple(objectives)
        self.model: Model | None = None
        self.lower = [lower, *(0 for _ in self.objectives[1:])]
        self._pool = pool
        self._n_vars = pool.n_vars  # those of the formula: the search's own are nobody's business
        self._refine = refine or (lambda model: ())
        self._on_model = on_model
        self._on_improvement = on_improvement or (lambda improvement: None)
        self._sums: dict[int, Sum] = {}
        self._settled: list[int] = []  # what is assumed for the objectives that are proved
        self._place = 0  # of the objective that is being minimised
        self._clock = NO_LIMIT

    @classmethod
    def of(
        cls, formula: Wcnf, oracle: Oracle, *, on_model: OnModel = nobody_listens, clock: Clock = NO_LIMIT
    ) -> LinearSearch:
        """Start a search over a formula; its hard clauses are told to the oracle here."""
        pool = VarPool()
        pool.array("x", formula.n_vars)
        for block in formula.hard:
            oracle.add(block, clock)
        return cls(oracle, [Objective.of(formula.soft)], pool, on_model=on_model)

    @property
    def assumptions(self) -> list[int]:
        """What holds for the best models: the proved costs, and the best cost so far where it is not proved yet."""
        if self.model is None or self._place == len(self.objectives):
            return self._settled
        return self._settled + self._at_most(self._place, self.costs[self._place])

    @property
    def costs(self) -> tuple[int, ...]:
        """What the best model costs, objective by objective."""
        return () if self.model is None else tuple(objective.cost(self.model) for objective in self.objectives)

    def start_from(self, literals: Sequence[int], clock: Clock) -> bool:
        """Complete known literals to a first model and let the solver search near it; False if they fit no model."""
        if not self._ask(literals, clock):
            return False
        model = self._model()
        self.oracle.suggest([var if model[var] else -var for var in range(1, len(model))], clock)
        self._take(model, 0)
        return True

    def run(self, clock: Clock) -> Status:
        """Search until the best model is proved or the clock is over; Ctrl-C ends it too, and loses nothing."""
        self._clock = clock
        try:
            while self._place < len(self.objectives):
                done = self._minimise(self._place)
                if not done:
                    return "time_limit"
                if self.model is None:
                    return "unsatisfiable"
                self._place += 1
            return "optimal"
        except TimeIsOver:
            return "time_limit"
        except KeyboardInterrupt:
            return "interrupted"

    def add(self, block: Block) -> None:
        """Tell the oracle more; sums do so through this."""
        self.oracle.add(block, self._clock)

    def _minimise(self, place: int) -> bool:
        """Lower one objective until it is proved; False if the clock is over first."""
        while True:
            better = self._better(place)
            if better is not None:
                answer = self._ask(better, self._clock)
                if answer is None:
                    return False
                if answer:
                    self._hear(place)
                    continue
            if self.model is not None:
                self._settle(place)
            return True

    def _better(self, place: int) -> list[int] | None:
        """Return what to assume to get a better model; None if no better one can be."""
        if self.model is None:
            return []
        cost = self.objectives[place].cost(self.model)
        return None if cost <= self.lower[place] else self._at_most(place, cost - 1)

    def _hear(self, place: int) -> None:
        """Take the oracle's model, unless clauses left out so far speak against it."""
        model = self._model()
        n_missing = 0
        for block in self._refine(model):
            self.add(block)
            n_missing += len(block)
        if n_missing:
            return
        if self.model is not None and self.objectives[place].cost(model) >= self.costs[place]:
            raise SolverError("a solver was asked for a better model and gave one that is not; use another solver")
        self._take(model, place)

    def _take(self, model: Model, place: int) -> None:
        self.model = model
        self._on_model(model)
        self._report(place)

    def _settle(self, place: int) -> None:
        """Keep the proved cost of an objective for the ones after it."""
        assert self.model is not None
        cost = self.objectives[place].cost(self.model)
        is_news = self.lower[place] < cost
        self.lower[place] = cost
        self._settled += self._at_most(place, cost)
        if is_news:
            self._report(place)

    def _report(self, place: int) -> None:
        self._on_improvement(Improvement(place, self.lower[place], self.costs[place]))

    def _at_most(self, place: int, k: int) -> list[int]:
        if place not in self._sums:
            assert self.model is not None
            objective = self.objectives[place]
            most = objective.cost(self.model) + 1
            self._sums[place] = make_sum(objective, self._pool, self, most=most)
        return self._sums[place].at_most(k)

    def _ask(self, assumptions: Sequence[int], clock: Clock) -> bool | None:
        return self.oracle.solve([*self._settled, *assumptions], clock)

    def _model(self) -> Model:
        return self.oracle.model(self._n_vars)


@dataclass(frozen=True, slots=True)
class Linear:
    """The linear search as a MaxSAT solver like others.

    Parameters
    ----------
    solver : str, default="cadical195"
        A SAT solver of python-sat.
    isolated : bool, default=True
        Run it in a process of its own, so that the time limit holds whatever it does.
    """

    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    name: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        require_solver(self.solver)

    @property
    def is_trusted(self) -> bool:
        """Whether its word is enough for "no better model exists"."""
        return True

    def minimise(self, formula: Wcnf, *, clock: Clock = NO_LIMIT, on_model: OnModel = nobody_listens) -> Answer:
        """Look for the cheapest model until the clock is over."""
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            search = LinearSearch.of(formula, oracle, on_model=on_model, clock=clock)
            status = search.run(clock)
        except TimeIsOver:
            return Answer("unknown")
        finally:
            oracle.close()
        if status == "interrupted":
            raise KeyboardInterrupt
        if status == "unsatisfiable":
            return Answer("unsatisfiable")
        cost = search.costs[0] if search.model is not None else None
        return Answer("optimal" if status == "optimal" else "unknown", search.model, cost)
