"""A sum of any weights as a binary number.

It propagates little, but its size grows with the digits of the weights, not with the weights (Eén and Sörensson,
*Translating Pseudo-Boolean Constraints into SAT*, JSAT 2006).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import product

from .. import Sink, VarPool, as_block


class Adder:
    """Literals of any weights.

    Parameters
    ----------
    weighted : sequence of (literal, weight)
    pool, sink
        Where variables come from and clauses go.
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
        """Return the literal that says: the true ones weigh at most k."""
        if k >> len(self._digits):
            return []
        holds = int(self._pool.array("at_most"))
        clauses = []
        higher_ones: list[int] = []  # where k has a one the sum may save what it spends lower down
        for place in reversed(range(len(self._digits))):
            digit = self._digits[place]
            if k >> place & 1:
                if not digit:
                    break  # the sum is smaller already
                higher_ones.append(-digit)
            elif digit:
                clauses.append([-holds, -digit, *higher_ones])
        self._sink.add(as_block(clauses))
        return [holds]

    def _add(self, literals: list[int]) -> tuple[int, int]:
        """Return the two digits of the number of true literals, of which there are two or three."""
        total, carry = self._pool.array("digit", 2).tolist()
        clauses = []
        for values in product((False, True), repeat=len(literals)):
            unlike = [-literal if value else literal for literal, value in zip(literals, values, strict=True)]
            n_true = sum(values)
            clauses.append([*unlike, total if n_true % 2 else -total])
            clauses.append([*unlike, carry if n_true > 1 else -carry])
        self._sink.add(as_block(clauses))
        return int(total), int(carry)
