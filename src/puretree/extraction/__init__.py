"""Some of the minimum trees through SAT, any or diverse ones; :class:`Extractor` is what the pipeline sees of it."""

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
