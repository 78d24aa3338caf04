"""Small forests with a list of all their trees, of tables whose merged features disagree on rows not in training."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from helpers.oracles.forest import BruteForceForest, canonical
from helpers.oracles.front import BruteForceFront, canonical_with_costs
from helpers.random_problems import random_cost_table, rows_of

from puretree import Forest, Outcome, prepare
from puretree.forest import Graph, grow_front_forest
from puretree.problem import Prepared, PreparedCosts, prepare_costs

MAX_TREES = 1_500


def graph_of(brute_force: BruteForceForest) -> Graph:
    """Make the graph of the trees found by brute force."""
    arrays = brute_force.graph()
    dtypes = {"edge_start": np.int64}
    return Graph(**{name: np.array(values, dtype=dtypes.get(name, np.int32)) for name, values in arrays.items()})


def forest_of(prepared: Prepared, extra: int = 0) -> Forest:
    """Make the forest of a small problem by brute force."""
    problem = prepared.problem
    brute_force = BruteForceForest(rows_of(problem), problem.labels.tolist(), extra)
    return Forest(prepared, graph_of(brute_force), proof(2 * brute_force.sizes[0] + 1))


def proof(n_nodes: int) -> Outcome:
    """Make an outcome that proves a minimum."""
    return Outcome(None, n_nodes, n_nodes, "optimal", (), 0.0)


@dataclass(frozen=True)
class SmallForest:
    """A forest, all its trees as nested triples over original features in canonical order, and labelled new rows."""

    forest: Forest
    trees: list[Any]
    X: list[list[Any]]
    y: list[int]

    def predictions(self) -> np.ndarray:
        """Return the prediction of each tree for each new row, without the forest: shape (n_trees, n_rows)."""
        binary = self.forest.prepared.binarizer.transform(self.X)
        return np.array([[_predict(tree, row) for row in binary] for tree in self.trees])


def _predict(nested: Any, row: Any) -> Any:
    while isinstance(nested, tuple):
        nested = nested[2] if row[nested[0]] else nested[1]
    return nested


@cache
def small_forest(seed: int, extra: int | Literal["band"] = 0) -> SmallForest:
    """Make a forest of 2 to 1,500 trees; in every other table a column mirrors another one, in training only.

    With ``extra="band"`` the trees have errors: those of a band around a point of a front.
    """
    if extra == "band":
        return _small_band(seed)
    rng = np.random.default_rng([seed, extra])
    n_classes = 2 + seed % 4 // 2
    while True:
        n_rows, n_columns = rng.integers(4, 9), rng.integers(2, 4)
        table = _table(rng, n_rows, n_columns)
        if seed % 2:
            table = [[4 - row[1], *row[1:]] for row in table]
        y = rng.integers(0, n_classes, n_rows)
        binarize = ("thresholds", "onehot", "bits")[seed % 3]
        prepared = prepare(table, y, binarize=binarize, on_conflict="majority")
        if prepared.problem.n_classes < 2 or prepared.problem.n_classes < len(prepared.problem.classes):
            continue
        forest = forest_of(prepared, extra)
        if 2 <= forest.count <= MAX_TREES:
            trees = _all_trees(prepared, extra)
            n_new = int(rng.integers(1, 40))
            new_labels = rng.integers(0, n_classes, n_new).tolist()
            return SmallForest(forest, trees, _table(rng, n_new, n_columns), new_labels)


def _small_band(seed: int) -> SmallForest:
    rng = np.random.default_rng([seed, 5])
    while True:
        X, y, options = random_cost_table(int(rng.integers(1000)))
        prepared = prepare_costs(X, y, **options)
        front = front_by_brute_force(prepared)
        n_tests, extra, slack = (int(rng.integers(end)) for end in (3, 2, 6))
        least = front.least_cost(n_tests)
        trees = [
            tree
            for size in range(n_tests + extra + 1)
            for cost in range(least + slack + 1)
            for tree in front.trees(size, cost)
        ]
        if 2 <= len(trees) <= MAX_TREES:
            forest = grow_front_forest(prepared, n_tests, least, extra=extra, slack=slack)
            key = canonical_with_costs(front.rows, front.costs)
            classes = dict(enumerate(prepared.problem.classes))
            named = [relabelled(tree, classes) for tree in sorted(trees, key=key)]
            n_new = int(rng.integers(1, 40))
            columns = [[column[i] for i in rng.integers(0, len(X), n_new)] for column in zip(*X, strict=True)]
            new_labels = rng.integers(0, len(prepared.problem.classes), n_new).tolist()
            return SmallForest(forest, named, [list(row) for row in zip(*columns, strict=True)], new_labels)


def front_by_brute_force(prepared: PreparedCosts, **constraints: Any) -> BruteForceFront:
    """Make the brute-force front of a table over original features, without the merged ones."""
    rows = prepared.binarizer.transform(prepared.table).astype(int).tolist()
    costs = prepared.row_costs
    return BruteForceFront(rows, costs.costs.tolist(), costs.n_rows.tolist(), **constraints)


def relabelled(nested: Any, new_label: Mapping[Any, Any]) -> Any:
    """Return a nested tree with other labels."""
    if not isinstance(nested, tuple):
        return new_label[nested]
    return nested[0], relabelled(nested[1], new_label), relabelled(nested[2], new_label)


def _table(rng: np.random.Generator, n_rows: int, n_columns: int) -> list[list[Any]]:
    numbers = rng.integers(0, 5, (n_rows, n_columns))
    colours = rng.choice(["red", "blue", "grey"], n_rows, p=[0.5, 0.4, 0.1])
    return [[*map(int, row), str(colour)] for row, colour in zip(numbers, colours, strict=True)]


def _all_trees(prepared: Prepared, extra: int) -> list[Any]:
    """List the trees over original features, without the merged ones."""
    kept = prepared.problem.kept_rows
    rows = prepared.binarizer.transform(prepared.table)[kept].astype(int).tolist()
    labels = [prepared.problem.classes[code] for code in prepared.labels.codes[kept]]
    trees = BruteForceForest(rows, labels, extra).all_trees()
    return sorted(trees, key=canonical)


def wide_forest(n_copies: int, depth: int) -> Forest:
    """Make a forest of the parity of `depth` bits with `n_copies` equal columns of each bit.

    Each test can use any of the copies.
    """
    bits = np.array(np.meshgrid(*[[0, 1]] * depth, indexing="ij")).reshape(depth, -1).T
    prepared = prepare(np.repeat(bits, n_copies, axis=1), bits.sum(axis=1) % 2)
    # One node for each depth and parity so far, with the bits tested in order: one order of the bits is enough here.
    label, size, no, yes, feature = [0, 1], [0, 0], [], [], []
    for bit in reversed(range(depth)):
        first = len(label) - 2
        label += [-1, -1]
        size += [2 * size[-1] + 1] * 2
        no, yes, feature = [*no, first, first + 1], [*yes, first + 1, first], [*feature, bit, bit]
    arrays = [np.array(values, dtype=np.int32) for values in (label, size, feature, no, yes, [len(label) - 2])]
    start = np.array([0, 0, *range(2 * depth + 1)], dtype=np.int64)
    return Forest(prepared, Graph(*arrays[:2], start, *arrays[2:]), proof(2 * size[-1] + 1))
