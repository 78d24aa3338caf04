"""The paper's algorithm under the paper's names: many minimum pure trees, and a selection set to choose one of them.

Algorithm 3 of Alòs, Ansótegui and Torres (2022): split the rows; bound, encode and solve for the training part; extract
k trees; keep those whose accuracy on the selection part is within δ of the best; return one of these at random.

>>> from puretree.datasets import load
>>> monks = load("formula:monks-1")
>>> result = mpdt(monks.table, monks.target, "all", random_state=0)
>>> result.outcome.status, result.best.count <= result.candidates.trees.count
('optimal', True)
"""

from __future__ import annotations

from typing import Any

from ._support.clock import Clock
from .binarize import Binarizer
from .engines import Engine
from .errors import InputError
from .extraction import Pace
from .outcome import OnProgress
from .pipeline import choose_tree
from .problem import OnConflict
from .selection.candidates import Diversity, Number
from .selection.fit_result import FitResult

VARIANTS: dict[str, Diversity] = {
    "mpdt-1": "none",
    "mpdt-nd": "none",
    "mpdt": "mdsol",
    "mpdt-lay-nd": "layouts",
    "mpdt-lay": "layouts-mdsol",
    "all": "none",
}


def mpdt(
    X: Any,
    y: Any,
    variant: str = "mpdt",
    *,
    n_trees: int = 100,
    layout_depth: int = 2,
    pace: Pace = "prove",
    selection_size: float = 0.2,
    delta: float = 0.0,
    engine: str | Engine = "auto",
    binarize: str | Binarizer = "bits",
    on_conflict: OnConflict = "warn",
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
    random_state: Any = None,
    on_progress: OnProgress | None = None,
) -> FitResult:
    """Run the MPDT algorithm.

    Parameters
    ----------
    X, y, engine, binarize, on_conflict, time_limit, memory_limit, on_progress
        As for :func:`minimum_tree`, with the paper's features by default. With ``engine="maxsat"`` the linear
        search proves the minimum, and trees are extracted from its last satisfiable formula, by the same solver, as in
        the paper; no features are merged. The paper's system to the letter, without our warm start, chain, lazy
        examples and greedy tree, is
        ``engine="maxsat(warm_start=False, objective='totaliser', lazy=False, upper_bound='iti')"``.
    variant : {"mpdt-1", "mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay", "all"}, default="mpdt"
        One tree; k trees in the order of the solver; k diverse ones; k trees over all layouts of the upper nodes,
        without and with diversity; or all minimum trees.
    n_trees : int, default=100
        The number of trees to extract, k. Ignored by ``mpdt-1`` and ``all``.
    layout_depth : int, default=2
        The depth of the layouts that ``mpdt-lay-nd`` and ``mpdt-lay`` distinguish. The paper does not give one.
    pace : {"prove", "share"}, default="prove"
        Prove that each diverse tree is the farthest from those before, as the paper's algorithm requires, and return
        fewer trees at the time limit; or share the time among the trees. ``candidates.n_unproved`` then counts those
        that may not be the farthest.
    selection_size : float, default=0.2
        The fraction of rows in the selection set: 1 - p.
    delta : float, default=0.0
        The tolerance below the best selection accuracy, δ.
    random_state : int, RandomState or None
        Controls the split and the final random choice.

    Returns
    -------
    FitResult
        ``best`` holds all trees within δ, ``tree`` is one of them, ``candidates.stopped`` says whether there are more.
    """
    if variant not in VARIANTS:
        raise InputError(f"is unknown; use one of {', '.join(VARIANTS)}", parameter="variant", value=variant)
    number: Number = 1 if variant == "mpdt-1" else "all" if variant == "all" else n_trees
    return choose_tree(
        X,
        y,
        engine=engine,
        n_trees=number,
        diversity=VARIANTS[variant],
        layout_depth=layout_depth,
        pace=pace,
        source="forest" if variant == "all" else "sat",
        selection="holdout",
        selection_size=selection_size,
        delta=delta,
        binarize=binarize,
        on_conflict=on_conflict,
        time_limit=time_limit,
        memory_limit=memory_limit,
        random_state=random_state,
        on_progress=on_progress,
    )
