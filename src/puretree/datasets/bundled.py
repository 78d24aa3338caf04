"""Data sets that come with scikit-learn: there wherever puretree is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from ..reading import read_columns
from .dataset import Dataset

BUNDLED: dict[str, Callable[[], Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast-cancer": load_breast_cancer,
}


def load_bundled(name: str) -> Dataset:
    """Load one of scikit-learn's small data sets, all columns numbers."""
    bunch = BUNDLED[name]()
    columns = zip(bunch.feature_names, bunch.data.T, strict=True)
    table = read_columns({str(column).removesuffix(" (cm)"): values for column, values in columns})
    return Dataset(name, table, bunch.target_names[bunch.target], source="scikit-learn")
