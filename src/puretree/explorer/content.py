"""What the page of the explorer contains, as JSON values: graphs of trees, their tests, and rows.

A graph is a few arrays of integers, which are compressed: the bytes of equal significance come first, as neighbouring
numbers of a graph are similar. On new-thyroid, whose 19,114,784,940 trees have a graph of 164,597 edges, this takes
0.2 MB. Numbers that JavaScript would change, such as 1.0 or integers beyond 2⁵³, are stored as the JSON text that an
exported tree contains.
"""

from __future__ import annotations

import base64
import json
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import Predicate, columns_of, format_level, format_name, pack_predicates
from ..forest import Graph
from ..forest.best import accuracy_scores
from ..forest.leaves import split_leaves
from ..problem import Prepared, PreparedCosts
from ..table import Column, Floats, Level, Table, read_fitted_columns
from ..tree import Tree
from ..tree.json_format import column_to_dict, region_to_dict

Json = dict[str, Any]


def pack(values: Any) -> str:
    """Return 32-bit integers as text: their bytes by significance, compressed, in base 64."""
    array = np.ascontiguousarray(values, dtype="<i4").reshape(-1)
    planes = np.ascontiguousarray(array.view(np.uint8).reshape(-1, 4).T)
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode("ascii")


def exact_json(value: Any) -> str:
    """Return the JSON text of a value, as an exported tree contains it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def graph_of_tree(tree: Tree) -> Graph:
    """Return the graph of a single tree over original features."""
    order = np.arange(tree.n_nodes)[::-1]  # children before their parents
    position = np.argsort(order)
    is_inner = tree.left[order] >= 0
    left = tree.left[order][is_inner]
    return Graph(
        label=tree.label[order],
        size=((tree.subtree_sizes[order] - 1) // 2).astype(np.int32),
        edge_start=np.append(0, np.cumsum(is_inner)),
        feature=tree.feature[order][is_inner],
        no=position[left].astype(np.int32),
        yes=position[left + 1].astype(np.int32),
        roots=np.array([tree.n_nodes - 1], dtype=np.int32),
    )


@dataclass(frozen=True, eq=False)
class Tests:
    """The features that some graph tests, with their columns: what all graphs of a page refer to.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
    features : ndarray of int
        Original features, ascending.
    """

    prepared: Prepared | PreparedCosts
    features: NDArray[Any]

    @classmethod
    def of(cls, prepared: Prepared | PreparedCosts, graphs: Sequence[Graph]) -> Tests:
        """Return the tests of some graphs."""
        return cls(prepared, np.unique(np.concatenate([graph.features for graph in graphs])))

    @property
    def predicates(self) -> list[Predicate]:
        """The predicate of each feature."""
        return list(self.prepared.binarizer.features_.select(self.features.tolist()).values())

    @property
    def columns(self) -> list[Column]:
        """The columns that are tested, in the order of the table."""
        return columns_of(self.predicates)

    def values_of(self, table: Any) -> list[Floats]:
        """Return the encoded values of the columns of a raw table."""
        if not self.columns:
            return []
        return read_fitted_columns(table, self.columns, self.prepared.binarizer.n_features_in_)[0]

    def content(self) -> Json:
        """Return the tests and the columns."""
        columns, ranges = self.columns, self.prepared.table.ranges()
        position = {column.index: i for i, column in enumerate(columns)}
        return {
            "columns": [_column(column, ranges.get(column.name)) for column in columns],
            "tests": [
                _test(int(feature), predicate, position[predicate.column.index])
                for feature, predicate in zip(self.features, self.predicates, strict=True)
            ],
            "n_columns": self.prepared.binarizer.n_features_in_,
        }

    def bits(self) -> BitMatrix:
        """Return the values of the features on the training rows."""
        table, predicates, columns = self.prepared.table, self.predicates, self.columns
        if not columns:
            return BitMatrix.from_rows(np.zeros((0, table.n_rows), dtype=np.bool_))
        values = [np.ascontiguousarray(column, dtype=np.float64) for column in self.values_of(table)]
        return BitMatrix(_native.answers(pack_predicates(predicates, columns), values, table.n_rows), table.n_rows)


def _column(column: Column, size: float | None) -> Json:
    return {
        "name": format_name(column.name),
        "kind": column.kind,
        "levels": [format_level(level) for level in column.levels],
        "has_missing": column.has_missing,
        "is_integer": column.domain != "real",
        "is_boolean": bool(column.levels) and all(isinstance(level, bool) for level in column.levels),
        "range": size,
        "json": exact_json(column_to_dict(column)),
    }


def _test(feature: int, predicate: Predicate, column: int) -> Json:
    region = predicate.region
    return {
        "feature": feature,
        "text": _isolated(str(predicate), format_name(predicate.column.name)),
        "column": column,
        "edges": list(region.edges),
        "starts_inside": region.starts_inside,
        "holds_missing": region.holds_missing,
        "json": exact_json(region_to_dict(region))[1:-1],
    }


def _isolated(text: str, name: str) -> str:
    """Isolate a right-to-left name in a text, so that it does not change the direction of what follows it."""
    if not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        return text
    return text.replace(name, f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}")


def graph_content(
    graph: Graph, costs: Sequence[float], tests: Tests, bits: BitMatrix, clock: Clock, memory_limit: float | None
) -> Json:
    """Return a graph, with a leaf for each number of training rows of the classes.

    Parameters
    ----------
    graph : Graph
        Over original features.
    costs : sequence of float
        Of the trees under each root.
    tests : Tests
    bits : BitMatrix
        Of the tests.
    clock : Clock
    memory_limit : float or None

    Raises
    ------
    TimeLimitReached, MemoryError
        If a limit is reached.
    """
    feature = np.searchsorted(tests.features, graph.feature).astype(np.int32)
    of_tests = Graph(
        *(graph.label, graph.size, graph.edge_start, feature, graph.no, graph.yes, graph.roots),
    )
    leaves = split_leaves(of_tests, bits, _counted_rows(tests.prepared), free_bytes(memory_limit), clock)
    split, n_inner = leaves.graph, int((graph.size > 0).sum())
    # Leaves with the same rows of each class may have different labels, if labels have costs.
    sides = [(split.no, graph.no), (split.yes, graph.yes), (split.roots, graph.roots)]
    pairs = np.concatenate([np.stack([new, graph.label[old]]) for new, old in sides], axis=1)
    pairs = np.unique(pairs[:, pairs[1] >= 0], axis=1)
    n_split, n_leaves = len(leaves.weights), pairs.shape[1]
    key = pairs[0] * np.int64(len(tests.prepared.problem.classes)) + pairs[1]

    def number(new: NDArray[Any], old: NDArray[Any]) -> NDArray[Any]:
        label = graph.label[old]
        of_leaf = np.searchsorted(key, new * np.int64(len(tests.prepared.problem.classes)) + label)
        return np.asarray(np.where(label >= 0, of_leaf, new - n_split + n_leaves))

    return {
        "labels": pack(pairs[1]),
        "counts": pack(leaves.weights[pairs[0]].astype(np.int64)),
        "n_edges": pack(np.diff(split.edge_start)[len(split.size) - n_inner :]),
        "feature": pack(split.feature),
        "no": pack(number(split.no, graph.no)),
        "yes": pack(number(split.yes, graph.yes)),
        "roots": [
            {"node": int(node), "n_nodes": 2 * int(size) + 1, "cost": cost}
            for node, size, cost in zip(number(split.roots, graph.roots), graph.size[graph.roots], costs, strict=True)
        ],
    }


def _counted_rows(prepared: Prepared | PreparedCosts) -> Floats:
    """Return the number of rows that the nodes of a tree count, in the column of their class."""
    kept = prepared.kept_rows
    counted = np.zeros((prepared.table.n_rows, len(prepared.problem.classes)))
    counted[kept, prepared.labels.codes[kept]] = prepared.table.row_weights[kept]
    return counted


def rows_content(tests: Tests, table: Any, codes: NDArray[Any], numbers: NDArray[Any] | None = None) -> Json:
    """Return rows: the values of the tested columns, the classes (-1 if unknown) and the row numbers."""
    return {
        "codes": pack(codes),
        "numbers": pack(np.arange(len(codes)) if numbers is None else numbers),
        "columns": [_values(values) for values in tests.values_of(table)],
    }


def _values(values: Floats) -> Json:
    """Return the distinct values of a column, None if missing, and the position of each row's value among them."""
    distinct, codes = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    return {"values": [None if np.isnan(x) else x for x in distinct.tolist()], "codes": pack(codes)}


def selection_content(tests: Tests, X: Any, y: Any, classes: tuple[Level, ...]) -> Json:
    """Return labelled rows that were not used for training."""
    n_rows = len(X) if isinstance(X, Table) else len(y)
    scores = accuracy_scores(y, n_rows, classes)
    return rows_content(tests, X, np.where(scores.any(axis=1), scores.argmax(axis=1), -1))
