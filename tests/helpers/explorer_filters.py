"""Random filters of trees, and which trees of a list satisfy them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from puretree import Forest, Tree

Filters = dict[str, Any]
"""As in the page, with the encoded values of rows in place of their answers."""


def random_filters(forest: Forest, content: dict[str, Any], rng: np.random.Generator) -> Filters:
    """Draw filters of which some are set."""

    def target() -> dict[str, int]:
        if rng.random() < 0.5:
            return {"column": int(rng.integers(len(content["columns"])))}
        return {"test": int(rng.integers(len(content["tests"])))}

    def some(n: int, make: Any) -> list[Any]:
        return [make() for _ in range(rng.integers(n + 1))] if rng.random() < 0.5 else []

    def row() -> dict[str, Any]:
        values = [float(rng.integers(-1, 5)) for _ in content["columns"]]
        return {"values": values, "label": int(rng.integers(len(content["classes"])))}

    sizes, costs = forest.graph.size[forest.graph.roots], forest.costs_of_roots
    return {
        "root": target() if rng.random() < 0.3 else None,
        "uses": some(3, target),
        "avoids": some(2, target),
        "maxDepth": int(rng.integers(5)) if rng.random() < 0.3 else None,
        "minSamplesLeaf": int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
        "maxNodes": 2 * int(rng.choice(sizes)) + 1 if rng.random() < 0.2 else None,
        "maxCost": float(rng.choice(costs)) if rng.random() < 0.2 else None,
        "agreesWith": some(2, row),
    }


def satisfies(tree: Tree, cost: float, filters: Filters, content: dict[str, Any]) -> bool:
    """Return whether a tree satisfies filters, by looking at the tree."""
    used = set(tree.features)
    root = {int(tree.feature[0])} if tree.left[0] >= 0 else set()

    def features_of(target: dict[str, int]) -> set[int]:
        tests = content["tests"]
        if "test" in target:
            return {tests[target["test"]]["feature"]}
        return {test["feature"] for test in tests if test["column"] == target["column"]}

    assert tree.counts is not None
    smallest_leaf = int(tree.counts[tree.left < 0].sum(axis=1).min())
    return (
        (filters["root"] is None or bool(root & features_of(filters["root"])))
        and all(used & features_of(target) for target in filters["uses"])
        and not any(used & features_of(target) for target in filters["avoids"])
        and (filters["maxDepth"] is None or tree.depth <= filters["maxDepth"])
        and (filters["minSamplesLeaf"] is None or smallest_leaf >= filters["minSamplesLeaf"])
        and (filters["maxNodes"] is None or tree.n_nodes <= filters["maxNodes"])
        and (filters["maxCost"] is None or cost <= filters["maxCost"])
        and all(label_of(tree, row["values"], content) == row["label"] for row in filters["agreesWith"])
    )


def label_of(tree: Tree, values: Sequence[float], content: dict[str, Any]) -> int:
    """Return the class of a row, given the encoded values of the columns of the page."""
    tests = {test["feature"]: test["column"] for test in content["tests"]}
    node = 0
    while tree.left[node] >= 0:
        feature = int(tree.feature[node])
        node = int(tree.left[node]) + tree.predicate(feature).region.contains(values[tests[feature]])
    return int(tree.label[node])


def costs_of_trees(forest: Forest) -> list[float]:
    """Return the cost of each tree, in canonical order."""
    pairs = zip(forest.costs_of_roots, forest.counts_of_roots, strict=True)
    return [cost for cost, count in pairs for _ in range(count)]
