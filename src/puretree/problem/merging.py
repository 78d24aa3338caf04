"""Distinct examples over merged features: what all problems have in common, and how raw rows are reduced to them.

Equal rows become one example. Features that are constant, or equal or complementary to an earlier one, are redundant
and omitted; :class:`FeatureMerge` maps them back, so that a tree over the merged features can be written in the
original ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.text import quantity
from ..binarize.bitmatrix import BitMatrix
from ..table import Level
from ..tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMerge:
    """The mapping between the original features and the merged features of a problem.

    Parameters
    ----------
    feature_of_original : ndarray of int64
        The merged feature of each original one; -1 for a constant, and for a feature that is not allowed.
    flipped : ndarray of bool
        Whether the original feature is the complement of the merged one.
    original_of_feature : ndarray of int64
        The original feature that represents each merged one: the first of those equal to it, never flipped.
    """

    feature_of_original: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    original_of_feature: NDArray[np.int64]

    def alternatives(self, feature: int) -> list[tuple[int, bool]]:
        """Return all original features of a merged one, each with whether it is flipped."""
        original = np.flatnonzero(self.feature_of_original == feature)
        return [(int(i), bool(self.flipped[i])) for i in original]

    def renumber(self, allowed: NDArray[np.intp], n_original: int) -> FeatureMerge:
        """Return the mapping for all original features, of which this one covers the allowed ones."""
        feature_of_original = np.full(n_original, -1, dtype=np.int64)
        feature_of_original[allowed] = self.feature_of_original
        flipped = np.zeros(n_original, dtype=np.bool_)
        flipped[allowed] = self.flipped
        return FeatureMerge(feature_of_original, flipped, allowed[self.original_of_feature])


@dataclass(frozen=True, eq=False, repr=False)
class MergedRows:
    """Distinct examples over merged features.

    Parameters
    ----------
    features : BitMatrix of shape (n_features, n_examples)
        A row of bits per feature.
    classes : tuple of str, bool, int or float
        The distinct labels of the table, sorted.
    merge : FeatureMerge
        The mapping to the original features.
    example_of_row : ndarray of int64
        The example of each row; -1 if there is none.
    """

    features: BitMatrix
    classes: tuple[Level, ...]
    merge: FeatureMerge
    example_of_row: NDArray[np.int64]

    def __repr__(self) -> str:
        examples, features = quantity(self.n_examples, "example"), quantity(self.n_features, "feature")
        classes = quantity(self.n_classes, "class", "classes")
        return f"<{type(self).__name__}: {examples} × {features}, {classes}>"

    @property
    def n_features(self) -> int:
        """The number of merged features."""
        return self.features.shape[0]

    @property
    def n_examples(self) -> int:
        """The number of distinct examples."""
        return self.features.n_bits

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def examples(self) -> BitMatrix:
        """One row of bits per example: the transposed features."""
        return self.features.transpose()

    @cached_property
    def kept_rows(self) -> NDArray[np.intp]:
        """The numbers of the rows that belong to an example: those that no conflict removed."""
        return np.flatnonzero(self.example_of_row >= 0)

    def answers(self, feature: int) -> NDArray[np.bool_]:
        """Return the value of a feature for each example."""
        answers: NDArray[np.bool_] = self.features.take(np.array([feature])).unpack()[0]
        return answers

    def apply(self, tree: Tree) -> NDArray[np.int32]:
        """Return the leaf of each example in a tree over the merged features."""
        return tree.apply(self.examples)

    def restore(self, tree: Tree) -> Tree:
        """Return a tree over the merged features as a tree over the original features."""
        return tree.with_features(self.merge.original_of_feature)


class Distinct(Protocol):
    """The examples of a table, of which ``rows`` are the first rows."""

    @property
    def rows(self) -> NDArray[np.intp]:
        """The first row of each example."""


D = TypeVar("D", bound=Distinct)


@dataclass(frozen=True, slots=True, eq=False)
class MergedBits(Generic[D]):
    """The result of :func:`merge_bits`.

    Parameters
    ----------
    distinct : Distinct
        The examples.
    features : BitMatrix of shape (n_features, n_examples)
        The merged features.
    merge : FeatureMerge
        The mapping to the original features.
    examples : BitMatrix or None
        The transposed features, if they were needed to merge.
    """

    distinct: D
    features: BitMatrix
    merge: FeatureMerge
    examples: BitMatrix | None

    def remember(self, problem: MergedRows) -> None:
        """Store the transposed features of a problem, as its cached property would compute them."""
        if self.examples is not None:
            vars(problem)["examples"] = self.examples


def merge_bits(
    bits: BitMatrix, order: NDArray[np.intp], find: Callable[[NDArray[np.int64], NDArray[np.int64]], D]
) -> MergedBits[D]:
    """Merge equal rows to examples, and redundant features.

    Parameters
    ----------
    bits : BitMatrix of shape (n_original, n_rows)
        The original features.
    order : ndarray of intp
        The features that a tree may test, in order of preference: the first of equal ones represents them.
    find : callable
        Returns the examples, from the group of equal rows that each row belongs to, and the first row of each group.
    """
    # A matrix may take most of the memory: at most two exist at a time, and nothing is copied to remove nothing.
    n_original, n_rows = bits.shape
    bits = bits.take(order)
    rows = bits.transpose()
    group, first, _ = _native.group(rows.words, len(order), False)
    distinct = find(group, first)
    if len(distinct.rows) < n_rows:
        del bits
        rows = rows.take(distinct.rows)
        bits = rows.transpose()
    merge = _merge_features(bits)
    if len(merge.original_of_feature) < len(order):
        del rows
    features = bits.take(merge.original_of_feature)
    examples = rows if features is bits else None
    return MergedBits(distinct, features, merge.renumber(order, n_original), examples)


def _merge_features(bits: BitMatrix) -> FeatureMerge:
    n_original, n_examples = bits.shape
    group, first, flipped = _native.group(bits.words, n_examples, True)
    ones = np.bitwise_count(bits.words).sum(axis=1)[first]
    varies = (ones > 0) & (ones < n_examples)
    feature_of_group = np.where(varies, np.cumsum(varies) - 1, -1)
    feature_of_original = feature_of_group[group] if n_original else np.empty(0, dtype=np.int64)
    return FeatureMerge(feature_of_original, flipped.view(np.bool_), first[varies])
