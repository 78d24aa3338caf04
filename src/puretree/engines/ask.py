"""ask, all of scikit-learn: greedy trees of every size, and the size that does best on examples left out.

The third baseline of the paper's accuracy table: the sizes from 3 nodes to a pure tree's, one of them chosen on a
selection set. An engine has no such set, so the size is chosen by cross-validation; whoever has one finds all the
trees in :func:`every_size`. Guarantees nothing, but a tree that may be wrong on training rows can be right on others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from ..bounds.upper import Start
from ..outcome import Status
from ..problem import BinaryProblem
from ..record import Record
from ..steering import Steering
from ..tree import Tree
from .base import Promise
from .sklearn_trees import WISHES, GrownTree, most_nodes, require_seeds

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
    promise: ClassVar[Promise] = Promise(aim="errors", proves=False)
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)

    def search(self, record: Record) -> Status:
        """Choose a size, then grow trees of it; see :class:`~puretree.engines.base.Engine`."""
        record.steering.require_only(self.name, *WISHES)
        seeds = range(self.seed, self.seed + self.n_seeds)
        for tree in _of_size(_best_size(record, seeds), record, seeds):
            record.offer(tree)
        return "time_limit" if record.clock.is_over else "unproved"


def every_size(
    problem: BinaryProblem, *, n_seeds: int = 1, seed: int = 0, steering: Steering | None = None
) -> Iterator[Tree]:
    """Yield scikit-learn's trees of every size from 3 nodes to a pure tree's, for each seed.

    Parameters
    ----------
    problem : BinaryProblem
    n_seeds, seed : int
        As for :class:`Ask`.
    steering : Steering, optional
        May limit the depth and the number of nodes.
    """
    steering = steering or Steering()
    for each in range(seed, seed + n_seeds):
        grown = GrownTree.grow(problem, seed=each, max_depth=steering.max_depth)
        for n_nodes in range(FEWEST_NODES, most_nodes(steering, grown) + 1, 2):
            yield grown.tree(n_nodes)


def _of_size(n_nodes: int | None, record: Record, seeds: range) -> Iterator[Tree]:
    """Yield a tree of a size, or as large as it may be, for each seed there is time for, and one in any case."""
    for seed in seeds:
        if record.tree is not None and record.clock.is_over:
            return
        grown = GrownTree.grow(record.problem, seed=seed, max_depth=record.steering.max_depth)
        most = most_nodes(record.steering, grown)
        yield grown.tree(most if n_nodes is None else min(n_nodes, most))


def _best_size(record: Record, seeds: range) -> int | None:
    """Return the smallest of the best sizes; None if there is no time to compare any."""
    errors: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for seed, fold in ((each, fold) for each in seeds for fold in _folds(record.problem, each)):
        if record.clock.is_over:
            break
        errors = _add(errors, _errors_by_size(record.problem, record.steering, fold, seed))
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
    problem: BinaryProblem, steering: Steering, fold: tuple[NDArray[np.intp], NDArray[np.intp]], seed: int
) -> NDArray[np.int64]:
    """Return the rows left out that the trees of 3, 5, 7 … nodes get wrong."""
    training, left_out = fold
    grown = GrownTree.grow(problem, training, seed=seed, max_depth=steering.max_depth)
    examples, labels = problem.examples.take(left_out), problem.labels[left_out]
    sizes = range(FEWEST_NODES, max(FEWEST_NODES, most_nodes(steering, grown)) + 1, 2)
    is_wrong = [grown.tree(n_nodes).predict_codes(examples) != labels for n_nodes in sizes]
    return np.array(is_wrong) @ problem.weights[left_out]


def _add(errors: NDArray[np.int64], more: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add the errors of a fold; trees that stopped growing stay as they are."""
    if not len(errors):
        return more
    n_sizes = max(len(errors), len(more))
    first, second = (np.pad(part, (0, n_sizes - len(part)), mode="edge") for part in (errors, more))
    return first + second
