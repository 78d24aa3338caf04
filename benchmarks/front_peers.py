"""The questions of the benchmark of the front, as the peers answer them.

Nobody else computes the whole front. Each peer answers a part of it:

- pystreed (van der Linden, de Weerdt, Demirović 2023): the fewest errors with at most so many tests, at most 20. Every
  number of tests is a question of its own.
- FastSmallTreeClassifier of imodels: the least sum of the errors and a price for each leaf. Its search is compiled by
  numba, which takes from 20 seconds to some minutes on a new installation and a second in every process after that;
  :func:`prepare_small_tree` does both before anything is timed.
- ConTree (Briţa, van der Linden, Demirović 2025): the fewest errors at a depth, with all thresholds of numbers.
- pydl8.5 (Aglin, Nijssen, Schaus 2020): the same over 0/1 columns, one for each threshold.

The errors are counted here, on the tree that a peer returns. Whether they are the fewest is the claim of the peer.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from contenders import Timer
from front_tables import FrontTable
from numpy.typing import NDArray

from puretree.engines.programs.peers import run_dl85

STREED, SMALL_TREE, CONTREE, DL85 = "pystreed", "FastSmallTree", "ConTree", "pydl8.5"
MODULES = {
    STREED: ("pystreed",),
    SMALL_TREE: ("imodels", "numba", "six"),
    CONTREE: ("pycontree",),
    DL85: ("dl85Optimizer",),
}
PACKAGES = {STREED: ("pystreed",), SMALL_TREE: ("imodels", "numba"), CONTREE: ("pycontree",), DL85: ("pydl8.5",)}
MOST_TESTS = 20  # of pystreed


@dataclass(frozen=True, slots=True)
class Answer:
    """The errors of a tree, its leaves if they count, and whether the contender claims that no tree is better."""

    proved: bool
    errors: int | None = None
    leaves: int | None = None

    def objective(self, price: float) -> float | None:
        """Return the errors and the price of all leaves, without the error of rounding."""
        return None if self.errors is None or self.leaves is None else round(self.errors + price * self.leaves, 6)


Question = Callable[[Timer], Answer]


def is_installed(peer: str) -> bool:
    """Whether all packages that a peer needs are installed."""
    return all(find_spec(module) is not None for module in MODULES[peer])


def prepare(peers: Sequence[str]) -> None:
    """Import the packages of peers, so that no timed run includes the import."""
    for peer in peers:
        for module in MODULES[peer]:
            importlib.import_module(module)
        if peer == SMALL_TREE:
            prepare_small_tree()


def prepare_small_tree() -> None:
    """Compile the search of FastSmallTreeClassifier, or load the compiled one: processes forked later have it."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (60, 8)).astype(np.float64)
    table = FrontTable("warm-up", rows, rng.integers(0, 3, 60).astype(np.intc))
    small_tree(table, price=1.0, limit=0.0)(lambda function: function())


def streed(table: FrontTable, n_tests: int, limit: float) -> Question:
    """Ask pystreed for the fewest errors with at most so many tests; it then needs no greater depth."""
    require_at_most(n_tests, MOST_TESTS)

    def answer(timer: Timer) -> Answer:
        from pystreed import STreeDClassifier

        model = STreeDClassifier("accuracy", max_depth=n_tests, max_num_nodes=n_tests, time_limit=limit)
        rows = table.rows.astype(np.intc)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a result at the time limit is recognised below
            timer(lambda: model.fit(rows, table.labels))
            if not model.is_fitted():
                return Answer(False)
            return Answer(model.fit_result.is_optimal(), n_errors(model, rows, table.labels))

    return answer


def small_tree(table: FrontTable, price: float, limit: float) -> Question:
    """Ask FastSmallTreeClassifier for the least sum of the errors and a price, in errors, for each leaf."""

    def answer(timer: Timer) -> Answer:
        from imodels import FastSmallTreeClassifier

        model = FastSmallTreeClassifier(regularization=price / table.n_rows, time_limit=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # likewise
            timer(lambda: model.fit(table.rows, table.labels))
        return Answer(model.optimal_, n_errors(model, table.rows, table.labels), model.n_leaves_)

    return answer


def contree(table: FrontTable, depth: int, limit: float) -> Question:
    """Ask ConTree for the fewest errors at a depth."""

    def answer(timer: Timer) -> Answer:
        from pycontree import ConTree

        model = ConTree(max_depth=depth, time_limit=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # likewise
            timer(lambda: model.fit(table.rows, table.labels))
        # pycontree publishes only a warning; the attribute is what the warning depends on.
        return Answer(model._config.is_within_time_limit(), n_errors(model, table.rows, table.labels))

    return answer


def dl85(table: FrontTable, depth: int, limit: float) -> Question:
    """Ask pydl8.5 for the fewest errors at a depth, over a 0/1 column for each threshold."""
    columns = table.with_thresholds()

    def answer(timer: Timer) -> Answer:
        weights = np.ones(table.n_rows, dtype=np.int64)
        result = timer(lambda: run_dl85(columns, table.labels, weights, depth, limit))
        if result["tree"] is None:
            return Answer(False)
        predicted = [predict(result["tree"], row) for row in columns]
        return Answer(result["is_optimal"], int((np.array(predicted) != table.labels).sum()))

    return answer


def n_errors(model: Any, rows: NDArray[Any], labels: NDArray[np.intc]) -> int:
    """Count the rows that a fitted classifier misclassifies."""
    return int((np.asarray(model.predict(rows)) != labels).sum())


def predict(tree: Any, row: NDArray[np.intc]) -> int:
    """Return the class that nested lists (feature, no, yes) predict for a row."""
    while isinstance(tree, list):
        tree = tree[2] if row[tree[0]] else tree[1]
    return int(tree)


def require_at_most(n_tests: int, most: int) -> None:
    """Raise ValueError for more tests than a peer takes."""
    if not 1 <= n_tests <= most:
        raise ValueError(f"n_tests must be from 1 to {most}, is {n_tests}")
