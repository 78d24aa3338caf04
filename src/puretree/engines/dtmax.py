"""DT(max): the tree of at most d tests on a path that is right on most training rows, by MaxSAT.

Hu, Siala, Hebrard, Huguet, *Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost*, IJCAI 2020. A
small depth is a good guard against overfitting, and of all trees of that depth this is the most accurate one in
training. Each example is a soft clause, and weighs as many as the rows it stands for.

It guarantees the fewest errors at its depth, once that is proved; its trees need not be pure, and it says nothing of
the smallest pure tree. With ``backend="linear"`` errors are counted place by place rather than as one sum, which is
what makes proofs at depth 4 possible; see :mod:`puretree.encoding.errors_by_place`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..bounds.majority import majority_leaf, rows_of_classes
from ..bounds.upper import Start
from ..clock import TimeIsOver
from ..encoding import CompleteTreeEncoding
from ..encoding.complete_tree import DEEPEST
from ..encoding.errors_by_place import count_errors, is_small
from ..encoding.useless import without_useless_tests
from ..errors import InputError, SolverError
from ..formula import Model, Objective, Sink, Soft, Wcnf
from ..machine import MOST_BYTES
from ..maxsat import Backend, Linear, make_backend
from ..maxsat.sums import Sum, make_sum
from ..outcome import Status
from ..record import Record
from ..sat import OracleSink, make_oracle
from .base import Promise
from .sklearn_trees import GrownTree


@dataclass(frozen=True, slots=True)
class DtMax:
    """Trees of bounded depth with fewest training errors, through MaxSAT.

    Parameters
    ----------
    depth : int, default=2
        The most tests on any path; 2, 3 and 4 in the paper.
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, or an object such as ``External("loandra")``. Where it gives up, or is
        not to be trusted, the linear search goes on from what it found.
    isolated : bool, default=True
        Linear search by name only: run the SAT solver in a process of its own, so that the time limit holds whatever
        it does.
    """

    depth: int = 2
    backend: str | Backend = "linear"
    isolated: bool = True
    name: ClassVar[str] = "dtmax"
    source: ClassVar[str] = "Hu, Siala, Hebrard, Huguet 2020"
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int | np.integer) or isinstance(self.depth, bool) or self.depth < 1:
            raise InputError(f"depth={self.depth!r} is not a whole number of at least 1; use 2, 3 or 4")
        make_backend(self.backend)

    @property
    def promise(self) -> Promise:
        """The fewest errors at its depth."""
        return Promise(aim="errors", max_depth=int(self.depth))

    def search(self, record: Record) -> Status:
        """Begin with a greedy tree, and ask for fewer errors until there is no such tree."""
        record.steering.require_only(self.name, "max_depth", "root")
        assert record.steering.max_depth is not None  # the promise is among the wishes
        depth = min(record.steering.max_depth, record.problem.n_features)
        record.offer(majority_leaf(record.problem))
        try:
            record.clock.require_time()
            _begin(record, depth)
            return self._minimise(record, depth)
        except TimeIsOver:
            return "time_limit"

    def _minimise(self, record: Record, depth: int) -> Status:
        if record.lower == record.upper or depth == 0:
            record.prove()
            return "optimal"
        if depth > DEEPEST or _n_bytes(record, depth) > MOST_BYTES:
            return "memory_limit"
        encoding = CompleteTreeEncoding(record.problem, depth, root=record.steering.root)
        if self.backend == "linear":
            return _search_linearly(record, encoding, Linear(isolated=self.isolated))
        backend = make_backend(self.backend)
        if isinstance(backend, Linear):
            return _search_linearly(record, encoding, backend)
        return _search_with(backend, record, encoding)


def _begin(record: Record, depth: int) -> None:
    """Write down what is known at once: scikit-learn's tree, and that each class beyond the leaves is lost."""
    problem = record.problem
    n_rows = rows_of_classes(problem)
    rarest = np.sort(n_rows[n_rows > 0])
    record.raise_lower(int(rarest[: max(0, len(rarest) - 2**depth)].sum()))
    if problem.n_features:
        tree = without_useless_tests(GrownTree.grow(problem, max_depth=depth, order="path by path").tree(), problem)
        if record.steering.allows(tree, problem):
            record.offer(tree)


def _n_bytes(record: Record, depth: int) -> float:
    return CompleteTreeEncoding.n_bytes(record.problem, depth, record.problem.n_examples)


def _search_linearly(record: Record, encoding: CompleteTreeEncoding, linear: Linear) -> Status:
    """Ask for fewer errors than the best tree has, until no tree has fewer.

    The solver is not told to search near the greedy tree: with that hint proofs took two to three times as long, and
    432 examples of monks-1 at depth 4 got no further than 55 errors in a minute, where 28 are proved in 40 s without.
    """
    oracle = make_oracle(linear.solver, isolated=linear.isolated)
    sink = OracleSink(oracle, record.clock)
    try:
        for block in encoding.structure():
            sink.add(block)
        n_errors = _errors(record, encoding, sink)
        while record.upper != record.lower:
            assert record.upper is not None
            answer = oracle.solve(n_errors.at_most(record.upper - 1), record.clock)
            if answer is None:
                return "time_limit"
            if not answer:
                break
            _offer(record, encoding, oracle.model(encoding.pool.n_vars), linear.name)
    finally:
        oracle.close()
    record.prove()
    return "optimal"


def _errors(record: Record, encoding: CompleteTreeEncoding, sink: Sink) -> Sum:
    """Say how many errors there are, in the way that fits their number."""
    assert record.upper is not None
    if is_small(encoding, record.upper):
        objective = count_errors(encoding, sink, most=record.upper)
    else:
        objective = Objective.of(_soft(encoding, sink))
    return make_sum(objective, encoding.pool, sink, most=record.upper)


def _soft(encoding: CompleteTreeEncoding, sink: Sink) -> list[Soft]:
    """Say of each example that it is right or has its excuse; return the soft clauses against excuses."""
    problem = encoding.problem
    wrong = encoding.pool.array("wrong", problem.n_examples)
    for block in encoding.right_or(wrong[:, None]):
        sink.add(block)
    return [Soft(weight, (-var,)) for weight, var in zip(problem.weights.tolist(), wrong.tolist(), strict=True)]


def _search_with(backend: Backend, record: Record, encoding: CompleteTreeEncoding) -> Status:
    """Hand the formula to a MaxSAT solver, and the linear search what it leaves open."""
    formula = Wcnf(names=encoding.pool)
    for block in encoding.structure():
        formula.add(block)
    formula.soft = _soft(encoding, formula)
    formula.n_vars = encoding.pool.n_vars
    record.clock.require_time()
    answer = backend.minimise(formula, clock=record.clock, on_model=lambda model: record.offer(encoding.tree(model)))
    assert record.upper is not None
    if answer.status == "unsatisfiable" or (answer.cost is not None and answer.cost < record.upper):
        raise SolverError(f"{backend.name} says of {answer.cost} errors what is not true; do not trust it")
    if answer.status == "optimal" and backend.is_trusted:
        if answer.cost != record.upper:
            raise SolverError(f"{backend.name} calls {answer.cost} errors the fewest, but {record.upper} are known")
        record.prove()
        return "optimal"
    if record.clock.is_over:
        return "time_limit"
    fresh = CompleteTreeEncoding(record.problem, encoding.depth, root=record.steering.root)
    return _search_linearly(record, fresh, Linear())


def _offer(record: Record, encoding: CompleteTreeEncoding, model: Model, name: str) -> None:
    """Take a tree that must be better than the best one."""
    before = record.upper
    record.offer(encoding.tree(model))
    if record.upper == before:
        raise SolverError(f"{name} was asked for fewer errors than {before} and gave a tree with as many")
