"""A sum of equal weights: the totaliser of Bailleux and Boufkhad (CP 2003), as python-sat builds it."""

from __future__ import annotations

from collections.abc import Sequence

from pysat.card import ITotalizer

from ...formula import Sink, VarPool, as_block


class Totaliser:
    """Literals that all weigh the same.

    Parameters
    ----------
    literals : sequence of int
    pool, sink
        Where variables come from and clauses go.
    most : int
        Only less will be asked for, so larger counts are not built.
    weight : int, default=1
        What each literal weighs.
    """

    def __init__(self, literals: Sequence[int], pool: VarPool, sink: Sink, *, most: int, weight: int = 1) -> None:
        self._weight = weight
        self._outputs: list[int] = []
        if literals:
            ubound = min(most // weight, len(literals) - 1)
            with ITotalizer(list(literals), ubound=ubound, top_id=pool.n_vars) as built:
                self._outputs = list(built.rhs)
                sink.add(as_block(built.cnf.clauses))
                pool.array("count", built.top_id - pool.n_vars)

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the true ones weigh at most k."""
        count = k // self._weight
        return [-self._outputs[count]] if count < len(self._outputs) else []
