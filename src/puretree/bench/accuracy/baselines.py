"""Thousands of scikit-learn's trees in seconds, as the paper's comparison needs them: one for each seed and each size.

A tree that was grown best first holds the trees of all smaller sizes, so it is grown once for a seed, and each row
walks through it once: what the tree of n nodes says is the label of the last node on the way with a number below n.
The trees themselves are never made. scikit-learn is shown every feature that was given, as in the paper: of two that
are equal in training it takes one by chance, and on other rows they may differ.
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
from .selection import TrainingPart, Verdicts

Codes = NDArray[np.intp]
Sizes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """What the trees of some seeds say of the rows that do not train.

    Parameters
    ----------
    verdicts : Verdicts
    n_seeds : int
        As many as there was time for, at least one.
    """

    verdicts: Verdicts
    n_seeds: int


def pure(part: TrainingPart, n_seeds: int, clock: Clock) -> Grown:
    """Grow trees until they are pure: psk."""

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(given, seed=seed, order="depth-first")
        return grown, np.array([grown.n_nodes])

    given = unmerge(part.prepared.problem)
    return _ask(part, given.merge.original_of_feature, grow, n_seeds, clock)


def of_size(part: TrainingPart, n_nodes: int | None, n_seeds: int, clock: Clock) -> Grown:
    """Grow trees to a number of nodes: lsk."""
    if n_nodes is None:
        raise InputError(
            "lsk takes the size of a minimum tree, and no variant of mpdt has found one; measure mpdt-1, too"
        )

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(given, seed=seed)
        return grown, np.array([min(n_nodes, grown.n_nodes)])

    given = unmerge(part.prepared.problem)
    return _ask(part, given.merge.original_of_feature, grow, n_seeds, clock)


def of_every_size(part: TrainingPart, n_seeds: int, clock: Clock) -> Grown:
    """Grow trees of every size from 3 nodes to a pure tree's: ask."""

    def grow(seed: int) -> tuple[GrownTree, Sizes]:
        grown = GrownTree.grow(given, seed=seed)
        return grown, np.arange(min(MIN_NODES, grown.n_nodes), grown.n_nodes + 1, 2)

    given = unmerge(part.prepared.problem)
    return _ask(part, given.merge.original_of_feature, grow, n_seeds, clock)


def _ask(
    part: TrainingPart,
    features: NDArray[np.int64],
    grow: Callable[[int], tuple[GrownTree, Sizes]],
    n_seeds: int,
    clock: Clock,
) -> Grown:
    """Ask the trees of each seed that there is time for about the rows that do not train."""
    bits = part.prepared.binarizer.transform(part.table.table(part.rest))[:, features].astype(np.bool_)
    labels = part.table.labels[part.rest]
    is_label = accuracy_scores(labels, len(labels), part.prepared.problem.classes).astype(np.bool_)
    packed, sizes = [], []
    for grown, of_seed in _grown(grow, n_seeds, clock):
        codes = codes_of_sizes(grown, of_seed, bits)
        packed.append(np.packbits(is_label[np.arange(len(labels)), codes], axis=1))
        sizes.append(of_seed)
    return Grown(Verdicts.of_bits(part.rest, np.concatenate(packed), np.concatenate(sizes)), len(sizes))


def _grown(
    grow: Callable[[int], tuple[GrownTree, Sizes]], n_seeds: int, clock: Clock
) -> Iterator[tuple[GrownTree, Sizes]]:
    for seed in range(n_seeds):
        if seed and clock.is_over:
            return
        yield grow(seed)


def codes_of_sizes(grown: GrownTree, sizes: Sizes, bits: NDArray[np.bool_]) -> Codes:
    """Return what the trees of a tree's first nodes say of rows, as places in its classes.

    Parameters
    ----------
    grown : GrownTree
        Best first, unless all of its nodes are asked for.
    sizes : ndarray of int
        Numbers of nodes; of an even one the last is left out.
    bits : ndarray of bool, shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_sizes, n_rows)
    """
    rows = np.arange(len(bits))
    last = np.minimum(sizes - (sizes + 1) % 2, grown.n_nodes)[:, None] - 1  # the highest number each tree may have
    node = np.zeros((len(sizes), len(bits)), dtype=np.intp)
    ahead = np.zeros(len(bits), dtype=np.intp)
    while (is_inner := grown.left[ahead] >= 0).any():
        is_yes = bits[rows, grown.feature[ahead]]
        ahead = np.where(is_inner, np.where(is_yes, grown.right[ahead], grown.left[ahead]), ahead)
        node = np.where(ahead <= last, ahead, node)
    codes: Codes = grown.label[node]
    return codes
