"""Weighted partial MaxSAT formulas and objectives.

:class:`Wcnf` also evaluates models, so that no solver's result has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .clauses import Block, Sink

Model = NDArray[np.bool_]
"""The value of each variable, indexed by variable; element 0 is unused and false."""


def true_literals(model: Model) -> list[int]:
    """Return the literals that are true in a model.

    >>> true_literals(np.array([False, True, False]))
    [1, -2]
    """
    variables = np.arange(1, len(model))
    literals: list[int] = np.where(model[1:], variables, -variables).tolist()
    return literals


@dataclass(frozen=True, slots=True)
class Soft:
    """A soft clause: falsifying it costs its weight."""

    weight: int
    literals: tuple[int, ...]

    def is_falsified(self, model: Model) -> bool:
        """Return whether a model makes every literal false."""
        return not any(model[abs(literal)] == (literal > 0) for literal in self.literals)


@dataclass(slots=True)
class Wcnf:
    """Hard clauses in blocks, soft clauses one by one, and variable names; also a sink for hard clauses.

    Parameters
    ----------
    n_vars : int
        The variables are 1 to ``n_vars``.
    hard : list of Block
    soft : list of Soft
    names : mapping of int to str
        Names of some or all variables; may be empty.

    Examples
    --------
    >>> from puretree.formula import clause
    >>> formula = Wcnf(2)
    >>> formula.add(clause(1, 2))
    >>> formula.soft = [Soft(3, (-1,)), Soft(1, (-2,))]
    >>> formula.cost(np.array([False, False, True])), formula.falsified_clause(np.array([False, False, False]))
    (1, [1, 2])
    """

    n_vars: int = 0
    hard: list[Block] = field(default_factory=list)
    soft: list[Soft] = field(default_factory=list)
    names: Mapping[int, str] = field(default_factory=dict)

    def add(self, block: Block) -> None:
        """Add a block of hard clauses; its variables must not exceed ``n_vars``."""
        if len(block):  # a block without columns holds empty clauses: the formula is unsatisfiable
            self.hard.append(block)

    def write_hard(self, sink: Sink) -> None:
        """Add the hard clauses to a sink."""
        for block in self.hard:
            sink.add(block)

    @property
    def n_hard(self) -> int:
        """Number of hard clauses."""
        return sum(len(block) for block in self.hard)

    @property
    def total_weight(self) -> int:
        """Sum of the weights of all soft clauses."""
        return sum(soft.weight for soft in self.soft)

    def cost(self, model: Model) -> int:
        """Return the total weight of the soft clauses that a model falsifies."""
        return sum(soft.weight for soft in self.soft if soft.is_falsified(model))

    def falsified_clause(self, model: Model) -> list[int] | None:
        """Return a hard clause that a model falsifies, or None if it satisfies all of them."""
        truth = np.concatenate([~model[:0:-1], [False], model[1:]])  # indexed by literal, from -n_vars to n_vars
        for block in self.hard:
            is_falsified = ~truth[block + self.n_vars].any(axis=1)
            if is_falsified.any():
                first = block[int(np.argmax(is_falsified))]
                return [int(literal) for literal in first if literal]
        return None


@dataclass(frozen=True, slots=True)
class Objective:
    """The total weight of the falsified soft clauses, to be minimised.

    Several objectives are minimised lexicographically, the first one first.

    Parameters
    ----------
    chains : tuple of tuple of Soft
        The soft clauses. A chain consists of unit clauses of which falsifying one implies falsifying all before it; a
        clause that is independent of the others is a chain of length 1. Cardinality encodings over chains are much
        smaller: "at most k" of a single chain is one of its literals.
    """

    chains: tuple[tuple[Soft, ...], ...]

    @classmethod
    def of(cls, soft: Iterable[Soft]) -> Objective:
        """Return the objective of independent soft clauses; clauses of weight 0 are dropped."""
        chains = tuple((clause,) for clause in soft if clause.weight)
        if any(clause.weight < 0 for (clause,) in chains):
            raise InputError("a soft clause has a negative weight; make its negation soft, with a positive weight")
        return cls(chains)

    @property
    def soft(self) -> Iterator[Soft]:
        """All soft clauses."""
        return chain.from_iterable(self.chains)

    def cost(self, model: Model) -> int:
        """Return the total weight of the clauses that a model falsifies."""
        return sum(soft.weight for soft in self.soft if soft.is_falsified(model))


def combine(objectives: Sequence[Objective]) -> list[Soft]:
    """Return soft clauses whose cost orders models lexicographically by the objectives.

    The smallest improvement of one objective outweighs all objectives after it.

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
