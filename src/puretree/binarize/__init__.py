"""From a raw table to binary features that know their predicate: one file per way of asking."""

from __future__ import annotations

from ..errors import InputError
from .base import Binarizer
from .bits import BitsBinarizer
from .onehot import OneHotBinarizer
from .thresholds import ThresholdBinarizer

BINARIZERS: dict[str, type[Binarizer]] = {
    "bits": BitsBinarizer,
    "onehot": OneHotBinarizer,
    "thresholds": ThresholdBinarizer,
}

__all__ = [
    "BINARIZERS",
    "Binarizer",
    "BitsBinarizer",
    "OneHotBinarizer",
    "ThresholdBinarizer",
    "make_binarizer",
]


def make_binarizer(binarize: str | Binarizer) -> Binarizer:
    """Return a binariser by name, or the one given."""
    if isinstance(binarize, Binarizer):
        return binarize
    if binarize not in BINARIZERS:
        raise InputError(f"binarize={binarize!r} is not known; use one of {', '.join(BINARIZERS)}")
    return BINARIZERS[binarize]()
