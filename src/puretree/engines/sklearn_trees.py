"""Greedy trees of scikit-learn as engines: the three baselines of the paper's accuracy table.

``psk`` (pure scikit-learn) grows until the tree is pure, ``lsk`` (limited) stops at a number of nodes, and ``ask``
(all) tries every number of nodes. A greedy tree takes milliseconds and proves nothing. scikit-learn breaks ties between
equal splits at random, so each tree has a seed.

Pedregosa et al., *Scikit-learn: Machine Learning in Python*, JMLR 2011.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from ..bounds.upper import Heuristic
from ..errors import InputError
from ..outcome import Status
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from .base import Guarantees, solve
from .incumbent import Incumbent
from .search import Search

SUPPORTED_CONSTRAINTS = ("max_depth", "max_nodes")  # min_samples_leaf counts rows, scikit-learn would count examples
SEARCH_FRACTION = 0.5  # of the remaining time, for the search that determines the size of lsk
N_FOLDS = 5
MIN_NODES = 3

Order = Literal["depth-first", "best-first"]


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree grown by scikit-learn, with a class at each node, so that its first nodes form a tree as well.

    In best-first order scikit-learn numbers nodes in the order in which it splits them. The tree it grows with at most
    n nodes therefore consists of the first n nodes of the tree it grows with more: one tree holds the trees of all
    sizes.

    Parameters
    ----------
    feature, left, right, label : ndarray of int
        Indexed by scikit-learn's node numbers; a leaf has no child (-1).
    classes : tuple
        Classes of the problem.
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
        order: Order = "best-first",
    ) -> GrownTree:
        """Grow a tree on some examples with scikit-learn until it is pure or reaches the maximum depth."""
        rows = problem.examples.unpack()[examples].astype(np.float32)
        model = DecisionTreeClassifier(
            max_depth=max_depth,
            max_leaf_nodes=max(2, len(rows)) if order == "best-first" else None,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning about many classes would not help here
            model.fit(rows, problem.labels[examples], sample_weight=problem.weights[examples])
        nodes = model.tree_
        label = model.classes_[nodes.value[:, 0, :].argmax(axis=1)]
        return cls(nodes.feature, nodes.children_left, nodes.children_right, label, problem.classes)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.left)

    def tree(self, n_nodes: int | None = None) -> Tree:
        """Return the tree of the first `n_nodes` nodes, one fewer if that is even; by default of all nodes."""
        n_nodes = self.n_nodes if n_nodes is None else min(self.n_nodes, n_nodes - (n_nodes + 1) % 2)
        nested: list[Any] = [self.classes[code] for code in self.label[:n_nodes]]
        is_inner = (self.left[:n_nodes] >= 0) & (self.right[:n_nodes] < n_nodes)
        for node in np.flatnonzero(is_inner)[::-1].tolist():  # a child has a higher number than its parent
            nested[node] = (int(self.feature[node]), nested[self.left[node]], nested[self.right[node]])
        return Tree.from_nested(nested[0], self.classes)


def trees_of_every_size(
    problem: BinaryProblem, *, n_seeds: int = 1, seed: int = 0, constraints: Constraints | None = None
) -> Iterator[Tree]:
    """Yield scikit-learn's trees of every size from 3 nodes to a pure tree's, for each seed.

    Parameters
    ----------
    problem : BinaryProblem
    n_seeds, seed : int
        As for :class:`Ask`.
    constraints : Constraints, optional
        May limit the depth and the number of nodes.
    """
    constraints = constraints or Constraints()
    for tree_seed in range(seed, seed + n_seeds):
        grown = GrownTree.grow(problem, seed=tree_seed, max_depth=constraints.max_depth)
        for n_nodes in range(MIN_NODES, _node_limit(constraints, grown) + 1, 2):
            yield grown.tree(n_nodes)


@dataclass(frozen=True, slots=True)
class Psk:
    """The smallest of some pure trees of scikit-learn.

    This is the first baseline of the paper's accuracy table, where its trees have up to two and a half times as many
    nodes as minimum trees. It guarantees a pure tree, but nothing about its size. If the depth or the number of nodes
    is limited, it may find no tree.

    Parameters
    ----------
    n_seeds : int, default=1
        Number of trees to grow. The paper grows as many as it has minimum trees.
    seed : int, default=0
        Seed of the first tree; the next trees have consecutive seeds.
    """

    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "psk"
    source: ClassVar[str] = "scikit-learn"
    guarantees: ClassVar[Guarantees] = Guarantees(proves=False)
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        _require_seeds(self.seed, self.n_seeds)

    def search(self, incumbent: Incumbent) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *SUPPORTED_CONSTRAINTS)
        for seed in range(self.seed, self.seed + self.n_seeds):
            if incumbent.tree is not None and incumbent.clock.is_over:
                return "time_limit"
            tree = GrownTree.grow(
                incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth, order="depth-first"
            ).tree()
            if incumbent.problem.is_pure(tree) and incumbent.constraints.allows(tree, incumbent.problem):
                incumbent.offer(tree)
        return "unproved"


@dataclass(frozen=True, slots=True)
class Lsk:
    """The most accurate of some trees that scikit-learn grows to a number of nodes.

    This is the second baseline of the paper's accuracy table: scikit-learn's tree of the size of a minimum pure tree,
    grown best-first. It guarantees that size, but nothing about the training errors.

    Parameters
    ----------
    n_nodes : int, optional
        Maximum number of nodes. By default the size of the smallest pure tree that the exact search finds in half of
        the time (without a time limit: the minimum), as the paper uses the size that its own system reports.
    n_seeds : int, default=1
        Number of trees to grow.
    seed : int, default=0
        Seed of the first tree; the next trees have consecutive seeds.
    """

    n_nodes: int | None = None
    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "lsk"
    source: ClassVar[str] = "scikit-learn"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        _require_seeds(self.seed, self.n_seeds)
        is_integer = isinstance(self.n_nodes, int | np.integer) and not isinstance(self.n_nodes, bool)
        if self.n_nodes is not None and (not is_integer or self.n_nodes < 1):
            raise InputError("is not an integer of at least 1", parameter="n_nodes", value=self.n_nodes)

    @property
    def guarantees(self) -> Guarantees:
        """Few training errors with at most `n_nodes` nodes."""
        return Guarantees(aim="errors", proves=False, max_nodes=self.n_nodes)

    def search(self, incumbent: Incumbent) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *SUPPORTED_CONSTRAINTS)
        n_nodes = _size_of_pure_tree(incumbent) if self.n_nodes is None else self.n_nodes
        for seed in range(self.seed, self.seed + self.n_seeds):
            if incumbent.tree is not None and incumbent.clock.is_over:
                return "time_limit"
            grown = GrownTree.grow(incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth)
            incumbent.offer(grown.tree(min(n_nodes, _node_limit(incumbent.constraints, grown))))
        return "unproved"


def _size_of_pure_tree(incumbent: Incumbent) -> int:
    """Return the size of the smallest pure tree that the exact search finds in its fraction of the time."""
    clock = incumbent.clock.part(SEARCH_FRACTION)
    outcome = solve(incumbent.problem, Search(), clock=clock)
    if clock.is_stopped:
        raise KeyboardInterrupt
    assert outcome.n_nodes is not None  # it starts from a greedy tree
    return outcome.n_nodes


@dataclass(frozen=True, slots=True)
class Ask:
    """The tree of scikit-learn whose size has fewest errors in cross-validation.

    This is the third baseline of the paper's accuracy table: trees of all sizes from 3 nodes to a pure tree's, one of
    which the paper chooses on a selection set. An engine has no such set, so the size is chosen by cross-validation;
    :func:`trees_of_every_size` yields all the trees for a choice on a selection set. It guarantees nothing, but a tree
    with training errors can generalise better.

    Parameters
    ----------
    n_seeds : int, default=1
        Number of trees to grow of each size; of those of the chosen size the one with fewest errors is returned.
    seed : int, default=0
        Seed of the first tree; the next trees have consecutive seeds.
    """

    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "ask"
    source: ClassVar[str] = "scikit-learn"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="errors", proves=False)
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        _require_seeds(self.seed, self.n_seeds)

    def search(self, incumbent: Incumbent) -> Status:
        """Choose a size, then grow trees of it; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *SUPPORTED_CONSTRAINTS)
        seeds = range(self.seed, self.seed + self.n_seeds)
        for tree in _trees_of_size(_best_size(incumbent, seeds), incumbent, seeds):
            incumbent.offer(tree)
        return "time_limit" if incumbent.clock.is_over else "unproved"


def _trees_of_size(n_nodes: int | None, incumbent: Incumbent, seeds: range) -> Iterator[Tree]:
    """Yield a tree of at most `n_nodes` nodes for each seed until the time limit, and at least one."""
    for seed in seeds:
        if incumbent.tree is not None and incumbent.clock.is_over:
            return
        grown = GrownTree.grow(incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth)
        limit = _node_limit(incumbent.constraints, grown)
        yield grown.tree(limit if n_nodes is None else min(n_nodes, limit))


def _best_size(incumbent: Incumbent, seeds: range) -> int | None:
    """Return the smallest size with fewest cross-validation errors; None if there is no time to compare sizes."""
    errors: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for seed, fold in ((s, fold) for s in seeds for fold in _folds(incumbent.problem, s)):
        if incumbent.clock.is_over:
            break
        errors = _add_errors(errors, _errors_by_size(incumbent.problem, incumbent.constraints, fold, seed))
    return MIN_NODES + 2 * int(errors.argmin()) if len(errors) else None


def _folds(problem: BinaryProblem, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield training and validation examples, stratified if every class has at least two examples."""
    fewest = int(np.unique(problem.labels, return_counts=True)[1].min())
    if fewest >= 2:
        splitter = StratifiedKFold(min(N_FOLDS, fewest), shuffle=True, random_state=seed)
    else:
        splitter = KFold(min(N_FOLDS, problem.n_examples), shuffle=True, random_state=seed)
    yield from splitter.split(problem.labels, problem.labels)


def _errors_by_size(
    problem: BinaryProblem, constraints: Constraints, fold: tuple[NDArray[np.intp], NDArray[np.intp]], seed: int
) -> NDArray[np.int64]:
    """Return the number of validation rows that the trees of 3, 5, 7 … nodes misclassify."""
    training, validation = fold
    grown = GrownTree.grow(problem, training, seed=seed, max_depth=constraints.max_depth)
    examples, labels = problem.examples.take(validation), problem.labels[validation]
    sizes = range(MIN_NODES, max(MIN_NODES, _node_limit(constraints, grown)) + 1, 2)
    is_error = [grown.tree(n_nodes).predict_codes(examples) != labels for n_nodes in sizes]
    return np.array(is_error) @ problem.weights[validation]


def _add_errors(total: NDArray[np.int64], fold: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add the errors of a fold; a tree that stopped growing has the same errors at all larger sizes."""
    if not len(total):
        return fold
    n_sizes = max(len(total), len(fold))
    first, second = (np.pad(errors, (0, n_sizes - len(errors)), mode="edge") for errors in (total, fold))
    return first + second


def _node_limit(constraints: Constraints, grown: GrownTree) -> int:
    """Return the number of nodes of a grown tree that may be used."""
    return grown.n_nodes if constraints.max_nodes is None else min(grown.n_nodes, constraints.max_nodes)


def _require_seeds(seed: int, n_seeds: int) -> None:
    """Raise InputError for seeds that scikit-learn does not accept."""
    for name, value, minimum in (("seed", seed, 0), ("n_seeds", n_seeds, 1)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < minimum:
            raise InputError(f"{name}={value!r} is not an integer of at least {minimum}")
    if seed + n_seeds > 2**32:
        raise InputError("is too large for scikit-learn; use less than 2**32 - n_seeds", parameter="seed", value=seed)
