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

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..clock import Clock
from .farthest import farthest_tree
from .order import Edges, Order
from .places import Pair, numbered_pairs_of, pairs_of
from .sample import draw_ranks

MOST_TREES = 5_000  # so many are compared one by one
POOL = 2_000  # trees drawn where there are more
LISTING_SHARE = 0.5  # of the time left, to list them

PairsOf = Callable[[Order, Edges], Iterable[Pair]]


def spread_mdsol(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees with the greatest sums of distances to those before; ties go to the first tree."""
    ranks: list[int] = []
    uses: dict[Pair, int] = {}
    while len(ranks) < k and not (ranks and clock.is_over):
        rank = farthest_tree(order, uses, ranks) if ranks else 0
        ranks.append(rank)
        for pair in pairs_of(order, order.at(rank)):
            uses[pair] = uses.get(pair, 0) + 1
        yield rank


def spread_max_min(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees each of which is farthest from the nearest before; ties go to the first tree."""
    return _spread_listed(order, k, pairs_of, np.minimum, clock)


def spread_paper(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees with the greatest sums of distances by node numbers; ties go to the first tree."""
    return _spread_listed(order, k, numbered_pairs_of, np.add, clock)


def _spread_listed(order: Order, k: int, pairs: PairsOf, judge: np.ufunc, clock: Clock) -> Iterator[int]:
    """Choose among listed trees.

    Of more than 5,000 trees, a pool is looked at: 2,000 drawn with a fixed seed, and those that mdsol would choose.
    """
    if order.total <= MOST_TREES:
        listed = _list_pairs((pairs(order, tree) for tree in order), clock.part(LISTING_SHARE))
        return _choose(range(order.total), *listed, k, judge, clock)
    drawn = draw_ranks(POOL, order.total, 0)
    ranks = sorted({*drawn, *spread_mdsol(order, k, clock.part(LISTING_SHARE))})
    listed = _list_pairs((pairs(order, order.at(rank)) for rank in ranks), clock.part(LISTING_SHARE))
    return _choose(ranks, *listed, k, judge, clock)


def _choose(
    ranks: Sequence[int], pairs: NDArray[np.int64], sizes: NDArray[np.int64], k: int, judge: np.ufunc, clock: Clock
) -> Iterator[int]:
    """Choose greedily; ``judge`` draws the distances to the trees chosen together, by their least or their sum."""
    worth = np.full(len(sizes), 0 if judge is np.add else np.iinfo(np.int64).max)
    latest = 0
    for n_chosen in range(min(k, len(sizes))):
        if n_chosen and clock.is_over:
            return
        yield ranks[latest]
        is_in_latest = np.zeros(pairs.max(initial=0) + 1, dtype=np.bool_)
        is_in_latest[pairs[latest]] = True
        is_in_latest[0] = False
        n_shared = is_in_latest[pairs].sum(axis=1)
        is_chosen = worth < 0
        worth = judge(worth, sizes + sizes[latest] - 2 * n_shared)
        worth[is_chosen] = worth[latest] = -1
        latest = int(np.argmax(worth))


def _list_pairs(trees: Iterable[Iterable[Pair]], clock: Clock) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of each tree by number, a row per tree with 0 as padding, and how many each has.

    When the clock is over, the trees after are left out.
    """
    number_of: dict[Pair, int] = {}
    rows: list[list[int]] = []
    for tree in trees:
        if rows and clock.is_over:
            break
        rows.append([number_of.setdefault(pair, len(number_of) + 1) for pair in tree])
    sizes = np.array([len(row) for row in rows])
    numbers = np.zeros((len(rows), sizes.max()), dtype=np.int64)
    for place, row in enumerate(rows):
        numbers[place, : len(row)] = row
    return numbers, sizes
