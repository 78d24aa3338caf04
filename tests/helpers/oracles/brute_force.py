"""Exact answers for small problems by exhaustive search: slow, short, and sharing no code with puretree."""

from collections.abc import Sequence
from functools import cache
from math import inf

Rows = Sequence[Sequence[int]]


def minimum_inner_nodes(rows: Rows, labels: Sequence[object]) -> int:
    """Return the number of inner nodes of a minimum pure tree over 0/1 rows, which must not be contradictory."""
    return int(minimum_cost(rows, labels, [1] * len(rows[0])))


def minimum_cost(
    rows: Rows,
    labels: Sequence[object],
    costs: Sequence[int],
    *,
    max_depth: float = inf,
    root: Sequence[int] | None = None,
    min_samples_leaf: int = 1,
    weights: Sequence[int] | None = None,
) -> float:
    """Return the minimum total cost of the tests of a pure tree; infinite if none satisfies the constraints.

    A leaf must hold at least `min_samples_leaf` rows, where each row counts with its weight.
    """
    n_rows = [1] * len(rows) if weights is None else weights
    all_rows = frozenset(range(len(rows)))

    @cache
    def solve(members: frozenset[int], depth: float) -> float:
        if sum(n_rows[i] for i in members) < min_samples_leaf:
            return inf
        if len({labels[i] for i in members}) == 1:
            return 0
        best = inf
        if depth > 0:
            for feature, cost in enumerate(costs):
                if members == all_rows and depth == max_depth and root is not None and feature not in root:
                    continue
                no, yes = split(rows, members, feature)
                if no and yes:
                    best = min(best, cost + solve(no, depth - 1) + solve(yes, depth - 1))
        return best

    return solve(all_rows, max_depth)


def split(rows: Rows, members: frozenset[int], feature: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the members in which the feature is 0, and those in which it is 1."""
    yes = frozenset(i for i in members if rows[i][feature])
    return members - yes, yes


def minimum_trees(rows: Rows, labels: Sequence[object]) -> set[object]:
    """Return all minimum pure trees as nested triples (feature, no, yes)."""

    @cache
    def solve(members: frozenset[int]) -> tuple[int, frozenset[object]]:
        classes = {labels[i] for i in members}
        if len(classes) == 1:
            return 0, frozenset(classes)
        best, trees = len(members), set[object]()
        for feature in range(len(rows[0])):
            no, yes = split(rows, members, feature)
            if not no or not yes:
                continue
            (n_no, no_trees), (n_yes, yes_trees) = solve(no), solve(yes)
            if 1 + n_no + n_yes < best:
                best, trees = 1 + n_no + n_yes, set()
            if 1 + n_no + n_yes == best:
                trees |= {(feature, no_tree, yes_tree) for no_tree in no_trees for yes_tree in yes_trees}
        return best, frozenset(trees)

    return set(solve(frozenset(range(len(rows))))[1])


def fewest_separating_features(rows: Rows, labels: Sequence[object]) -> int:
    """Return the size of the smallest set of features that separates every two rows of different labels."""
    n_features = len(rows[0])
    masks = sorted(range(2**n_features), key=int.bit_count)
    for mask in masks:
        label_of: dict[tuple[int, ...], object] = {}
        keys = [tuple(row[f] for f in range(n_features) if mask >> f & 1) for row in rows]
        if all(label_of.setdefault(key, label) == label for key, label in zip(keys, labels, strict=True)):
            return mask.bit_count()
    raise AssertionError("rows are contradictory")


def walk(nested: object, row: Sequence[int]) -> object:
    """Return the label that nested triples (feature, no, yes) predict for a row."""
    while isinstance(nested, tuple):
        feature, no, yes = nested
        nested = yes if row[feature] else no
    return nested
