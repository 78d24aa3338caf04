"""The scikit-learn baselines of the paper: thousands of trees in seconds, one for each seed and size.

A tree that is grown best first contains the trees of all smaller sizes: its first n nodes are the tree of n nodes. So a
tree is grown once per seed, and each row descends through it once: the tree of n nodes predicts the label of the last
node on the path whose index is below n. The smaller trees are never built. As in the paper, scikit-learn sees all
original features: of two features that are equal in training it picks one at random, and they may differ on other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._support.clock import Clock
from ...engines.sklearn_trees import MIN_NODES, GrownTree
from ...errors import InputError
from ...extraction.extract import unmerge
from ...forest.best import accuracy_scores
from .evaluation import Correctness, TrainingPart

Codes = NDArray[np.intp]
Sizes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class BaselineTrees:
    """The correctness of the trees of several seeds on the held-out rows.

    Parameters
    ----------
    correctness : Correctness
    n_seeds : int
        The number of seeds completed within the time limit, at least one.
    """

    correctness: Correctness
    n_seeds: int


def grow_psk(part: TrainingPart, n_seeds: int, clock: Clock) -> BaselineTrees:
    """Grow the trees of psk: pure trees."""

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(problem, seed=seed, order="depth-first")
        return grown, np.array([grown.n_nodes])

    problem = unmerge(part.prepared.problem)
    return _evaluate(part, problem.merge.original_of_feature, grow, n_seeds, clock)


def grow_lsk(part: TrainingPart, n_nodes: int | None, n_seeds: int, clock: Clock) -> BaselineTrees:
    """Grow the trees of lsk: trees of at most ``n_nodes`` nodes."""
    if n_nodes is None:
        raise InputError("lsk needs the size of a minimum tree, but no mpdt method found one; include mpdt-1")

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(problem, seed=seed)
        return grown, np.array([min(n_nodes, grown.n_nodes)])

    problem = unmerge(part.prepared.problem)
    return _evaluate(part, problem.merge.original_of_feature, grow, n_seeds, clock)


def grow_ask(part: TrainingPart, n_seeds: int, clock: Clock) -> BaselineTrees:
    """Grow the trees of ask: trees of every size, from 3 nodes to a pure tree."""

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(problem, seed=seed)
        return grown, np.arange(min(MIN_NODES, grown.n_nodes), grown.n_nodes + 1, 2)

    problem = unmerge(part.prepared.problem)
    return _evaluate(part, problem.merge.original_of_feature, grow, n_seeds, clock)


def _evaluate(
    part: TrainingPart,
    features: NDArray[np.int64],
    grow: Callable[[int], tuple[GrownTree, Sizes]],
    n_seeds: int,
    clock: Clock,
) -> BaselineTrees:
    """Predict the held-out rows with the trees of each seed, until the time limit."""
    bits = part.prepared.binarizer.transform(part.table.table(part.held_out))[:, features].astype(np.bool_)
    labels = part.table.labels[part.held_out]
    is_label = accuracy_scores(labels, len(labels), part.prepared.problem.classes).astype(np.bool_)
    packed, sizes = [], []
    for grown, sizes_of_seed in _grow_in_time(grow, n_seeds, clock):
        codes = predict_sizes(grown, sizes_of_seed, bits)
        packed.append(np.packbits(is_label[np.arange(len(labels)), codes], axis=1))
        sizes.append(sizes_of_seed)
    correctness = Correctness.from_packed(part.held_out, np.concatenate(packed), np.concatenate(sizes))
    return BaselineTrees(correctness, len(sizes))


def _grow_in_time(
    grow: Callable[[int], tuple[GrownTree, Sizes]], n_seeds: int, clock: Clock
) -> Iterator[tuple[GrownTree, Sizes]]:
    for seed in range(n_seeds):
        if seed and clock.is_over:
            return
        yield grow(seed)


def predict_sizes(grown: GrownTree, sizes: Sizes, bits: NDArray[np.bool_]) -> Codes:
    """Predict rows with several prefixes of a tree, each the tree of its first nodes.

    Parameters
    ----------
    grown : GrownTree
        Grown best first, unless all of its nodes are used.
    sizes : ndarray of int
        Numbers of nodes; even numbers are rounded down.
    bits : ndarray of bool, shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_sizes, n_rows)
        Indices into the tree's classes.
    """
    rows = np.arange(len(bits))
    last_node = np.minimum(sizes - (sizes + 1) % 2, grown.n_nodes)[:, None] - 1
    node = np.zeros((len(sizes), len(bits)), dtype=np.intp)  # of each prefix
    descent = np.zeros(len(bits), dtype=np.intp)  # in the whole tree
    while (is_inner := grown.left[descent] >= 0).any():
        is_yes = bits[rows, grown.feature[descent]]
        descent = np.where(is_inner, np.where(is_yes, grown.right[descent], grown.left[descent]), descent)
        node = np.where(descent <= last_node, descent, node)
    codes: Codes = grown.label[node]
    return codes
