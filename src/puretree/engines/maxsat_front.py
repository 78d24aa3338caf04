"""Trees with errors by MaxSAT: the least cost of at most so many tests, and the fewest tests of at most such a cost.

A second opinion on small problems: the front between size and cost is computed by a search of its own, and these
answers share neither its bounds nor its code. The formula (:mod:`puretree.encoding.slot_costs`) holds all trees up to a
size. With the costs soft it gives the least cost, with the size soft and the cost bounded by a hard constraint it gives
the smallest tree. Any MaxSAT solver can minimise either; the default is the linear search, which continues where
another solver gives up or is not trusted.

No model is trusted: its tree gets the cheapest class in each leaf, loses the tests that change nothing, and is then
checked against the problem and the constraints. That a better tree does not exist is the word of the SAT solver, as for
:class:`~puretree.engines.dtmax.DtMax`.

The linear search bounds the next model by the tree, not by what the formula counts for the model, which may be more.
Proofs for 6 tests take 10 to 20 s with 60 rows of random labels and 12 features, and 2 s with fewer errors. For
anything larger, the front is the method.

>>> from puretree.problem import CostProblem
>>> problem = CostProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> least_cost(problem, 2).cost, fewest_tests(problem, 0).n_tests
(1, 3)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._support.clock import Clock, TimeLimitReached
from .._support.resources import bytes_for_child, free_bytes, require_memory_limit
from ..encoding.complete_tree import remove_redundant_tests
from ..encoding.slot_costs import CostEncoding
from ..errors import InfeasibleError, InputError, SolverError
from ..formula import Block, Model, Sink, Wcnf, units
from ..formula.sums import make_sum
from ..maxsat import Backend, Linear, make_backend
from ..outcome import Status
from ..problem import Constraints, CostProblem
from ..problem.constraints import leaves_of
from ..sat import OracleSink, make_oracle
from ..tree import Tree

FIRST_GUESS = 3  # tests; doubled until there is a tree


@dataclass(frozen=True, slots=True, repr=False)
class CostAnswer:
    """The best tree that was found, and what was proved.

    Parameters
    ----------
    tree : Tree or None
        Over the merged features; None if no tree of at most the given cost was found.
    cost : int or None
        Its cost, in units of the problem.
    n_tests : int or None
        The number of its tests.
    lower_bound : int
        Of what was minimised: the cost, or the number of tests.
    status : {"optimal", "time_limit", "memory_limit", "interrupted"}
        ``optimal`` if the lower bound is reached.
    seconds : float
        Since the clock was started.
    """

    tree: Tree | None
    cost: int | None
    n_tests: int | None
    lower_bound: int
    status: Status
    seconds: float

    def __repr__(self) -> str:
        return (
            f"<CostAnswer: cost {self.cost}, tests {self.n_tests}, lower bound {self.lower_bound}, "
            f"{self.status}, {self.seconds:.1f} s>"
        )


def least_cost(
    problem: CostProblem,
    max_tests: int,
    *,
    constraints: Constraints | None = None,
    backend: str | Backend = "linear",
    clock: Clock | None = None,
    memory_limit: float | None = None,
) -> CostAnswer:
    """Return a tree with at most a given number of tests that costs least.

    Parameters
    ----------
    problem : CostProblem
    max_tests : int
        The maximum number of tests; a tree with k tests has 2k + 1 nodes.
    constraints : Constraints, optional
        Maximum depth, features allowed at the root, maximum number of nodes, and minimum number of rows in a leaf. A
        single leaf satisfies all of them.
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, or an object such as ``External("loandra")``.
    clock : Clock, optional
        No time limit by default. Ctrl-C stops it, and the best tree so far is returned.
    memory_limit : float, optional
        Bytes that this process and the solver may use; half of the machine's memory by default.

    Raises
    ------
    SolverError
        If a solver fails or returns a wrong model.
    """
    _require_natural("max_tests", max_tests)
    question = _Question(problem, constraints, backend, clock, memory_limit, max_tests=int(max_tests))
    return question.answer(question.minimise_cost)


def fewest_tests(
    problem: CostProblem,
    max_cost: int,
    *,
    constraints: Constraints | None = None,
    backend: str | Backend = "linear",
    clock: Clock | None = None,
    memory_limit: float | None = None,
) -> CostAnswer:
    """Return a tree of at most a given cost that has the fewest tests.

    Parameters
    ----------
    problem : CostProblem
    max_cost : int
        The maximum cost, in units of the problem.
    constraints, backend, clock, memory_limit
        As for :func:`least_cost`.

    Raises
    ------
    InfeasibleError
        If no tree that satisfies the constraints costs so little.
    SolverError
        If a solver fails or returns a wrong model.
    """
    _require_natural("max_cost", max_cost)
    question = _Question(problem, constraints, backend, clock, memory_limit, max_cost=int(max_cost))
    return question.answer(question.minimise_tests)


def _require_natural(name: str, value: object) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        raise InputError("is not an integer of at least 0", parameter=name, value=value)


class _Question:
    """One question, with the best tree and the lower bound so far."""

    def __init__(
        self,
        problem: CostProblem,
        constraints: Constraints | None,
        backend: str | Backend,
        clock: Clock | None,
        memory_limit: float | None,
        *,
        max_tests: int | None = None,
        max_cost: int | None = None,
    ) -> None:
        self.problem = problem
        self.constraints = constraints or Constraints()
        self.constraints.require_only("maxsat", "max_depth", "root", "max_nodes", "min_samples_leaf")
        self.backend = make_backend(backend)
        require_memory_limit(memory_limit)
        self.memory_limit = memory_limit
        self.clock = clock or Clock()
        self.max_cost = max_cost
        self.max_tests = self._most_tests(max_tests)
        self.tree: Tree | None = None
        self.value: int | None = None  # of the tree: what is minimised
        self.lower = 0

    def _most_tests(self, max_tests: int | None) -> int:
        """Return the maximum number of tests of a tree without useless tests that satisfies the constraints."""
        constraints, n_leaves = self.constraints, self.problem.n_examples
        n_leaves = min(n_leaves, max(1, int(self.problem.n_rows.sum()) // constraints.min_samples_leaf))
        if constraints.max_depth is not None and constraints.max_depth < n_leaves.bit_length():
            n_leaves = min(n_leaves, 2**constraints.max_depth)
        if constraints.max_nodes is not None:
            n_leaves = min(n_leaves, leaves_of(constraints.max_nodes))
        return n_leaves - 1 if max_tests is None else min(max_tests, n_leaves - 1)

    def answer(self, search: Callable[[], Status]) -> CostAnswer:
        """Run a search, and return what it found, however it ended."""
        try:
            status = search()
        except KeyboardInterrupt:
            self.clock.stop()
            status = "interrupted"
        except TimeLimitReached:
            status = "time_limit"
        except MemoryError:
            status = "memory_limit"
        tree = self.tree
        return CostAnswer(
            tree=tree,
            cost=None if tree is None else self.problem.cost(tree),
            n_tests=None if tree is None else _n_tests(tree),
            lower_bound=self.lower,
            status=status,
            seconds=self.clock.seconds,
        )

    def minimise_cost(self) -> Status:
        """Start from a single leaf, and require lower costs until no tree has them."""
        self.lower = self.problem.least_cost
        self._offer(self._leaf(), "a single leaf")
        if self.max_tests and self.value != self.lower:
            status = self._minimise(self.max_tests)
            if status != "optimal":
                return status
        return self._prove()

    def minimise_tests(self) -> Status:
        """Search among trees of up to a number of tests, and of twice as many if none is cheap enough."""
        assert self.max_cost is not None
        leaf = self._leaf()
        if self.problem.cost(leaf) <= self.max_cost:
            self._offer(leaf, "a single leaf")
            return self._prove()
        if self.max_cost < self.problem.least_cost:
            raise self._infeasible()
        n_tests = 0
        while self.tree is None:
            self.lower = n_tests + 1
            if n_tests == self.max_tests:
                raise self._infeasible()
            n_tests = min(max(FIRST_GUESS, 2 * n_tests + 1), self.max_tests)
            status = self._minimise(n_tests)
            if status != "optimal":
                return status
        return self._prove()

    def _leaf(self) -> Tree:
        return Tree.leaf(self.problem.leaf()[0], self.problem.classes)

    def _prove(self) -> Status:
        assert self.value is not None
        self.lower = self.value
        return "optimal"

    def _infeasible(self) -> InfeasibleError:
        limited = "" if self.constraints == Constraints() else " that satisfies the constraints"
        return InfeasibleError(
            f"there is no tree{limited} of cost at most {self.max_cost}; allow a higher cost, or relax a constraint"
        )

    # The search within one formula. "optimal" means: no tree up to its size is better than the best one.

    def _minimise(self, n_tests: int) -> Status:
        if CostEncoding.estimate_bytes(self.problem, n_tests) > free_bytes(self.memory_limit):
            raise MemoryError
        backend = self.backend
        if not isinstance(backend, Linear):
            status = self._search_with(backend, _Formula(self, n_tests, per_leaf=False))
            if status != "unproved" or self.value == self.lower:
                return "optimal" if status == "unproved" else status
            backend = Linear()
        return self._search_linearly(backend, _Formula(self, n_tests, per_leaf=True))

    def _search_linearly(self, linear: Linear, formula: _Formula) -> Status:
        max_bytes = None if self.memory_limit is None else bytes_for_child(self.memory_limit)
        oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=max_bytes)
        sink = OracleSink(oracle, self.clock)
        try:
            formula.hard.write_hard(sink)
            total = make_sum(formula.objective, formula.encoding.pool, sink, upper=formula.upper)
            while self.value is None or self.value > self.lower:
                before = self.value
                better = [] if before is None else total.at_most(before - 1 - formula.base)
                found = oracle.solve(better, self.clock)
                if found is None:
                    return "time_limit"
                if not found:
                    break
                self._offer(formula.tree(oracle.model(formula.hard.n_vars), linear.name), linear.name)
                if self.value == before:
                    raise SolverError(
                        f"{linear.name} returned an invalid model: a better tree than {before} was required"
                    )
        finally:
            oracle.close()
        return "optimal"

    def _search_with(self, backend: Backend, formula: _Formula) -> Status:
        """Run a MaxSAT solver; the status is ``unproved`` if it gives up, or claims an optimum and is not trusted."""
        self.clock.require_time()
        wcnf = formula.hard
        wcnf.soft = list(formula.objective.soft)
        answer = backend.minimise(
            wcnf, clock=self.clock, on_model=lambda model: self._offer(formula.tree(model, backend.name), backend.name)
        )
        if answer.status == "unknown" or not backend.is_trusted:
            return "time_limit" if answer.status == "unknown" and self.clock.is_over else "unproved"
        if answer.cost is not None and formula.base + min(answer.cost, formula.upper) != self.value:
            raise SolverError(
                f"{backend.name} returned a wrong answer: {formula.base + answer.cost} as the least {self.aim}, but a "
                f"tree with {self.value} is known"
            )
        return "optimal"

    def _offer(self, tree: Tree, by: str) -> None:
        """Replace the best tree by a better one; raise SolverError if the tree is not what was asked for."""
        value = self._checked_value(tree, by)
        if value < self.lower:
            raise SolverError(f"{by} returned a wrong answer: a tree of {value}, below the proved {self.lower}")
        if self.value is None or value < self.value:
            self.tree, self.value = tree, value

    def _checked_value(self, tree: Tree, by: str) -> int:
        """Return what is minimised, computed from the examples; nothing here depends on the formula."""
        problem, constraints = self.problem, self.constraints
        cost, n_tests = problem.cost(tree), _n_tests(tree)
        n_rows = np.bincount(problem.apply(tree), problem.n_rows, tree.n_nodes)[tree.left < 0]
        violated = {
            "cost": self.max_cost is not None and cost > self.max_cost,
            "size": n_tests > self.max_tests,
            "depth": constraints.max_depth is not None and tree.depth > constraints.max_depth,
            "root": constraints.root is not None and n_tests > 0 and int(tree.feature[0]) not in constraints.root,
            "number of rows in a leaf": n_tests > 0 and n_rows.min() < constraints.min_samples_leaf,
        }
        if any(violated.values()):
            names = " and ".join(name for name, is_violated in violated.items() if is_violated)
            raise SolverError(f"{by} returned an invalid model: its tree violates the limit on the {names}")
        return cost if self.max_cost is None else n_tests

    @property
    def aim(self) -> str:
        """What is minimised, in words."""
        return "cost" if self.max_cost is None else "number of tests"


class _Formula:
    """The trees up to a size as hard clauses, with the objective: the cost, or the size of those that are cheap enough.

    Attributes
    ----------
    encoding : CostEncoding
    hard : Wcnf
    objective : Objective
        Its value is at least what is minimised, less ``base``, and equal in some model of every tree.
    base : int
    upper : int
        Values from here on need not be distinguished.
    """

    def __init__(self, question: _Question, n_tests: int, *, per_leaf: bool) -> None:
        problem, max_cost = question.problem, question.max_cost
        too_much = question.value if max_cost is None else max_cost + 1
        assert too_much is not None  # the first tree is a leaf, if the cost is minimised
        upper = too_much - problem.least_cost
        self._question = question
        self.encoding = CostEncoding(
            problem,
            n_tests,
            upper=upper,
            lower=1 if max_cost is None else question.lower,
            constraints=question.constraints,
            per_leaf=per_leaf,
        )
        self.hard = Wcnf(names=self.encoding.pool)
        sink = _TimedSink(self.hard, question.clock)
        cost = self.encoding.write(sink)
        if max_cost is None:
            self.objective, self.base, self.upper = cost, problem.least_cost, upper
        else:
            for literal in make_sum(cost, self.encoding.pool, sink, upper=upper).at_most(upper - 1):
                sink.add(units(literal))
            self.objective, self.base, self.upper = self.encoding.objective, 0, n_tests
        self.hard.n_vars = self.encoding.pool.n_vars

    def tree(self, model: Model, by: str) -> Tree:
        """Decode a model into a tree with the cheapest class in each leaf, and without tests that change nothing."""
        problem = self._question.problem
        try:
            tree = self.encoding.tree(model)
        except (LookupError, TypeError, ValueError):
            raise SolverError(f"{by} returned an invalid model: it stands for no tree; use another solver") from None
        leaf_of_example, label = problem.apply(tree), tree.label.copy()
        for leaf in np.unique(leaf_of_example):
            label[leaf], _ = problem.leaf(leaf_of_example == leaf)
        cheapest = Tree(tree.feature, tree.left, label, tree.classes)
        has_root = self._question.constraints.root is not None
        return remove_redundant_tests(cheapest, self.encoding.problem, keep_root=has_root)


@dataclass(frozen=True, slots=True)
class _TimedSink:
    """A sink that raises TimeLimitReached when the time limit is reached."""

    sink: Sink
    clock: Clock

    def add(self, block: Block) -> None:
        """Add clauses."""
        self.clock.require_time()
        self.sink.add(block)


def _n_tests(tree: Tree) -> int:
    return tree.n_nodes // 2
