"""A weighted partial MaxSAT formula in memory, and the check of a model that trusts nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .clauses import Block, Sink

Model = NDArray[np.bool_]
"""The value of each variable, by its number; place 0 is unused and false."""


@dataclass(frozen=True, slots=True)
class Soft:
    """A clause that may be broken, at a cost."""

    weight: int
    literals: tuple[int, ...]

    def is_broken(self, model: Model) -> bool:
        """Whether a model makes every literal false."""
        return not any(model[abs(literal)] == (literal > 0) for literal in self.literals)


@dataclass(slots=True)
class Wcnf:
    """Hard clauses in blocks, soft clauses one by one, and the names of variables; it is a sink for hard clauses.

    Parameters
    ----------
    n_vars : int
        Variables are 1 to this.
    hard : list of Block
    soft : list of Soft
    names : mapping of int to str
        May be empty, and may leave variables out.

    Examples
    --------
    >>> from puretree.formula import clause
    >>> formula = Wcnf(2)
    >>> formula.add(clause(1, 2))
    >>> formula.soft = [Soft(3, (-1,)), Soft(1, (-2,))]
    >>> formula.cost(np.array([False, False, True])), formula.broken(np.array([False, False, False]))
    (1, [1, 2])
    """

    n_vars: int = 0
    hard: list[Block] = field(default_factory=list)
    soft: list[Soft] = field(default_factory=list)
    names: Mapping[int, str] = field(default_factory=dict)

    def add(self, block: Block) -> None:
        """Take a block of hard clauses; its variables must be within ``n_vars``."""
        if len(block):  # a block without columns holds empty clauses, which nothing satisfies
            self.hard.append(block)

    def write_hard(self, sink: Sink) -> None:
        """Hand the hard clauses on."""
        for block in self.hard:
            sink.add(block)

    @property
    def n_hard(self) -> int:
        """Hard clauses."""
        return sum(len(block) for block in self.hard)

    @property
    def total_weight(self) -> int:
        """The cost of breaking every soft clause."""
        return sum(soft.weight for soft in self.soft)

    def cost(self, model: Model) -> int:
        """Return the weight of the soft clauses a model breaks."""
        return sum(soft.weight for soft in self.soft if soft.is_broken(model))

    def broken(self, model: Model) -> list[int] | None:
        """Return a hard clause that a model breaks, or None if it satisfies them all."""
        truth = np.concatenate([~model[:0:-1], [False], model[1:]])  # by literal, from -n_vars to n_vars
        for block in self.hard:
            false = ~truth[block + self.n_vars].any(axis=1)
            if false.any():
                first = block[int(np.argmax(false))]
                return [int(literal) for literal in first if literal]
        return None


# What is minimised: one or more sums of broken soft clauses, the first one first.


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
