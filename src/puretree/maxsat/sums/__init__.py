"""Ways to say "the broken soft clauses weigh at most k" in clauses, with a k that can go on falling.

Each is told once what may be broken, and then answers every k with a few literals to assume; what it needs said for
that, it says to a sink. Nothing is taken back, so one solver hears them all and forgets nothing it has learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...formula import Objective, Sink, VarPool, implies
from .adder import Adder
from .chain import Chain
from .generalised import GeneralisedTotaliser
from .totaliser import Totaliser

Weighted = Sequence[tuple[int, int]]


class Sum(Protocol):
    """A sum of weights of literals that can be bounded again and again."""

    def at_most(self, k: int) -> list[int]:
        """Return literals that together say: the true ones weigh at most k; k is below the ``most`` at the start."""


def make_sum(objective: Objective, pool: VarPool, sink: Sink, *, most: int) -> Sum:
    """Choose the way that fits an objective.

    Parameters
    ----------
    objective : Objective
    pool : VarPool
        Gives fresh variables.
    sink : Sink
        Takes the clauses, now and later.
    most : int
        The cost known to be possible: only less will be asked for.
    """
    if objective.is_chain:
        return Chain([-soft.literals[0] for soft in objective.soft])
    broken = _broken_literals(objective, pool, sink)
    if len({weight for _, weight in broken}) <= 1:
        return Totaliser(broken, pool, sink, most=most)
    if GeneralisedTotaliser.is_small(broken, most=most):
        return GeneralisedTotaliser(broken, pool, sink, most=most)
    return Adder(broken, pool, sink)


def _broken_literals(objective: Objective, pool: VarPool, sink: Sink) -> list[tuple[int, int]]:
    """Return a literal that is true if its soft clause is broken, and the weight, for each soft clause."""
    broken = []
    for soft in objective.soft:
        if len(soft.literals) == 1:
            literal = -soft.literals[0]
        else:
            literal = int(pool.array("broken"))
            sink.add(implies(-literal, *soft.literals))
        broken.append((literal, soft.weight))
    return broken
