"""Greedy trees of scikit-learn as engines: the three baselines of the paper's accuracy table.

The paper (Alòs, Ansótegui and Torres, *Interpretable Decision Trees Through MaxSAT*) grows trees on a training part:
``psk`` (pure scikit-learn) until they have an accuracy of 100 %, ``lsk`` (limited) of the size of a minimum tree, and
``ask`` (all) of each size from 3 nodes to the maximum that psk reaches. scikit-learn breaks ties between equal splits
at random, so each tree has a seed, and the paper takes as many seeds as trees that its version of MPDT with most
solutions returns. It then chooses the best tree on a selection part and tests it on a test part. ``puretree bench
accuracy`` follows this; here, each baseline is an engine, which differs where an engine has less information:

- There is no selection part. Of the trees of all seeds, psk returns the smallest and lsk the one with fewest training
  errors; ask chooses the size by cross-validation.
- The number of minimum trees is not known. ``n_seeds`` is 1 by default.
- Of equal and complementary features scikit-learn sees one. That does not change the quality of any split, but it
  changes which of several equal ones the seed selects.

In both, equal rows are one example whose weight is their number. The paper does not say how it limits the size. lsk and
ask limit the number of leaves (``max_leaf_nodes``), for which scikit-learn grows best-first; psk has no limit and grows
depth-first. So the maximum of ask is the size of a pure tree that was grown best-first, which may differ from psk's
where splits tie.

A greedy tree takes milliseconds and proves nothing.
On a large problem a tree takes minutes, and scikit-learn checks neither a clock nor Ctrl-C. Then a child process grows
it, which is stopped at the time limit; see :class:`Grower`.

Pedregosa et al., *Scikit-learn: Machine Learning in Python*, JMLR 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from .._support.clock import Clock, TimeLimitReached
from ..bounds.upper import Heuristic, majority_leaf
from ..errors import InputError
from ..outcome import Status
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from .base import Guarantees, solve
from .incumbent import Incumbent
from .problem_program import ProblemProgram
from .programs.peers import grow_tree
from .search import Search

SUPPORTED_CONSTRAINTS = ("max_depth", "max_nodes")  # min_samples_leaf counts rows, scikit-learn would count examples
SEARCH_FRACTION = 0.5  # of the remaining time, for the search that determines the size of lsk
N_FOLDS = 5
MIN_NODES = 3
# Cells of the matrix of examples and features up to which trees are grown in this process: that takes less than half a
# second, and a child process takes one or two until it has imported scikit-learn.
MAX_CELLS = 200_000

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
        rows, labels, weights = problem.examples.unpack()[examples], problem.labels[examples], problem.weights[examples]
        feature, left, right, label = grow_tree(
            rows, labels, weights, seed=seed, max_depth=max_depth, is_best_first=order == "best-first"
        )
        return cls(feature, left, right, label, problem.classes)

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


class Grower:
    """Grows trees with scikit-learn: in this process if the problem is small, else in a child that can be stopped.

    Parameters
    ----------
    incumbent : Incumbent
        Its problem, maximum depth and memory limit are used.
    clock : Clock, optional
        By default that of the incumbent.
    """

    def __init__(self, incumbent: Incumbent, clock: Clock | None = None) -> None:
        self._incumbent, self._clock = incumbent, clock or incumbent.clock
        self._child: ProblemProgram | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close()

    def grow(
        self, examples: NDArray[np.intp] | None = None, *, seed: int = 0, order: Order = "best-first"
    ) -> GrownTree:
        """Grow a tree on some examples, by default on all; see :meth:`GrownTree.grow`.

        Raises
        ------
        TimeLimitReached
            If a child process grows the tree and does not finish in time.
        MemoryError
            If it exceeds the memory limit.
        """
        problem, max_depth = self._incumbent.problem, self._incumbent.constraints.max_depth
        if problem.n_examples * problem.n_features <= MAX_CELLS:
            chosen = slice(None) if examples is None else examples
            return GrownTree.grow(problem, chosen, seed=seed, max_depth=max_depth, order=order)
        if self._child is None:
            max_bytes = self._incumbent.bytes_for_child
            self._child = ProblemProgram("scikit-learn", problem, self._clock, max_bytes)
        self._child.request(
            {
                "examples": None if examples is None else examples.tolist(),
                "seed": int(seed),
                "max_depth": None if max_depth is None else int(max_depth),
                "is_best_first": order == "best-first",
            }
        )
        feature, left, right, label = map(np.array, self._child.receive())
        return GrownTree(feature, left, right, label, problem.classes)


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

    This is the first baseline of the paper's accuracy table, "sklearn till it achieves 100 % accuracy", where its trees
    have up to two and a half times as many nodes as minimum trees. The paper chooses among the trees of all seeds on a
    selection set, not the smallest. It guarantees a pure tree, but nothing about its size. If the depth or the number
    of nodes is limited, it may find no tree, and neither if a limit is reached before the first tree of a large
    problem.

    Parameters
    ----------
    n_seeds : int, default=1
        Number of trees to grow. The paper grows as many as its version of MPDT with most solutions returns.
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
        return _grow_until_limit(incumbent, self._offer_trees)

    def _offer_trees(self, incumbent: Incumbent, grower: Grower) -> None:
        for seed in _seeds(self, incumbent):
            tree = grower.grow(seed=seed, order="depth-first").tree()
            if incumbent.problem.is_pure(tree) and incumbent.constraints.allows(tree, incumbent.problem):
                incumbent.offer(tree)


@dataclass(frozen=True, slots=True)
class Lsk:
    """The most accurate of some trees that scikit-learn grows to a number of nodes.

    This is the second baseline of the paper's accuracy table: scikit-learn's tree of the size of a minimum pure tree,
    grown best-first. The paper chooses among the trees of all seeds on a selection set, not by training errors. It
    guarantees that size, but nothing about the training errors.

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
        return _grow_until_limit(incumbent, self._offer_trees)

    def _offer_trees(self, incumbent: Incumbent, grower: Grower) -> None:
        n_nodes = _size_of_pure_tree(incumbent) if self.n_nodes is None else self.n_nodes
        for seed in _seeds(self, incumbent):
            grown = grower.grow(seed=seed)
            incumbent.offer(grown.tree(min(n_nodes, _node_limit(incumbent.constraints, grown))))


def _size_of_pure_tree(incumbent: Incumbent) -> int:
    """Return the size of the smallest pure tree that the exact search finds in its fraction of the time."""
    clock = incumbent.clock.part(SEARCH_FRACTION)
    outcome = solve(incumbent.problem, Search(incumbent.memory_limit), clock=clock, memory_limit=incumbent.memory_limit)
    if clock.is_stopped:
        raise KeyboardInterrupt
    assert outcome.n_nodes is not None  # it starts from a greedy tree
    return outcome.n_nodes


@dataclass(frozen=True, slots=True)
class Ask:
    """The tree of scikit-learn whose size has fewest errors in cross-validation.

    This is the third baseline of the paper's accuracy table: trees of all sizes from 3 nodes to the maximum that psk
    reaches, one of which the paper chooses on a selection set. An engine has no such set, so the size is chosen by
    cross-validation; :func:`trees_of_every_size` yields all the trees for a choice on a selection set. It guarantees
    nothing, but a tree with training errors can generalise better.

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
        return _grow_until_limit(incumbent, self._offer_trees)

    def _offer_trees(self, incumbent: Incumbent, grower: Grower) -> None:
        first = grower.grow(seed=self.seed)  # before the size is chosen: the time may not suffice for more
        n_nodes = _best_size(incumbent, grower, range(self.seed, self.seed + self.n_seeds))
        for seed in _seeds(self, incumbent):
            grown = first if seed == self.seed else grower.grow(seed=seed)
            limit = _node_limit(incumbent.constraints, grown)
            incumbent.offer(grown.tree(limit if n_nodes is None else min(n_nodes, limit)))
        incumbent.clock.require_time()  # otherwise sizes may not have been compared on all folds


def _seeds(engine: Psk | Lsk | Ask, incumbent: Incumbent) -> Iterator[int]:
    """Yield the seeds of an engine until the time limit; go on while there is no tree."""
    for seed in range(engine.seed, engine.seed + engine.n_seeds):
        if incumbent.tree is not None:
            incumbent.clock.require_time()
        yield seed


def _grow_until_limit(incumbent: Incumbent, offer_trees: Callable[[Incumbent, Grower], None]) -> Status:
    """Offer trees; if a limit is reached before the first one, offer the majority class, which is no pure tree."""
    status: Status = "unproved"
    try:
        with Grower(incumbent) as grower:
            offer_trees(incumbent, grower)
    except TimeLimitReached:
        status = "time_limit"
    except MemoryError:
        status = "memory_limit"
    if status != "unproved" and incumbent.tree is None and incumbent.aim == "errors":
        incumbent.offer(majority_leaf(incumbent.problem))
    return status


def _best_size(incumbent: Incumbent, grower: Grower, seeds: range) -> int | None:
    """Return the smallest size with fewest cross-validation errors; None if there is no time to compare sizes."""
    errors: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    try:
        for seed, fold in ((s, fold) for s in seeds for fold in _folds(incumbent.problem, s)):
            incumbent.clock.require_time()
            errors = _add_errors(errors, _errors_by_size(incumbent, grower, fold, seed))
    except TimeLimitReached:
        pass  # the folds so far decide
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
    incumbent: Incumbent, grower: Grower, fold: tuple[NDArray[np.intp], NDArray[np.intp]], seed: int
) -> NDArray[np.int64]:
    """Return the number of validation rows that the trees of 3, 5, 7 … nodes misclassify."""
    training, validation = fold
    grown, problem = grower.grow(training, seed=seed), incumbent.problem
    examples, labels = problem.examples.take(validation), problem.labels[validation]
    sizes = range(MIN_NODES, max(MIN_NODES, _node_limit(incumbent.constraints, grown)) + 1, 2)
    is_error = []
    for n_nodes in sizes:
        is_error.append(grown.tree(n_nodes).predict_codes(examples) != labels)
        incumbent.clock.require_time()
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
