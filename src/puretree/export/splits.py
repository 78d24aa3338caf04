"""Predicates as the splits that scikit-learn supports: "x ≤ t goes left", with a side for missing values.

A predicate whose region has one edge is a single split. One with several edges ("in {red, blue}", a bit of a binned
column) becomes a sequence of splits that ends in yes or no, so that every value, missing values included, takes the
same branch as in the original tree. The splits of one predicate can lead to the same subtree several times, which
duplicates it; splits already decided by those above them are left out, which keeps the duplicates few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..binarize.region import Region
from ..errors import InputError
from ..tree import Tree

MAX_NODES = 2**17


@dataclass(frozen=True, slots=True)
class Split:
    """One split of a predicate, on an input feature of the scikit-learn tree; each side is an answer or more splits."""

    feature: int
    threshold: float
    missing_goes_left: bool
    left: Splits
    right: Splits


Splits = bool | Split


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The values that a feature can have at a node: low < x ≤ high, and whether it may be missing."""

    low: float = -math.inf
    high: float = math.inf
    may_be_missing: bool = True

    def decided_side(self, split: Split) -> Splits | None:
        """Return the only side of a split that the values can reach; None if they can reach both."""
        goes_left = {True} if self.may_be_missing and split.missing_goes_left else set()
        goes_left |= {False} if self.may_be_missing and not split.missing_goes_left else set()
        if self.low < self.high:
            goes_left |= {True} if self.low < split.threshold else set()
            goes_left |= {False} if split.threshold < self.high else set()
        if len(goes_left) > 1:
            return None
        return split.left if goes_left == {True} else split.right

    def left_of(self, split: Split) -> ValueRange:
        """Return the values that go left."""
        return ValueRange(self.low, min(self.high, split.threshold), self.may_be_missing and split.missing_goes_left)

    def right_of(self, split: Split) -> ValueRange:
        """Return the values that go right."""
        return ValueRange(
            max(self.low, split.threshold), self.high, self.may_be_missing and not split.missing_goes_left
        )


def region_splits(feature: int, region: Region, thresholds: Sequence[float]) -> Splits:
    """Return splits that decide whether a feature lies in a region, given a threshold per edge.

    >>> region_splits(0, Region.at_most(0.8), [0.8])
    Split(feature=0, threshold=0.8, missing_goes_left=False, left=True, right=False)
    """
    if not region.edges:
        if region.starts_inside == region.holds_missing:
            return region.starts_inside
        return Split(feature, math.inf, False, region.starts_inside, region.holds_missing)
    is_inside = [region.starts_inside != (i % 2 == 1) for i in range(len(thresholds) + 1)]
    splits: Splits = is_inside[-1]
    for i in reversed(range(len(thresholds))):
        # A missing value leaves the sequence at the first answer that is right for it.
        splits = Split(feature, thresholds[i], is_inside[i] == region.holds_missing, is_inside[i], splits)
    return splits


@dataclass(slots=True)
class SplitTree:
    """A tree of splits with its nodes in preorder; at leaves, children are -1 and features -2, as in scikit-learn."""

    left: list[int]
    right: list[int]
    feature: list[int]
    threshold: list[float]
    missing_goes_left: list[bool]
    code: list[int]
    depth: int = 0

    def add(self, split: Split | None, code: int, depth: int) -> int:
        """Add a node, a leaf if there is no split, and return its number."""
        self.left.append(-1)
        self.right.append(-1)
        self.feature.append(-2 if split is None else split.feature)
        self.threshold.append(-2.0 if split is None else split.threshold)
        self.missing_goes_left.append(split is not None and split.missing_goes_left)
        self.code.append(code)
        self.depth = max(self.depth, depth)
        if len(self.left) > MAX_NODES:
            raise InputError(
                f"as a scikit-learn tree this tree would have more than {MAX_NODES} nodes; "
                "fit with binarize='thresholds', or choose another format"
            )
        return len(self.left) - 1


def expand(tree: Tree, splits_of_node: Callable[[int], Splits], initial_ranges: dict[int, ValueRange]) -> SplitTree:
    """Replace every predicate of a tree by its splits.

    Parameters
    ----------
    tree : Tree
    splits_of_node : callable
        Returns the splits of an inner node.
    initial_ranges : dict of int to ValueRange
        The possible values of each input feature at the root.
    """
    expanded = SplitTree([], [], [], [], [], [])
    # A node, its remaining splits (None: all of them), the ranges there, its depth, its parent, and on which side.
    stack: list[tuple[int, Splits | None, dict[int, ValueRange], int, int, bool]] = [
        (0, None, initial_ranges, 0, -1, False)
    ]
    while stack:
        node, remaining, ranges, depth, parent, is_left = stack.pop()
        node, split = _next_split(tree, node, remaining, ranges, splits_of_node)
        number = expanded.add(split, int(tree.label[node]), depth)
        if parent >= 0:
            (expanded.left if is_left else expanded.right)[parent] = number
        if split is not None:
            range_here = ranges[split.feature]
            right = {**ranges, split.feature: range_here.right_of(split)}
            left = {**ranges, split.feature: range_here.left_of(split)}
            stack.append((node, split.right, right, depth + 1, number, False))
            stack.append((node, split.left, left, depth + 1, number, True))
    return expanded


def _next_split(
    tree: Tree,
    node: int,
    remaining: Splits | None,
    ranges: dict[int, ValueRange],
    splits_of_node: Callable[[int], Splits],
) -> tuple[int, Split | None]:
    """Skip the splits that are already decided; return the next node with its undecided split, or a leaf with None."""
    while True:
        if remaining is None:
            if tree.left[node] < 0:
                return node, None
            remaining = splits_of_node(node)
        if isinstance(remaining, bool):
            node, remaining = int(tree.left[node]) + remaining, None
            continue
        decided = ranges[remaining.feature].decided_side(remaining)
        if decided is None:
            return node, remaining
        remaining = decided
