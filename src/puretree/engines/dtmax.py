"""DT(max): the tree of bounded depth with the best training accuracy, by MaxSAT.

Hu, Siala, Hebrard, Huguet, *Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost*, IJCAI 2020. A
small depth limits overfitting, and of all trees of that depth this one has the best training accuracy. Each example is
a soft clause, weighted by the number of rows it stands for. It guarantees the fewest training errors at its depth, once
that is proved. Its trees need not be pure, and it gives no bound on the smallest pure tree.

What their paper says: the SAT encoding of Narodytska et al. for at most 2^(d+1) - 1 nodes, relaxed by variables m_i for
the nodes that are used, with a limit on the depth and a soft clause per example, solved by Loandra.

What we do: ``encoding="layout"`` is their encoding as Alòs et al. describe it, with details of our own that
:mod:`puretree.encoding.relaxed_layout` lists, for any backend. The default ``encoding="complete"`` is ours: with a
bounded depth the shape of the tree needs no variables (:mod:`puretree.encoding.complete_tree`). The classes may be more
than two.

Where the engine differs from their system, with both encodings: it starts from scikit-learn's tree of the depth, whose
errors are the first upper bound, and the default backend is the linear search, which proves the optimum. With
``encoding="complete"`` and the linear search, errors are counted node by node rather than in one sum, which makes
proofs at depth 4 possible; see :func:`puretree.encoding.complete_tree.count_errors`. Closest to their system is
``DtMax(encoding="layout", backend=External("loandra"), takeover=False)``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._support.clock import TimeLimitReached
from ..bounds.upper import Heuristic, majority_leaf, rows_per_class
from ..encoding import CompleteTreeEncoding, RelaxedLayoutEncoding
from ..encoding.complete_tree import MAX_DEPTH, can_count_errors, count_errors, remove_redundant_tests
from ..errors import InputError, SolverError
from ..formula import Model, Objective, Sink, Soft, Wcnf
from ..formula.sums import Sum, make_sum
from ..maxsat import Backend, Linear, make_backend
from ..outcome import Status
from ..sat import OracleSink, make_oracle
from .base import GREEDY_OF_DEPTH, MAJORITY_CLASS, TRIVIAL_BOUND, Guarantees
from .incumbent import Incumbent
from .sat_engine import require_booleans
from .sklearn_trees import Grower

GREEDY_FRACTION = 0.5  # of the time, for scikit-learn's tree

EncodingName = Literal["complete", "layout"]
Encoding = CompleteTreeEncoding | RelaxedLayoutEncoding
ENCODINGS: dict[EncodingName, type[Encoding]] = {"complete": CompleteTreeEncoding, "layout": RelaxedLayoutEncoding}


@dataclass(frozen=True, slots=True)
class DtMax:
    """Trees of bounded depth with fewest training errors, by MaxSAT.

    Parameters
    ----------
    depth : int, default=2
        Maximum depth of the tree; 2, 3 and 4 in the paper.
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, or an object such as ``External("loandra")``.
    isolated : bool, default=True
        Only for the linear search: run the SAT solver in its own process, so that the time limit is always enforced.
    encoding : {"complete", "layout"}, default="complete"
        The formula. ``complete``: every position of the complete tree may hold a test. ``layout``: after their paper,
        with variables for the shape of the tree, relaxed by m_i.
    takeover : bool, default=True
        If the backend gives up or is not trusted, the linear search continues from the best tree. Otherwise the status
        is ``unproved`` if the backend gave up, or if it is not trusted and reported an optimum.
    """

    depth: int = 2
    backend: str | Backend = "linear"
    isolated: bool = True
    encoding: EncodingName = "complete"
    takeover: bool = True
    name: ClassVar[str] = "dtmax"
    source: ClassVar[str] = "Hu, Siala, Hebrard, Huguet 2020"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int | np.integer) or isinstance(self.depth, bool) or self.depth < 1:
            raise InputError("is not an integer of at least 1; use 2, 3 or 4", parameter="depth", value=self.depth)
        if self.encoding not in ENCODINGS:
            raise InputError(
                f"is unknown; use one of {', '.join(ENCODINGS)}", parameter="encoding", value=self.encoding
            )
        make_backend(self.backend)
        require_booleans(isolated=self.isolated, takeover=self.takeover)

    @property
    def guarantees(self) -> Guarantees:
        """Fewest training errors at the depth; without a takeover, only if the MaxSAT solver can prove them."""
        proves = self.takeover or self._backend.proves
        return Guarantees(aim="errors", proves=proves, max_depth=int(self.depth))

    @property
    def _backend(self) -> Backend:
        return Linear(isolated=self.isolated) if self.backend == "linear" else make_backend(self.backend)

    def search(self, incumbent: Incumbent) -> Status:
        """Start from a greedy tree, and require fewer errors until there is no such tree."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        assert incumbent.constraints.max_depth is not None  # the constraints include the engine's own limit
        depth = min(incumbent.constraints.max_depth, incumbent.problem.n_features)
        with incumbent.credit(MAJORITY_CLASS):
            incumbent.offer(majority_leaf(incumbent.problem))
        try:
            incumbent.clock.require_time()
            _set_initial_bounds(incumbent, depth)
            return self._minimise(incumbent, depth)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"

    def _minimise(self, incumbent: Incumbent, depth: int) -> Status:
        if incumbent.lower == incumbent.upper or depth == 0:
            incumbent.prove()
            return "optimal"
        if depth > MAX_DEPTH:
            return "memory_limit"
        encode = ENCODINGS[self.encoding]
        incumbent.require_memory(encode.n_bytes(incumbent.problem, depth))
        encoding = encode(incumbent.problem, depth, root=incumbent.constraints.root)
        backend = self._backend
        if not isinstance(backend, Linear):
            status = _search_with(backend, incumbent, encoding)
            if status != "unproved" or not self.takeover:
                return status
            backend = Linear(isolated=self.isolated)
            encoding = encode(incumbent.problem, depth, root=incumbent.constraints.root)
        return _search_linearly(incumbent, encoding, backend)


def _set_initial_bounds(incumbent: Incumbent, depth: int) -> None:
    """Offer scikit-learn's greedy tree, and raise the lower bound to the rows of the classes beyond the leaves.

    A tree of the depth has at most ``2**depth`` leaves; with more classes, it misclassifies at least the rarest ones.
    """
    problem = incumbent.problem
    n_rows = rows_per_class(problem)
    rarest = np.sort(n_rows[n_rows > 0])
    with incumbent.credit(TRIVIAL_BOUND):
        incumbent.raise_lower(int(rarest[: max(0, len(rarest) - 2**depth)].sum()))
    if problem.n_features:
        clock = incumbent.clock.part(GREEDY_FRACTION)
        with incumbent.credit(GREEDY_OF_DEPTH), suppress(TimeLimitReached), Grower(incumbent, clock) as grower:
            tree = remove_redundant_tests(grower.grow(order="depth-first").tree(), problem)
            if incumbent.constraints.allows(tree, problem):
                incumbent.offer(tree)


def _search_linearly(incumbent: Incumbent, encoding: Encoding, linear: Linear) -> Status:
    """Require fewer errors than the incumbent until the formula is unsatisfiable.

    The solver gets no warm start from the greedy tree. With one, proofs took two to three times as long, and on the 432
    examples of monks-1 at depth 4 it reached only 55 errors in a minute, where 28 are proved in 40 s without.
    """
    incumbent.source = linear.name
    oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=incumbent.solver_limit)
    sink = OracleSink(oracle, incumbent.clock)
    try:
        for block in encoding.structure():
            sink.add(block)
        n_errors = _error_sum(incumbent, encoding, sink)
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


def _error_sum(incumbent: Incumbent, encoding: Encoding, sink: Sink) -> Sum:
    """Encode the number of errors: node by node where possible and small enough, else as one sum over the examples."""
    assert incumbent.upper is not None
    if isinstance(encoding, CompleteTreeEncoding) and can_count_errors(encoding, incumbent.upper):
        objective = count_errors(encoding, sink, upper=incumbent.upper)
    else:
        objective = Objective.of(_soft_clauses(encoding, sink))
    return make_sum(objective, encoding.pool, sink, upper=incumbent.upper)


def _soft_clauses(encoding: Encoding, sink: Sink) -> list[Soft]:
    """Add clauses that each example is classified correctly or relaxed; return the soft clauses against relaxing."""
    problem = encoding.problem
    is_error = encoding.pool.array("wrong", problem.n_examples)
    for block in encoding.relaxed_purity(is_error[:, None]):
        sink.add(block)
    return [Soft(weight, (-var,)) for weight, var in zip(problem.weights.tolist(), is_error.tolist(), strict=True)]


def _search_with(backend: Backend, incumbent: Incumbent, encoding: Encoding) -> Status:
    """Run a MaxSAT solver; the status is ``unproved`` if it gives up, or claims an optimum and is not trusted."""
    incumbent.source = backend.name
    formula = Wcnf(names=encoding.pool)
    for block in encoding.structure():
        formula.add(block)
    formula.soft = _soft_clauses(encoding, formula)
    formula.n_vars = encoding.pool.n_vars
    incumbent.clock.require_time()
    answer = backend.minimise(
        formula, clock=incumbent.clock, on_model=lambda model: incumbent.offer(encoding.tree(model))
    )
    assert incumbent.upper is not None
    if answer.status == "unsatisfiable":
        raise SolverError(f"{backend.name} returned a wrong answer: unsatisfiable, but a tree is known")
    if answer.cost is not None and answer.cost < incumbent.upper:
        raise SolverError(f"{backend.name}: reported cost {answer.cost} contradicts its model")
    if answer.status == "optimal" and backend.is_trusted:
        if answer.cost != incumbent.upper:
            raise SolverError(
                f"{backend.name} reports {answer.cost} errors as optimal, but a tree with {incumbent.upper} is known"
            )
        incumbent.prove()
        return "optimal"
    return "time_limit" if answer.status == "unknown" and incumbent.clock.is_over else "unproved"


def _offer(incumbent: Incumbent, encoding: Encoding, model: Model, name: str) -> None:
    """Offer the tree of a model; raise SolverError unless it improves the incumbent."""
    before = incumbent.upper
    incumbent.offer(encoding.tree(model))
    if incumbent.upper == before:
        raise SolverError(f"{name} returned an invalid model: a tree with fewer than {before} errors was required")
