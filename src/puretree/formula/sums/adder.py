"""Binary adder network for sums of arbitrary weights.

It propagates weakly, but its size grows with the number of digits of the weights, not with the weights themselves (Eén
and Sörensson, *Translating Pseudo-Boolean Constraints into SAT*, JSAT 2006).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import product

from .. import Sink, VarPool, as_block


class Adder:
    """A sum of literals of arbitrary weights, as a binary number.

    Parameters
    ----------
    weighted : sequence of (literal, weight)
    pool, sink
        Source of fresh variables, destination of the clauses.
    """

    def __init__(self, weighted: Sequence[tuple[int, int]], pool: VarPool, sink: Sink) -> None:
        self._pool, self._sink = pool, sink
        n_digits = sum(weight for _, weight in weighted).bit_length()
        columns = [
            deque(literal for literal, weight in weighted if weight >> digit & 1) for digit in range(n_digits + 1)
        ]
        for digit in range(n_digits):
            while len(columns[digit]) > 1:
                n_added = min(3, len(columns[digit]))
                total, carry = self._add([columns[digit].popleft() for _ in range(n_added)])
                columns[digit].append(total)
                columns[digit + 1].append(carry)
        self._digits = [column[0] if column else 0 for column in columns]

    def at_most(self, k: int) -> list[int]:
        """Return the assumption "the sum is at most k"; an empty list if it always holds."""
        if k >> len(self._digits):
            return []
        holds = int(self._pool.array("at_most"))
        clauses = []
        higher_ones: list[int] = []  # digits where k is 1: if the sum has a 0 there, its lower digits are free
        for position in reversed(range(len(self._digits))):
            digit = self._digits[position]
            if k >> position & 1:
                if not digit:
                    break  # the sum is smaller than k in any case
                higher_ones.append(-digit)
            elif digit:
                clauses.append([-holds, -digit, *higher_ones])
        self._sink.add(as_block(clauses))
        return [holds]

    def _add(self, literals: list[int]) -> tuple[int, int]:
        """Return the sum and carry of two or three literals (a half or full adder)."""
        total, carry = self._pool.array("digit", 2).tolist()
        clauses = []
        for values in product((False, True), repeat=len(literals)):
            differs = [-literal if value else literal for literal, value in zip(literals, values, strict=True)]
            n_true = sum(values)
            clauses.append([*differs, total if n_true % 2 else -total])
            clauses.append([*differs, carry if n_true > 1 else -carry])
        self._sink.add(as_block(clauses))
        return int(total), int(carry)
