"""What a person asks of the tree beyond being pure and small."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from ..errors import InfeasibleError, InputError
from ..tree import Tree
from .problem import BinaryProblem

Minimise = Literal["nodes", "nodes-then-cost", "cost"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Wishes that every engine keeps.

    Parameters
    ----------
    max_depth : int, optional
        The most tests on a path from the root to a leaf.
    root : collection of int, optional
        Features of the problem of which the root must test one.
    max_nodes : int, optional
        The most nodes, inner nodes and leaves.
    min_samples_leaf : int, default=1
        The fewest training rows at a leaf.
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
    max_nodes: int | None = None
    min_samples_leaf: int = 1

    def __post_init__(self) -> None:
        if self.minimise not in get_args(Minimise):
            raise InputError(f"minimise={self.minimise!r} is not known; use one of {', '.join(get_args(Minimise))}")
        for name, value in (
            ("max_depth", self.max_depth),
            ("max_nodes", self.max_nodes),
            ("min_samples_leaf", self.min_samples_leaf),
        ):
            if value is None and name != "min_samples_leaf":
                continue
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise InputError(f"{name}={value!r} is not a whole number of at least 1")

    def allows(self, tree: Tree, problem: BinaryProblem) -> bool:
        """Whether a tree over the problem's features keeps to the wishes."""
        if self.max_depth is not None and tree.depth > self.max_depth:
            return False
        if self.max_nodes is not None and tree.n_nodes > self.max_nodes:
            return False
        if self.min_samples_leaf > 1 and tree.n_nodes > 1:
            n_rows = np.bincount(tree.apply(problem.examples), problem.weights, tree.n_nodes)
            if n_rows[tree.left < 0].min() < self.min_samples_leaf:
                return False
        return self.root is None or tree.n_nodes == 1 or int(tree.feature[0]) in self.root

    def require_only(self, engine: str, *wishes: str) -> None:
        """Refuse every wish that an engine does not name as one that it keeps.

        >>> Constraints(max_depth=3).require_only("mindt", "max_depth", "root")
        """
        for field in fields(self):
            wish = getattr(self, field.name)
            if wish != field.default and field.name not in wishes:
                shown = "" if field.name == "root" else f"={wish!r}"
                raise InputError(f"engine={engine!r} cannot keep to {field.name}{shown}; use engine='auto'")

    def refuse(self) -> InfeasibleError:
        """Return the error for a problem with no pure tree that is allowed."""
        wishes = [
            (self.root, "with the root asked for"),
            (self.max_depth, f"with at most {self.max_depth} tests on every path"),
            (self.max_nodes, f"of at most {self.max_nodes} nodes"),
            (
                self.min_samples_leaf if self.min_samples_leaf > 1 else None,
                f"with at least {self.min_samples_leaf} rows at every leaf",
            ),
        ]
        wished = "".join(f" {words}" for wish, words in wishes if wish is not None)
        return InfeasibleError(f"there is no pure tree{wished}; relax a wish, or allow more features")

    def most_nodes(self, problem: BinaryProblem) -> int:
        """Return how many nodes a pure tree without useless tests can have at most."""
        deepest = problem.n_features if self.max_depth is None else min(self.max_depth, problem.n_features)
        leaves = (
            problem.n_examples if deepest >= problem.n_examples.bit_length() else min(2**deepest, problem.n_examples)
        )
        most = 2 * leaves - 1
        return most if self.max_nodes is None else min(most, self.max_nodes - (self.max_nodes + 1) % 2)
