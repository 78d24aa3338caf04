"""Where in a tree a node stands, whatever the rest of the tree looks like: by the answers on the way to it.

The root is place 1, and from place ``p`` no leads to ``2p`` and yes to ``2p + 1``, as in a heap. Unlike the numbers
that nodes have in a tree, places do not depend on the other nodes, so two trees can be compared place by place.

The paper compares trees by those numbers: they are here as well, for who wants to measure as it does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock
from .order import Edges, Order, draw_ranks

Pair = tuple[int, int]
"""A place, or the number of a node, and the given feature that is tested there."""

ROOT = 1


def pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree, the root's first."""
    waiting = [ROOT]
    for edge in edges:
        place = waiting.pop()
        yield place, order.feature[edge]
        if order.label[order.yes[edge]] < 0:
            waiting.append(2 * place + 1)
        if order.label[order.no[edge]] < 0:
            waiting.append(2 * place)


def numbered_pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree by the numbers of its nodes, breadth first from 1: the paper's ``a[r,j]``."""
    nodes = [(order.root_of(edges), 0)]  # with the place of its edge in preorder
    for number, (node, at) in enumerate(nodes, 1):  # the list grows on the way
        if order.label[node] < 0:
            edge = edges[at]
            yield number, order.feature[edge]
            nodes.append((order.no[edge], at + 1))
            nodes.append((order.yes[edge], at + 1 + order.size[order.no[edge]]))


# The tree with the greatest sum of distances to trees chosen before, and not one of them: exactly, over all trees.
#
# A pair of place and feature that ``u`` of ``t`` trees use brings a tree nearer to ``u`` of them and farther from the
# others: it is worth ``t - 2u``. The best sum under a node at a place is had from those of its sides, so dynamic
# programming over (node, place) finds it. At a place where no chosen tree tests anything, all trees under a node are
# worth the same, which is where it ends: few places matter, however many there are.
#
# The best tree may be one of those chosen already. So each state can tell its second best tree, its third, and so on,
# made only when somebody asks (Huang and Chiang, Better k-best Parsing, 2005). The order is by worth, then by rank, so
# ties go to the canonically first tree, and a rank is all that a tree needs to be known by.

Worth = tuple[int, int]
"""The worth of a tree, negative, then its rank under its node: the smaller, the better."""
Way = tuple[int, int, int]
"""An edge, and which trees of its two sides to take: the best is number 0."""
State = tuple[int, int]
"""A node and a place."""


def farthest_tree(order: Order, uses: Mapping[Pair, int], chosen: Collection[int]) -> int:
    """Return the rank of the tree with the greatest sum of distances to the chosen ones.

    Parameters
    ----------
    order : Order
        Holds more trees than were chosen.
    uses : mapping of pairs to int
        How many of the chosen trees have each pair.
    chosen : collection of int
        The ranks of the chosen trees.
    """
    search = _Search(order, uses, len(chosen))
    candidates: list[Worth] = []
    smaller = 0
    for root in order.roots:
        for nth in range(order.counts.of_node[root]):
            worth, rank = search.nth_best((root, ROOT), nth)
            if smaller + rank not in chosen:
                candidates.append((worth, smaller + rank))
                break
        smaller += order.counts.of_node[root]
    return min(candidates)[1]


@dataclass(slots=True)
class _Ways:
    """What is known of a state."""

    due: list[Way]  # to be weighed before the next best can be told
    weighed: list[tuple[int, int, Way]] = field(default_factory=list)  # a heap, by worth and rank
    found: list[Worth] = field(default_factory=list)  # the best ones, in order


class _Search:
    def __init__(self, order: Order, uses: Mapping[Pair, int], n_chosen: int) -> None:
        self._order = order
        self._trees = order.counts.of_node
        self._uses = uses
        self._n_chosen = n_chosen
        self._tested = {place for place, _ in uses}
        self._ways: dict[State, _Ways] = {}

    def nth_best(self, state: State, nth: int) -> Worth:
        """Return the worth of a state's best tree (0), its second best (1) and so on, asked for in this order."""
        if not self._is_known(state, nth):
            self._find_next(state)
        return self._look_up(state, nth)

    def _is_settled(self, state: State) -> bool:
        return state[1] not in self._tested or self._order.label[state[0]] >= 0

    def _is_known(self, state: State, nth: int) -> bool:
        if nth >= self._trees[state[0]] or self._is_settled(state):
            return True
        return state in self._ways and nth < len(self._ways[state].found)

    def _look_up(self, state: State, nth: int) -> Worth:
        if self._is_settled(state):
            return -self._n_chosen * self._order.size[state[0]], nth
        return self._ways[state].found[nth]

    def _find_next(self, state: State) -> None:
        """Find the next best of a state, after what it takes of the states below."""
        stack = [state]
        while stack:
            ways = self._ways_of(stack[-1])
            while ways.due and (unknown := self._weigh(stack[-1], ways)) is None:
                ways.due.pop()
            if ways.due:
                assert unknown is not None
                stack.append(unknown)
                continue
            worth, rank, (edge, nth_no, nth_yes) = heappop(ways.weighed)
            ways.found.append((worth, rank))
            ways.due.append((edge, nth_no, nth_yes + 1))
            if nth_yes == 0:  # so that every way is come to once
                ways.due.append((edge, nth_no + 1, 0))
            stack.pop()

    def _ways_of(self, state: State) -> _Ways:
        if state not in self._ways:
            node = state[0]
            edges = range(self._order.start[node], self._order.start[node + 1])
            self._ways[state] = _Ways([(edge, 0, 0) for edge in edges])
        return self._ways[state]

    def _weigh(self, state: State, ways: _Ways) -> State | None:
        """Weigh the last way that is due, or return the state that has to be known better before."""
        edge, nth_no, nth_yes = ways.due[-1]
        place = state[1]
        no = (self._order.no[edge], 2 * place)
        yes = (self._order.yes[edge], 2 * place + 1)
        if nth_no >= self._trees[no[0]] or nth_yes >= self._trees[yes[0]]:
            return None  # there is no such way
        for side, nth in ((no, nth_no), (yes, nth_yes)):
            if not self._is_known(side, nth):
                return side
        (no_worth, no_rank), (yes_worth, yes_rank) = self._look_up(no, nth_no), self._look_up(yes, nth_yes)
        own = 2 * self._uses.get((place, self._order.feature[edge]), 0) - self._n_chosen
        rank = self._order.counts.before[edge] + no_rank * self._trees[yes[0]] + yes_rank
        heappush(ways.weighed, (own + no_worth + yes_worth, rank, ways.due[-1]))
        return None


# A few trees that differ from each other as much as can be.
#
# A tree is known by its pairs of place and feature: which given feature is tested where, the place being the answers on
# the way from the root. The distance of two trees is the number of pairs that only one of them has. Three ways to choose,
# all greedy and all beginning with the first tree:
#
# - ``max-min``: the next tree is as far as possible from the nearest one chosen before.
# - ``mdsol``: the next tree has the greatest sum of distances to all chosen before, which is what Algorithm 2 of Alòs,
#   Ansótegui and Torres (2022) asks a MaxSAT solver for. The sum adds over nodes, so :mod:`.farthest` finds it exactly.
# - ``paper``: likewise, but a node is known by its number, breadth first, as in that paper. The number depends on all of
#   the tree above and beside it, so nothing adds over the graph: trees are compared one by one.

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
