"""All minimum and near-minimum trees of small problems, by trying everything: slow, short, no code of puretree.

Trees are nested triples (feature, no, yes) with labels as leaves. Sets of rows are the bits of an integer.
"""

from collections.abc import Iterator, Sequence
from functools import cache

Rows = Sequence[Sequence[int]]


class Truth:
    """The trees of 0/1 rows, which must not contradict each other; every test splits, every pure set is a leaf.

    Trees of up to `extra` inner nodes more than the minimum count as well.
    """

    def __init__(self, rows: Rows, labels: Sequence[int], extra: int = 0) -> None:
        self.everything = 2 ** len(rows) - 1
        self.answers = [sum(2**i for i, row in enumerate(rows) if row[f]) for f in range(len(rows[0]))]
        self.classes = {label: sum(2**i for i, one in enumerate(labels) if one == label) for label in labels}
        self.least, self.exists, self.trees = cache(self._least), cache(self._exists), cache(self._trees)
        least = self.least(self.everything)
        self.sizes = [size for size in range(least, least + extra + 1) if self.exists(self.everything, size)]

    def all_trees(self) -> list[object]:
        """Return all trees, in no order that matters."""
        return [tree for size in self.sizes for tree in self.trees(self.everything, size)]

    def labels(self, members: int) -> list[int]:
        """Return the classes of a set."""
        return [label for label, rows in self.classes.items() if rows & members]

    def splits(self, members: int) -> Iterator[tuple[int, int, int]]:
        """Yield the features that split, with the two sides."""
        for feature, answer in enumerate(self.answers):
            if members & answer and members & ~answer:
                yield feature, members & ~answer, members & answer

    def ways(self, members: int, size: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield the features that a tree of a size can begin with, with each side and its size."""
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
        return size == self.least(members) or any(True for _ in self.ways(members, size))

    def _trees(self, members: int, size: int) -> list[object]:
        if size == 0:
            return list(self.labels(members))
        return [
            (feature, one, other)
            for feature, no, n_no, yes, n_yes in self.ways(members, size)
            for one in self.trees(no, n_no)
            for other in self.trees(yes, n_yes)
        ]

    def graph(self) -> dict[str, list[int]]:
        """Return the AND/OR graph of these trees, a node for each pair of members and size that is reached."""
        number: dict[tuple[int, int], int] = {}
        label, sizes, starts, edges = [], [], [0], []

        def add(members: int, size: int) -> int:
            if (members, size) not in number:
                ways = self.ways(members, size) if size else ()
                edges_here = sorted((feature, add(no, n_no), add(yes, n_yes)) for feature, no, n_no, yes, n_yes in ways)
                number[members, size] = len(label)
                label.append(-1 if size else self.labels(members)[0])
                sizes.append(size)
                edges.extend(edges_here)
                starts.append(len(edges))
            return number[members, size]

        roots = [add(self.everything, size) for size in self.sizes]
        feature, no, yes = ([edge[i] for edge in edges] for i in range(3))
        return {
            **{"label": label, "size": sizes, "edge_start": starts, "roots": roots},
            **{"feature": feature, "no": no, "yes": yes},
        }


def trees_with_wishes(
    rows: Rows,
    labels: Sequence[int],
    extra: int = 0,
    *,
    max_depth: int | None = None,
    root: Sequence[int] | None = None,
    min_samples_leaf: int = 1,
) -> list[object]:
    """Return all trees of up to `extra` inner nodes more than the fewest with which the wishes can be kept."""

    @cache
    def trees(members: frozenset[int], size: int, depth: int) -> list[object]:
        if len(members) < min_samples_leaf:
            return []
        classes = {labels[i] for i in members}
        if size == 0 or len(classes) == 1 or depth == 0:
            return list(classes) if size == 0 and len(classes) == 1 else []
        found: list[object] = []
        for feature in range(len(rows[0])):
            yes = frozenset(i for i in members if rows[i][feature])
            if 0 < len(yes) < len(members):
                for n_no in range(size):
                    others = trees(yes, size - 1 - n_no, depth - 1)
                    found += [
                        (feature, one, other) for one in trees(members - yes, n_no, depth - 1) for other in others
                    ]
        return found

    found: list[list[object]] = []
    for size in range(len(rows)):
        depth = len(rows) if max_depth is None else max_depth
        here = trees(frozenset(range(len(rows))), size, depth)
        here = [tree for tree in here if root is None or not isinstance(tree, tuple) or tree[0] in root]
        if here or found:
            found.append(here)
        if len(found) > extra:
            break
    return [tree for here in found for tree in here]


def size_of(nested: object) -> int:
    """Return the inner nodes of a tree."""
    return 1 + size_of(nested[1]) + size_of(nested[2]) if isinstance(nested, tuple) else 0


def canonical(nested: object) -> tuple[object, ...]:
    """Return what trees are sorted by: size, feature at the root, no side, yes side."""
    if not isinstance(nested, tuple):
        return (0,)
    return (size_of(nested), nested[0], canonical(nested[1]), canonical(nested[2]))


def shape_of(nested: object) -> str:
    """Draw the shape of a tree."""
    return f"({shape_of(nested[1])}{shape_of(nested[2])})" if isinstance(nested, tuple) else "·"


def pairs_of(nested: object, path: str = "") -> set[tuple[str, int]]:
    """Return which feature is tested where."""
    if not isinstance(nested, tuple):
        return set()
    return {(path, nested[0])} | pairs_of(nested[1], path + "n") | pairs_of(nested[2], path + "y")
