"""Trees that scikit-learn grows, read as trees over the features of a problem.

They are what the paper measures minimum pure trees against, by three names: ``psk`` grows until the tree is pure,
``lsk`` stops at a number of nodes, ``ask`` looks at every number. A greedy tree is there in milliseconds and proves
nothing. Where two tests look equally good, chance decides, so a tree has a seed.

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

WISHES = ("max_depth", "max_nodes")  # scikit-learn counts examples at a leaf, not rows: no min_samples_leaf
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


def most_nodes(constraints: Constraints, grown: GrownTree) -> int:
    """Return how many nodes of a tree may be used."""
    return grown.n_nodes if constraints.max_nodes is None else min(grown.n_nodes, constraints.max_nodes)


# psk, pure scikit-learn: greedy growth until every example is right.
#
# The first baseline of the paper's accuracy table, where its trees have up to two and a half times as many nodes as
# minimum ones. Guarantees a pure tree and nothing of its size; with a limit to the depth or the nodes there may be none.


@dataclass(frozen=True, slots=True)
class Psk:
    """The smallest of some pure trees of scikit-learn.

    Parameters
    ----------
    n_seeds : int, default=1
        How many trees are grown. The paper grows as many as it has minimum trees.
    seed : int, default=0
        Of the first; the others have the next ones.
    """

    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "psk"
    source: ClassVar[str] = "scikit-learn"
    guarantees: ClassVar[Guarantees] = Guarantees(proves=False)
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)

    def search(self, incumbent: Incumbent) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *WISHES)
        for seed in range(self.seed, self.seed + self.n_seeds):
            if incumbent.tree is not None and incumbent.clock.is_over:
                return "time_limit"
            tree = GrownTree.grow(
                incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth, order="path by path"
            ).tree()
            if incumbent.problem.is_pure(tree) and incumbent.constraints.allows(tree, incumbent.problem):
                incumbent.offer(tree)
        return "unproved"


# lsk, limited scikit-learn: greedy growth, best split first, until the tree has as many nodes as it may.
#
# The second baseline of the paper's accuracy table: what scikit-learn makes of the size that a minimum pure tree has.
# Guarantees that size and nothing of the rows that are wrong.

SEARCH_SHARE = 0.5  # of the time left, where the size is to be found first


@dataclass(frozen=True, slots=True)
class Lsk:
    """The most accurate of some trees that scikit-learn grows to a number of nodes.

    Parameters
    ----------
    n_nodes : int, optional
        The most nodes. By default those of the smallest pure tree that the exact search finds in half of the time
        (without a time limit: of the minimum), as the paper takes the size that its own system reports.
    n_seeds : int, default=1
        How many trees are grown.
    seed : int, default=0
        Of the first; the others have the next ones.
    """

    n_nodes: int | None = None
    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "lsk"
    source: ClassVar[str] = "scikit-learn"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)
        is_number = isinstance(self.n_nodes, int | np.integer) and not isinstance(self.n_nodes, bool)
        if self.n_nodes is not None and (not is_number or self.n_nodes < 1):
            raise InputError(f"n_nodes={self.n_nodes!r} is not a whole number of at least 1")

    @property
    def guarantees(self) -> Guarantees:
        """Few errors, in so many nodes."""
        return Guarantees(aim="errors", proves=False, max_nodes=self.n_nodes)

    def search(self, incumbent: Incumbent) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *WISHES)
        n_nodes = _size_to_match(incumbent) if self.n_nodes is None else self.n_nodes
        for seed in range(self.seed, self.seed + self.n_seeds):
            if incumbent.tree is not None and incumbent.clock.is_over:
                return "time_limit"
            grown = GrownTree.grow(incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth)
            incumbent.offer(grown.tree(min(n_nodes, most_nodes(incumbent.constraints, grown))))
        return "unproved"


def _size_to_match(incumbent: Incumbent) -> int:
    """Return the nodes of the smallest pure tree that the exact search finds in its share of the time."""
    outcome = solve(incumbent.problem, Search(), clock=incumbent.clock.part(SEARCH_SHARE))
    if outcome.status == "interrupted":
        raise KeyboardInterrupt
    assert outcome.n_nodes is not None  # it begins with a greedy tree
    return outcome.n_nodes


# ask, all of scikit-learn: greedy trees of every size, and the size that does best on examples left out.
#
# The third baseline of the paper's accuracy table: the sizes from 3 nodes to a pure tree's, one of them chosen on a
# selection set. An engine has no such set, so the size is chosen by cross-validation; whoever has one finds all the
# trees in :func:`every_size`. Guarantees nothing, but a tree that may be wrong on training rows can be right on others.

N_FOLDS = 5
FEWEST_NODES = 3


@dataclass(frozen=True, slots=True)
class Ask:
    """The tree of scikit-learn whose size does best in cross-validation.

    Parameters
    ----------
    n_seeds : int, default=1
        How many trees are grown of each size; of those of the chosen size the one with fewest errors is taken.
    seed : int, default=0
        Of the first; the others have the next ones.
    """

    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "ask"
    source: ClassVar[str] = "scikit-learn"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="errors", proves=False)
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)

    def search(self, incumbent: Incumbent) -> Status:
        """Choose a size, then grow trees of it; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, *WISHES)
        seeds = range(self.seed, self.seed + self.n_seeds)
        for tree in _of_size(_best_size(incumbent, seeds), incumbent, seeds):
            incumbent.offer(tree)
        return "time_limit" if incumbent.clock.is_over else "unproved"


def every_size(
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
    for each in range(seed, seed + n_seeds):
        grown = GrownTree.grow(problem, seed=each, max_depth=constraints.max_depth)
        for n_nodes in range(FEWEST_NODES, most_nodes(constraints, grown) + 1, 2):
            yield grown.tree(n_nodes)


def _of_size(n_nodes: int | None, incumbent: Incumbent, seeds: range) -> Iterator[Tree]:
    """Yield a tree of a size, or as large as it may be, for each seed there is time for, and one in any case."""
    for seed in seeds:
        if incumbent.tree is not None and incumbent.clock.is_over:
            return
        grown = GrownTree.grow(incumbent.problem, seed=seed, max_depth=incumbent.constraints.max_depth)
        most = most_nodes(incumbent.constraints, grown)
        yield grown.tree(most if n_nodes is None else min(n_nodes, most))


def _best_size(incumbent: Incumbent, seeds: range) -> int | None:
    """Return the smallest of the best sizes; None if there is no time to compare any."""
    errors: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for seed, fold in ((each, fold) for each in seeds for fold in _folds(incumbent.problem, each)):
        if incumbent.clock.is_over:
            break
        errors = _add(errors, _errors_by_size(incumbent.problem, incumbent.constraints, fold, seed))
    return FEWEST_NODES + 2 * int(errors.argmin()) if len(errors) else None


def _folds(problem: BinaryProblem, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield training examples and those left out; of each class alike where every class has two."""
    fewest = int(np.unique(problem.labels, return_counts=True)[1].min())
    if fewest >= 2:
        splitter = StratifiedKFold(min(N_FOLDS, fewest), shuffle=True, random_state=seed)
    else:
        splitter = KFold(min(N_FOLDS, problem.n_examples), shuffle=True, random_state=seed)
    yield from splitter.split(problem.labels, problem.labels)


def _errors_by_size(
    problem: BinaryProblem, constraints: Constraints, fold: tuple[NDArray[np.intp], NDArray[np.intp]], seed: int
) -> NDArray[np.int64]:
    """Return the rows left out that the trees of 3, 5, 7 … nodes get wrong."""
    training, left_out = fold
    grown = GrownTree.grow(problem, training, seed=seed, max_depth=constraints.max_depth)
    examples, labels = problem.examples.take(left_out), problem.labels[left_out]
    sizes = range(FEWEST_NODES, max(FEWEST_NODES, most_nodes(constraints, grown)) + 1, 2)
    is_wrong = [grown.tree(n_nodes).predict_codes(examples) != labels for n_nodes in sizes]
    return np.array(is_wrong) @ problem.weights[left_out]


def _add(errors: NDArray[np.int64], more: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add the errors of a fold; trees that stopped growing stay as they are."""
    if not len(errors):
        return more
    n_sizes = max(len(errors), len(more))
    first, second = (np.pad(part, (0, n_sizes - len(part)), mode="edge") for part in (errors, more))
    return first + second
