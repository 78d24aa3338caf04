"""Small forests whose every tree is known, of tables whose merged questions part ways on rows not seen in training."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from helpers.oracles.forest import Truth, canonical
from helpers.random_problems import rows_of

from puretree import Forest, Outcome, prepare
from puretree.forest import Graph
from puretree.problem import Prepared

MOST_TREES = 1_500


def graph_of(truth: Truth) -> Graph:
    """Make a graph of what brute force found."""
    arrays = truth.graph()
    dtypes = {"edge_start": np.int64}
    return Graph(**{name: np.array(values, dtype=dtypes.get(name, np.int32)) for name, values in arrays.items()})


def forest_of(prepared: Prepared, extra: int = 0) -> Forest:
    """Make the forest of a small problem by brute force."""
    problem = prepared.problem
    truth = Truth(rows_of(problem), problem.labels.tolist(), extra)
    return Forest(prepared, graph_of(truth), proof(2 * truth.sizes[0] + 1))


def proof(n_nodes: int) -> Outcome:
    """Make the outcome that a forest rests on."""
    return Outcome(None, n_nodes, n_nodes, "optimal", (), 0.0)


@dataclass(frozen=True)
class Small:
    """A forest, all its trees as nested triples of given features in canonical order, and rows to try them on."""

    forest: Forest
    trees: list[Any]
    X: list[list[Any]]
    y: list[int]

    def predictions(self) -> np.ndarray:
        """Return what each tree says of each row to try, by walking: shape (n_trees, n_rows)."""
        answers = self.forest.prepared.binarizer.transform(self.X)
        return np.array([[_walk(tree, row) for row in answers] for tree in self.trees])


def _walk(nested: Any, row: Any) -> Any:
    while isinstance(nested, tuple):
        nested = nested[2] if row[nested[0]] else nested[1]
    return nested


@cache
def small_forest(seed: int, extra: int = 0) -> Small:
    """Make a forest of 2 to 1,500 trees; every other table has a column that mirrors another, in training only."""
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
        if 2 <= forest.count <= MOST_TREES:
            trees = _all_trees(prepared, extra)
            n_new = int(rng.integers(1, 40))
            new_labels = rng.integers(0, n_classes, n_new).tolist()
            return Small(forest, trees, _table(rng, n_new, n_columns), new_labels)


def _table(rng: np.random.Generator, n_rows: int, n_columns: int) -> list[list[Any]]:
    numbers = rng.integers(0, 5, (n_rows, n_columns))
    colours = rng.choice(["red", "blue", "grey"], n_rows, p=[0.5, 0.4, 0.1])
    return [[*map(int, row), str(colour)] for row, colour in zip(numbers, colours, strict=True)]


def _all_trees(prepared: Prepared, extra: int) -> list[Any]:
    """List the trees in given features: what was merged is not looked at."""
    kept = prepared.problem.kept_rows
    given = prepared.binarizer.transform(prepared.table)[kept].astype(int).tolist()
    labels = [prepared.problem.classes[code] for code in prepared.labels.codes[kept]]
    trees = Truth(given, labels, extra).all_trees()
    return sorted(trees, key=canonical)


def wide_forest(n_copies: int, depth: int) -> Forest:
    """Make a forest of the parity of `depth` bits, each there `n_copies` times: every test has many wordings."""
    bits = np.array(np.meshgrid(*[[0, 1]] * depth, indexing="ij")).reshape(depth, -1).T
    prepared = prepare(np.repeat(bits, n_copies, axis=1), bits.sum(axis=1) % 2)
    # A node for each depth and parity so far, tests in order; the graph of one order of the bits is enough here.
    label, size, no, yes, feature = [0, 1], [0, 0], [], [], []
    for bit in reversed(range(depth)):
        first = len(label) - 2
        label += [-1, -1]
        size += [2 * size[-1] + 1] * 2
        # A threshold asks "≤ 0.5", so yes means that the bit is 0.
        no, yes, feature = [*no, first + 1, first], [*yes, first, first + 1], [*feature, bit, bit]
    arrays = [np.array(values, dtype=np.int32) for values in (label, size, feature, no, yes, [len(label) - 2])]
    start = np.array([0, 0, *range(2 * depth + 1)], dtype=np.int64)
    return Forest(prepared, Graph(*arrays[:2], start, *arrays[2:]), proof(2 * size[-1] + 1))
