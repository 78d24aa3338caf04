"""Trees that scikit-learn grows, read as trees over the features of a problem.

They are what the paper measures minimum pure trees against, by three names: ``psk`` grows until the tree is pure,
``lsk`` stops at a number of nodes, ``ask`` looks at every number. A greedy tree is there in milliseconds and proves
nothing. Where two tests look equally good, chance decides, so a tree has a seed.

Pedregosa et al., *Scikit-learn: Machine Learning in Python*, JMLR 2011.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from ..errors import InputError
from ..problem import BinaryProblem
from ..steering import Steering
from ..tree import Tree

WISHES = ("max_depth", "max_nodes")  # scikit-learn counts examples at a leaf, not rows: no min_leaf
Order = Literal["path by path", "best first"]


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree as scikit-learn grew it, with a class at each node: its first nodes are a tree as well.

    Best first, scikit-learn numbers nodes in the order in which it splits. What it grows when it may have n nodes is
    therefore what its first n nodes are when it may have more: one tree holds the trees of all sizes.

    Parameters
    ----------
    feature, left, right, label : ndarray of int
        By scikit-learn's numbers of nodes; a leaf has no child (-1).
    classes : tuple
        Of the problem.
    """

    feature: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    label: NDArray[np.intp]
    classes: tuple[Any, ...]

    @classmethod
    def grow(
        cls,
        problem: BinaryProblem,
        examples: NDArray[np.intp] | slice = slice(None),
        *,
        seed: int = 0,
        max_depth: int | None = None,
        order: Order = "best first",
    ) -> GrownTree:
        """Let scikit-learn grow a tree of some examples until it is pure or too deep."""
        rows = problem.examples.unpack()[examples].astype(np.float32)
        model = DecisionTreeClassifier(
            max_depth=max_depth,
            max_leaf_nodes=max(2, len(rows)) if order == "best first" else None,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that classes are many is no news to whoever compares
            model.fit(rows, problem.labels[examples], sample_weight=problem.weights[examples])
        nodes = model.tree_
        label = model.classes_[nodes.value[:, 0, :].argmax(axis=1)]
        return cls(nodes.feature, nodes.children_left, nodes.children_right, label, problem.classes)

    @property
    def n_nodes(self) -> int:
        """All nodes, leaves included."""
        return len(self.left)

    def tree(self, n_nodes: int | None = None) -> Tree:
        """Return the tree of the first nodes, of all unless said; of an even number one is left out."""
        n_nodes = self.n_nodes if n_nodes is None else min(self.n_nodes, n_nodes - (n_nodes + 1) % 2)
        nested: list[Any] = [self.classes[code] for code in self.label[:n_nodes]]
        is_inner = (self.left[:n_nodes] >= 0) & (self.right[:n_nodes] < n_nodes)
        for node in np.flatnonzero(is_inner)[::-1].tolist():  # a child has a higher number than its parent
            nested[node] = (int(self.feature[node]), nested[self.left[node]], nested[self.right[node]])
        return Tree.from_nested(nested[0], self.classes)


def require_seeds(seed: int, n_seeds: int) -> None:
    """Refuse seeds that scikit-learn cannot take."""
    for name, value, least in (("seed", seed, 0), ("n_seeds", n_seeds, 1)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise InputError(f"{name}={value!r} is not a whole number of at least {least}")
    if seed + n_seeds > 2**32:
        raise InputError(f"seed={seed!r} is too large for scikit-learn; use less than 2**32 - n_seeds")


def most_nodes(steering: Steering, grown: GrownTree) -> int:
    """Return how many nodes of a tree may be used."""
    return grown.n_nodes if steering.max_nodes is None else min(grown.n_nodes, steering.max_nodes)
