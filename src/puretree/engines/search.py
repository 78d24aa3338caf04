"""The exact search: minimum pure trees by dynamic programming with bounds, in C++.

It solves a small sample of the examples exactly, runs the sample's tree on everything, takes in what the tree gets
wrong, and repeats until nothing is: then the sample's bound is met by a tree of all examples. What makes it fast is
told where it is done, in ``native/search``: begin with ``refinement.hpp`` and ``solver.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes, require_memory_limit
from ..bounds.upper import Heuristic
from ..errors import CannotSearchError
from ..outcome import Status
from ..problem import BinaryProblem, Constraints, Minimise
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent

LARGEST_VALUE = 2**60  # the search adds up values as machine words


@dataclass(frozen=True, slots=True)
class Search:
    """Minimum pure trees by exact search.

    Parameters
    ----------
    memory_limit : float, optional
        Bytes that the process may take, half of the machine's by default. What the search remembers is forgotten, the
        cheapest first, before it takes more: that costs time, and nothing else.
    """

    memory_limit: float | None = None
    name: ClassVar[str] = "search"
    source: ClassVar[str] = "puretree"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)  # the search finds better trees sooner than iti

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)

    def search(self, incumbent: Incumbent) -> Status:
        """Raise the bound until it meets a tree; see :class:`Engine`."""
        return run(open_search(incumbent.problem, incumbent.constraints, self.memory_limit), incumbent, incumbent.clock)


@dataclass(frozen=True, slots=True)
class Scale:
    """What is minimised as one number: the sum of a weight for each test.

    Two aims become one by weighing the first so much that the second never makes up for it.

    Parameters
    ----------
    minimise : {"nodes", "nodes-then-cost", "cost"}
    weights : ndarray of int64
        Of a test of each feature; empty if each is 1.
    unit : int
        What one inner node weighs (or one unit of cost, if cost comes first).
    """

    minimise: Minimise
    weights: NDArray[np.int64]
    unit: int

    @classmethod
    def of(cls, problem: BinaryProblem, minimise: Minimise) -> Scale:
        """Make the scale of a problem."""
        if minimise == "nodes":
            return cls(minimise, np.empty(0, dtype=np.int64), 1)
        dearest = int(problem.costs.max(initial=0))
        unit = dearest * problem.n_examples + 1 if minimise == "nodes-then-cost" else problem.n_examples + 1
        heaviest = unit + dearest if minimise == "nodes-then-cost" else unit * dearest + 1
        if heaviest * problem.n_examples > LARGEST_VALUE:
            raise CannotSearchError(
                f"costs up to {dearest} for {problem.n_examples} examples are too large for engine='search'; use "
                "smaller costs (only their ratios matter) or engine='maxsat'"
            )
        weights = unit + problem.costs if minimise == "nodes-then-cost" else unit * problem.costs + 1
        return cls(minimise, weights, unit)

    def value(self, tree: Tree) -> int:
        """Return the value of a tree over the problem's features."""
        tests = tree.feature[tree.left >= 0]
        return int(self.weights[tests].sum()) if len(self.weights) else len(tests)

    def value_of_tests(self, n_tests: int) -> int:
        """Return the least value of trees with so many tests; nodes must come first."""
        return n_tests * self.unit

    def first_aim(self, value: int) -> int:
        """Return what comes first, nodes or cost, of trees with at least this value."""
        return value // self.unit if self.minimise == "cost" else 2 * (value // self.unit) + 1


def open_search(problem: BinaryProblem, constraints: Constraints, memory_limit: float | None) -> _native.Search:
    """Hand a problem to the native search, which keeps what it learns."""
    if constraints.minimise == "cost" and constraints.max_nodes is not None:
        raise CannotSearchError(
            "engine='search' cannot keep to max_nodes where cost alone is minimised; use engine='maxsat'"
        )
    is_root = np.empty(0, dtype=np.uint8)
    if constraints.root is not None:
        is_root = np.isin(np.arange(problem.n_features), list(constraints.root)).astype(np.uint8)
    # A tree without useless tests is no deeper than it has features, or leaves less one: then the depth is no limit.
    deepest = min(problem.n_features, problem.n_examples - 1)
    max_depth = (
        None if constraints.max_depth is None or constraints.max_depth >= deepest else int(constraints.max_depth)
    )
    return _native.Search(
        problem.examples.words,
        problem.n_features,
        problem.labels,
        len(problem.classes),
        problem.weights,
        Scale.of(problem, constraints.minimise).weights,
        is_root,
        max_depth,
        min(int(constraints.min_samples_leaf), LARGEST_VALUE),
        int(free_bytes(memory_limit)),
    )


def run(search: _native.Search, incumbent: Incumbent, clock: Clock) -> Status:
    """Let a search go on from what a incumbent holds until it is done or a clock is over."""
    scale = Scale.of(incumbent.problem, incumbent.constraints.minimise)

    def hear_lower(value: int) -> None:
        incumbent.raise_lower(scale.first_aim(value))

    def hear_tree(feature: NDArray[np.int32], left: NDArray[np.int32], label: NDArray[np.int32]) -> None:
        tree = Tree(feature, left, label, incumbent.problem.classes)
        if incumbent.constraints.allows(tree, incumbent.problem):
            incumbent.offer(tree)

    is_done = search.run(_enough(incumbent, scale), hear_lower, hear_tree, clock.left)
    if is_done is None:
        return "time_limit"
    if not is_done or incumbent.tree is None:
        raise incumbent.constraints.refuse()
    incumbent.prove()
    return "optimal"


def _enough(incumbent: Incumbent, scale: Scale) -> int:
    """Return the value beyond which nothing is looked for: that of the best tree, or of trees that are too large."""
    if incumbent.tree is not None:
        return scale.value(incumbent.tree)
    if incumbent.constraints.max_nodes is not None:
        return scale.value_of_tests((incumbent.constraints.max_nodes - 1) // 2 + 1)
    return LARGEST_VALUE
