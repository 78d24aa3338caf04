"""Random tables with columns of every kind: numbers, 0/1, categories, gaps, and rows that contradict each other."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

from puretree import Tree
from puretree.problem.prepared import Prepared

GRADES = ["low", "mid", "high", "top"]


def mixed_table(seed: int, n_rows: int | None = None, n_classes: int | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Make a table of 4 to 6 columns and its labels.

    Parameters
    ----------
    seed : int
    n_rows : int, optional
        8 to 25 by default.
    n_classes : int, optional
        2 to 4 by default.
    """
    rng = np.random.default_rng([seed, 7])
    n_rows = int(rng.integers(8, 26)) if n_rows is None else n_rows
    n_classes = 2 + seed % 3 if n_classes is None else n_classes
    n_values = 4 if n_rows < 50 else n_rows // 3

    def with_gaps(values: Any, fraction: float) -> Any:
        return np.where(rng.random(n_rows) < fraction, None, np.asarray(values, dtype=object))

    grades = with_gaps(rng.choice(GRADES, n_rows), 0.2 * (seed % 2))
    columns: dict[str, Any] = {
        "size": rng.integers(0, n_values, n_rows) / 8,
        "age": pd.to_numeric(pd.Series(with_gaps(rng.integers(0, n_values, n_rows), 0.2))),
        "member": rng.integers(0, 2, n_rows),
        "grade": pd.Categorical(grades, categories=GRADES, ordered=True),
        "town": with_gaps(rng.choice(["Ulm", "Bonn", "Kiel", "Jena"], n_rows), 0.15 * (seed % 3)),
        "gone": pd.to_numeric(pd.Series(with_gaps(rng.integers(0, 2, n_rows), 0.3))),
    }
    kept = rng.permutation(list(columns))[: rng.integers(4, 7)] if n_rows < 50 else list(columns)
    table = pd.DataFrame({name: columns[name] for name in kept})
    labels = [f"class {code}" for code in rng.integers(0, n_classes, n_rows)]
    if n_rows < 50:
        labels[:n_classes] = [f"class {code}" for code in range(n_classes)]
    return table, labels


@contextmanager
def ordinal_problems() -> Iterator[None]:
    """Treat every table as a large one."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("puretree.problem.prepared.MAX_BITS", 0)
        yield


def random_tree(classes: tuple[Any, ...], features: Sequence[int], rng: np.random.Generator) -> Tree:
    """Return a random tree over some features."""

    def grow(depth: int) -> Any:
        if depth == 0 or rng.random() < 0.2:
            return classes[rng.integers(len(classes))]
        return int(rng.choice(features)), grow(depth - 1), grow(depth - 1)

    return Tree.from_nested((int(rng.choice(features)), grow(3), grow(3)), classes)


def allowed_features(prepared: Prepared) -> list[int]:
    """Return the features of the binariser that a tree may test."""
    features, policy = prepared.binarizer.features_, prepared.policy
    return np.flatnonzero(policy.is_allowed_column[features.column_of_feature]).tolist()
