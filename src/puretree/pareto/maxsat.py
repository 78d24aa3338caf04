"""One point of the front by MaxSAT: fewest tests, least cost, or least cost complexity, by one formula.

A second opinion on small problems: the front is computed by a search of its own, and these answers share neither its
bounds nor its code. The formula (:mod:`puretree.encoding.slot_costs`) holds all trees up to a size. With the costs soft
it gives the least cost, with the size soft and the cost bounded by a hard constraint the smallest tree, and with both
soft the least cost complexity. Any MaxSAT solver can minimise them; the default is the linear search, which continues
where another solver gives up or is not trusted.

Where the size is part of the objective, larger trees are encoded only if smaller ones do not suffice. The first upper
curve is that of CART's pruned trees, so that there is a tree at any time.

No model is trusted: its tree gets the cheapest class in each leaf, loses the tests that change nothing, and is then
checked against the problem and the constraints. That a better tree does not exist is the word of the SAT solver, as for
:class:`~puretree.engines.dtmax.DtMax`.

The linear search bounds the next model by the tree, not by what the formula counts for the model, which may be more.
Proofs for 6 tests take 10 to 20 s with 60 rows of random labels and 12 features, and 2 s with fewer errors. For
anything larger, the front is the method.

>>> from puretree.problem import CostProblem
>>> problem = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> search = MaxSatFront(problem, Constraints())
>>> search.run(lambda curves: Criterion.tests(max_cost=0), Clock()), search.curves.last
('optimal', 3)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeLimitReached
from .._support.resources import bytes_for_child, free_bytes
from ..encoding.complete_tree import remove_redundant_tests
from ..encoding.slot_costs import CostEncoding
from ..engines.maxsat import MaxSat
from ..errors import InputError, SolverError
from ..formula import Block, Model, Objective, Sink, Soft, Wcnf, units
from ..formula.sums import make_sum
from ..maxsat import Backend, Linear
from ..outcome import Status
from ..problem import Constraints, CostProblem
from ..sat import OracleSink, make_oracle
from ..tree import Tree
from .cart import Cart, offer_cart
from .criteria import Criterion
from .curves import Curves, OnChange, violated

FIRST_GUESS = 3  # tests; doubled while larger trees may be better
FIRST_TREES = "scikit-learn"
OPTIONS = (
    "backend",
    "solver",
    "isolated",
    "memory_limit",
    "takeover",
)  # of the engine: the others are about pure trees


class MaxSatFront:
    """A search for single points of the front by MaxSAT.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
        A single leaf satisfies all of them.
    engine : MaxSat, optional
        The solvers, and the memory limit, which has precedence.
    memory_limit : float, optional
        Bytes that this process and the solver may use; half of the machine's memory by default.
    on_change : callable, optional
        Called with the number of tests for which a bound became tighter.
    column_of_feature : ndarray of intp, optional
        The column that each merged feature tests, which makes the first trees faster.

    Attributes
    ----------
    curves : Curves
        The bounds and the trees.
    source : str
        Who makes the improvements at the moment.

    Raises
    ------
    InputError
        If an option of the engine is about pure trees only.
    """

    def __init__(
        self,
        problem: CostProblem,
        constraints: Constraints,
        engine: MaxSat | None = None,
        *,
        memory_limit: float | None = None,
        on_change: OnChange | None = None,
        column_of_feature: NDArray[np.intp] | None = None,
    ) -> None:
        self.engine = engine or MaxSat()
        _require_applicable_options(self.engine)
        self.problem, self.constraints = problem, constraints
        self.memory_limit = memory_limit if self.engine.memory_limit is None else self.engine.memory_limit
        self.curves = Curves(problem, constraints, on_change)
        self.cart = Cart(problem, constraints, column_of_feature)
        self.source = FIRST_TREES

    def run(self, criterion: Callable[[Curves], Criterion], clock: Clock) -> Status:
        """Minimise until the best tree is proved, or a limit is reached, or Ctrl-C.

        Parameters
        ----------
        criterion : callable
            Returns what to minimise; another criterion once the first one is proved.
        clock : Clock
            Ctrl-C stops it.

        Raises
        ------
        SolverError
            If a solver fails or returns a wrong model.
        """
        try:
            self.curves.announce()
            offer_cart(self.curves, self.cart, range(1))
            return self._minimise(criterion, clock)
        except KeyboardInterrupt:
            clock.stop()
            status: Status = "interrupted"
        except TimeLimitReached:
            status = "time_limit"
        except MemoryError:
            status = "memory_limit"
        return status if self.open_sizes(criterion(self.curves)) else "optimal"

    def open_sizes(self, criterion: Criterion) -> list[int]:
        """Return the numbers of tests with which a tree may be better than the best known one."""
        best = criterion.best(self.curves)
        lower = enumerate(self.curves.lower.tolist())
        return [n_tests for n_tests, cost in lower if cost < criterion.cutoff(best, n_tests)]

    def _minimise(self, criterion: Callable[[Curves], Criterion], clock: Clock) -> Status:
        """Search among trees of up to a number of tests, and of twice as many while larger ones may be better."""
        status: Status = "optimal"
        while status == "optimal" and (sizes := self.open_sizes(current := criterion(self.curves))):
            first, last = sizes[0], sizes[-1]
            if current.per_test:
                last = min(last, max(FIRST_GUESS, 2 * first - 1))
            if CostEncoding.estimate_bytes(self.problem, last) > free_bytes(self.memory_limit):
                raise MemoryError
            status = _Question(self, current, clock, first, last).answer()
        return status


@dataclass(frozen=True, slots=True)
class _Question:
    """Which tree of ``first`` to ``last`` tests is best? No tree with fewer or more tests needs to be found."""

    search: MaxSatFront
    criterion: Criterion
    clock: Clock
    first: int
    last: int

    def answer(self) -> Status:
        """Search by the engine's solvers; "optimal": no better tree of these sizes exists."""
        engine = self.search.engine
        linear, backend = Linear(engine.solver, engine.isolated), engine.make_backend()
        status: Status = "unproved" if isinstance(backend, Linear) else self._search_with(backend)
        if status == "unproved" and (isinstance(backend, Linear) or engine.takeover):
            status = self._search_linearly(linear)
        if status == "optimal":
            self._raise_lower()
        return status

    @property
    def best(self) -> int | None:
        """The value of the best known tree."""
        return self.criterion.best(self.search.curves)

    def _raise_lower(self) -> None:
        best = self.best
        for n_tests in range(self.last, self.first - 1, -1):
            self.search.curves.raise_lower(n_tests, self.criterion.cutoff(best, n_tests))

    def _may_be_improved(self) -> bool:
        sizes = self.search.open_sizes(self.criterion)
        return bool(sizes) and sizes[0] <= self.last

    def _search_linearly(self, linear: Linear) -> Status:
        if not self._may_be_improved():
            return "optimal"
        formula, limit = _Formula(self, per_leaf=True), self.search.memory_limit
        self.search.source = linear.name
        max_bytes = None if limit is None else bytes_for_child(limit)
        oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=max_bytes)
        sink = OracleSink(oracle, self.clock)
        try:
            formula.hard.write_hard(sink)
            total = make_sum(formula.objective, formula.encoding.pool, sink, upper=formula.upper)
            while self._may_be_improved():
                best = self.best
                better = [] if best is None else total.at_most(best - 1 - formula.base)
                found = oracle.solve(better, self.clock)
                if found is None:
                    return "time_limit"
                if not found:
                    break
                self._offer(formula.tree(oracle.model(formula.hard.n_vars), linear.name), linear.name)
                if self.best == best:
                    raise SolverError(
                        f"{linear.name} returned an invalid model: a better tree than {best} was required"
                    )
        finally:
            oracle.close()
        return "optimal"

    def _search_with(self, backend: Backend) -> Status:
        """Run a MaxSAT solver; the status is ``unproved`` if it gives up, or claims an optimum and is not trusted."""
        formula, before = _Formula(self, per_leaf=False), self.best
        self.search.source = backend.name
        self.clock.require_time()
        wcnf = formula.hard
        wcnf.soft = list(formula.objective.soft)
        answer = backend.minimise(
            wcnf, clock=self.clock, on_model=lambda model: self._offer(formula.tree(model, backend.name), backend.name)
        )
        if answer.status == "unknown" and self.clock.is_over:
            return "time_limit"
        if answer.status == "unknown" or not backend.is_trusted:
            return "unproved"
        if answer.cost is not None:
            claimed = formula.base + answer.cost
            if self.best != (claimed if before is None else min(claimed, before)):
                raise SolverError(
                    f"{backend.name} returned a wrong answer: {claimed} as the least {self.criterion.name}, but a tree "
                    f"with {self.best} is known"
                )
        return "optimal"

    def _offer(self, tree: Tree, by: str) -> None:
        """Offer a tree of a model; its size and cost are computed from the examples, and do not depend on the formula.

        Raises
        ------
        SolverError
            If it violates a limit, or a proved bound.
        """
        curves, problem, most = self.search.curves, self.search.problem, self.criterion.max_cost
        n_tests, cost = tree.n_nodes // 2, problem.cost(tree)
        limits = violated(self.search.constraints, tree, problem)
        if most is not None and cost > most:
            limits.append("cost")
        if n_tests > self.last:
            limits.append("number of tests")
        if limits:
            raise SolverError(
                f"{by} returned an invalid model: its tree violates the limit on the {' and '.join(limits)}"
            )
        if cost < curves.lower[n_tests]:
            raise SolverError(
                f"{by} returned a wrong answer: a tree of {n_tests} tests and cost {cost}, below the proved "
                f"{curves.lower[n_tests]}"
            )
        curves.offer(n_tests, cost, _Decoded(tree))


@dataclass(frozen=True, slots=True, eq=False)
class _Decoded:
    """A tree that needs no more work."""

    tree: Tree

    def make(self) -> Tree:
        """Return the tree."""
        return self.tree


class _Formula:
    """The trees up to a size as hard clauses, with the criterion as the objective.

    Attributes
    ----------
    encoding : CostEncoding
    hard : Wcnf
    objective : Objective
        Its value is at least that of the criterion, less ``base``, and equal in some model of every tree.
    base : int
    upper : int
        Values from here on need not be distinguished.
    """

    def __init__(self, question: _Question, *, per_leaf: bool) -> None:
        search, criterion, best = question.search, question.criterion, question.best
        problem = search.problem
        upper = criterion.cutoff(best, question.first) - problem.least_cost  # of the cost
        self._problem, self._keeps_root = problem, search.constraints.root is not None
        self.encoding = CostEncoding(
            problem,
            question.last,
            upper=upper,
            lower=question.first,
            constraints=search.constraints,
            per_leaf=per_leaf,
        )
        self.hard = Wcnf(names=self.encoding.pool)
        sink = _TimedSink(self.hard, question.clock)
        cost = self.encoding.write(sink)
        if criterion.max_cost is not None:
            for literal in make_sum(cost, self.encoding.pool, sink, upper=upper).at_most(upper - 1):
                sink.add(units(literal))
        self.objective = _weighted_sum((cost, criterion.per_cost), (self.encoding.objective, criterion.per_test))
        self.base = criterion.value(problem.least_cost, 0)
        self.upper = (criterion.value(0, question.last) if best is None else best) - self.base
        self.hard.n_vars = self.encoding.pool.n_vars

    def tree(self, model: Model, by: str) -> Tree:
        """Decode a model into a tree with the cheapest class in each leaf, and without tests that change nothing."""
        problem = self._problem
        try:
            tree = self.encoding.tree(model)
        except (LookupError, TypeError, ValueError):
            raise SolverError(f"{by} returned an invalid model: it stands for no tree; use another solver") from None
        leaf_of_example, label = problem.apply(tree), tree.label.copy()
        for leaf in np.unique(leaf_of_example):
            label[leaf], _ = problem.leaf(leaf_of_example == leaf)
        cheapest = Tree(tree.feature, tree.left, label, tree.classes)
        return remove_redundant_tests(cheapest, self.encoding.problem, keep_root=self._keeps_root)


def _weighted_sum(*objectives: tuple[Objective, int]) -> Objective:
    """Return the sum of objectives, each with a weight; those of weight 0 are omitted."""
    return Objective(
        tuple(
            tuple(Soft(soft.weight * weight, soft.literals) for soft in chain)
            for objective, weight in objectives
            for chain in objective.chains
            if weight
        )
    )


@dataclass(frozen=True, slots=True)
class _TimedSink:
    """A sink that raises TimeLimitReached when the time limit is reached."""

    sink: Sink
    clock: Clock

    def add(self, block: Block) -> None:
        """Add clauses."""
        self.clock.require_time()
        self.sink.add(block)


def _require_applicable_options(engine: MaxSat) -> None:
    for field in fields(engine):
        value = getattr(engine, field.name)
        if field.name not in OPTIONS and value != field.default:
            raise InputError(
                f"is an option for pure trees; with errors, engine='maxsat' has the options {', '.join(OPTIONS)}",
                parameter=field.name,
                value=value,
            )
