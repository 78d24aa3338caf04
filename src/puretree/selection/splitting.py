"""Which labelled rows train, and which are kept back to choose among the trees: line 1 of the paper's Algorithm 3."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from ..errors import InputError
from .choice import Rows


def split_rows(rows: Rows, selection_size: float, random_state: Any) -> tuple[Rows, Rows]:
    """Return the rows that train and the rows that select, both in their order.

    Classes keep their shares where that is possible. A class of a single row trains: no tree could say it otherwise.

    Parameters
    ----------
    rows : Rows
    selection_size : float
        The share of rows that select; between 0 and 1.
    random_state : int, RandomState or None
    """
    if not 0 < selection_size < 1:
        raise InputError(f"selection_size={selection_size!r} is not a share of the rows; use a number such as 0.2")
    codes = rows.labels.codes
    n_of_class = np.bincount(codes)
    free = np.flatnonzero(n_of_class[codes] > 1)
    n_selecting = max(1, round(selection_size * len(codes)))
    if n_selecting >= len(free):
        raise InputError(
            f"selection_size={selection_size} keeps {n_selecting} rows back, but only {len(free)} of {len(codes)} are "
            "of a class with other rows; use a smaller share, or a rule without a selection set: selection='consensus'"
        )
    n_classes = len(np.unique(codes[free]))
    can_stratify = min(n_selecting, len(free) - n_selecting) >= n_classes
    _, selecting = train_test_split(
        free, test_size=n_selecting, random_state=random_state, stratify=codes[free] if can_stratify else None
    )
    return rows.take(np.setdiff1d(np.arange(len(codes)), selecting)), rows.take(np.sort(selecting))
