"""The methods by name, in the order of the tables."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from ...estimators.optimal_tree import OptimalTreeClassifier
from ...estimators.pure_tree import PureTreeClassifier
from . import peers
from .method import Method, Run


def _make_pure(run: Run) -> PureTreeClassifier:
    return PureTreeClassifier(
        on_conflict="majority", time_limit=run.seconds, memory_limit=run.memory, random_state=run.seed
    )


PURE = Method(make=_make_pure, n_nodes=lambda model: model.tree_.n_nodes, status=lambda model: model.status_)


def _front(**options: Any) -> Method:
    """Return OptimalTreeClassifier with some options that are not its defaults."""

    def make(run: Run) -> Any:
        limits: Any = {"time_limit": run.seconds, "memory_limit": run.memory, "random_state": run.seed}
        return OptimalTreeClassifier(**limits, **options)

    return replace(PURE, make=make)


METHODS = {
    "front-cv": _front(),
    "front-1se": _front(rule="one-se"),
    "front-teacher": _front(selection="teacher"),
    "front-vote": _front(vote=0.05),
    "pure": PURE,
    "cart": Method(make=peers.make_cart, features=peers.fit_numbers, n_nodes=peers.cart_nodes),
    "cart-ccp": Method(
        make=peers.make_pruned_cart,
        features=peers.fit_numbers,
        grid=peers.pruning_prices,
        n_nodes=peers.cart_nodes,
    ),
    "streed-cv": Method(
        make=peers.make_streed,
        features=peers.fit_binary,
        grid=peers.grid_of(peers.PRICES),
        n_nodes=lambda model: 2 * model.get_n_leaves() - 1,
        status=peers.streed_status,
        modules=("pystreed",),
        extra="peers",
    ),
    "fst-cv": Method(
        make=peers.make_small_tree,
        features=peers.fit_binary,
        grid=peers.grid_of(peers.PRICES),
        n_nodes=lambda model: 2 * model.n_leaves_ - 1,
        status=peers.small_tree_status,
        modules=("imodels", "numba", "six"),
        extra="front-peers",
    ),
    "figs": Method(
        make=peers.make_figs,
        features=peers.fit_imputed_numbers,
        grid=peers.grid_of(peers.MAX_RULES),
        predict_proba=peers.figs_probabilities,
        n_nodes=peers.figs_nodes,
        modules=("imodels", "six"),
        extra="front-peers",
    ),
    "rf": Method(make=peers.make_forest, features=peers.fit_numbers, n_nodes=peers.forest_nodes),
}
REFERENCE = "cart-ccp"
"""The method that every other is compared with."""

NOT_A_TREE = ("rf",)
"""Methods that are too large to be read: for reference only, and not in the plot."""


def why_missing(method: str) -> str | None:
    """Return why a method cannot be measured, and the remedy, if a module that it needs is not installed."""
    for module in METHODS[method].modules:
        if find_spec(module) is None:
            return f'needs {module}; run: pip install "puretree[{METHODS[method].extra}]"'
    return None


def installed_methods() -> tuple[str, ...]:
    """Return the methods whose modules are installed."""
    return tuple(method for method in METHODS if why_missing(method) is None)
