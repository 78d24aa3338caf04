"""The truth on small problems, by trying everything: slow, short, and sharing no code with puretree."""

from collections.abc import Sequence
from functools import cache

Rows = Sequence[Sequence[int]]


def minimum_inner_nodes(rows: Rows, labels: Sequence[object]) -> int:
    """Return the inner nodes of a minimum pure tree over 0/1 rows, which must not contradict each other."""
    n_features = len(rows[0])

    @cache
    def solve(members: frozenset[int]) -> int:
        if len({labels[i] for i in members}) == 1:
            return 0
        best = len(members)
        for feature in range(n_features):
            yes = frozenset(i for i in members if rows[i][feature])
            if 0 < len(yes) < len(members):
                best = min(best, 1 + solve(yes) + solve(members - yes))
        return best

    return solve(frozenset(range(len(rows))))


def walk(nested: object, row: Sequence[int]) -> object:
    """Follow nested triples (feature, no, yes) to a leaf."""
    while isinstance(nested, tuple):
        feature, no, yes = nested
        nested = yes if row[feature] else no
    return nested
