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

from .._support.clock import TimeIsOver
from .._support.resources import MOST_BYTES
from ..bounds.upper import Start, majority_leaf, rows_of_classes
from ..encoding import CompleteTreeEncoding
from ..encoding.complete_tree import MAX_DEPTH, can_count_errors, count_errors, remove_redundant_tests
from ..errors import InputError, SolverError
from ..formula import Model, Objective, Sink, Soft, Wcnf
from ..formula.sums import Sum, make_sum
from ..maxsat import Backend, Linear, make_backend
from ..outcome import Status
from ..sat import OracleSink, make_oracle
from .base import Guarantees
from .incumbent import Incumbent
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
    def guarantees(self) -> Guarantees:
        """The fewest errors at its depth."""
        return Guarantees(aim="errors", max_depth=int(self.depth))

    def search(self, incumbent: Incumbent) -> Status:
        """Begin with a greedy tree, and ask for fewer errors until there is no such tree."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        assert incumbent.constraints.max_depth is not None  # the guarantees is among the wishes
        depth = min(incumbent.constraints.max_depth, incumbent.problem.n_features)
        incumbent.offer(majority_leaf(incumbent.problem))
        try:
            incumbent.clock.require_time()
            _begin(incumbent, depth)
            return self._minimise(incumbent, depth)
        except TimeIsOver:
            return "time_limit"

    def _minimise(self, incumbent: Incumbent, depth: int) -> Status:
        if incumbent.lower == incumbent.upper or depth == 0:
            incumbent.prove()
            return "optimal"
        if depth > MAX_DEPTH or _n_bytes(incumbent, depth) > MOST_BYTES:
            return "memory_limit"
        encoding = CompleteTreeEncoding(incumbent.problem, depth, root=incumbent.constraints.root)
        if self.backend == "linear":
            return _search_linearly(incumbent, encoding, Linear(isolated=self.isolated))
        backend = make_backend(self.backend)
        if isinstance(backend, Linear):
            return _search_linearly(incumbent, encoding, backend)
        return _search_with(backend, incumbent, encoding)


def _begin(incumbent: Incumbent, depth: int) -> None:
    """Write down what is known at once: scikit-learn's tree, and that each class beyond the leaves is lost."""
    problem = incumbent.problem
    n_rows = rows_of_classes(problem)
    rarest = np.sort(n_rows[n_rows > 0])
    incumbent.raise_lower(int(rarest[: max(0, len(rarest) - 2**depth)].sum()))
    if problem.n_features:
        tree = remove_redundant_tests(GrownTree.grow(problem, max_depth=depth, order="path by path").tree(), problem)
        if incumbent.constraints.allows(tree, problem):
            incumbent.offer(tree)


def _n_bytes(incumbent: Incumbent, depth: int) -> float:
    return CompleteTreeEncoding.n_bytes(incumbent.problem, depth, incumbent.problem.n_examples)


def _search_linearly(incumbent: Incumbent, encoding: CompleteTreeEncoding, linear: Linear) -> Status:
    """Ask for fewer errors than the best tree has, until no tree has fewer.

    The solver is not told to search near the greedy tree: with that hint proofs took two to three times as long, and
    432 examples of monks-1 at depth 4 got no further than 55 errors in a minute, where 28 are proved in 40 s without.
    """
    oracle = make_oracle(linear.solver, isolated=linear.isolated)
    sink = OracleSink(oracle, incumbent.clock)
    try:
        for block in encoding.structure():
            sink.add(block)
        n_errors = _errors(incumbent, encoding, sink)
        while incumbent.upper != incumbent.lower:
            assert incumbent.upper is not None
            answer = oracle.solve(n_errors.at_most(incumbent.upper - 1), incumbent.clock)
            if answer is None:
                return "time_limit"
            if not answer:
                break
            _offer(incumbent, encoding, oracle.model(encoding.pool.n_vars), linear.name)
    finally:
        oracle.close()
    incumbent.prove()
    return "optimal"


def _errors(incumbent: Incumbent, encoding: CompleteTreeEncoding, sink: Sink) -> Sum:
    """Say how many errors there are, in the way that fits their number."""
    assert incumbent.upper is not None
    if can_count_errors(encoding, incumbent.upper):
        objective = count_errors(encoding, sink, upper=incumbent.upper)
    else:
        objective = Objective.of(_soft(encoding, sink))
    return make_sum(objective, encoding.pool, sink, upper=incumbent.upper)


def _soft(encoding: CompleteTreeEncoding, sink: Sink) -> list[Soft]:
    """Say of each example that it is right or has its excuse; return the soft clauses against excuses."""
    problem = encoding.problem
    wrong = encoding.pool.array("wrong", problem.n_examples)
    for block in encoding.relaxed_purity(wrong[:, None]):
        sink.add(block)
    return [Soft(weight, (-var,)) for weight, var in zip(problem.weights.tolist(), wrong.tolist(), strict=True)]


def _search_with(backend: Backend, incumbent: Incumbent, encoding: CompleteTreeEncoding) -> Status:
    """Hand the formula to a MaxSAT solver, and the linear search what it leaves open."""
    formula = Wcnf(names=encoding.pool)
    for block in encoding.structure():
        formula.add(block)
    formula.soft = _soft(encoding, formula)
    formula.n_vars = encoding.pool.n_vars
    incumbent.clock.require_time()
    answer = backend.minimise(
        formula, clock=incumbent.clock, on_model=lambda model: incumbent.offer(encoding.tree(model))
    )
    assert incumbent.upper is not None
    if answer.status == "unsatisfiable" or (answer.cost is not None and answer.cost < incumbent.upper):
        raise SolverError(f"{backend.name} says of {answer.cost} errors what is not true; do not trust it")
    if answer.status == "optimal" and backend.is_trusted:
        if answer.cost != incumbent.upper:
            raise SolverError(f"{backend.name} calls {answer.cost} errors the fewest, but {incumbent.upper} are known")
        incumbent.prove()
        return "optimal"
    if incumbent.clock.is_over:
        return "time_limit"
    fresh = CompleteTreeEncoding(incumbent.problem, encoding.depth, root=incumbent.constraints.root)
    return _search_linearly(incumbent, fresh, Linear())


def _offer(incumbent: Incumbent, encoding: CompleteTreeEncoding, model: Model, name: str) -> None:
    """Take a tree that must be better than the best one."""
    before = incumbent.upper
    incumbent.offer(encoding.tree(model))
    if incumbent.upper == before:
        raise SolverError(f"{name} was asked for fewer errors than {before} and gave a tree with as many")
