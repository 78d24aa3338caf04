"""What is minimised: one or more sums of broken soft clauses, the first one first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ..errors import InputError
from .wcnf import Model, Soft


@dataclass(frozen=True, slots=True)
class Objective:
    """A sum of weights of broken soft clauses.

    Parameters
    ----------
    chains : tuple of tuple of Soft
        The clauses whose weight counts where they are broken. In a chain each clause is one literal, and breaking one
        means breaking all before it; a clause that knows nothing of others is a chain of its own. Sums over chains
        are much smaller: "at most k" of a single chain is one of its literals.
    """

    chains: tuple[tuple[Soft, ...], ...]

    @classmethod
    def of(cls, soft: Iterable[Soft]) -> Objective:
        """Make an objective of clauses that know nothing of each other; those without weight do not count."""
        chains = tuple((each,) for each in soft if each.weight)
        if any(each.weight < 0 for (each,) in chains):
            raise InputError("a soft clause has a negative weight; make its negation soft, with a positive weight")
        return cls(chains)

    @property
    def soft(self) -> Iterator[Soft]:
        """All clauses."""
        return chain.from_iterable(self.chains)

    def cost(self, model: Model) -> int:
        """Return the weight of the clauses a model breaks."""
        return sum(soft.weight for soft in self.soft if soft.is_broken(model))


def combine(objectives: Sequence[Objective]) -> list[Soft]:
    """Weigh objectives so that the smallest gain in one outweighs everything in those after it.

    >>> first, second = Objective.of([Soft(1, (-1,))]), Objective.of([Soft(2, (-2,)), Soft(3, (-3,))])
    >>> [soft.weight for soft in combine([first, second])]
    [6, 2, 3]
    """
    combined: list[Soft] = []
    unit = 1
    for objective in reversed(objectives):
        weighted = [Soft(soft.weight * unit, soft.literals) for soft in objective.soft]
        unit += sum(soft.weight for soft in weighted)
        combined = weighted + combined
    return combined
