"""Sums of chains of literals: a single chain is its own unary counter, several are merged by a generalised totaliser.

The generalised totaliser has an output for every sum that can occur (Joshi, Martins, Manquinho, *Generalized Totalizer
Encoding for Pseudo-Boolean Constraints*, CP 2015). It propagates best of all encodings if few different sums can occur
below the bound: see :meth:`GeneralisedTotaliser.is_small`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .. import Sink, VarPool, as_block, implies

MAX_CLAUSES = 1_000_000
Totals = NDArray[np.int64]


class UnaryCounter:
    """A sum given by a chain of literals, each implying the one before it, like η; needs no clauses.

    Parameters
    ----------
    outputs : mapping of int to int
        The possible sums, ascending, each with the literal that is true if the sum is at least this large.

    Examples
    --------
    >>> UnaryCounter({1: 7, 2: 8, 5: 9}).at_most(1)
    [-8]
    """

    def __init__(self, outputs: Mapping[int, int]) -> None:
        self._outputs = outputs

    def at_most(self, k: int) -> list[int]:
        """Return the assumption "the sum is at most k"; an empty list if it always holds."""
        return next(([-literal] for total, literal in self._outputs.items() if total > k), [])


class GeneralisedTotaliser:
    """A sum of chains of literals of different weights.

    Parameters
    ----------
    chains : sequence of mapping of int to int
        The possible sums of each chain, ascending, each with the literal that is true if the chain reaches it.
    pool, sink
        Source of fresh variables, destination of the clauses.
    upper : int
        Only smaller bounds will be needed, so all sums from here on share one output.
    """

    def __init__(self, chains: Sequence[Mapping[int, int]], pool: VarPool, sink: Sink, *, upper: int) -> None:
        self.at_most = UnaryCounter(merge_chains(sorted(chains, key=max), pool, sink, upper=upper)).at_most

    @staticmethod
    def is_small(chains: Sequence[Mapping[int, int]], *, upper: int) -> bool:
        """Return whether the encoding has few enough clauses and its sums fit into 64-bit integers."""
        if sum(map(max, chains)) >= 2**62:
            return False
        layer = [_totals(chain) for chain in sorted(chains, key=max)]
        n_clauses = 0
        while len(layer) > 1:
            pairs = list(zip(layer[::2], layer[1::2], strict=False))
            n_clauses += sum((len(left) + 1) * (len(right) + 1) for left, right in pairs)
            if n_clauses > MAX_CLAUSES:
                return False
            layer = [*(_sums(left, right, upper) for left, right in pairs), *layer[2 * len(pairs) :]]
        return True


def merge_chains(chains: Sequence[Mapping[int, int]], pool: VarPool, sink: Sink, *, upper: int) -> dict[int, int]:
    """Return the chain of the sum of several chains, in which all sums from ``upper`` on share one literal.

    Chains are merged pairwise in the order given, so adjacent ones are merged first.
    """
    layer = [(_totals(chain), np.array([*chain.values()], dtype=np.int32)) for chain in chains]
    while len(layer) > 1:
        merged = [
            _merge(*left, *right, pool, sink, upper) for left, right in zip(layer[::2], layer[1::2], strict=False)
        ]
        layer = [*merged, *layer[2 * len(merged) :]]
    totals, literals = layer[0]
    sink.add(as_block([-larger, smaller] for smaller, larger in pairwise(literals.tolist())))
    return dict(zip(totals.tolist(), literals.tolist(), strict=True))


def _totals(chain: Mapping[int, int]) -> Totals:
    return np.fromiter(chain, dtype=np.int64)


def _sums(left: Totals, right: Totals, upper: int) -> Totals:
    """Return the possible positive sums of two chains, with all from ``upper`` on merged into one."""
    sums = np.add.outer(np.append(0, left), np.append(0, right))
    return np.unique(np.minimum(sums, upper))[1:]


def _merge(
    left: Totals,
    left_literals: NDArray[np.int32],
    right: Totals,
    right_literals: NDArray[np.int32],
    pool: VarPool,
    sink: Sink,
    upper: int,
) -> tuple[Totals, NDArray[np.int32]]:
    """Encode the sum of two chains; return the possible sums and their literals."""
    sums = _sums(left, right, upper)
    outputs = pool.array("sum", len(sums))

    def output(totals: Totals) -> NDArray[np.int32]:
        return np.asarray(outputs[np.searchsorted(sums, np.minimum(totals, upper))])

    sink.add(implies(left_literals, output(left)))
    sink.add(implies(right_literals, output(right)))
    sink.add(implies((left_literals[:, None], right_literals), output(np.add.outer(left, right))))
    return sums, outputs
