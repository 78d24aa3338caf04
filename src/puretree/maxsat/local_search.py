"""Stochastic local search after SATLike, which finds good models quickly, and its hybrids with a SAT solver.

Every clause, hard or soft, has a weight that increases while the clause is falsified, and the variable whose flip gains
most weight is flipped (Lei and Cai, *Solving (Weighted) Partial MaxSAT by Dynamic Local Search for SAT*, IJCAI 2018).
It is best for formulas with many soft and few hard clauses, where a complete solver takes long to find a good model:
see ``native/local_search``. Alone it may find no model if models are rare, and it proves nothing. The hybrids, by Lei,
Cai, Geng, Wang, Peng, Wan, Deng and Lu, took part in the MaxSAT Evaluation 2021:

``c``, as SATLike-c
    A SAT solver finds a first model, the walk improves it until it stagnates, and then a SAT-based anytime solver,
    TT-Open-WBO-Inc, continues from the best model until the time limit. We do the same. The walk stagnates after ten
    million steps or 15 s without a better model, the limits of SATLike in the published code of TT-Open-WBO-Inc and
    CASHWMaxSAT; 15 s are a quarter of the shorter time limit of the evaluation, so here it is at most a quarter of the
    time limit. The last stage is the linear search with TT-Open-WBO-Inc's phases (Nadel, *Anytime Weighted MaxSAT with
    Improved Polarity Selection and Bit-Vector Optimization*, FMCAD 2019): the literals of soft unit clauses are tried
    true, all others as in the best model. It has none of that solver's other techniques, such as higher scores for the
    variables of the objective, Polosat, Mrs. Beaver and approximated weights, and the walk is our own implementation.
    When the linear search ends, the optimum is proved.
``ck``, named after SATLike-ck
    A hybrid of our own: no description of how SATLike-ck differs from SATLike-c was available to us. The walk is short,
    at most three tenths of the time, and the linear search has the phases of the best model.

>>> from puretree.formula import Soft, clause
>>> formula = Wcnf(2, [clause(1, 2)], [Soft(3, (-1,)), Soft(1, (-2,))])
>>> answer = LocalSearch(max_steps=1000).minimise(formula)
>>> answer.status, answer.cost
('unknown', 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import Literal, get_args

import numpy as np

from .. import _native
from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from ..errors import InputError
from ..formula import Model, Objective, Soft, Wcnf, as_block, true_literals
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver
from .backend import Answer, OnModel, ignore_model, require_64_bit_weights
from .checker import ModelChecker
from .linear import LinearSearch
from .output import ReportedModel

Hybrid = Literal["none", "c", "ck"]

STEPS = 10_000_000  # without improvement: for "c", and if there is no time limit
C_SECONDS = 15.0  # without improvement
C_TIME_FRACTION = 0.25  # of the time limit, without improvement
CK_TIME_FRACTION = 0.3  # the rest of the time is for the complete search
CK_STEPS = 100_000  # plus ten per literal of the formula, up to STEPS in total


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """Local search as a MaxSAT backend.

    Parameters
    ----------
    hybrid : {"none", "c", "ck"}, default="none"
        ``c``: the model of a SAT solver, the walk until it stagnates, then the linear search, which proves optimality.
        ``ck``: the same with a short walk. See the module for their relation to SATLike-c and SATLike-ck.
    seed : int, default=0
        Random seed: the same seed gives the same steps; time decides how many.
    max_steps : int, optional
        Number of steps without improvement after which the walk ends. By default it continues until the time limit, or
        for ten million steps without one; with ``c``, for ten million steps, or 15 s or a quarter of the time limit
        without improvement; with ``ck``, for 100 000 steps plus ten per literal of the formula, and at most three
        tenths of the time.
    solver : str, default="cadical195"
        A SAT solver of PySAT, for the hybrids.
    isolated : bool, default=True
        Run it in a child process, so that the time limit is always enforced.
    """

    hybrid: Hybrid = "none"
    seed: int = 0
    max_steps: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True

    def __post_init__(self) -> None:
        require_hybrid(self.hybrid)
        require_solver(self.solver)
        if not isinstance(self.seed, Integral) or not 0 <= self.seed < 2**64:
            raise InputError(
                "is not a valid seed; use an integer from 0 to 2**64 - 1", parameter="seed", value=self.seed
            )
        steps = STEPS if self.max_steps is None else self.max_steps
        if not isinstance(steps, Integral) or not 0 <= steps < 2**63:
            raise InputError(
                "is not a number of steps; use 0 or more, or None", parameter="max_steps", value=self.max_steps
            )

    @property
    def name(self) -> str:
        """The name in messages."""
        return backend_name(self.hybrid)

    @property
    def is_trusted(self) -> bool:
        """True: it reports an optimum only at a cost that no model can undercut, or from the linear search."""
        return True

    @property
    def proves(self) -> bool:
        """Only the hybrids, by their linear search; the walk alone proves nothing but a cost of 0."""
        return self.hybrid != "none"

    def minimise(self, formula: Wcnf, *, clock: Clock = NO_LIMIT, on_model: OnModel = ignore_model) -> Answer:
        """Search for models of low cost; see :class:`~puretree.maxsat.backend.Backend`."""
        require_64_bit_weights(formula, self.name)
        checker = ModelChecker(formula, self.name, on_model)
        try:
            if self.hybrid == "none":
                return self.improve(formula, checker, clock)
            oracle = make_oracle(self.solver, isolated=self.isolated)
            try:
                return self._minimise_with(oracle, formula, checker, clock)
            finally:
                oracle.close()
        except TimeLimitReached:
            return checker.best

    def improve(
        self, formula: Wcnf, checker: ModelChecker, clock: Clock, *, start: Sequence[int] = (), target: int = 0
    ) -> Answer:
        """Run only the walk, for any hybrid, from some literals and what they imply by unit propagation.

        Parameters
        ----------
        formula : Wcnf
        checker : ModelChecker
            Receives the models.
        clock : Clock
        start : sequence of int
            Literals of the initial assignment, for example of a model.
        target : int, default=0
            A lower bound on the cost: a model that reaches it is optimal.
        """
        search = _native.LocalSearch(formula.n_vars)
        try:
            _add_clauses(search, formula, clock)
        except TimeLimitReached:
            return checker.best
        is_optimal = search.run(
            np.asarray(start, dtype=np.int32),
            self.seed,
            self._max_steps(formula, clock),
            target,
            lambda values: checker.check(ReportedModel(values.astype(np.bool_), None)),
            clock.left,
            self._patience(clock),
        )
        if is_optimal is None:
            return checker.best
        return checker.conclude("optimal" if is_optimal else "unsatisfiable", None)

    def _max_steps(self, formula: Wcnf, clock: Clock) -> int:
        """Return the number of steps without improvement after which the walk ends."""
        if self.max_steps is not None:
            return self.max_steps
        if self.hybrid == "ck":
            return min(STEPS, CK_STEPS + 10 * sum(block.size for block in formula.hard))
        return STEPS if clock.limit == inf or self.hybrid == "c" else 2**63 - 1

    def _patience(self, clock: Clock) -> float:
        """Return the seconds without improvement after which the walk ends."""
        is_limited = self.hybrid == "c" and self.max_steps is None
        return min(C_SECONDS, C_TIME_FRACTION * clock.limit) if is_limited else inf

    def _minimise_with(self, oracle: Oracle, formula: Wcnf, checker: ModelChecker, clock: Clock) -> Answer:
        def check(model: Model) -> None:
            checker.check(ReportedModel(model, None))

        def phases(model: Model) -> list[int]:
            return phases_near(model, formula.soft if self.hybrid == "c" else ())

        search = LinearSearch.of(formula, oracle, phases=phases, on_model=check, clock=clock)
        satisfiable = oracle.solve([], clock)
        if not satisfiable:
            return Answer("unknown" if satisfiable is None else "unsatisfiable")
        first = oracle.model(formula.n_vars)
        check(first)
        walk_clock = clock.part(CK_TIME_FRACTION) if self.hybrid == "ck" else clock
        answer = self.improve(formula, checker, walk_clock, start=true_literals(first))
        if answer.status == "optimal":
            return answer
        assert answer.model is not None
        search.start_from(true_literals(answer.model), clock)
        status = search.run(clock)
        if status == "interrupted":
            raise KeyboardInterrupt
        return checker.conclude("optimal" if status == "optimal" else None, None)


def backend_name(hybrid: Hybrid) -> str:
    """Return the name of the backend with a hybrid."""
    return "local-search" if hybrid == "none" else f"local-search-{hybrid}"


def require_hybrid(hybrid: str) -> None:
    """Raise InputError if a hybrid is unknown."""
    if hybrid not in get_args(Hybrid):
        raise InputError(
            f"is unknown; use one of {', '.join(map(repr, get_args(Hybrid)))}", parameter="hybrid", value=hybrid
        )


def phases_near(model: Model, soft: Iterable[Soft]) -> list[int]:
    """Return TT-Open-WBO-Inc's phases: literals of soft unit clauses are true, all other variables as in the model.

    A later literal of the same variable counts, so of contradictory clauses that of the largest weight.
    """
    units = [clause for clause in soft if len(clause.literals) == 1]
    return [*true_literals(model), *(clause.literals[0] for clause in sorted(units, key=lambda clause: clause.weight))]


def _add_clauses(search: _native.LocalSearch, formula: Wcnf, clock: Clock) -> None:
    """Add all clauses to a search; raise TimeLimitReached if the time limit is reached first."""
    no_weights = np.empty(0, dtype=np.int64)
    for block in formula.hard:
        clock.require_time()
        search.add(np.ascontiguousarray(block, dtype=np.int32), no_weights)
    soft = list(Objective.of(formula.soft).soft)
    if soft:
        weights = np.array([clause.weight for clause in soft], dtype=np.int64)
        search.add(as_block([clause.literals for clause in soft]), weights)
