"""A sum of equal weights: the totaliser of Bailleux and Boufkhad (CP 2003), as python-sat builds it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pysat.card import ITotalizer

from .. import Block, Sink, VarPool, as_block, clause, implies

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


# A sum that grows: its chains get longer while a solver is at work, and the bound may rise.
#
# MDSOL asks for the least of a sum again and again, and after every answer the sum has a few literals more. Sums made
# anew would be told to the solver a hundred times, and what it learnt about one says nothing of the next. This one is
# told once: an output means "at least so many", which stays true when there is more to count, so new literals only add
# clauses. Each chain is counted already, so the totaliser merges chains, not literals (Bailleux and Boufkhad, CP 2003;
# growing as in Martins, Joshi, Manquinho, Lynce, *Incremental Cardinality Constraints for MaxSAT*, CP 2014).


class GrowingSum:
    """Chains of literals that weigh 1 each and of which each implies the one before it.

    Parameters
    ----------
    n_chains : int
        At least 1; all are empty at first.
    pool, sink
        Where variables come from and clauses go.

    Examples
    --------
    >>> from puretree.formula import Wcnf
    >>> pool, formula = VarPool(), Wcnf()
    >>> total = GrowingSum(2, pool, formula)
    >>> first, second = total.extend(0), total.extend(1)
    >>> total.at_most(1)
    [-4]
    >>> [block.tolist() for block in formula.hard]
    [[[-4, 3]], [[0, -2, 3], [-1, 0, 3], [-1, -2, 4]]]
    """

    def __init__(self, n_chains: int, pool: VarPool, sink: Sink) -> None:
        self._pool, self._sink = pool, sink
        self._chains = [_Counted() for _ in range(n_chains)]
        layer: list[_Counted] = list(self._chains)
        self._merges: list[_Merge] = []  # those that a merge needs come before it
        while len(layer) > 1:
            merged = [_Merge(one, other) for one, other in zip(layer[::2], layer[1::2], strict=False)]
            self._merges += merged
            layer = [*merged, *layer[2 * len(merged) :]]
        self._total = layer[0]

    def extend(self, chain: int) -> int:
        """Return a new literal at the end of a chain; it is for the caller to say when it is true."""
        (literal,) = self._pool.array("uses", 1).tolist()
        literals = self._chains[chain].literals
        if literals:
            self._sink.add(clause(-literal, literals[-1]))
        literals.append(literal)
        return int(literal)

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: at most k are true; nothing if there are no more. Any k, in any order."""
        for merge in self._merges:
            merge.count_to(k + 1, self._pool, self._sink)
        return [-self._total.literals[k]] if k < len(self._total.literals) else []


class _Counted:
    """Literals of which the t-th means: there are at least t."""

    def __init__(self) -> None:
        self.literals: list[int] = []

    def from_zero(self, most: int) -> Block:
        """Return them with a place for "at least 0", which is no literal."""
        return np.array([0, *self.literals[:most]], dtype=np.int32)


class _Merge(_Counted):
    """What two parts count together, as far as anybody asked."""

    def __init__(self, one: _Counted, other: _Counted) -> None:
        super().__init__()
        self._one, self._other = one, other
        self._said = (0, 0, 0)  # the lengths of the parts and the count for which everything was said

    def count_to(self, most: int, pool: VarPool, sink: Sink) -> None:
        """Say what is still to be said so that counts up to ``most`` are right, and larger ones reach it."""
        most = max(most, self._said[2])
        one, other = self._one.from_zero(most), self._other.from_zero(most)
        self._lengthen(min(most, len(one) + len(other) - 2), pool, sink)
        x, y = np.nonzero(self._unsaid(len(one) - 1, len(other) - 1, most))
        if len(x):
            sink.add(implies((one[x], other[y]), np.array(self.literals, dtype=np.int32)[x + y - 1]))

    def _lengthen(self, length: int, pool: VarPool, sink: Sink) -> None:
        old = len(self.literals)
        if length > old:
            self.literals += pool.array("sum", length - old).tolist()
            ordered = np.array(self.literals[max(0, old - 1) :], dtype=np.int32)
            sink.add(implies(ordered[1:], ordered[:-1]))

    def _unsaid(self, n_one: int, n_other: int, most: int) -> NDArray[np.bool_]:
        """Return which counts of the two parts make a clause that was not said before; none of the three falls."""
        x, y = np.ogrid[: n_one + 1, : n_other + 1]
        said_one, said_other, said_most = self._said
        self._said = (n_one, n_other, most)
        is_said = (x <= said_one) & (y <= said_other) & (x + y <= said_most)
        return np.asarray((x + y > 0) & (x + y <= most) & ~is_said)
