"""What a person asks of the tree beyond being pure and small."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from .errors import InfeasibleError, InputError
from .problem import BinaryProblem
from .tree import Tree

Minimise = Literal["nodes", "nodes-then-cost", "cost"]


@dataclass(frozen=True, slots=True)
class Steering:
    """Wishes that every engine keeps.

    Parameters
    ----------
    max_depth : int, optional
        The most tests on a path from the root to a leaf.
    root : collection of int, optional
        Features of the problem of which the root must test one.
    minimise : {"nodes", "nodes-then-cost", "cost"}, default="nodes"
        What is made as small as possible: the number of nodes; of the trees with fewest nodes the cost of their
        tests; or the cost alone (and of the cheapest trees the one with fewest nodes).

    Notes
    -----
    Forbidden features and the costs of features are no wishes but part of the :class:`BinaryProblem`.
    """

    max_depth: int | None = None
    root: Collection[int] | None = None
    minimise: Minimise = "nodes"

    def __post_init__(self) -> None:
        if self.minimise not in get_args(Minimise):
            raise InputError(f"minimise={self.minimise!r} is not known; use one of {', '.join(get_args(Minimise))}")
        if self.max_depth is not None and (not isinstance(self.max_depth, int | np.integer) or self.max_depth < 1):
            raise InputError(f"max_depth={self.max_depth!r} is not a whole number of at least 1")

    def allows(self, tree: Tree) -> bool:
        """Whether a tree over the problem's features keeps to the depth and the root asked for."""
        if self.max_depth is not None and tree.depth > self.max_depth:
            return False
        return self.root is None or tree.n_nodes == 1 or int(tree.feature[0]) in self.root

    def refuse(self) -> InfeasibleError:
        """Return the error for a problem with no pure tree that is allowed."""
        depth = "" if self.max_depth is None else f" with at most {self.max_depth} tests on every path"
        root = "" if self.root is None else " with the root asked for"
        return InfeasibleError(f"there is no pure tree{root}{depth}; allow more depth, more features or another root")

    def most_nodes(self, problem: BinaryProblem) -> int:
        """Return how many nodes a pure tree without useless tests can have at most."""
        deepest = problem.n_features if self.max_depth is None else min(self.max_depth, problem.n_features)
        leaves = (
            problem.n_examples if deepest >= problem.n_examples.bit_length() else min(2**deepest, problem.n_examples)
        )
        return 2 * leaves - 1
