"""The front between size and errors, by exhaustive search: slow, short, sharing no code with puretree."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import inf

Rows = Sequence[Sequence[float]]


def fewest_errors(rows: Rows, labels: Sequence[object], max_tests: int, max_depth: float = inf) -> int:
    """Return the fewest errors of a tree with at most `max_tests` tests, each of which is a cut of a column."""

    @cache
    def solve(members: frozenset[int], tests: int, depth: float) -> int:
        best = len(members) - max(Counter(labels[i] for i in members).values(), default=0)
        if tests == 0 or depth == 0 or best == 0:
            return best
        for column in range(len(rows[0])):
            for cut in {rows[i][column] for i in members}:
                above = frozenset(i for i in members if rows[i][column] > cut)
                if above:
                    for left in range(tests):
                        errors = solve(members - above, left, depth - 1) + solve(above, tests - 1 - left, depth - 1)
                        best = min(best, errors)
        return best

    return solve(frozenset(range(len(rows))), max_tests, max_depth)


def least_objective(rows: Rows, labels: Sequence[object], price: float) -> float:
    """Return the least sum of the errors of a tree and a price for each of its leaves."""
    most = len(set(map(tuple, rows))) - 1
    return min(fewest_errors(rows, labels, tests) + price * (tests + 1) for tests in range(most + 1))
