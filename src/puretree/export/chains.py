"""Questions as the splits that scikit-learn knows: "x ≤ t goes left", and a side for missing values.

A question with one edge is one split. One with several ("in {red, blue}", a bit of a binned column) becomes a chain of
them whose ends are yes and no, so that every value, missing ones included, gets exactly our answer. What is already
known on the way to a node is not asked again, which keeps the copies of subtrees that chains make few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..binarize.region import Region
from ..errors import InputError
from ..tree import Tree

MOST_NODES = 2**17


@dataclass(frozen=True, slots=True)
class Split:
    """One step of a chain; its ends are answers."""

    place: int
    threshold: float
    missing_goes_left: bool
    left: Chain
    right: Chain


Chain = bool | Split


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value: low < x ≤ high, and whether it may be missing."""

    low: float = -math.inf
    high: float = math.inf
    may_be_missing: bool = True

    def side(self, split: Split) -> Chain | None:
        """Return where a split can only lead; None if it can lead to both sides."""
        sides = {True} if self.may_be_missing and split.missing_goes_left else set()
        sides |= {False} if self.may_be_missing and not split.missing_goes_left else set()
        if self.low < self.high:
            sides |= {True} if self.low < split.threshold else set()
            sides |= {False} if split.threshold < self.high else set()
        if len(sides) > 1:
            return None
        return split.left if sides == {True} else split.right

    def left_of(self, split: Split) -> Known:
        """Return what is known on the left."""
        return Known(self.low, min(self.high, split.threshold), self.may_be_missing and split.missing_goes_left)

    def right_of(self, split: Split) -> Known:
        """Return what is known on the right."""
        return Known(max(self.low, split.threshold), self.high, self.may_be_missing and not split.missing_goes_left)


def chain(place: int, region: Region, thresholds: Sequence[float]) -> Chain:
    """Write "is the value in the region" as splits, a threshold per edge.

    >>> chain(0, Region.at_most(0.8), [0.8])
    Split(place=0, threshold=0.8, missing_goes_left=False, left=True, right=False)
    """
    if not region.edges:
        if region.starts_inside == region.holds_missing:
            return region.starts_inside
        return Split(place, math.inf, False, region.starts_inside, region.holds_missing)
    is_inside = [region.starts_inside != (i % 2 == 1) for i in range(len(thresholds) + 1)]
    rest: Chain = is_inside[-1]
    for i in reversed(range(len(thresholds))):
        # A missing value leaves at the first end that answers for it.
        rest = Split(place, thresholds[i], is_inside[i] == region.holds_missing, is_inside[i], rest)
    return rest


@dataclass(slots=True)
class SplitTree:
    """A tree of splits, its nodes in preorder; children are -1 and features -2 at leaves, as in scikit-learn."""

    left: list[int]
    right: list[int]
    place: list[int]
    threshold: list[float]
    missing_goes_left: list[bool]
    code: list[int]
    depth: int = 0

    def add(self, split: Split | None, code: int, depth: int) -> int:
        """Add a node, a leaf if it does not split, and return its number."""
        self.left.append(-1)
        self.right.append(-1)
        self.place.append(-2 if split is None else split.place)
        self.threshold.append(-2.0 if split is None else split.threshold)
        self.missing_goes_left.append(split is not None and split.missing_goes_left)
        self.code.append(code)
        self.depth = max(self.depth, depth)
        if len(self.left) > MOST_NODES:
            raise InputError(
                f"as splits of single columns this tree would have more than {MOST_NODES} nodes; "
                "fit with binarize='thresholds', or choose another format"
            )
        return len(self.left) - 1


def expand(tree: Tree, chain_of_node: Callable[[int], Chain], at_first: dict[int, Known]) -> SplitTree:
    """Replace every question of a tree by its chain.

    Parameters
    ----------
    tree : Tree
        The tree.
    chain_of_node : callable
        Gives the chain of an inner node.
    at_first : dict of int to Known
        What is known of each place before anything is asked.
    """
    grown = SplitTree([], [], [], [], [], [])
    # A node, what is left of its chain (None: all of it), what is known, the depth, and whose child it becomes.
    waiting: list[tuple[int, Chain | None, dict[int, Known], int, int, bool]] = [(0, None, at_first, 0, -1, False)]
    while waiting:
        node, rest, known, depth, parent, is_left = waiting.pop()
        node, split = _next_split(tree, node, rest, known, chain_of_node)
        number = grown.add(split, int(tree.label[node]), depth)
        if parent >= 0:
            (grown.left if is_left else grown.right)[parent] = number
        if split is not None:
            now = known[split.place]
            right = {**known, split.place: now.right_of(split)}
            left = {**known, split.place: now.left_of(split)}
            waiting.append((node, split.right, right, depth + 1, number, False))
            waiting.append((node, split.left, left, depth + 1, number, True))
    return grown


def _next_split(
    tree: Tree, node: int, rest: Chain | None, known: dict[int, Known], chain_of_node: Callable[[int], Chain]
) -> tuple[int, Split | None]:
    """Follow what is already decided to the next split that is not, or to a leaf."""
    while True:
        if rest is None:
            if tree.left[node] < 0:
                return node, None
            rest = chain_of_node(node)
        if isinstance(rest, bool):
            node, rest = int(tree.left[node]) + rest, None
            continue
        decided = known[rest.place].side(rest)
        if decided is None:
            return node, rest
        rest = decided
