"""The paper's algorithm under the paper's names: smallest pure trees, many of them, and a selection set to choose by.

Algorithm 3 of Alòs, Ansótegui and Torres (2022): split the rows, bound, encode and solve for the training part, extract
k trees, keep those whose accuracy on the selection part is within δ of the best, take one of these at random.

>>> from puretree.datasets import load
>>> monks = load("formula:monks-1")
>>> found = mpdt(monks.table, monks.target, "all", random_state=0)
>>> found.outcome.status, found.best.count <= found.found.candidates.count
('optimal', True)
"""

from __future__ import annotations

from typing import Any

from .binarize import Binarizer
from .engines import Engine
from .errors import InputError
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
    k: int = 100,
    selection_size: float = 0.2,
    delta: float = 0.0,
    engine: str | Engine = "auto",
    binarize: str | Binarizer = "bits",
    on_conflict: OnConflict = "majority",
    time_limit: float | None = 60.0,
    memory_limit: float | None = None,
    random_state: Any = None,
    on_progress: OnProgress | None = None,
) -> FitResult:
    """Run the MPDT algorithm.

    Parameters
    ----------
    X, y, engine, binarize, on_conflict, time_limit, on_progress
        As for :func:`minimum_tree`; questions and contradictions are the paper's by default. ``engine="maxsat"`` also
        proves the minimum as the paper does.
    variant : {"mpdt-1", "mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay", "all"}, default="mpdt"
        One tree; k trees as the solver finds them; k diverse ones; k from all layouts of the upper nodes, without and
        with diversity; or all smallest trees, of which the best is found exactly.
    k : int, default=100
        How many trees to extract. Without meaning for ``mpdt-1`` and ``all``.
    selection_size : float, default=0.2
        The share of rows that select: 1 - p.
    delta : float, default=0.0
        How much less accuracy than the best is good enough.
    memory_limit : float, optional
        Bytes that the process may take; half of the machine's by default.
    random_state : int, RandomState or None
        Of the split, and of the tree that is taken in the end.

    Returns
    -------
    FitResult
        ``best`` are all trees within δ, ``tree`` is one of them, ``found.ending`` tells whether there are more.
    """
    if variant not in VARIANTS:
        raise InputError(f"variant={variant!r} is not known; use one of {', '.join(VARIANTS)}")
    n_trees: Number = 1 if variant == "mpdt-1" else "all" if variant == "all" else k
    return choose_tree(
        X,
        y,
        engine=engine,
        n_trees=n_trees,
        diversity=VARIANTS[variant],
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
