"""The classifiers that ours are compared with, each with the interface of scikit-learn.

- CART of scikit-learn, unpruned or pruned at a price for each leaf (Breiman et al. 1984), and a random forest.
- STreeD (van der Linden, de Weerdt, Demirović 2023): optimal trees of a depth, with a price for each test.
- FastSmallTreeClassifier of imodels: optimal trees of any depth, with a price for each leaf. numba compiles its search,
  which takes minutes on a new installation and a second in every process after that.
- FIGS of imodels (Tan et al. 2022): a sum of several greedy trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.tree import DecisionTreeClassifier

from ...binarize import make_binarizer
from ...selection.teacher import as_numbers
from .folds import Codes, LabelledRows
from .method import Probabilities, Run, Transform

STREED_DEPTH = 4
PRICES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Prices of a test or a leaf, in errors per training row, for the peers that get a grid of prices."""

MAX_RULES = (1, 2, 3, 5, 8, 12, 20)
"""Tests in all trees of FIGS; its default is 12."""

# Features


def fit_numbers(_: LabelledRows) -> Transform:
    """Return numbers, with categories one-hot encoded."""
    return as_numbers


def fit_imputed_numbers(rows: LabelledRows) -> Transform:
    """Return numbers with missing ones replaced by the median, for peers that take none."""
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(as_numbers(rows.table))
    return lambda table: imputer.transform(as_numbers(table))


def fit_binary(rows: LabelledRows) -> Transform:
    """Return the binary features that puretree's binariser guesses, for peers that take no others."""
    binarizer = make_binarizer("guessed").fit(rows.table, rows.codes)
    return lambda table: binarizer.transform(table).astype(np.intc)


# CART and random forests


def make_cart(run: Run) -> Any:
    """Return CART that grows until it is pure."""
    return DecisionTreeClassifier(random_state=run.seed)


def make_pruned_cart(run: Run) -> Any:
    """Return CART with a price for each leaf."""
    return DecisionTreeClassifier(random_state=run.seed, ccp_alpha=run.setting)


def pruning_prices(X: NDArray[np.float64], y: Codes, seed: int) -> list[float]:
    """Return a price for each tree of CART's pruning path: geometric means of neighbouring prices, and the last price.

    The path of an inner fold is another one; each price is in the middle of the range where the path of all training
    rows has the same tree.
    """
    path = DecisionTreeClassifier(random_state=seed).cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0.0)
    return np.unique([*np.sqrt(path[:-1] * path[1:]), path[-1]])[::-1].tolist()  # type: ignore[no-any-return]


def make_forest(run: Run) -> Any:
    """Return a random forest with scikit-learn's defaults."""
    return RandomForestClassifier(random_state=run.seed)


def cart_nodes(model: Any) -> int:
    """Return the number of nodes of CART."""
    return int(model.tree_.node_count)


def forest_nodes(model: Any) -> int:
    """Return the number of nodes of all trees of a random forest."""
    return sum(map(cart_nodes, model.estimators_))


# Peers with optional packages


def grid_of(values: Sequence[float]) -> Callable[[Any, Codes, int], Sequence[float]]:
    """Return a grid that does not depend on the training rows."""
    return lambda X, y, seed: values


def make_streed(run: Run) -> Any:
    """Return STreeD with a price for each test."""
    from pystreed import STreeDClassifier

    return STreeDClassifier(
        "cost-complex-accuracy", max_depth=STREED_DEPTH, cost_complexity=run.setting, time_limit=run.seconds
    )


def streed_status(model: Any) -> str:
    """Return whether the tree of STreeD is optimal."""
    return "optimal" if model.fit_result.is_optimal() else "time_limit"


def make_small_tree(run: Run) -> Any:
    """Return FastSmallTreeClassifier with a price for each leaf."""
    from imodels import FastSmallTreeClassifier

    return FastSmallTreeClassifier(regularization=run.setting, time_limit=run.seconds)


def small_tree_status(model: Any) -> str:
    """Return whether the tree of FastSmallTreeClassifier is optimal."""
    return "optimal" if model.optimal_ else "time_limit"


def make_figs(run: Run) -> Any:
    """Return FIGS with a number of tests."""
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=int(run.setting), random_state=run.seed)


def figs_probabilities(model: Any, X: NDArray[np.float64]) -> Probabilities:
    """Return the sums of FIGS, which estimate probabilities, clipped to 0 … 1 and normalised.

    Its own default, a softmax of these sums, gives no class more than e / (e + 1) where its tree is sure.
    """
    clipped = np.asarray(model.predict_proba(X, use_clipped_prediction=True), dtype=np.float64)
    return clipped / clipped.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def figs_nodes(model: Any) -> int:
    """Return the number of nodes of all trees of FIGS."""

    def count(node: Any) -> int:
        return 0 if node is None else 1 + count(node.left) + count(node.right)

    return sum(map(count, model.trees_))
