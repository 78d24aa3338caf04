"""A sum of different weights: a totaliser with an output for every sum that can occur.

Joshi, Martins, Manquinho, *Generalized Totalizer Encoding for Pseudo-Boolean Constraints*, CP 2015. It propagates
best of all, as long as few different sums can occur below the bound: :meth:`is_small` says so beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ...formula import Sink, VarPool, as_block
from .chain import Chain

LARGEST = 2_000_000  # clauses


class GeneralisedTotaliser:
    """Chains of literals of different weights.

    Parameters
    ----------
    chains : sequence of mapping of int to int
        For each chain the sums that it can reach, and the literal that is true if it does.
    pool, sink
        Where variables come from and clauses go.
    most : int
        Only less will be asked for, so all sums from here on share one output.
    """

    def __init__(self, chains: Sequence[Mapping[int, int]], pool: VarPool, sink: Sink, *, most: int) -> None:
        self._pool, self._sink, self._most = pool, sink, most
        layer = [_capped(chain, most) for chain in sorted(chains, key=max)]
        while len(layer) > 1:
            layer = [self._merge(*layer[i : i + 2]) if i + 1 < len(layer) else layer[i] for i in range(0, len(layer), 2)]
        ordered = [literal for _, literal in sorted(layer[0].items())]
        sink.add(as_block([-larger, smaller] for smaller, larger in pairwise(ordered)))
        self.at_most = Chain(dict(sorted(layer[0].items()))).at_most

    @staticmethod
    def is_small(chains: Sequence[Mapping[int, int]], *, most: int) -> bool:
        """Whether the clauses are few enough to be worth it."""
        layer = [set(_capped(chain, most)) for chain in sorted(chains, key=max)]
        n_clauses = 0
        while len(layer) > 1:
            pairs = [layer[i : i + 2] for i in range(0, len(layer), 2)]
            n_clauses += sum((len(pair[0]) + 1) * (len(pair[1]) + 1) for pair in pairs if len(pair) == 2)
            if n_clauses > LARGEST:
                return False
            layer = [_sums(*pair, most=most) if len(pair) == 2 else pair[0] for pair in pairs]
        return True

    def _merge(self, one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
        reached = sorted(_sums(one, other, most=self._most))
        outputs = dict(zip(reached, self._pool.array("sum", len(reached)).tolist(), strict=True))
        clauses = [[-literal, outputs[total]] for part in (one, other) for total, literal in part.items()]
        clauses += [
            [-first, -second, outputs[min(a + b, self._most)]]
            for a, first in one.items()
            for b, second in other.items()
        ]
        self._sink.add(as_block(clauses))
        return outputs


def _capped(chain: Mapping[int, int], most: int) -> dict[int, int]:
    """Return a chain up to the first sum that is too much."""
    within = {total: literal for total, literal in chain.items() if total < most}
    beyond = [literal for total, literal in sorted(chain.items()) if total >= most]
    return within | ({most: beyond[0]} if beyond else {})


def _sums(one: Iterable[int], other: Iterable[int], *, most: int) -> set[int]:
    """Return the sums that one or both parts can reach, all from ``most`` on as one."""
    with_nothing = [0, *other]
    return {min(a + b, most) for a in [0, *one] for b in with_nothing} - {0}
