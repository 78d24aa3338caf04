"""Ways to say "the broken soft clauses weigh at most k" in clauses, with a k that can go on falling.

Each is told once what may be broken, and then answers every k with a few literals to assume; what it needs said for
that, it says to a sink. Nothing is taken back, so one solver hears them all and forgets nothing it has learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from .. import Objective, Sink, Soft, VarPool, implies
from .adder import Adder
from .generalised import Chain, GeneralisedTotaliser
from .totaliser import Totaliser


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
    chains = [_reached(chain, pool, sink) for chain in objective.chains if chain]
    if len(chains) == 1:
        return Chain(chains[0])
    literals = [literal for chain in chains for literal in chain.values()]
    weights = [soft.weight for soft in objective.soft]
    if len(set(weights)) <= 1:
        weight = max(weights, default=1)
        if Totaliser.is_small(len(literals), most=most, weight=weight):
            return Totaliser(literals, pool, sink, most=most, weight=weight)
    elif GeneralisedTotaliser.is_small(chains, most=most):
        return GeneralisedTotaliser(chains, pool, sink, most=most)
    return Adder(list(zip(literals, weights, strict=True)), pool, sink)


def _reached(chain: Sequence[Soft], pool: VarPool, sink: Sink) -> dict[int, int]:
    """Return the sums that a chain of soft clauses can reach, each with a literal that is true if it does."""
    literals = [_broken_literal(soft, pool, sink) for soft in chain]
    return dict(zip(accumulate(soft.weight for soft in chain), literals, strict=True))


def _broken_literal(soft: Soft, pool: VarPool, sink: Sink) -> int:
    """Return a literal that is true if a soft clause is broken."""
    if len(soft.literals) == 1:
        return -soft.literals[0]
    literal = int(pool.array("broken"))
    sink.add(implies(-literal, *soft.literals))
    return literal
