"""Local search: good models soon, in the spirit of SATLike, and its hybrids with a SAT solver.

Every clause, hard or soft, has a weight that grows while the clause is false, and the variable whose flip gains most
weight is flipped (Lei and Cai, *Solving (Weighted) Partial MaxSAT by Dynamic Local Search for SAT*, IJCAI 2018). It
pays on formulas with many soft clauses over few hard ones, where a complete solver is far from its first good model:
see ``native/local_search``. Alone it may find no model at all where models are rare, so SATLike-c of the MaxSAT
Evaluation 2021 begins with the model of a SAT solver; and it proves nothing, so SATLike-ck ends with a complete search
that goes on from its best model.

>>> from puretree.formula import Soft, clause
>>> formula = Wcnf(2, [clause(1, 2)], [Soft(3, (-1,)), Soft(1, (-2,))])
>>> answer = LocalSearch(most_steps=1000).minimise(formula)
>>> answer.status, answer.cost
('unknown', 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import Literal, get_args

import numpy as np

from .. import _native
from .._support.clock import NO_LIMIT, Clock, TimeIsOver
from ..errors import InputError
from ..formula import Model, Objective, Wcnf, as_block
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver
from .answer_check import Judge
from .backend import Answer, OnModel, nobody_listens, require_machine_weights
from .linear import LinearSearch
from .output import Claim

Hybrid = Literal["none", "c", "ck"]

STEPS = 10_000_000  # without a better model, where nobody limits the time
SHARE_OF_CK = 0.3  # of the time: a complete search waits
STEPS_OF_CK = 100_000  # and ten more for each literal of the formula, up to STEPS in all


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """Local search as a MaxSAT solver like others.

    Parameters
    ----------
    hybrid : {"none", "c", "ck"}, default="none"
        ``c``: begin with the model of a SAT solver. ``ck``: that, and end with the linear search, which proves.
    seed : int, default=0
        The same seed takes the same steps.
    most_steps : int, optional
        Steps without a better model after which the walk ends. By default it goes on until the time is over, or for ten
        million steps if that is not limited; with ``ck``, for ten steps a literal of the formula, and three tenths of
        the time.
    solver : str, default="cadical195"
        A SAT solver of python-sat, for the hybrids.
    isolated : bool, default=True
        Run it in a process of its own, so that the time limit holds whatever it does.
    """

    hybrid: Hybrid = "none"
    seed: int = 0
    most_steps: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True

    def __post_init__(self) -> None:
        require_hybrid(self.hybrid)
        require_solver(self.solver)
        if not isinstance(self.seed, Integral) or not 0 <= self.seed < 2**64:
            raise InputError(f"seed={self.seed!r} is no seed of the local search; use a number from 0 to 2**64 - 1")
        steps = STEPS if self.most_steps is None else self.most_steps
        if not isinstance(steps, Integral) or not 0 <= steps < 2**63:
            raise InputError(f"most_steps={self.most_steps!r} is no number of steps; use 0 or more, or None")

    @property
    def name(self) -> str:
        """What messages call it."""
        return name_of(self.hybrid)

    @property
    def is_trusted(self) -> bool:
        """Yes: it says "optimal" only where nothing is broken that could be kept, or where the linear search does."""
        return True

    def minimise(self, formula: Wcnf, *, clock: Clock = NO_LIMIT, on_model: OnModel = nobody_listens) -> Answer:
        """Look for cheap models until the clock is over, or nothing better comes up; see :class:`Backend`."""
        require_machine_weights(formula, self.name)
        judge = Judge(formula, self.name, on_model)
        try:
            if self.hybrid == "none":
                return self.improve(formula, judge, clock)
            oracle = make_oracle(self.solver, isolated=self.isolated)
            try:
                return self._minimise_with(oracle, formula, judge, clock)
            finally:
                oracle.close()
        except TimeIsOver:
            return judge.best

    def improve(
        self, formula: Wcnf, judge: Judge, clock: Clock, *, given: Sequence[int] = (), enough: int = 0
    ) -> Answer:
        """Walk from given literals and what follows from them; only the walk, whatever the hybrid.

        Parameters
        ----------
        formula : Wcnf
        judge : Judge
            Gets the models.
        clock : Clock
        given : sequence of int
            Literals; those of a model make it the start.
        enough : int, default=0
            What any model costs at least: one that costs no more is the best.
        """
        search = _native.LocalSearch(formula.n_vars)
        try:
            _tell(search, formula, clock)
        except TimeIsOver:
            return judge.best
        answer = search.run(
            np.asarray(given, dtype=np.int32),
            self.seed,
            self._patience(formula, clock),
            enough,
            lambda values: judge.check(Claim(values.astype(np.bool_), None)),
            clock.left,
        )
        return judge.best if answer is None else judge.conclude("optimal" if answer else "unsatisfiable", None)

    def _patience(self, formula: Wcnf, clock: Clock) -> int:
        """Return how many steps without a better model are enough."""
        if self.most_steps is not None:
            return self.most_steps
        if self.hybrid == "ck":
            return min(STEPS, STEPS_OF_CK + 10 * sum(block.size for block in formula.hard))
        return STEPS if clock.limit == inf else 2**63 - 1

    def _minimise_with(self, oracle: Oracle, formula: Wcnf, judge: Judge, clock: Clock) -> Answer:
        def hear(model: Model) -> None:
            judge.check(Claim(model, None))

        search = LinearSearch.of(formula, oracle, on_model=hear, clock=clock)
        satisfiable = oracle.solve([], clock)
        if not satisfiable:
            return Answer("unknown" if satisfiable is None else "unsatisfiable")
        first = oracle.model(formula.n_vars)
        hear(first)
        part = clock if self.hybrid == "c" else clock.part(SHARE_OF_CK)
        answer = self.improve(formula, judge, part, given=literals_of(first))
        if self.hybrid == "c" or answer.status == "optimal":
            return answer
        assert answer.model is not None
        search.start_from(literals_of(answer.model), clock)
        status = search.run(clock)
        if status == "interrupted":
            raise KeyboardInterrupt
        return judge.conclude("optimal" if status == "optimal" else None, None)


def name_of(hybrid: Hybrid) -> str:
    """Return what a hybrid is called."""
    return "local-search" if hybrid == "none" else f"local-search-{hybrid}"


def require_hybrid(hybrid: str) -> None:
    """Refuse a hybrid that is none, and name those that are."""
    if hybrid not in get_args(Hybrid):
        raise InputError(f"hybrid={hybrid!r} is not known; use one of {', '.join(map(repr, get_args(Hybrid)))}")


def literals_of(model: Model) -> list[int]:
    """Return the literals that are true in a model."""
    return [var if model[var] else -var for var in range(1, len(model))]


def _tell(search: _native.LocalSearch, formula: Wcnf, clock: Clock) -> None:
    """Hand all clauses over; TimeIsOver if the clock is over first."""
    hard = np.empty(0, dtype=np.int64)
    for block in formula.hard:
        clock.require_time()
        search.add(np.ascontiguousarray(block, dtype=np.int32), hard)
    soft = list(Objective.of(formula.soft).soft)
    if soft:
        weights = np.array([each.weight for each in soft], dtype=np.int64)
        search.add(as_block([each.literals for each in soft]), weights)
