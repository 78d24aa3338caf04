"""Infer-size: of the pure trees of least depth the smallest.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020. First the least depth, as in ``infer-depth``;
then the tests that are asked are counted, and fewer are asked for, query by query on one incremental solver, which also
keeps the examples that were needed so far.

It guarantees a pure tree of least depth that is smallest among these, once that is proved. It is not a minimum tree:
a deeper one may be smaller, and no outcome of this engine says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import TimeIsOver
from ..encoding import CompleteTreeEncoding
from ..formula import Objective, Soft
from ..formula.sums import make_sum
from ..outcome import Status
from ..sat import Oracle, OracleSink, make_oracle
from .base import Guarantees
from .incumbent import Incumbent
from .infer_depth import Examples, find_least_depth, make_encoding, wrong_examples
from .sat_engine import SatEngine


@dataclass(frozen=True, slots=True)
class InferSize(SatEngine):
    """Pure trees of least depth, and of these the smallest, through SAT.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "infer-size"
    source: ClassVar[str] = "Avellaneda 2020"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="depth-then-nodes")

    def search(self, incumbent: Incumbent) -> Status:
        """Find the least depth, then ask for fewer and fewer tests."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        oracle = None
        try:
            which = find_least_depth(incumbent, self.solver, self.isolated)
            encoding = make_encoding(incumbent, incumbent.lower)
            oracle = make_oracle(self.solver, isolated=self.isolated)
            status = _make_small(incumbent, encoding, oracle, which)
        except TimeIsOver:
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        finally:
            if oracle is not None:
                oracle.close()
        if status == "optimal":
            incumbent.prove()
        return status


def _make_small(incumbent: Incumbent, encoding: CompleteTreeEncoding, oracle: Oracle, which: Examples) -> Status:
    """Ask for fewer tests than the best tree has, until there is none; examples that a tree gets wrong are added."""
    assert incumbent.tree is not None
    sink = OracleSink(oracle, incumbent.clock)
    for block in (*encoding.structure(), *encoding.purity(which)):
        sink.add(block)
    is_asked = Objective.of(Soft(1, (-var,)) for var in encoding.used[1:].tolist())
    n_asked = make_sum(is_asked, encoding.pool, sink, upper=incumbent.tree.n_nodes // 2)
    least = max(encoding.depth, incumbent.problem.n_classes - 1)
    while incumbent.tree.n_nodes // 2 > least:
        answer = oracle.solve(n_asked.at_most(incumbent.tree.n_nodes // 2 - 1), incumbent.clock)
        if answer is None:
            return "time_limit"
        if not answer:
            break
        tree = encoding.tree(oracle.model(encoding.pool.n_vars))
        wrong = wrong_examples(tree, incumbent.problem)
        for block in encoding.purity(wrong):
            sink.add(block)
        if not len(wrong):
            incumbent.offer(tree)
    return "optimal"
