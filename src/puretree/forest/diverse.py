"""A few trees that differ from each other as much as can be.

A tree is known by its pairs of place and feature: which given feature is tested where, the place being the answers on
the way from the root. The distance of two trees is the number of pairs that only one of them has. Three ways to choose,
all greedy and all beginning with the first tree:

- ``max-min``: the next tree is as far as possible from the nearest one chosen before.
- ``mdsol``: the next tree has the greatest sum of distances to all chosen before, which is what Algorithm 2 of Alòs,
  Ansótegui and Torres (2022) asks a MaxSAT solver for. The sum adds over nodes, so :mod:`.farthest` finds it exactly.
- ``paper``: likewise, but a node is known by its number, breadth first, as in that paper. The number depends on all of
  the tree above and beside it, so nothing adds over the graph: trees are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from .farthest import farthest_tree
from .order import Edges, Order
from .places import Pair, numbered_pairs_of, pairs_of
from .sample import draw_ranks

MOST_TREES = 5_000  # so many are compared one by one
POOL = 2_000  # trees drawn where there are more

PairsOf = Callable[[Order, Edges], Iterable[Pair]]


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
    """Return the ranks of trees each of which is farthest from the nearest before; ties go to the first tree."""
    return _spread_listed(order, k, pairs_of, np.minimum)


def spread_paper(order: Order, k: int) -> list[int]:
    """Return the ranks of trees with the greatest sums of distances by node numbers; ties go to the first tree."""
    return _spread_listed(order, k, numbered_pairs_of, np.add)


def _spread_listed(order: Order, k: int, pairs: PairsOf, judge: np.ufunc) -> list[int]:
    """Choose among listed trees.

    Of more than 5,000 trees, a pool is looked at: 2,000 drawn with a fixed seed, and those that mdsol would choose.
    """
    if order.total <= MOST_TREES:
        ranks = list(range(order.total))
        return _choose(ranks, *_number_pairs(pairs(order, tree) for tree in order), k, judge)
    drawn = draw_ranks(min(POOL, order.total), order.total, 0)
    ranks = sorted({*drawn, *spread_mdsol(order, k)})
    return _choose(ranks, *_number_pairs(pairs(order, order.at(rank)) for rank in ranks), k, judge)


def _choose(ranks: list[int], pairs: NDArray[np.int64], sizes: NDArray[np.int64], k: int, judge: np.ufunc) -> list[int]:
    """Choose greedily; ``judge`` draws the distances to the trees chosen together, by their least or their sum."""
    worth = np.full(len(ranks), 0 if judge is np.add else np.iinfo(np.int64).max)
    chosen: list[int] = []
    latest = 0
    for _ in range(k):
        chosen.append(latest)
        is_in_latest = np.zeros(pairs.max(initial=0) + 1, dtype=np.bool_)
        is_in_latest[pairs[latest]] = True
        is_in_latest[0] = False
        n_shared = is_in_latest[pairs].sum(axis=1)
        worth = judge(worth, sizes + sizes[latest] - 2 * n_shared)
        worth[chosen] = -1
        latest = int(np.argmax(worth))
    return [ranks[place] for place in chosen]


def _number_pairs(trees: Iterable[Iterable[Pair]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of each tree by number, a row per tree with 0 as padding, and how many each has."""
    number_of: dict[Pair, int] = {}
    rows = [[number_of.setdefault(pair, len(number_of) + 1) for pair in tree] for tree in trees]
    sizes = np.array([len(row) for row in rows])
    numbers = np.zeros((len(rows), sizes.max()), dtype=np.int64)
    for place, row in enumerate(rows):
        numbers[place, : len(row)] = row
    return numbers, sizes
