"""Infer-size: the smallest of the pure trees of minimum depth.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020. First compute the minimum depth, as in
``infer-depth``. Then count the tests that are used, and require fewer and fewer of them from one incremental solver,
which also keeps the examples that were needed so far.

It guarantees a pure tree of minimum depth that is smallest among these, once that is proved. That is not necessarily a
minimum tree: a deeper one may be smaller, and no outcome of this engine claims otherwise.

The differences named in :mod:`~puretree.engines.infer_depth` apply here, too. Avellaneda's program InferDT counts
leaves and finds their minimum by bisection; here the number of tests, which is one less, decreases step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import TimeLimitReached
from ..encoding import CompleteTreeEncoding
from ..formula import Objective, Soft
from ..formula.sums import make_sum
from ..outcome import Status
from ..sat import Oracle, OracleSink, make_oracle
from .base import Guarantees
from .incumbent import Incumbent
from .infer_depth import Examples, InferDepth, make_encoding, minimise_depth, misclassified_examples


@dataclass(frozen=True, slots=True)
class InferSize(InferDepth):
    """The smallest of the pure trees of minimum depth, by SAT.

    Parameters
    ----------
    solver, isolated, direction
        As for :class:`InferDepth`; the direction is that of the search for the minimum depth.
    """

    name: ClassVar[str] = "infer-size"
    source: ClassVar[str] = "Avellaneda 2020"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="depth-then-nodes")

    def search(self, incumbent: Incumbent) -> Status:
        """Minimise the depth, then the number of tests at that depth."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        oracle = None
        try:
            needed = minimise_depth(incumbent, self)
            encoding = make_encoding(incumbent, incumbent.lower)
            oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
            status = _minimise_size(incumbent, encoding, oracle, needed)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        finally:
            if oracle is not None:
                oracle.close()
        if status == "optimal":
            incumbent.prove()
        return status


def _minimise_size(incumbent: Incumbent, encoding: CompleteTreeEncoding, oracle: Oracle, needed: Examples) -> Status:
    """Require fewer tests than the incumbent until unsatisfiable; add examples that a tree misclassifies."""
    assert incumbent.tree is not None
    sink = OracleSink(oracle, incumbent.clock)
    for block in (*encoding.structure(), *encoding.purity(needed)):
        sink.add(block)
    is_used = Objective.of(Soft(1, (-var,)) for var in encoding.used[1:].tolist())
    n_used = make_sum(is_used, encoding.pool, sink, upper=incumbent.tree.n_nodes // 2)
    min_tests = max(encoding.depth, incumbent.problem.n_classes - 1)
    while incumbent.tree.n_nodes // 2 > min_tests:
        answer = oracle.solve(n_used.at_most(incumbent.tree.n_nodes // 2 - 1), incumbent.clock)
        if answer is None:
            return "time_limit"
        if not answer:
            break
        tree = encoding.tree(oracle.model(encoding.pool.n_vars))
        misclassified = misclassified_examples(tree, incumbent.problem)
        for block in encoding.purity(misclassified):
            sink.add(block)
        if not len(misclassified):
            incumbent.offer(tree)
    return "optimal"
