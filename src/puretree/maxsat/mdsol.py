"""MDSOL: some models of a formula, each as far as possible from those before (the paper's Algorithm 2).

:func:`mdsol` takes any CNF and any target variables; trees are one use of the same code (:mod:`puretree.extraction`).

The paper has a soft clause ``(¬l, 1)`` for every literal ``l`` over the targets of every previous model, and solves a
new MaxSAT formula for each model. A model falsifies as many of them as it shares literals with previous models, so an
optimum has the greatest sum of Hamming distances to them. Here one incremental solver serves all models: the soft
clauses are counted by a totaliser that grows, so the clauses learnt for one model serve all that follow, and nothing is
retracted or rebuilt.

Alòs, Ansótegui, Torres, *Interpretable Decision Trees Through MaxSAT*, 2022.

>>> solutions = mdsol([[1, 2], [-1, -2, 3]], 3, [1, 2, 3], isolated=False)
>>> len(solutions.models), solutions.stopped, solutions.n_unproved
(3, 'enough', 0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

import numpy as np

from .._support.clock import Clock, TimeLimitReached
from ..errors import InputError
from ..formula import Block, Model, VarPool, as_block, implies
from ..formula.sums.totaliser import IncrementalTotaliser
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver

Pace = Literal["prove", "share"]
StopReason = Literal["enough", "exhausted", "limit"]
Solution = TypeVar("Solution")
MAX_VAR = 2**31 - 1
CLAUSES_PER_CHECK = 1000  # of the clock, while clauses are read
MAX_FREE_TARGET = 10_000_000  # of targets that may occur in no clause: models are arrays over all variables up to it


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Models of a CNF, and why there are no more.

    Parameters
    ----------
    models : tuple of Model
        In the order they were found; no two agree on all targets. ``model[v]`` is the value of variable ``v``.
    stopped : {"enough", "exhausted", "limit"}
        The requested number of models was found; there are provably no more; or the time limit or the memory limit was
        reached, or the user interrupted (Ctrl-C).
    n_unproved : int
        The number of models that may not be the farthest from those before; always 0 if each is proved.
    """

    models: tuple[Model, ...]
    stopped: StopReason
    n_unproved: int = 0


def mdsol(
    clauses: Iterable[Sequence[int]],
    k: int,
    targets: Iterable[int],
    *,
    solver: str = DEFAULT_SOLVER,
    isolated: bool = True,
    time_limit: float | Clock | None = None,
    pace: Pace = "prove",
) -> Solutions:
    """Extract models of a CNF, each with the greatest sum of Hamming distances over the targets to those before.

    Parameters
    ----------
    clauses : iterable of sequences of int
        The CNF, in the literals of DIMACS: for example the ``clauses`` of python-sat's ``CNF``.
    k : int
        The maximum number of models.
    targets : iterable of int
        The variables over which distances are measured. Models that agree on them count as one. A target may occur in
        no clause if it is at most 10 000 000.
    solver : str, default="cadical195"
        The SAT solver, by its name in python-sat.
    isolated : bool, default=True
        Run the solver in a child process, so that the time limit always holds.
    time_limit : float or None, default=None
        Seconds; None: no limit.
    pace : {"prove", "share"}, default="prove"
        Prove that each model is the farthest before the next is taken, and return fewer models at the time limit; or
        share the time among the models, and take the best so far where the proof does not end in its part of the time.
    """
    require_positive("k", k)
    require_pace(pace)
    require_solver(solver)
    clock = Clock.of(time_limit)
    try:
        formula = _read_clauses(clauses, clock)
    except TimeLimitReached:
        return Solutions((), "limit")
    variables = _read_targets(targets, max_var=max(MAX_FREE_TARGET, _max_var(formula)))
    budget = TimeBudget(clock, k, pace)

    def farthest_models() -> Generator[Model]:
        with closing(make_oracle(solver, isolated=isolated)) as oracle:
            space = _CnfModels(formula, variables, oracle, budget)
            yield from enumerate_solutions(space, FarthestSolution(space))

    models, stopped = collect(farthest_models(), k, clock)
    return Solutions(models, stopped, budget.n_unproved)


def collect(solutions: Generator[Solution], k: int, clock: Clock) -> tuple[tuple[Solution, ...], StopReason]:
    """Collect at most k solutions, and say why there are no more; Ctrl-C stops the clock, and what there is is kept."""
    collected: list[Solution] = []
    with closing(solutions):
        try:
            for solution in solutions:
                collected.append(solution)
                if len(collected) == k:
                    return tuple(collected), "enough"
        except (TimeLimitReached, MemoryError):
            return tuple(collected), "limit"
        except KeyboardInterrupt:
            clock.stop()
            return tuple(collected), "limit"
    return tuple(collected), "exhausted"


class TimeBudget:
    """A time limit for several solutions, and how they use it.

    Parameters
    ----------
    clock : Clock
        The limit for all solutions.
    n_solutions : int
        The number of solutions to find.
    pace : {"prove", "share"}, default="prove"
        A proof that a solution is the farthest may take all the time that is left, or has an equal part of it.

    Attributes
    ----------
    n_unproved : int
        The number of solutions that were accepted without proof because their time slice ended.
    """

    def __init__(self, clock: Clock, n_solutions: int, pace: Pace = "prove") -> None:
        self.clock = clock
        self._pace = pace
        self._n_remaining = n_solutions
        self.n_unproved = 0

    def count_solution(self) -> None:
        """Record that a solution was found."""
        self._n_remaining -= 1

    def next_slice(self) -> Clock:
        """Start the clock of the next solution: an equal part of the remaining time, with one part kept in reserve."""
        return self.clock.part(1 / (max(1, self._n_remaining) + 1))

    def next_proof(self) -> Clock:
        """Return the clock of the next solution that is proved to be the farthest."""
        return self.clock if self._pace == "prove" else self.next_slice()

    def accept_unproved(self) -> None:
        """Count a solution whose slice ended before the proof; raise TimeLimitReached if each must be proved."""
        if self._pace == "prove":
            raise TimeLimitReached
        self.n_unproved += 1


class SolutionSpace(Protocol[Solution]):
    """The solutions that an incremental solver can return, each with its literals over the targets.

    The targets are divided into groups, and a solution has at most one literal of each group: the literals ``v`` and
    ``¬v`` of a variable, or the features that a node can test.
    """

    @property
    def pool(self) -> VarPool:
        """The variables; the search adds its own."""

    @property
    def budget(self) -> TimeBudget:
        """The time limit."""

    @property
    def groups(self) -> Collection[Sequence[int]]:
        """The literals of each group."""

    @property
    def is_complete(self) -> bool:
        """Whether a solution has a literal of every group."""

    def literals(self, solution: Solution) -> Sequence[int]:
        """Return the literals over the targets that are true for a solution."""

    def add(self, block: Block) -> None:
        """Add clauses; raise TimeLimitReached if the time limit is reached first."""

    def solve(self, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Solution | None:
        """Return a solution, None if there is none; raise TimeLimitReached if a time limit is reached first."""

    def forbid(self, solution: Solution) -> None:
        """Exclude the solutions with the same literals."""


class Strategy(Protocol[Solution]):
    """A strategy for choosing the next solution."""

    def add(self, solution: Solution) -> None:
        """Record a solution that was returned."""

    def next(self) -> Solution | None:
        """Return a solution that is not forbidden, or None; raise TimeLimitReached if the time slice ends first."""


class AnySolution(Generic[Solution]):
    """No diversity: the first solution that the solver finds.

    Parameters
    ----------
    space : SolutionSpace
    assumptions : sequence of int
        Literals that must be true for the solutions.
    """

    def __init__(self, space: SolutionSpace[Solution], assumptions: Sequence[int] = ()) -> None:
        self._space = space
        self._assumptions = list(assumptions)

    def add(self, solution: Solution) -> None:
        """Do nothing: the blocking clause is enough."""

    def next(self) -> Solution | None:
        """Return any solution."""
        return self._space.solve(self._assumptions, self._space.budget.next_slice())


class FarthestSolution(AnySolution[Solution]):
    """Diversity: the solution that shares fewest literals with those before; parameters as for :class:`AnySolution`.

    The number of shared literals is Σ u[l]·l over the literals of the targets, with u[l] the number of previous
    solutions in which l is true: one term for each literal in use, however many solutions there are. A solution has at
    most one literal of a group, so the uses of each group are counted separately, "at least 1, at least 2 …", and
    :class:`IncrementalTotaliser` adds them over the groups.

    Uses only grow and the remaining solutions only get fewer, so a lower bound for one solution holds for the next.
    """

    def __init__(self, space: SolutionSpace[Solution], assumptions: Sequence[int] = ()) -> None:
        super().__init__(space, assumptions)
        self._groups = list(space.groups)
        self._group_of = {int(literal): group for group, literals in enumerate(self._groups) for literal in literals}
        self._uses: Counter[int] = Counter()
        # For each group, the literals "at least 1, 2 … uses".
        self._at_least: list[list[int]] = [[] for _ in self._groups]
        self._sum = IncrementalTotaliser(len(self._groups), space.pool, space)
        self._lower_bound = 0  # no remaining solution shares fewer literals

    def add(self, solution: Solution) -> None:
        """Count the literals of a solution."""
        for literal in self._space.literals(solution):
            group = self._group_of[literal]
            self._uses[literal] += 1
            n_uses, at_least = self._uses[literal], self._at_least[group]
            if n_uses > len(at_least):
                at_least.append(self._sum.extend(group))
            self._space.add(implies(literal, at_least[n_uses - 1]))
            if self._space.is_complete:
                self._sum.fix(group, min(self._uses[other] for other in self._groups[group]))
        self._lower_bound = max(self._lower_bound, self._sum.least)

    def next(self) -> Solution | None:
        """Search for solutions that share fewer and fewer literals with those before, until there is none.

        If the time slice ends first, the best solution so far is returned if the pace allows: it is new all the same.

        For trees, the last proof of a step seems as hard for a SAT solver as the proof of the minimum, and dominates.
        Tried with 10 s on 64 % of the paper's tables, on a busy machine where the same search proved 10 to 116 trees of
        monks-1: smaller effects than that were not measurable. Searching upwards from the lower bound, trying the lower
        bound first, and bisection (two or three runs each on monks-1, zoo and new-thyroid) showed no clear gain, nor
        did the clauses "sibling leaves have different classes". In single runs, "some example reaches each leaf" proved
        fewer trees of monks-1 and zoo, MapleChrono fewer, CaDiCaL 1.5.3 fewer, and Glucose 4 about as many.
        """
        time_slice = self._space.budget.next_proof()
        best = self._space.solve(self._assumptions, time_slice)
        try:
            while best is not None and (n_shared := self._count_shared(best)) > self._lower_bound:
                better = self._space.solve([*self._assumptions, *self._sum.at_most(n_shared - 1)], time_slice)
                if better is None:
                    self._lower_bound = n_shared
                best = best if better is None else better
        except TimeLimitReached:
            self._space.budget.accept_unproved()
        return best

    def _count_shared(self, solution: Solution) -> int:
        """Return the number of literals that a solution shares with those before, summed over those solutions."""
        return sum(self._uses[literal] for literal in self._space.literals(solution))


def enumerate_solutions(space: SolutionSpace[Solution], strategy: Strategy[Solution]) -> Iterator[Solution]:
    """Yield solutions until there are no more."""
    while (solution := _next(space, strategy)) is not None:
        yield solution
        space.forbid(solution)
        strategy.add(solution)


def _next(space: SolutionSpace[Solution], strategy: Strategy[Solution]) -> Solution | None:
    """Return the next solution, with as many time slices as the time limit allows: without it the enumeration ends."""
    while True:
        try:
            return strategy.next()
        except TimeLimitReached:
            space.budget.clock.require_time()


class _CnfModels:
    """The models of a CNF, as the solutions of a solver.

    Parameters
    ----------
    clauses : list of Block
    targets : list of int
    oracle : Oracle
        A solver without clauses. The caller closes it.
    budget : TimeBudget
    """

    is_complete = True

    def __init__(self, clauses: list[Block], targets: list[int], oracle: Oracle, budget: TimeBudget) -> None:
        self.pool = VarPool()
        self.budget = budget
        self.groups = [(target, -target) for target in targets]
        self._n_vars = max(_max_var(clauses), *targets)
        self._targets = np.array(targets)
        self._oracle = oracle
        self.pool.array("x", self._n_vars)
        for block in clauses:
            self.add(block)

    def add(self, block: Block) -> None:
        """Add clauses to the solver."""
        self._oracle.add(block, self.budget.clock)

    def solve(self, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Model | None:
        """Return a model that satisfies the assumptions and is not forbidden; None if there is none."""
        is_satisfiable = self._oracle.solve(assumptions, self.budget.clock, time_slice)
        if is_satisfiable is None:
            raise TimeLimitReached
        return self._oracle.model(self._n_vars) if is_satisfiable else None

    def literals(self, solution: Model) -> list[int]:
        """Return the literals over the targets that are true in a model."""
        literals: list[int] = np.where(solution[self._targets], self._targets, -self._targets).tolist()
        return literals

    def forbid(self, solution: Model) -> None:
        """Add the blocking clause of a model over the targets."""
        self.budget.count_solution()
        self.add(as_block([[-literal for literal in self.literals(solution)]]))


def require_positive(name: str, value: Any) -> None:
    """Raise InputError if a parameter is not a positive integer."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError("is not an integer of at least 1", parameter=name, value=value)


def require_pace(pace: Any) -> None:
    """Raise InputError if a pace is unknown."""
    if pace not in get_args(Pace):
        raise InputError(f"is unknown; use one of {', '.join(get_args(Pace))}", parameter="pace", value=pace)


def _read_clauses(clauses: Iterable[Sequence[int]], clock: Clock) -> list[Block]:
    """Return clauses as blocks, one for each length; raise InputError if one of them is not a clause."""
    _require_iterable("clauses", clauses)
    of_length: dict[int, list[tuple[int, ...]]] = {}
    for index, row in enumerate(clauses):
        literals = tuple(row) if isinstance(row, Iterable) else None
        if literals is None or not all(map(_is_literal, literals)):
            raise InputError(f"clause {index} is {row!r}; a clause is a list of literals: integers other than 0")
        of_length.setdefault(len(literals), []).append(literals)
        if index % CLAUSES_PER_CHECK == 0:
            clock.require_time()
    return [as_block(rows) for rows in of_length.values()]


def _max_var(blocks: Iterable[Block]) -> int:
    return max((int(np.abs(block).max(initial=0)) for block in blocks), default=0)


def _read_targets(targets: Iterable[int], max_var: int) -> list[int]:
    """Return targets as a list; raise InputError if one is not a variable, or occurs twice, or if there is none."""
    _require_iterable("targets", targets)
    variables = list(targets)
    for target in variables:
        if not _is_literal(target) or target < 0:
            raise InputError(f"target {target!r} is not a variable; targets are positive integers")
        if target > max_var:
            raise InputError(f"target {target} is in no clause; number such variables from 1 to {MAX_FREE_TARGET}")
    (repeated, n_times), *_ = Counter(variables).most_common(1) or [(0, 0)]
    if n_times > 1:
        raise InputError(f"target {repeated} occurs {n_times} times; name each target once")
    if not variables:
        raise InputError("there are no targets; name the variables in which the models should differ")
    return [int(target) for target in variables]


def _require_iterable(name: str, value: Any) -> None:
    if not isinstance(value, Iterable):
        raise InputError("is not a list", parameter=name, value=value)


def _is_literal(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 < abs(int(value)) <= MAX_VAR
