"""Diverse trees: a few trees of a forest that differ from each other as much as possible.

A tree is represented by its pairs of position and feature: which original feature is tested at which position. The
distance of two trees is the number of pairs that only one of them has. The position of a node is its index in a
complete binary tree: the root has position 1, and the no and yes children of position ``p`` have positions ``2p`` and
``2p + 1``, as in a heap. Unlike the breadth-first node numbers of a tree, positions do not depend on the other nodes,
so two trees can be compared position by position. There are three measures, all greedy and all starting from the
first tree:

- ``max-min``: the next tree maximises the distance to the nearest tree chosen before.
- ``mdsol``: the next tree maximises the sum of distances to all trees chosen before, which is the objective of the
  MaxSAT problem in Algorithm 2 of Alòs, Ansótegui and Torres (2022). The sum adds over nodes, so dynamic programming
  over the graph maximises it exactly: :func:`farthest_tree`.
- ``paper``: the same, with breadth-first node numbers instead of positions, as in that paper. A node's number depends
  on all nodes before it, so nothing adds over the graph: trees are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from .order import Edges, Order, draw_ranks

ROOT = 1
MAX_LISTED = 5_000  # trees compared one by one
POOL_SIZE = 2_000  # trees sampled where there are more
LISTING_FRACTION = 0.5  # of the remaining time, to list them
STEPS_PER_LOOK = 1_000  # derivations between two looks at the clock

Pair = tuple[int, int]
"""A position, or the number of a node, and the original feature that is tested there."""
PairsOf = Callable[[Order, Edges], Iterable[Pair]]

Score = tuple[int, int]
"""The negative sum of distances of a tree, then its rank under its node: smaller is better."""
Derivation = tuple[int, int, int]
"""An edge, and which of the best trees of its no and yes child to combine, counted from 0."""
State = tuple[int, int]
"""A node of the graph and a position."""


def pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree, the root's first."""
    stack = [ROOT]
    for edge in edges:
        position = stack.pop()
        yield position, order.feature[edge]
        if order.label[order.yes[edge]] < 0:
            stack.append(2 * position + 1)
        if order.label[order.no[edge]] < 0:
            stack.append(2 * position)


def numbered_pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree with breadth-first node numbers from 1: the paper's ``a[r,j]``."""
    nodes = [(order.root_of(edges), 0)]  # with the index of its edge in preorder
    for number, (node, index) in enumerate(nodes, 1):  # the list grows during the loop
        if order.label[node] < 0:
            edge = edges[index]
            yield number, order.feature[edge]
            nodes.append((order.no[edge], index + 1))
            nodes.append((order.yes[edge], index + 1 + order.size[order.no[edge]]))


def select_mdsol(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees with the greatest sum of distances to those before; ties go to the first tree."""
    ranks: list[int] = []
    uses: dict[Pair, int] = {}
    while len(ranks) < k and not (ranks and clock.is_over):
        try:
            rank = farthest_tree(order, uses, ranks, clock) if ranks else 0
        except TimeLimitReached:
            return
        ranks.append(rank)
        for pair in pairs_of(order, order.unrank(rank)):
            uses[pair] = uses.get(pair, 0) + 1
        yield rank


def select_max_min(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees with the greatest distance to the nearest before; ties go to the first tree."""
    return _select_listed(order, k, pairs_of, np.minimum, clock)


def select_paper(order: Order, k: int, clock: Clock) -> Iterator[int]:
    """Yield the ranks of trees with the greatest sum of distances by node numbers; ties go to the first tree."""
    return _select_listed(order, k, numbered_pairs_of, np.add, clock)


def farthest_tree(order: Order, uses: Mapping[Pair, int], chosen: Collection[int], clock: Clock = NO_LIMIT) -> int:
    """Return the rank of the unchosen tree with the greatest sum of distances to the chosen ones, exactly.

    Parameters
    ----------
    order : Order
        Contains more trees than were chosen.
    uses : mapping of pairs to int
        How many of the chosen trees have each pair.
    chosen : collection of int
        The ranks of the chosen trees.
    clock : Clock
        No time limit by default.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.

    Notes
    -----
    A pair that ``u`` of ``t`` chosen trees have moves a tree closer to ``u`` of them and away from the others: it
    contributes ``t - 2u``. The best sum under a node at a position follows from those of the children, so dynamic
    programming over (node, position) computes it. At a position where no chosen tree tests anything, all trees under a
    node have the same sum, and the recursion ends: few positions matter, however many there are.

    The best tree may be chosen already. Each state therefore enumerates its trees from best to worst, lazily (Huang
    and Chiang, Better k-best Parsing, 2005). Trees are ordered by score, then by rank, so ties go to the canonically
    first tree, and a tree is identified by its rank.
    """
    search = _FarthestSearch(order, uses, len(chosen), clock)
    candidates: list[Score] = []
    first_rank = 0
    for root in order.roots:
        for nth in range(order.counts.per_node[root]):
            score, rank = search.nth_best((root, ROOT), nth)
            if first_rank + rank not in chosen:
                candidates.append((score, first_rank + rank))
                break
        first_rank += order.counts.per_node[root]
    return min(candidates)[1]


@dataclass(slots=True)
class _Derivations:
    """The derivations of a state that are known so far."""

    pending: list[Derivation]  # to evaluate before the next best is known
    heap: list[tuple[int, int, Derivation]] = field(default_factory=list)  # evaluated, by score and rank
    best: list[Score] = field(default_factory=list)  # the best ones, in order


class _FarthestSearch:
    """Enumerates the trees of each state by their sum of distances; see :func:`farthest_tree`."""

    def __init__(self, order: Order, uses: Mapping[Pair, int], n_chosen: int, clock: Clock) -> None:
        self._order = order
        self._trees = order.counts.per_node
        self._uses = uses
        self._n_chosen = n_chosen
        self._used_positions = {position for position, _ in uses}
        self._derivations: dict[State, _Derivations] = {}
        self._clock = clock
        self._n_steps = 0

    def nth_best(self, state: State, nth: int) -> Score:
        """Return the score of a state's best tree (0), second best (1) and so on; call it in this order."""
        if not self._is_known(state, nth):
            self._find_next(state)
        return self._score(state, nth)

    def _is_uniform(self, state: State) -> bool:
        """Return whether all trees of a state have the same sum."""
        return state[1] not in self._used_positions or self._order.label[state[0]] >= 0

    def _is_known(self, state: State, nth: int) -> bool:
        if nth >= self._trees[state[0]] or self._is_uniform(state):
            return True
        return state in self._derivations and nth < len(self._derivations[state].best)

    def _score(self, state: State, nth: int) -> Score:
        if self._is_uniform(state):
            return -self._n_chosen * self._order.size[state[0]], nth
        return self._derivations[state].best[nth]

    def _find_next(self, state: State) -> None:
        """Find the next best tree of a state, and before it those that it needs of the states below."""
        stack = [state]
        while stack:
            derivations = self._derivations_of(stack[-1])
            while derivations.pending and (unknown := self._evaluate(stack[-1], derivations)) is None:
                derivations.pending.pop()
            if derivations.pending:
                assert unknown is not None
                stack.append(unknown)
                continue
            score, rank, (edge, nth_no, nth_yes) = heappop(derivations.heap)
            derivations.best.append((score, rank))
            derivations.pending.append((edge, nth_no, nth_yes + 1))
            if nth_yes == 0:  # so that every derivation is reached exactly once
                derivations.pending.append((edge, nth_no + 1, 0))
            stack.pop()

    def _derivations_of(self, state: State) -> _Derivations:
        if state not in self._derivations:
            node = state[0]
            edges = range(self._order.start[node], self._order.start[node + 1])
            self._derivations[state] = _Derivations([(edge, 0, 0) for edge in edges])
        return self._derivations[state]

    def _evaluate(self, state: State, derivations: _Derivations) -> State | None:
        """Evaluate the last pending derivation, or return the child state that must be extended first."""
        self._n_steps += 1
        if self._n_steps % STEPS_PER_LOOK == 0:
            self._clock.require_time()
        edge, nth_no, nth_yes = derivations.pending[-1]
        position = state[1]
        no = (self._order.no[edge], 2 * position)
        yes = (self._order.yes[edge], 2 * position + 1)
        if nth_no >= self._trees[no[0]] or nth_yes >= self._trees[yes[0]]:
            return None  # there is no such derivation
        for child, nth in ((no, nth_no), (yes, nth_yes)):
            if not self._is_known(child, nth):
                return child
        (no_score, no_rank), (yes_score, yes_rank) = self._score(no, nth_no), self._score(yes, nth_yes)
        own_score = 2 * self._uses.get((position, self._order.feature[edge]), 0) - self._n_chosen
        rank = self._order.first_rank(state[0], edge) + no_rank * self._trees[yes[0]] + yes_rank
        heappush(derivations.heap, (own_score + no_score + yes_score, rank, derivations.pending[-1]))
        return None


def _select_listed(order: Order, k: int, pairs: PairsOf, combine: np.ufunc, clock: Clock) -> Iterator[int]:
    """Select among listed trees.

    Of more than 5,000 trees, a pool is compared: 2,000 sampled with a fixed seed, and those that mdsol selects.
    """
    if order.total <= MAX_LISTED:
        listed = _list_pairs((pairs(order, tree) for tree in order), clock.part(LISTING_FRACTION))
        return _select_greedily(range(order.total), *listed, k, combine, clock)
    sampled = draw_ranks(POOL_SIZE, order.total, 0)
    ranks = sorted({*sampled, *select_mdsol(order, k, clock.part(LISTING_FRACTION))})
    listed = _list_pairs((pairs(order, order.unrank(rank)) for rank in ranks), clock.part(LISTING_FRACTION))
    return _select_greedily(ranks, *listed, k, combine, clock)


def _select_greedily(
    ranks: Sequence[int], pairs: NDArray[np.int64], sizes: NDArray[np.int64], k: int, combine: np.ufunc, clock: Clock
) -> Iterator[int]:
    """Select greedily; ``combine`` is the minimum or the sum of the distances to the trees selected so far."""
    scores = np.full(len(sizes), 0 if combine is np.add else np.iinfo(np.int64).max)
    latest = 0
    for n_selected in range(min(k, len(sizes))):
        if n_selected and clock.is_over:
            return
        yield ranks[latest]
        is_in_latest = np.zeros(pairs.max(initial=0) + 1, dtype=np.bool_)
        is_in_latest[pairs[latest]] = True
        is_in_latest[0] = False
        n_shared = is_in_latest[pairs].sum(axis=1)
        is_selected = scores < 0
        scores = combine(scores, sizes + sizes[latest] - 2 * n_shared)
        scores[is_selected] = scores[latest] = -1
        latest = int(np.argmax(scores))


def _list_pairs(trees: Iterable[Iterable[Pair]], clock: Clock) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of each tree as integers, one row per tree padded with 0, and the number of pairs of each.

    When the time limit is reached, the remaining trees are omitted.
    """
    number_of: dict[Pair, int] = {}
    rows: list[list[int]] = []
    for tree in trees:
        if rows and clock.is_over:
            break
        rows.append([number_of.setdefault(pair, len(number_of) + 1) for pair in tree])
    sizes = np.array([len(row) for row in rows])
    numbers = np.zeros((len(rows), sizes.max()), dtype=np.int64)
    for index, row in enumerate(rows):
        numbers[index, : len(row)] = row
    return numbers, sizes
