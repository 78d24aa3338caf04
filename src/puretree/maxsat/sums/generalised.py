"""A sum of different weights: a totaliser with an output for every sum that can occur.

Joshi, Martins, Manquinho, *Generalized Totalizer Encoding for Pseudo-Boolean Constraints*, CP 2015. It propagates
best of all, as long as few different sums can occur below the bound: :meth:`is_small` says so beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...formula import Sink, VarPool, as_block

LARGEST = 2_000_000  # clauses


class GeneralisedTotaliser:
    """Literals of different weights.

    Parameters
    ----------
    weighted : sequence of (literal, weight)
    pool, sink
        Where variables come from and clauses go.
    most : int
        Only less will be asked for, so all sums from here on share one output.
    """

    def __init__(self, weighted: Sequence[tuple[int, int]], pool: VarPool, sink: Sink, *, most: int) -> None:
        self._pool, self._sink, self._most = pool, sink, most
        layer = [{min(weight, most): literal} for literal, weight in sorted(weighted, key=lambda pair: pair[1])]
        while len(layer) > 1:
            layer = [self._merge(*layer[i : i + 2]) if i + 1 < len(layer) else layer[i] for i in range(0, len(layer), 2)]
        self._outputs = dict(sorted(layer[0].items()))
        ordered = list(self._outputs.values())
        sink.add(as_block([-larger, smaller] for smaller, larger in zip(ordered, ordered[1:], strict=False)))

    @staticmethod
    def is_small(weighted: Sequence[tuple[int, int]], *, most: int) -> bool:
        """Whether the clauses are few enough to be worth it."""
        layer = [{min(weight, most)} for weight in sorted(weight for _, weight in weighted)]
        n_clauses = 0
        while len(layer) > 1:
            pairs = [layer[i : i + 2] for i in range(0, len(layer), 2)]
            n_clauses += sum((len(pair[0]) + 1) * (len(pair[1]) + 1) for pair in pairs if len(pair) == 2)
            if n_clauses > LARGEST:
                return False
            layer = [_sums(*pair, most=most) if len(pair) == 2 else pair[0] for pair in pairs]
        return True

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the true ones weigh at most k."""
        return next(([-literal] for reached, literal in self._outputs.items() if reached > k), [])

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


def _sums(one: Iterable[int], other: Iterable[int], *, most: int) -> set[int]:
    """Return the sums that one or both parts can reach, all from ``most`` on as one."""
    with_nothing = [0, *other]
    return {min(a + b, most) for a in [0, *one] for b in with_nothing} - {0}
