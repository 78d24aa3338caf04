"""A sum of equal weights: the totaliser of Bailleux and Boufkhad (CP 2003), as python-sat builds it."""

from __future__ import annotations

from collections.abc import Sequence

from pysat.card import ITotalizer

from ...formula import Sink, VarPool, as_block

LARGEST = 1_000_000  # clauses


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

    @staticmethod
    def is_small(n_literals: int, *, most: int, weight: int = 1) -> bool:
        """Whether the clauses are few enough to be worth it; each level of the tree merges pairs of counts."""
        n_clauses, width = 0, 1
        while width < n_literals and n_clauses <= LARGEST:
            n_clauses += n_literals // (2 * width) * (min(width, most // weight) + 1) ** 2
            width *= 2
        return n_clauses <= LARGEST

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the true ones weigh at most k."""
        count = k // self._weight
        return [-self._outputs[count]] if count < len(self._outputs) else []
