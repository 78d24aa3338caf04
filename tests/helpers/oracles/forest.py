"""All minimum and near-minimum trees of small problems by exhaustive search: slow, short, independent of puretree.

Trees are nested triples (feature, no, yes) with labels as leaves. Sets of rows are the bits of an integer.
"""

from collections.abc import Iterator, Sequence
from functools import cache

Rows = Sequence[Sequence[int]]


class BruteForceForest:
    """All pure trees of up to `extra` inner nodes more than the minimum.

    The 0/1 rows must not be contradictory. Every test splits its rows, and every pure set is a leaf.
    """

    def __init__(self, rows: Rows, labels: Sequence[int], extra: int = 0) -> None:
        self.all_rows = 2 ** len(rows) - 1
        self.rows_of_feature = [sum(2**i for i, row in enumerate(rows) if row[f]) for f in range(len(rows[0]))]
        self.rows_of_class = {label: sum(2**i for i, other in enumerate(labels) if other == label) for label in labels}
        self.least, self.exists, self.trees = cache(self._least), cache(self._exists), cache(self._trees)
        least = self.least(self.all_rows)
        self.sizes = [size for size in range(least, least + extra + 1) if self.exists(self.all_rows, size)]

    def all_trees(self) -> list[object]:
        """Return all trees, in no particular order."""
        return [tree for size in self.sizes for tree in self.trees(self.all_rows, size)]

    def labels(self, members: int) -> list[int]:
        """Return the classes of a set of rows."""
        return [label for label, rows in self.rows_of_class.items() if rows & members]

    def splits(self, members: int) -> Iterator[tuple[int, int, int]]:
        """Yield the features that split a set of rows, with the rows of each branch."""
        for feature, rows in enumerate(self.rows_of_feature):
            if members & rows and members & ~rows:
                yield feature, members & ~rows, members & rows

    def sized_splits(self, members: int, size: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield the features at the root of some tree of a size, with the rows and the size of each branch."""
        for feature, no, yes in self.splits(members):
            for n_no in range(self.least(no), size - self.least(yes)):
                if self.exists(no, n_no) and self.exists(yes, size - 1 - n_no):
                    yield feature, no, n_no, yes, size - 1 - n_no

    def _least(self, members: int) -> int:
        if len(self.labels(members)) == 1:
            return 0
        return 1 + min(self.least(no) + self.least(yes) for _, no, yes in self.splits(members))

    def _exists(self, members: int, size: int) -> bool:
        if size == 0 or len(self.labels(members)) == 1:
            return size == 0 and len(self.labels(members)) == 1
        return size == self.least(members) or any(True for _ in self.sized_splits(members, size))

    def _trees(self, members: int, size: int) -> list[object]:
        if size == 0:
            return list(self.labels(members))
        return [
            (feature, no_tree, yes_tree)
            for feature, no, n_no, yes, n_yes in self.sized_splits(members, size)
            for no_tree in self.trees(no, n_no)
            for yes_tree in self.trees(yes, n_yes)
        ]

    def graph(self) -> dict[str, list[int]]:
        """Return the AND/OR graph of the trees, with a node for each reachable pair of a set of rows and a size."""
        index: dict[tuple[int, int], int] = {}
        label, sizes, starts, edges = [], [], [0], []

        def add(members: int, size: int) -> int:
            if (members, size) not in index:
                splits = self.sized_splits(members, size) if size else ()
                own_edges = sorted(
                    (feature, add(no, n_no), add(yes, n_yes)) for feature, no, n_no, yes, n_yes in splits
                )
                index[members, size] = len(label)
                label.append(-1 if size else self.labels(members)[0])
                sizes.append(size)
                edges.extend(own_edges)
                starts.append(len(edges))
            return index[members, size]

        roots = [add(self.all_rows, size) for size in self.sizes]
        feature, no, yes = ([edge[i] for edge in edges] for i in range(3))
        return {
            **{"label": label, "size": sizes, "edge_start": starts, "roots": roots},
            **{"feature": feature, "no": no, "yes": yes},
        }


def constrained_trees(
    rows: Rows,
    labels: Sequence[int],
    extra: int = 0,
    *,
    max_depth: int | None = None,
    root: Sequence[int] | None = None,
    min_samples_leaf: int = 1,
) -> list[object]:
    """Return all trees that satisfy the constraints, of up to `extra` inner nodes more than the smallest of them."""

    @cache
    def trees(members: frozenset[int], size: int, depth: int) -> list[object]:
        if len(members) < min_samples_leaf:
            return []
        classes = {labels[i] for i in members}
        if size == 0 or len(classes) == 1 or depth == 0:
            return list(classes) if size == 0 and len(classes) == 1 else []
        result: list[object] = []
        for feature in range(len(rows[0])):
            yes = frozenset(i for i in members if rows[i][feature])
            if 0 < len(yes) < len(members):
                for n_no in range(size):
                    no_trees = trees(members - yes, n_no, depth - 1)
                    yes_trees = trees(yes, size - 1 - n_no, depth - 1)
                    result += [(feature, no_tree, yes_tree) for no_tree in no_trees for yes_tree in yes_trees]
        return result

    by_size: list[list[object]] = []  # from the smallest size that has a tree
    for size in range(len(rows)):
        depth = len(rows) if max_depth is None else max_depth
        of_size = trees(frozenset(range(len(rows))), size, depth)
        of_size = [tree for tree in of_size if root is None or not isinstance(tree, tuple) or tree[0] in root]
        if of_size or by_size:
            by_size.append(of_size)
        if len(by_size) > extra:
            break
    return [tree for of_size in by_size for tree in of_size]


def size_of(nested: object) -> int:
    """Return the number of inner nodes of a tree."""
    return 1 + size_of(nested[1]) + size_of(nested[2]) if isinstance(nested, tuple) else 0


def canonical(nested: object) -> tuple[object, ...]:
    """Return the sort key of the canonical order: size, feature at the root, no branch, yes branch."""
    if not isinstance(nested, tuple):
        return (0,)
    return (size_of(nested), nested[0], canonical(nested[1]), canonical(nested[2]))


def shape_of(nested: object) -> str:
    """Return the shape of a tree in the notation of `Layout.shape`."""
    return f"({shape_of(nested[1])}{shape_of(nested[2])})" if isinstance(nested, tuple) else "·"


def pairs_of(nested: object, path: str = "") -> set[tuple[str, int]]:
    """Return the pairs of the path to an inner node and the feature that it tests."""
    if not isinstance(nested, tuple):
        return set()
    return {(path, nested[0])} | pairs_of(nested[1], path + "n") | pairs_of(nested[2], path + "y")
