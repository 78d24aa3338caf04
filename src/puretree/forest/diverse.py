"""A few trees that differ from each other as much as can be.

A tree is known by its pairs of place and feature: which given feature is tested where, the place being the answers on
the way from the root. The distance of two trees is the number of pairs that only one of them has. Two ways to choose,
both greedy and both beginning with the first tree:

- ``max-min``: the next tree is as far as possible from the nearest one chosen before.
- ``mdsol``: the next tree has the greatest sum of distances to all chosen before, which is what Algorithm 2 of Alòs,
  Ansótegui and Torres (2022) asks a MaxSAT solver for. The sum adds over nodes, so :mod:`.farthest` finds it exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .farthest import farthest_tree
from .order import Edges, Order
from .places import Pair, pairs_of
from .sample import draw_ranks

MOST_TREES = 5_000  # so many are compared one by one
POOL = 2_000  # trees drawn where there are more


def spread_mdsol(order: Order, k: int) -> list[int]:
    """Return the ranks of trees with the greatest sums of distances to those before; ties go to the first tree."""
    ranks: list[int] = []
    uses: dict[Pair, int] = {}
    while len(ranks) < k:
        rank = farthest_tree(order, uses, ranks) if ranks else 0
        ranks.append(rank)
        for pair in pairs_of(order, order.at(rank)):
            uses[pair] = uses.get(pair, 0) + 1
    return ranks


def spread_max_min(order: Order, k: int) -> list[int]:
    """Return the ranks of trees each of which is farthest from the nearest before; ties go to the first tree.

    Of more than 5,000 trees, a pool is looked at: 2,000 drawn with a fixed seed, and those that mdsol would choose.
    """
    if order.total <= MOST_TREES:
        return _choose(order, list(range(order.total)), order, k)
    drawn = draw_ranks(min(POOL, order.total), order.total, 0)
    ranks = sorted({*drawn, *spread_mdsol(order, k)})
    return _choose(order, ranks, map(order.at, ranks), k)


def _choose(order: Order, ranks: list[int], trees: Iterable[Edges], k: int) -> list[int]:
    pairs, sizes = _number_pairs(order, trees)
    nearest = np.full(len(ranks), np.iinfo(np.int64).max)
    chosen: list[int] = []
    latest = 0
    for _ in range(k):
        chosen.append(latest)
        is_in_latest = np.zeros(pairs.max(initial=0) + 1, dtype=np.bool_)
        is_in_latest[pairs[latest]] = True
        is_in_latest[0] = False
        n_shared = is_in_latest[pairs].sum(axis=1)
        nearest = np.minimum(nearest, sizes + sizes[latest] - 2 * n_shared)
        nearest[chosen] = -1
        latest = int(np.argmax(nearest))
    return [ranks[place] for place in chosen]


def _number_pairs(order: Order, trees: Iterable[Edges]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of each tree by number, a row per tree with 0 as padding, and how many each has."""
    number_of: dict[Pair, int] = {}
    rows = [[number_of.setdefault(pair, len(number_of) + 1) for pair in pairs_of(order, tree)] for tree in trees]
    sizes = np.array([len(row) for row in rows])
    numbers = np.zeros((len(rows), sizes.max()), dtype=np.int64)
    for place, row in enumerate(rows):
        numbers[place, : len(row)] = row
    return numbers, sizes
