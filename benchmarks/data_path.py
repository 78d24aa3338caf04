"""Benchmark of binarisation and prediction; compared systems alternate within one run.

Run with ``make bench-kernels``. Prints the time to binarise 100,000 rows × 50 mixed columns, and the times of
``Tree.predict`` and of scikit-learn on the same 1,000,000 rows and the same 31-node tree.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from puretree import BitsBinarizer, OneHotBinarizer, ThresholdBinarizer, Tree
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.table import Column

N_REPEATS = 7


def seconds(run: Callable[[], Any]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def mixed_table(n_rows: int, n_columns: int, random_state: int = 0) -> tuple[dict[str, Any], Any]:
    """Make columns that alternate between floats, integers, strings, and strings with missing values."""
    rng = np.random.default_rng(random_state)
    colours = np.array(["red", "green", "blue", "white", "black"], dtype=object)
    with_missing = np.array(["low", "medium", "high", None], dtype=object)
    makers: list[Callable[[], Any]] = [
        lambda: rng.normal(size=n_rows),
        lambda: rng.integers(0, 100, size=n_rows),
        lambda: rng.choice(colours, size=n_rows),
        lambda: rng.choice(with_missing, size=n_rows),
    ]
    columns = {f"column {i}": makers[i % len(makers)]() for i in range(n_columns)}
    return columns, rng.integers(0, 2, size=n_rows)


def bench_transform() -> None:
    """Time the binarisers on a table of mixed types, in pandas, polars and NumPy."""
    import pandas as pd
    import polars as pl

    columns, y = mixed_table(100_000, 50)
    tables = {
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame({name: pl.Series(cells.tolist()) for name, cells in columns.items()}),
        "object array": np.column_stack([cells.astype(object) for cells in columns.values()]),
    }
    binarizers = [BitsBinarizer(), OneHotBinarizer(), ThresholdBinarizer(max_cuts=32)]
    print("binarise 100,000 rows × 50 mixed columns (seconds, worst of 3)")
    for binarizer in binarizers:
        for container, table in tables.items():
            fit = seconds(lambda: binarizer.fit(table, y))  # noqa: B023
            transform = max(seconds(lambda: binarizer.transform(table)) for _ in range(3))  # noqa: B023
            print(
                f"  {type(binarizer).__name__:20} {container:13} fit {fit:6.2f}  transform {transform:6.2f}"
                f"  → {len(binarizer.features_)} features"
            )


def from_sklearn(model: DecisionTreeClassifier) -> Tree:
    """Convert a scikit-learn tree."""
    nodes = model.tree_

    def nested(node: int) -> Any:
        if nodes.children_left[node] < 0:
            return int(nodes.value[node].argmax())
        no, yes = nodes.children_right[node], nodes.children_left[node]
        return (node, nested(no), nested(yes))

    predicates = [
        Predicate(Column(f"x{column}", int(column), "number"), Region.at_most(float(threshold)))
        for column, threshold in zip(nodes.feature, nodes.threshold, strict=True)
    ]
    return Tree.from_nested(nested(0), model.classes_.tolist()).with_predicates(predicates, model.n_features_in_)


def bench_predict() -> None:
    """Time prediction, alternating with scikit-learn, and print the ratio of the medians."""
    print("\npredict 1,000,000 rows with a 31-node tree (median of alternating runs)")
    X, y = make_classification(1_000_000, 20, n_informative=10, random_state=0)
    model = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(X[:50_000], y[:50_000])
    tree = from_sklearn(model)
    assert tree.n_nodes == 31
    for name, table in (
        ("float64, by rows", X),
        ("float64, by columns", np.asfortranarray(X)),
        ("float32, by rows", X.astype(np.float32)),
    ):
        # scikit-learn compares in single precision, so predictions must be equal only there.
        table_32 = table.astype(np.float32)
        agree = (tree.predict(table_32) == model.predict(table_32)).all()
        times = [
            (seconds(lambda: tree.predict(table)), seconds(lambda: model.predict(table)))  # noqa: B023
            for _ in range(N_REPEATS)
        ]
        ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
        print(
            f"  {name:20} puretree {ours * 1e3:6.1f} ms  scikit-learn {theirs * 1e3:6.1f} ms  "
            f"{theirs / ours:4.1f}× as fast, same predictions in single precision: {agree}"
        )


if __name__ == "__main__":
    bench_transform()
    bench_predict()
