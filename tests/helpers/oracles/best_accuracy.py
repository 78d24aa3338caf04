"""The fewest training errors at a bounded depth, by exhaustive search: slow, short, sharing no code with puretree."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

Rows = Sequence[Sequence[int]]


def fewest_errors(rows: Rows, labels: Sequence[object], max_depth: int, weights: Sequence[int] | None = None) -> int:
    """Return the minimum total weight of the rows that a tree of at most `max_depth` misclassifies."""
    row_weights = [1] * len(rows) if weights is None else weights

    @cache
    def solve(members: frozenset[int], depth: int) -> int:
        by_label = Counter[object]()
        for i in members:
            by_label[labels[i]] += row_weights[i]
        best = sum(by_label.values()) - max(by_label.values(), default=0)
        if depth == 0 or best == 0:
            return best
        for feature in range(len(rows[0])):
            yes = frozenset(i for i in members if rows[i][feature])
            if yes and yes != members:
                best = min(best, solve(members - yes, depth - 1) + solve(yes, depth - 1))
        return best

    return solve(frozenset(range(len(rows))), max_depth)
