"""Decision trees: immutable arrays, one entry per node.

Nodes are numbered breadth first, as in the paper, so the two children of a node are neighbours, and two trees are equal
exactly if their arrays are. An inner node tests a binary feature: no goes left, yes goes right. With the predicates of
a binariser attached, the tree predicts from raw rows, and its text names the columns of the raw table.

>>> tree = Tree.from_nested((0, "a", (2, "b", "a")))
>>> tree.n_nodes, tree.depth, tree.predict([[0, 0, 0], [1, 0, 0]]).tolist()
(5, 2, ['a', 'b'])
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .. import _native
from .._support.strict_json import parse_json
from .._support.text import quantity
from ..binarize.bitmatrix import BitMatrix
from ..binarize.features import Features
from ..binarize.predicate import Predicate, columns_of, pack_predicates
from ..errors import FormatError, InputError
from ..table import Column, Level, Table, label_array, plain_level, read_fitted_columns
from .json_format import parse_tree, tree_to_dict
from .rules import Rule, tree_rules, tree_text

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """An immutable decision tree over binary features.

    Parameters
    ----------
    feature : array-like of int
        The feature that an inner node tests; -1 at a leaf.
    left : array-like of int
        The child for "no" of an inner node; the child for "yes" is the next node. -1 at a leaf.
    label : array-like of int
        The class of a leaf, as an index into ``classes``; -1 at an inner node.
    classes : sequence
        The labels.
    predicates : mapping of int to Predicate, optional
        The predicates of the tested features on the raw table.
    n_columns : int, optional
        The number of columns of the raw table; required with ``predicates``.
    counts : array-like of int, shape (n_nodes, n_classes), optional
        The number of training rows per node and class.

    Notes
    -----
    Nodes must be numbered breadth first; :meth:`from_nested` does this.
    """

    feature: Ints
    left: Ints
    label: Ints
    classes: tuple[Level, ...]
    predicates: Mapping[int, Predicate] | None = field(default=None, kw_only=True)
    n_columns: int | None = field(default=None, kw_only=True)
    counts: NDArray[np.int64] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._set("feature", _frozen(self.feature, np.int32))
        self._set("left", _frozen(self.left, np.int32))
        self._set("label", _frozen(self.label, np.int32))
        self._set("classes", tuple(plain_level(label) for label in self.classes))
        if self.counts is not None:
            self._set("counts", _frozen(self.counts, np.int64))
        self._validate()
        if self.predicates is not None:
            if self.n_columns is None:
                raise InputError("predicates need n_columns, the number of columns of the table")
            used = {feature: self.predicates[feature] for feature in self.features}
            self._set("predicates", MappingProxyType(used))

    def _set(self, name: str, value: Any) -> None:
        """Set a field of the frozen dataclass; only for ``__post_init__``."""
        object.__setattr__(self, name, value)

    @classmethod
    def from_nested(cls, nested: Any, classes: Sequence[Any] | None = None) -> Tree:
        """Return the tree of nested triples ``(feature, no, yes)`` with labels as leaves.

        Parameters
        ----------
        nested : tuple or label
            The tree.
        classes : sequence, optional
            The labels; by default the sorted labels of the leaves.
        """
        feature: list[int] = []
        left: list[int] = []
        labels: list[Any] = []
        queue = deque([nested])
        next_child = 1
        while queue:
            node = queue.popleft()
            is_leaf = not isinstance(node, tuple)
            if not is_leaf and len(node) != 3:
                raise InputError(f"an inner node is a triple (feature, no, yes), not {node!r}")
            feature.append(-1 if is_leaf else node[0])
            left.append(-1 if is_leaf else next_child)
            labels.append(node if is_leaf else None)
            if not is_leaf:
                queue.extend(node[1:])
                next_child += 2
        leaves = [label for label, child in zip(labels, left, strict=True) if child < 0]
        classes = sorted(set(leaves)) if classes is None else list(classes)
        codes = [classes.index(label) if child < 0 else -1 for label, child in zip(labels, left, strict=True)]
        return cls(np.array(feature), np.array(left), np.array(codes), tuple(classes))

    @classmethod
    def leaf(cls, code: int, classes: tuple[Level, ...]) -> Tree:
        """Return a tree that is a single leaf of the class ``classes[code]``."""
        return cls(np.array([-1]), np.array([-1]), np.array([code]), classes)

    @classmethod
    def join(cls, feature: int, no: Tree, yes: Tree) -> Tree:
        """Return the tree of a test and the trees for its two answers, which must have the same classes."""
        return cls.from_nested((feature, no.to_nested(), yes.to_nested()), no.classes)

    def to_nested(self) -> Any:
        """Return the tree as nested triples ``(feature, no, yes)`` with labels as leaves."""
        nested: list[Any] = [self.classes[code] if code >= 0 else None for code in self.label]
        for node in reversed(np.flatnonzero(self.left >= 0).tolist()):
            left = int(self.left[node])
            nested[node] = (int(self.feature[node]), nested[left], nested[left + 1])
        return nested[0]

    def with_features(self, features: NDArray[np.int64] | Sequence[int]) -> Tree:
        """Return the tree with feature ``f`` renumbered as ``features[f]``."""
        is_inner = self.left >= 0
        renumbered = np.where(is_inner, np.append(features, -1)[self.feature], -1)
        return replace(self, feature=renumbered, predicates=None, n_columns=None)

    def with_predicates(self, predicates: Sequence[Predicate], n_columns: int) -> Tree:
        """Return the tree with predicates attached to its features.

        Parameters
        ----------
        predicates : sequence of Predicate
            One per feature: a fitted binariser's ``features_``.
        n_columns : int
            The number of columns of the raw table: a fitted binariser's ``n_features_in_``.
        """
        if isinstance(predicates, Features):
            return replace(self, predicates=predicates.select(self.features), n_columns=n_columns)
        return replace(self, predicates={i: predicates[i] for i in self.features}, n_columns=n_columns)

    def with_counts(self, X: Any, codes: NDArray[np.int32]) -> Tree:
        """Return the tree with the number of rows of each class that reach each node.

        Parameters
        ----------
        X : raw table or 0/1 matrix
            As for :meth:`predict`. The rows of a :class:`Table` count with their weights.
        codes : ndarray of int32
            The class of each row, as an index into ``classes``.
        """
        weights = X.row_weights if isinstance(X, Table) else np.ones(len(codes), dtype=np.int64)
        return replace(self, counts=self.weights_of_nodes(self.apply(X), codes, weights))

    def weights_of_nodes(self, leaves: Ints, codes: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of the rows of each class that reach each node.

        Parameters
        ----------
        leaves : ndarray of int
            The leaf of each row, from :meth:`apply`.
        codes : ndarray of int32
            The class of each row, as an index into ``classes``.
        weights : ndarray
            The weight of each row.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes)
        """
        at_node: NDArray[Any] = np.zeros((self.n_nodes, len(self.classes)), dtype=weights.dtype)
        np.add.at(at_node, (leaves, codes), weights)
        for depth in range(self.depth - 1, -1, -1):
            inner = np.flatnonzero((self.depths == depth) & (self.left >= 0))
            at_node[inner] = at_node[self.left[inner]] + at_node[self.left[inner] + 1]
        return at_node

    # Structure

    @property
    def n_nodes(self) -> int:
        """The number of nodes, including leaves."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return (self.n_nodes + 1) // 2

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """The number of tests above each node."""
        depths = np.zeros(self.n_nodes, dtype=np.int64)
        for node in np.flatnonzero(self.left >= 0):
            depths[self.left[node] : self.left[node] + 2] = depths[node] + 1
        return depths

    @property
    def depth(self) -> int:
        """The number of tests on the longest path; 0 for a single leaf."""
        return int(self.depths.max())

    @cached_property
    def subtree_sizes(self) -> NDArray[np.int64]:
        """The number of nodes in the subtree of each node, itself included."""
        return np.asarray(self._ancestors.sum(axis=0))

    @cached_property
    def features(self) -> tuple[int, ...]:
        """The tested features, ascending."""
        return tuple(np.unique(self.feature[self.left >= 0]).tolist())

    @property
    def right(self) -> Ints:
        """The child for "yes" of each inner node; -1 at a leaf."""
        return np.where(self.left >= 0, self.left + 1, -1).astype(np.int32)

    def predicate(self, feature: int) -> Predicate:
        """Return the predicate of a feature; on the 0/1 matrix itself if no predicates are attached."""
        if self.predicates is not None:
            return self.predicates[feature]
        return Predicate.of_feature(feature)

    # Prediction

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : data frame, 2-D array, list of rows or BitMatrix
            The raw table if predicates are attached, else a 0/1 matrix with a column per feature.

        Returns
        -------
        ndarray
        """
        return label_array(self.classes)[self.predict_codes(X)]

    def predict_codes(self, X: Any) -> Ints:
        """Return the class of each row, as an index into ``classes``; ``X`` as for :meth:`predict`."""
        return self.label[self.apply(X)]

    def apply(self, X: Any) -> Ints:
        """Return the leaf of each row; ``X`` as for :meth:`predict`."""
        if self.predicates is None or isinstance(X, BitMatrix):
            return self._apply_bits(X)
        return self._apply_raw(X)

    def decision_path(self, X: Any) -> csr_array:
        """Return the nodes on the path of each row, as a sparse 0/1 matrix of shape (n_rows, n_nodes).

        ``X`` as for :meth:`predict`.
        """
        return self._ancestors[self.apply(X)]

    # Text, JSON and identity

    def rules(self) -> list[Rule]:
        """Return one rule per leaf, with the conditions on each column merged."""
        return tree_rules(self)

    def to_text(self, max_depth: int | None = None) -> str:
        """Draw the tree as text, or its top.

        Parameters
        ----------
        max_depth : int, optional
            The depth down to which nodes are drawn; an inner node at this depth is replaced by the size of its subtree.
        """
        return tree_text(self, max_depth)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain JSON values, including the format version."""
        return tree_to_dict(self)

    def to_json(self) -> str:
        """Return the tree as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Tree:
        """Read the output of :meth:`to_json`; raise FormatError for anything else."""
        return cls.from_dict(parse_json(text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """Read the output of :meth:`to_dict`; raise FormatError for anything else."""
        arguments = parse_tree(data)
        try:
            return cls(**arguments)
        except InputError as error:
            raise FormatError(f"this is not a tree: {error}") from error

    @cached_property
    def digest(self) -> str:
        """A hash of the tests, their positions in the tree and the labels; equal trees, and only those, share it."""
        identity = tree_to_dict(self, identity_only=True)
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree.from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        n_classes = quantity(len(self.classes), "class", "classes")
        return f"<Tree: {quantity(self.n_nodes, 'node')}, depth {self.depth}, {n_classes}>"

    def __str__(self) -> str:
        return self.to_text()

    # Implementation

    def _apply_bits(self, X: Any) -> Ints:
        bits = X if isinstance(X, BitMatrix) else BitMatrix.from_rows(X)
        if self.features and self.features[-1] >= bits.n_bits:
            raise InputError(
                f"the tree tests feature {self.features[-1]}, but the matrix has {quantity(bits.n_bits, 'column')}"
            )
        return _native.leaves_of_examples(self.feature, self.left, bits.words, bits.n_bits)

    def _apply_raw(self, X: Any) -> Ints:
        assert self.n_columns is not None
        columns, packed, predicate_of_node = self._packed_predicates
        values, n_rows = read_fitted_columns(X, columns, self.n_columns)
        return _native.leaves_of_rows(predicate_of_node, self.left, packed, values, n_rows)

    @cached_property
    def _packed_predicates(self) -> tuple[list[Column], _native.Predicates, Ints]:
        """The tested columns, the packed predicates, and the index of each node's predicate among them."""
        predicates = [self.predicate(feature) for feature in self.features]
        columns = columns_of(predicates)
        predicate_of_node = np.searchsorted(self.features, self.feature).astype(np.int32)
        return columns, pack_predicates(predicates, columns), predicate_of_node

    @cached_property
    def _ancestors(self) -> csr_array:
        """For each node, the nodes on the path from the root to it, including itself."""
        paths: list[list[int]] = [[0]] + [[] for _ in range(self.n_nodes - 1)]
        for node in np.flatnonzero(self.left >= 0).tolist():
            for child in (self.left[node], self.left[node] + 1):
                paths[child] = [*paths[node], int(child)]
        starts = np.cumsum([0, *map(len, paths)])
        nodes = np.concatenate(paths)
        return csr_array((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(paths),) * 2)

    def _validate(self) -> None:
        kinds = {type(label) for label in self.classes}
        if None in self.classes or len(kinds - {int, float}) + bool(kinds & {int, float}) > 1:
            raise InputError("classes must be all strings, all booleans or all numbers")
        if len(set(self.classes)) != len(self.classes):
            raise InputError("classes must be distinct")
        n_nodes = len(self.left)
        if n_nodes == 0 or len(self.feature) != n_nodes or len(self.label) != n_nodes:
            raise InputError("a tree needs a feature, a left child and a label for each of its nodes")
        is_inner = self.left >= 0
        n_inner = int(is_inner.sum())
        if (
            n_nodes != 2 * n_inner + 1
            or (self.left[is_inner] != np.arange(1, n_nodes, 2)).any()
            or (np.flatnonzero(is_inner) >= self.left[is_inner]).any()
        ):
            raise InputError("the nodes of a tree must be numbered breadth first, children in pairs")
        if (self.feature[is_inner] < 0).any() or (self.feature[~is_inner] != -1).any():
            raise InputError("inner nodes test a feature, leaves have feature -1")
        leaf_labels = self.label[~is_inner]
        if ((leaf_labels < 0) | (leaf_labels >= len(self.classes))).any():
            raise InputError("the label of a leaf must be an index into classes")
        if (self.label[is_inner] != -1).any():
            raise InputError("inner nodes have label -1")
        if self.counts is not None and self.counts.shape != (n_nodes, len(self.classes)):
            raise InputError("counts must have a row per node and a column per class")


def _frozen(values: Any, dtype: Any) -> NDArray[Any]:
    array = np.array(values)
    fits = array.dtype == dtype or array.size == 0
    if not fits and (array.dtype.kind not in "iu" or abs(array).max() > np.iinfo(dtype).max):
        raise InputError(f"the arrays of a tree hold integers, got {array.dtype} up to {abs(array).max()}")
    array = array.astype(dtype)
    array.flags.writeable = False
    return array
