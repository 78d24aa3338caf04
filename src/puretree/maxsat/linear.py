"""Linear search SAT-UNSAT, from above: the paper's Algorithm 1.

A model gives an upper bound on the cost; search for a better model until there is none. One incremental solver is used
for all bounds, so what it learns for one bound helps with the next. A bound is assumed, never added as a clause: when
the search ends, the clauses with the last satisfiable assumptions describe *all* optimal models, which can then be
enumerated (the paper's Algorithm 2). Adding achieved bounds as clauses was tried, and was no faster in single runs of
25 s on nine of the paper's data sets.

Algorithm 1 takes a formula, a timeout and an upper bound, both optional, and returns the upper bound, the model and the
solver: here :meth:`Linear.search`, and ``upper``, ``model`` and ``oracle`` of the search that it returns. It differs
from the paper's pseudocode as follows. Bounds are assumptions, as the paper's text on extraction requires. Without an
upper bound the first call has no bound at all, where the pseudocode starts from the sum of all weights plus one, which
excludes nothing. The negated literal of a unit soft clause is its own blocking variable. The encoding of the sum
depends on the objective: see :func:`~puretree.formula.sums.make_sum`.

Een and Sörensson 2006; Le Berre and Parrain, *The Sat4j library*, JSAT 2010.

>>> from puretree.formula import Soft, clause
>>> from puretree.sat import LocalOracle
>>> formula = Wcnf(2, [clause(1, 2)], [Soft(3, (-1,)), Soft(1, (-2,))])
>>> search = LinearSearch.of(formula, LocalOracle())
>>> search.run(NO_LIMIT)
'optimal'
>>> search.upper, search.model.tolist()
(1, [False, False, True])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar, Literal, Self

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from ..errors import InputError, SolverError
from ..formula import Block, Model, Objective, VarPool, Wcnf, true_literals
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
        Stays usable after the search, with all clauses added and learnt, until :meth:`close`. Only a child process may
        be lost: it is killed on Ctrl-C, and at the time limit if it does not stop by itself. Its calls then behave as
        without time.
    objectives : sequence of Objective
    pool : VarPool
        Holds all variables of the formula; the search allocates more.
    lower : int, default=0
        A lower bound on the first objective.
    upper : int, optional
        An upper bound on the first objective, at least 0, such as the cost of a known solution: only models that cost
        less are searched for. If there is none, :meth:`run` returns "unsatisfiable", ``model`` is None and ``upper`` is
        unchanged, which proves that no model costs less.
    refine : callable, optional
        Called with every model; returns clauses of the formula that the model falsifies, or none. So clauses can be
        added lazily. A proof that there is no model remains valid without the missing clauses.
    phases : callable, optional
        After :meth:`start_from`: returns the solver's phases for the best model; by default its literals.
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
    upper : int or None
        The cost of the best model for the first objective; before the first model, the upper bound given.
    assumptions : list of int
        Under these, the models of the oracle are exactly those that cost no more than the best one, or than the upper
        bound if no model was found. With ``refine`` the oracle lacks clauses, so a model may still be falsified.
    status : {"optimal", "unsatisfiable", "time_limit", "interrupted"} or None
        The result of the last :meth:`run`; None before.
    """

    def __init__(
        self,
        oracle: Oracle,
        objectives: Sequence[Objective],
        pool: VarPool,
        *,
        lower: int = 0,
        upper: int | None = None,
        refine: Callable[[Model], Iterable[Block]] | None = None,
        phases: Callable[[Model], Sequence[int]] = true_literals,
        on_model: OnModel = ignore_model,
        on_improvement: Callable[[Improvement], None] | None = None,
    ) -> None:
        if upper is not None and (not isinstance(upper, Integral) or isinstance(upper, bool) or upper < 0):
            raise InputError("is not a cost; use an integer of at least 0, or None", parameter="upper", value=upper)
        self.oracle = oracle
        self.objectives = tuple(objectives)
        self.model: Model | None = None
        self.status: Status | None = None
        self.lower = [lower, *(0 for _ in self.objectives[1:])]
        self._known_upper = upper
        self._pool = pool
        self._n_vars = pool.n_vars  # variables of the formula, without those of the search
        self._refine = refine or (lambda model: ())
        self._phases = phases
        self._is_warm = False  # whether the solver's phases follow the best model
        self._on_model = on_model
        self._on_improvement = on_improvement or (lambda improvement: None)
        self._sums: dict[int, Sum] = {}
        self._fixed: list[int] = []  # assumptions for the objectives whose optimum is proved
        self._current = 0  # index of the objective that is being minimised
        self._clock = NO_LIMIT

    @classmethod
    def of(
        cls,
        formula: Wcnf,
        oracle: Oracle,
        *,
        upper: int | None = None,
        phases: Callable[[Model], Sequence[int]] = true_literals,
        on_model: OnModel = ignore_model,
        clock: Clock = NO_LIMIT,
    ) -> Self:
        """Return a search over a formula; its hard clauses are added to the oracle."""
        pool = VarPool()
        pool.array("x", formula.n_vars)
        for block in formula.hard:
            oracle.add(block, clock)
        return cls(oracle, [Objective.of(formula.soft)], pool, upper=upper, phases=phases, on_model=on_model)

    @property
    def assumptions(self) -> list[int]:
        """Upper bounds on the objectives: the proved optima, and the best cost of the current objective."""
        upper = None if self._current == len(self.objectives) else self._upper(self._current)
        return [*self._fixed, *([] if upper is None else self._at_most(self._current, upper))]

    @property
    def upper(self) -> int | None:
        """The upper bound on the first objective."""
        return self._upper(0)

    def _upper(self, index: int) -> int | None:
        """Return the best known cost of an objective; None if there is none."""
        if self.model is None:
            return self._known_upper if index == 0 else None
        return self.objectives[index].cost(self.model)

    @property
    def costs(self) -> tuple[int, ...]:
        """The cost of the best model for each objective."""
        return () if self.model is None else tuple(objective.cost(self.model) for objective in self.objectives)

    def start_from(self, literals: Sequence[int], clock: Clock) -> bool:
        """Complete literals to a first model, and set the solver's phases to it and to each better model.

        False if no model fits. Phases that remain those of the first model keep the search near it: on a sample of car
        it then reached 145 nodes in 9 s from 153, and 139 with phases that follow the best model (single runs on a busy
        machine); docs/results.md has the runs on twelve data sets.
        """
        if not self._solve(literals, clock):
            return False
        self._clock, self._is_warm = clock, True
        self._accept(self._model(), 0)
        return True

    def run(self, clock: Clock) -> Status:
        """Search until the best model is proved optimal, the time limit, or Ctrl-C; the best model is kept."""
        self._clock = clock
        self.status = self._run()
        self._clock = NO_LIMIT  # the assumptions may need clauses of a sum that was not yet built at the time limit
        return self.status

    def _run(self) -> Status:
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

    def close(self) -> None:
        """Release the solver."""
        self.oracle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        upper = self._upper(index)
        if upper is None:
            return []
        return None if upper <= self.lower[index] else self._at_most(index, upper - 1)

    def _process_model(self, index: int) -> None:
        """Accept the oracle's model, or add the missing clauses that it falsifies."""
        model = self._model()
        n_missing = 0
        for block in self._refine(model):
            self.add(block)
            n_missing += len(block)
        if n_missing:
            return
        upper = self._upper(index)
        if upper is not None and self.objectives[index].cost(model) >= upper:
            raise SolverError("the SAT solver returned a model that violates its assumptions; use another solver")
        self._accept(model, index)

    def _accept(self, model: Model, index: int) -> None:
        self.model = model
        if self._is_warm:
            self.oracle.set_phases(self._phases(model), self._clock)
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
            upper = self._upper(index)
            assert upper is not None
            self._sums[index] = make_sum(self.objectives[index], self._pool, self, upper=upper + 1)
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

    @property
    def proves(self) -> bool:
        """True: it is complete."""
        return True

    def search(
        self,
        formula: Wcnf,
        *,
        upper: int | None = None,
        clock: Clock = NO_LIMIT,
        on_model: OnModel = ignore_model,
    ) -> LinearSearch:
        """Run Algorithm 1, and return the search with its live solver.

        Parameters
        ----------
        formula : Wcnf
        upper : int, optional
            Only models that cost less are searched for; see :class:`LinearSearch`.
        clock : Clock
            At the time limit or on Ctrl-C, the search with the best model so far is returned; see its ``status``.
        on_model : callable
            Called with every model, each better than those before it.

        Returns
        -------
        LinearSearch
            The caller closes it; as a context manager it closes itself.

        Raises
        ------
        TimeLimitReached
            If the time limit is reached before the solver has all hard clauses.

        Examples
        --------
        >>> from puretree.formula import Soft, clause
        >>> formula = Wcnf(3, [clause(1, 2), clause(2, 3)], [Soft(1, (-var,)) for var in (1, 2, 3)])
        >>> with Linear().search(formula, upper=2) as search:
        ...     search.status, search.upper, search.oracle.solve([*search.assumptions, -2])
        ('optimal', 1, False)
        """
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            search = LinearSearch.of(formula, oracle, upper=upper, on_model=on_model, clock=clock)
            search.run(clock)
        except BaseException:
            oracle.close()
            raise
        return search

    def minimise(self, formula: Wcnf, *, clock: Clock = NO_LIMIT, on_model: OnModel = ignore_model) -> Answer:
        """Search for a model of minimum cost; see :class:`~puretree.maxsat.backend.Backend`."""
        try:
            with self.search(formula, clock=clock, on_model=on_model) as search:
                status = search.status
        except TimeLimitReached:
            return Answer("unknown")
        if status == "interrupted":
            raise KeyboardInterrupt
        if status == "unsatisfiable":
            return Answer("unsatisfiable")
        return Answer("optimal" if status == "optimal" else "unknown", search.model, search.upper)
