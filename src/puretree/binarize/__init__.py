"""Binarisers: from a raw table to binary features, each described by a predicate on a raw column."""

from __future__ import annotations

from sklearn.base import clone

from ..errors import InputError
from .base import Binarizer
from .guessed import GuessedThresholdBinarizer
from .thresholds import ThresholdBinarizer
from .value_codes import BitsBinarizer, OneHotBinarizer

BINARIZERS: dict[str, type[Binarizer]] = {
    "bits": BitsBinarizer,
    "guessed": GuessedThresholdBinarizer,
    "onehot": OneHotBinarizer,
    "thresholds": ThresholdBinarizer,
}

__all__ = [
    "BINARIZERS",
    "Binarizer",
    "BitsBinarizer",
    "GuessedThresholdBinarizer",
    "OneHotBinarizer",
    "ThresholdBinarizer",
    "make_binarizer",
]


def make_binarizer(binarize: str | Binarizer) -> Binarizer:
    """Return a new binariser: by name, or an unfitted clone of a binariser."""
    if isinstance(binarize, Binarizer):
        return clone(binarize)  # type: ignore[no-any-return]  # scikit-learn ships no types
    if binarize not in BINARIZERS:
        raise InputError(
            f"is unknown; use one of {', '.join(BINARIZERS)}, or a binariser such as ThresholdBinarizer(max_cuts=10)",
            parameter="binarize",
            value=binarize,
        )
    return BINARIZERS[binarize]()
