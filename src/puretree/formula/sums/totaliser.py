"""Totalisers for sums of equal weights: a fixed one built by PySAT, and an incremental one whose inputs may grow.

Bailleux and Boufkhad, *Efficient CNF Encoding of Boolean Cardinality Constraints*, CP 2003.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pysat.card import ITotalizer

from .. import Block, Sink, VarPool, as_block, clause, implies, units

MAX_CLAUSES = 1_000_000


class Totaliser:
    """A sum of literals of equal weight.

    Parameters
    ----------
    literals : sequence of int
    pool, sink
        Source of fresh variables, destination of the clauses.
    upper : int
        Only smaller bounds will be needed, so larger counts are not encoded.
    weight : int, default=1
        The weight of each literal.
    """

    def __init__(self, literals: Sequence[int], pool: VarPool, sink: Sink, *, upper: int, weight: int = 1) -> None:
        self._weight = weight
        self._outputs: list[int] = []
        if literals:
            ubound = min(upper // weight, len(literals) - 1)
            with ITotalizer(list(literals), ubound=ubound, top_id=pool.n_vars) as totaliser:
                self._outputs = list(totaliser.rhs)
                sink.add(as_block(totaliser.cnf.clauses))
                pool.array("count", totaliser.top_id - pool.n_vars)

    @staticmethod
    def is_small(n_literals: int, *, upper: int, weight: int = 1) -> bool:
        """Return whether the encoding has few enough clauses; each level of the tree merges pairs of counters."""
        n_clauses, width = 0, 1
        while width < n_literals and n_clauses <= MAX_CLAUSES:
            n_clauses += n_literals // (2 * width) * (min(width, upper // weight) + 1) ** 2
            width *= 2
        return n_clauses <= MAX_CLAUSES

    def at_most(self, k: int) -> list[int]:
        """Return the assumption "the sum is at most k"; an empty list if it always holds."""
        count = k // self._weight
        return [-self._outputs[count]] if count < len(self._outputs) else []


class IncrementalTotaliser:
    """A sum of chains of literals of weight 1 that may be extended while the solver runs; the bound may increase.

    MDSOL minimises a sum repeatedly, and every solution adds a few literals to it. Building a new totaliser each time
    would add a hundred of them to the solver, and clauses learnt about one would not apply to the next. Here an output
    means "at least t inputs are true", which stays valid when inputs are added, so extending the sum only adds clauses
    (Martins, Joshi, Manquinho, Lynce, *Incremental Cardinality Constraints for MaxSAT*, CP 2014). Each chain is already
    a unary counter, so the totaliser merges chains, not literals.

    Parameters
    ----------
    n_chains : int
        At least 1; all are initially empty.
    pool, sink
        Source of fresh variables, destination of the clauses.

    Examples
    --------
    >>> from puretree.formula import Wcnf
    >>> pool, formula = VarPool(), Wcnf()
    >>> total = IncrementalTotaliser(2, pool, formula)
    >>> first, second = total.extend(0), total.extend(1)
    >>> total.at_most(1)
    [-4]
    >>> [block.tolist() for block in formula.hard]
    [[[-4, 3]], [[0, -2, 3], [-1, 0, 3], [-1, -2, 4]]]
    """

    def __init__(self, n_chains: int, pool: VarPool, sink: Sink) -> None:
        self._pool, self._sink = pool, sink
        self._chains = [_Counter() for _ in range(n_chains)]
        layer: list[_Counter] = list(self._chains)
        self._merges: list[_Merge] = []  # in topological order: the inputs of a merge come before it
        while len(layer) > 1:
            merged = [_Merge(left, right) for left, right in zip(layer[::2], layer[1::2], strict=False)]
            self._merges += merged
            layer = [*merged, *layer[2 * len(merged) :]]
        self._total = layer[0]

    def extend(self, chain: int) -> int:
        """Append a new literal to a chain and return it; the caller adds the clauses that imply it."""
        (literal,) = self._pool.array("uses", 1).tolist()
        literals = self._chains[chain].literals
        if literals:
            self._sink.add(clause(-literal, literals[-1]))
        literals.append(literal)
        return int(literal)

    def fix(self, chain: int, n_true: int) -> None:
        """State that the first ``n_true`` literals of a chain are always true, so that the sum is smaller to encode."""
        counter = self._chains[chain]
        if n_true > counter.n_true:
            self._sink.add(units(counter.literals[counter.n_true : n_true]))
            counter.n_true = n_true

    @property
    def least(self) -> int:
        """The number of literals that are always true."""
        return sum(counter.n_true for counter in self._chains)

    def at_most(self, k: int) -> list[int]:
        """Return the assumption "at most k are true", for any k in any order; an empty list if it always holds."""
        for merge in self._merges:
            merge.count_to(k + 1, self._pool, self._sink)
        return [-self._total.literals[k]] if k < len(self._total.literals) else []


class _Counter:
    """A unary counter: its t-th literal means "at least t inputs are true"; the first ones may be known to be true."""

    def __init__(self) -> None:
        self.literals: list[int] = []
        self.n_true = 0

    def from_zero(self, upper: int) -> Block:
        """Return up to ``upper`` literals, preceded by a 0 for "at least 0", which is always true."""
        return np.array([0, *self.literals[:upper]], dtype=np.int32)


class _Merge(_Counter):
    """The sum of two counters, encoded up to the largest count needed so far."""

    def __init__(self, left: _Counter, right: _Counter) -> None:
        super().__init__()
        self._left, self._right = left, right
        self._encoded = (0, 0, 0)  # lengths of the inputs and the count up to which all clauses have been added

    def count_to(self, upper: int, pool: VarPool, sink: Sink) -> None:
        """Add the missing clauses so that counts up to ``upper`` are correct and larger ones imply ``upper``."""
        self.n_true = self._left.n_true + self._right.n_true
        upper = max(upper, self._encoded[2], self.n_true)
        left, right = self._left.from_zero(upper), self._right.from_zero(upper)
        self._extend(min(upper, len(left) + len(right) - 2), pool, sink)
        x, y = np.nonzero(self._missing_clauses(len(left) - 1, len(right) - 1, upper))
        if len(x):
            sink.add(implies((left[x], right[y]), np.array(self.literals, dtype=np.int32)[x + y - 1]))

    def _extend(self, length: int, pool: VarPool, sink: Sink) -> None:
        old = len(self.literals)
        if length > old:
            self.literals += pool.array("sum", length - old).tolist()
            ordered = np.array(self.literals[max(0, old - 1) :], dtype=np.int32)
            sink.add(implies(ordered[1:], ordered[:-1]))

    def _missing_clauses(self, n_left: int, n_right: int, upper: int) -> NDArray[np.bool_]:
        """Return the mask of pairs of counts whose clause is missing; no argument ever decreases.

        Smaller counts than those known to be reached need no clauses: those of larger counts imply them.
        """
        x, y = np.ogrid[: n_left + 1, : n_right + 1]
        encoded_left, encoded_right, encoded_upper = self._encoded
        self._encoded = (n_left, n_right, upper)
        is_encoded = (x <= encoded_left) & (y <= encoded_right) & (x + y <= encoded_upper)
        is_open = (x >= self._left.n_true) & (y >= self._right.n_true)
        return np.asarray((x + y > 0) & (x + y <= upper) & is_open & ~is_encoded)
