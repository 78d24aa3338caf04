"""The tree that agrees most with what somebody says of mixed rows: what consensus and teacher have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..table import Table
from .choice import Candidates, Choice, Evidence, best_of
from .mixing import mix_rows

Shares = tuple[NDArray[np.float64], bool]

MIXED_ROWS = 1000
VOTES = 1000  # shares become whole numbers of votes, so that equal sums are equal


def require_rows(n_rows: Any) -> None:
    """Refuse to mix what is not a number of rows."""
    if not isinstance(n_rows, int) or isinstance(n_rows, bool) or n_rows < 1:
        raise InputError(f"n_rows={n_rows!r} is not a number of rows to mix; use a whole number such as {MIXED_ROWS}")


def choose_nearest(candidates: Candidates, says: Callable[[Table], Shares], n_rows: int, evidence: Evidence) -> Choice:
    """Choose the tree that agrees most.

    Parameters
    ----------
    candidates : Forest or TreeList
    says : callable
        Returns for each row how sure somebody is of each class, in shares; and whether that is exact.
    n_rows : int
        How many rows to mix.
    evidence : Evidence
    """
    if candidates.count == 1:
        return Choice(candidates[0], candidates, None, True)
    rows = mix_rows(evidence.training.table, n_rows, evidence.random)
    shares, is_exact = says(rows)
    good = best_of(candidates, np.rint(VOTES * shares), rows, evidence)
    return Choice(good.trees[0], good.trees, good.score / VOTES, good.is_exact and is_exact)
