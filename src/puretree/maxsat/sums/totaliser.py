"""A sum of equal weights: the totaliser of Bailleux and Boufkhad (CP 2003), as python-sat builds it."""

from __future__ import annotations

from collections.abc import Sequence

from pysat.card import ITotalizer

from ...formula import Sink, VarPool, as_block


class Totaliser:
    """Literals that all weigh the same.

    Parameters
    ----------
    weighted : sequence of (literal, weight)
    pool, sink
        Where variables come from and clauses go.
    most : int
        Only less will be asked for, so larger counts are not built.
    """

    def __init__(self, weighted: Sequence[tuple[int, int]], pool: VarPool, sink: Sink, *, most: int) -> None:
        self._weight = weighted[0][1] if weighted else 1
        self._outputs: list[int] = []
        if weighted:
            ubound = min(most // self._weight, len(weighted) - 1)
            with ITotalizer([literal for literal, _ in weighted], ubound=ubound, top_id=pool.n_vars) as built:
                self._outputs = list(built.rhs)
                sink.add(as_block(built.cnf.clauses))
                pool.array("count", built.top_id - pool.n_vars)

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the true ones weigh at most k."""
        count = k // self._weight
        return [-self._outputs[count]] if count < len(self._outputs) else []
