"""Constraints on the tree beyond purity, and the objective."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from .._support.text import quantity
from ..errors import InfeasibleError, InputError
from ..tree import Tree
from .problem import BinaryProblem

Minimise = Literal["nodes", "nodes-then-cost", "cost"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints that every engine satisfies, and what it minimises.

    Parameters
    ----------
    max_depth : int, optional
        The maximum number of tests on a path from the root to a leaf.
    root : collection of int, optional
        The features that the root may test.
    minimise : {"nodes", "nodes-then-cost", "cost"}, default="nodes"
        The objective: the number of nodes; the number of nodes, then the cost of the tests; or the cost, then the
        number of nodes.
    max_nodes : int, optional
        The maximum number of nodes, inner nodes and leaves.
    min_samples_leaf : int, default=1
        The minimum number of training rows in a leaf.

    Notes
    -----
    Forbidden features and feature costs are part of the :class:`BinaryProblem`.
    """

    max_depth: int | None = None
    root: Collection[int] | None = None
    minimise: Minimise = "nodes"
    max_nodes: int | None = None
    min_samples_leaf: int = 1

    def __post_init__(self) -> None:
        if self.minimise not in get_args(Minimise):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(Minimise))}", parameter="minimise", value=self.minimise
            )
        for name in ("max_depth", "max_nodes", "min_samples_leaf"):
            value = getattr(self, name)
            if value is not None or name == "min_samples_leaf":
                require_positive_integer(name, value)
                object.__setattr__(self, name, int(value))  # of a NumPy integer, as a grid search passes

    def allows(self, tree: Tree, problem: BinaryProblem) -> bool:
        """Whether a tree over the problem's features satisfies the constraints."""
        if self.max_depth is not None and tree.depth > self.max_depth:
            return False
        if self.max_nodes is not None and tree.n_nodes > self.max_nodes:
            return False
        if self.min_samples_leaf > 1 and tree.n_nodes > 1:
            n_rows = np.bincount(problem.apply(tree), problem.weights, tree.n_nodes)
            if n_rows[tree.left < 0].min() < self.min_samples_leaf:
                return False
        return self.root is None or tree.n_nodes == 1 or int(tree.feature[0]) in self.root

    def require_only(self, engine: str, *supported: str) -> None:
        """Raise an error for every constraint that an engine does not support.

        >>> Constraints(max_depth=3).require_only("mindt", "max_depth", "root")
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default and field.name not in supported:
                raise InputError(
                    f"does not support {self._describe(field.name)}",
                    parameter="engine",
                    value=engine,
                    use={"engine": "auto"},
                )

    def _describe(self, name: str) -> str:
        """Return a constraint under the name that users know."""
        if name == "root":
            return "root"
        if name == "max_nodes" and self.max_nodes is not None:
            return f"max_leaf_nodes={leaves_of(self.max_nodes)}"
        return f"{name}={getattr(self, name)!r}"

    def infeasible(self, least_depth: int | None = None) -> InfeasibleError:
        """Return the error for a problem without a pure tree that satisfies the constraints.

        Parameters
        ----------
        least_depth : int, optional
            A proved lower bound on the depth of the pure trees that satisfy the other constraints.
        """
        leaves = quantity(leaves_of(self.max_nodes or 1), "leaf", "leaves")
        parts = [
            (self.root, "with the required root column"),
            (self.max_depth, f"with at most {quantity(self.max_depth or 1, 'test')} on every path"),
            (self.max_nodes, f"with at most {leaves} ({quantity(self.max_nodes or 1, 'node')})"),
            (
                self.min_samples_leaf if self.min_samples_leaf > 1 else None,
                f"with at least {self.min_samples_leaf} rows in every leaf",
            ),
        ]
        described = [text for value, text in parts if value is not None]
        message = f"there is no pure tree {', '.join(described)}".rstrip()
        if least_depth is None:
            return InfeasibleError(f"{message}; relax a constraint or allow more columns")
        others = " that satisfies the other constraints" if len(described) > 1 else ""
        return InfeasibleError(
            f"{message}: a pure tree{others} has a depth of at least {least_depth}; allow a greater depth, or use "
            f"DtMaxClassifier(depth={self.max_depth}), which fits the tree of this depth with the fewest errors"
        )

    def most_nodes(self, problem: BinaryProblem) -> int:
        """Return the maximum number of nodes of a pure tree without useless tests."""
        deepest = problem.n_features if self.max_depth is None else min(self.max_depth, problem.n_features)
        leaves = (
            problem.n_examples if deepest >= problem.n_examples.bit_length() else min(2**deepest, problem.n_examples)
        )
        most = 2 * leaves - 1
        return most if self.max_nodes is None else min(most, self.max_nodes - (self.max_nodes + 1) % 2)


def leaves_of(n_nodes: int) -> int:
    """Return the maximum number of leaves of a binary tree with at most ``n_nodes`` nodes."""
    return (n_nodes + 1) // 2


def nodes_of(max_leaf_nodes: int | None) -> int | None:
    """Return the number of nodes of a binary tree with that many leaves; None for None."""
    if max_leaf_nodes is None:
        return None
    require_positive_integer("max_leaf_nodes", max_leaf_nodes)
    return 2 * int(max_leaf_nodes) - 1


def require_positive_integer(name: str, value: object) -> None:
    """Raise an error unless a parameter is an integer of at least 1."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InputError("is not an integer of at least 1", parameter=name, value=value)
