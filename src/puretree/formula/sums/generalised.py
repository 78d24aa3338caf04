"""A sum whose literals are a chain already: nothing has to be said at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .. import Sink, VarPool, as_block, implies


class Chain:
    """Literals of which each implies the one before it, like η.

    Parameters
    ----------
    reached : mapping of int to int
        The sums that can be reached, ascending, and the literal that is true if it is reached or exceeded.

    Examples
    --------
    >>> Chain({1: 7, 2: 8, 5: 9}).at_most(1)
    [-8]
    """

    def __init__(self, reached: Mapping[int, int]) -> None:
        self._reached = reached

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the sum is at most k."""
        return next(([-literal] for total, literal in self._reached.items() if total > k), [])


# A sum of different weights: a totaliser with an output for every sum that can occur.
#
# Joshi, Martins, Manquinho, *Generalized Totalizer Encoding for Pseudo-Boolean Constraints*, CP 2015. It propagates
# best of all, as long as few different sums can occur below the bound: :meth:`is_small` says so beforehand.

LARGEST = 1_000_000  # clauses
Totals = NDArray[np.int64]


class GeneralisedTotaliser:
    """Chains of literals of different weights.

    Parameters
    ----------
    chains : sequence of mapping of int to int
        For each chain the sums that it can reach, ascending, and the literal that is true if it does.
    pool, sink
        Where variables come from and clauses go.
    most : int
        Only less will be asked for, so all sums from here on share one output.
    """

    def __init__(self, chains: Sequence[Mapping[int, int]], pool: VarPool, sink: Sink, *, most: int) -> None:
        self.at_most = Chain(add_up(sorted(chains, key=max), pool, sink, most=most)).at_most

    @staticmethod
    def is_small(chains: Sequence[Mapping[int, int]], *, most: int) -> bool:
        """Whether the clauses are few enough to be worth it, and the sums fit into machine words."""
        if sum(map(max, chains)) >= 2**62:
            return False
        layer = [_totals(chain) for chain in sorted(chains, key=max)]
        n_clauses = 0
        while len(layer) > 1:
            pairs = list(zip(layer[::2], layer[1::2], strict=False))
            n_clauses += sum((len(one) + 1) * (len(other) + 1) for one, other in pairs)
            if n_clauses > LARGEST:
                return False
            layer = [*(_sums(one, other, most) for one, other in pairs), *layer[2 * len(pairs) :]]
        return True


def add_up(chains: Sequence[Mapping[int, int]], pool: VarPool, sink: Sink, *, most: int) -> dict[int, int]:
    """Say what chains weigh together: a chain again, in which the sums from ``most`` on are one.

    Neighbours are added first.
    """
    layer = [(_totals(chain), np.array([*chain.values()], dtype=np.int32)) for chain in chains]
    while len(layer) > 1:
        merged = [_merge(*one, *other, pool, sink, most) for one, other in zip(layer[::2], layer[1::2], strict=False)]
        layer = [*merged, *layer[2 * len(merged) :]]
    totals, literals = layer[0]
    sink.add(as_block([-larger, smaller] for smaller, larger in pairwise(literals.tolist())))
    return dict(zip(totals.tolist(), literals.tolist(), strict=True))


def _totals(chain: Mapping[int, int]) -> Totals:
    return np.fromiter(chain, dtype=np.int64)


def _sums(one: Totals, other: Totals, most: int) -> Totals:
    """Return the sums that one or both parts can reach, all from ``most`` on as one."""
    both = np.add.outer(np.append(0, one), np.append(0, other))
    return np.unique(np.minimum(both, most))[1:]


def _merge(
    one: Totals,
    one_literals: NDArray[np.int32],
    other: Totals,
    other_literals: NDArray[np.int32],
    pool: VarPool,
    sink: Sink,
    most: int,
) -> tuple[Totals, NDArray[np.int32]]:
    """Say what two parts reach together; return the sums and their literals."""
    reached = _sums(one, other, most)
    outputs = pool.array("sum", len(reached))

    def output(totals: Totals) -> NDArray[np.int32]:
        return np.asarray(outputs[np.searchsorted(reached, np.minimum(totals, most))])

    sink.add(implies(one_literals, output(one)))
    sink.add(implies(other_literals, output(other)))
    sink.add(implies((one_literals[:, None], other_literals), output(np.add.outer(one, other))))
    return reached, outputs
