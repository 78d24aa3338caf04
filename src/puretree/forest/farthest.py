"""The tree with the greatest sum of distances to trees chosen before, and not one of them: exactly, over all trees.

A pair of place and feature that ``u`` of ``t`` trees use brings a tree nearer to ``u`` of them and farther from the
others: it is worth ``t - 2u``. The best sum under a node at a place is had from those of its sides, so dynamic
programming over (node, place) finds it. At a place where no chosen tree tests anything, all trees under a node are
worth the same, which is where it ends: few places matter, however many there are.

The best tree may be one of those chosen already. So each state can tell its second best tree, its third, and so on,
made only when somebody asks (Huang and Chiang, Better k-best Parsing, 2005). The order is by worth, then by rank, so
ties go to the canonically first tree, and a rank is all that a tree needs to be known by.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from .order import Order
from .places import ROOT, Pair

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
