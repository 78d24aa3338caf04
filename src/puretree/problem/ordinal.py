"""Binary problems of large tables: examples are stored as codes, and features are made only where they are needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.resources import free_bytes
from ..binarize.bitmatrix import BitMatrix
from ..errors import FeaturesTooLargeError
from ..table import Labels
from ..tree import Tree
from .codes import Codes, CodeTree
from .conflicts import DistinctRows, OnConflict
from .merging import FeatureMerge
from .problem import BinaryProblem

CHUNK_BITS = 2**26  # that are unpacked at a time


class OrdinalProblem(BinaryProblem):
    """A binary problem with the features of a binariser, none of them merged, whose matrix is made on demand.

    Engines for large tables (``auto``, ``search``, ``local-improvement``) use the codes. Others use the matrix; if it
    exceeds the memory limit, that is a FeaturesTooLargeError, which is both an InputError and a MemoryError.

    Parameters
    ----------
    codes : Codes
        Of all rows.
    labels : Labels
        The class of each row.
    n_features : int
        The number of features of the binariser.
    on_conflict, row_numbers, row_weights, row_votes
        As for :meth:`BinaryProblem.from_bits`.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """

    def __init__(
        self,
        codes: Codes,
        labels: Labels,
        n_features: int,
        *,
        on_conflict: OnConflict = "warn",
        row_numbers: NDArray[np.intp] | None = None,
        row_weights: NDArray[np.int64] | None = None,
        row_votes: NDArray[np.int64] | None = None,
        memory_limit: float | None = None,
    ) -> None:
        group, first = codes.group()
        distinct = DistinctRows.of(group, first, labels, on_conflict, row_numbers, row_weights, row_votes)
        values: dict[str, Any] = {
            "labels": distinct.labels,
            "weights": distinct.weights,
            "classes": labels.classes,
            "example_of_row": distinct.example_of_row,
            "conflicts": distinct.conflicts,
            "costs": np.broadcast_to(np.int64(1), (n_features,)),
            "column_codes": codes if len(distinct.rows) == codes.n_examples else codes.take(distinct.rows),
            "_n_features": n_features,
            "_memory_limit": memory_limit,
        }
        vars(self).update(values)  # the class is immutable

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(vars(self)["_n_features"])

    @cached_property
    def merge(self) -> FeatureMerge:
        """The mapping to the features of the binariser: the identity."""
        numbers = np.arange(self.n_features)
        return FeatureMerge(numbers, np.zeros(self.n_features, dtype=np.bool_), numbers)

    @cached_property
    def features(self) -> BitMatrix:
        """The matrix of features; those of columns that no tree may test are 0."""
        codes, memory_limit = self.codes, vars(self)["_memory_limit"]
        n_words = -(-self.n_examples // 64)
        n_bytes = 2 * 8 * n_words * self.n_features  # by feature and by example
        if n_bytes > free_bytes(memory_limit):
            raise FeaturesTooLargeError(
                f"{self.n_features:,} features of {self.n_examples:,} examples would take {n_bytes / 1e9:.1f} GB; use "
                "engine='auto', which does not need them at once, reduce them with ThresholdBinarizer(max_cuts=…), or "
                "raise the memory limit"
            )
        words = np.zeros((self.n_features, n_words), dtype=np.uint64)
        ends = [*codes.first_feature[1:].tolist(), self.n_features]
        step = max(1, CHUNK_BITS // self.n_examples)
        for column, values in enumerate(codes.values):
            first = int(codes.first_feature[column])
            n_tests = min(ends[column] - first, int(values.max()) + (not codes.is_ordered[column]))
            for start in range(0, n_tests, step):
                tests = np.arange(start, min(start + step, n_tests))[:, None]
                bits = values <= tests if codes.is_ordered[column] else values == tests
                bits ^= tests == codes.complement[column]
                words[first + start : first + start + len(tests)] = BitMatrix.pack(bits).words
        return BitMatrix(words, self.n_examples)

    def answers(self, feature: int) -> NDArray[np.bool_]:
        """Return the value of a feature for each example, from the codes."""
        stump = Tree(np.array([feature, -1, -1]), np.array([1, -1, -1]), np.array([-1, 0, 0]), self.classes)
        return np.equal(self.apply(stump), 2)

    def apply(self, tree: Tree) -> NDArray[np.int32]:
        """Return the leaf of each example, from the codes."""
        return self.codes.apply(tree)

    def restore(self, tree: Tree) -> Tree:
        """Return the tree itself: no features are merged."""
        return tree

    def tree_of_codes(self, tree: CodeTree) -> Tree:
        """Return a tree over the codes as a tree over the features."""
        return self.codes.to_tree(tree, self.classes)
