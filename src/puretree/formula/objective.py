"""What is minimised: one or more sums of broken soft clauses, the first one first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .wcnf import Model, Soft


@dataclass(frozen=True, slots=True)
class Objective:
    """A sum of weights.

    Parameters
    ----------
    soft : tuple of Soft
        The clauses whose weight counts where they are broken.
    is_chain : bool, default=False
        All weights are 1, each clause is one literal, and breaking one means breaking all before it. Then "at most
        s broken" is a single literal, and no adder is needed.
    """

    soft: tuple[Soft, ...]
    is_chain: bool = False

    def cost(self, model: Model) -> int:
        """Return the weight of the clauses a model breaks."""
        return sum(soft.weight for soft in self.soft if soft.is_broken(model))


def combine(objectives: Sequence[Objective]) -> list[Soft]:
    """Weigh objectives so that the smallest gain in one outweighs everything in those after it.

    >>> [soft.weight for soft in combine([Objective((Soft(1, (-1,)),)), Objective((Soft(2, (-2,)), Soft(3, (-3,))))])]
    [6, 2, 3]
    """
    combined: list[Soft] = []
    unit = 1
    for objective in reversed(objectives):
        weighted = [Soft(soft.weight * unit, soft.literals) for soft in objective.soft]
        unit += sum(soft.weight for soft in weighted)
        combined = weighted + combined
    return combined
