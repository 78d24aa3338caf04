"""Cardinality and pseudo-Boolean encodings of "the falsified soft clauses weigh at most k" for a decreasing k.

Each encoding is built once for its literals. For every k it then returns a few literals to assume and adds the clauses
it needs to a sink. No clause is ever removed, so one incremental solver serves all bounds and keeps what it has learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from .. import Objective, Sink, Soft, VarPool, implies
from .adder import Adder
from .generalised import GeneralisedTotaliser, UnaryCounter
from .totaliser import Totaliser


class Sum(Protocol):
    """A sum of weighted literals with an upper bound that can change."""

    def at_most(self, k: int) -> list[int]:
        """Return assumptions that state "the sum is at most k", for any k below the initial upper bound."""


def make_sum(objective: Objective, pool: VarPool, sink: Sink, *, upper: int) -> Sum:
    """Return the encoding that suits an objective.

    Parameters
    ----------
    objective : Objective
    pool : VarPool
        Provides fresh variables.
    sink : Sink
        Receives the clauses, now and later.
    upper : int
        A cost known to be achievable: only smaller bounds will be needed.
    """
    chains = [_partial_sums(chain, pool, sink) for chain in objective.chains if chain]
    if len(chains) == 1:
        return UnaryCounter(chains[0])
    literals = [literal for chain in chains for literal in chain.values()]
    weights = [soft.weight for soft in objective.soft]
    if len(set(weights)) <= 1:
        weight = max(weights, default=1)
        if Totaliser.is_small(len(literals), upper=upper, weight=weight):
            return Totaliser(literals, pool, sink, upper=upper, weight=weight)
    elif GeneralisedTotaliser.is_small(chains, upper=upper):
        return GeneralisedTotaliser(chains, pool, sink, upper=upper)
    return Adder(list(zip(literals, weights, strict=True)), pool, sink)


def _partial_sums(chain: Sequence[Soft], pool: VarPool, sink: Sink) -> dict[int, int]:
    """Return the partial sums of a chain of soft clauses, each with a literal that is true if the sum reaches it."""
    literals = [_falsified_literal(soft, pool, sink) for soft in chain]
    return dict(zip(accumulate(soft.weight for soft in chain), literals, strict=True))


def _falsified_literal(soft: Soft, pool: VarPool, sink: Sink) -> int:
    """Return a literal that is true if a soft clause is falsified."""
    if len(soft.literals) == 1:
        return -soft.literals[0]
    literal = int(pool.array("falsified"))
    sink.add(implies(-literal, *soft.literals))
    return literal
