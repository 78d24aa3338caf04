"""A weighted partial MaxSAT formula in memory, and the check of a model that trusts nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
