"""Some of the minimum trees by SAT, any or diverse ones; :class:`Extractor` is the interface."""

from .extract import Extraction, Extractor, StopReason
from .layouts import DEFAULT_DEPTH
from .mdsol import Diversity, hamming, mean_hamming, targets

__all__ = [
    "DEFAULT_DEPTH",
    "Diversity",
    "Extraction",
    "Extractor",
    "StopReason",
    "hamming",
    "mean_hamming",
    "targets",
]
