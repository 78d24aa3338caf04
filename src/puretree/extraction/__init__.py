"""Some of the minimum trees through SAT, any or diverse ones; :class:`Extractor` is what the pipeline sees of it."""

from .extract import Ending, Extraction, Extractor
from .layouts import DEFAULT_DEPTH
from .mdsol import Diversity, hamming, mean_hamming, targets

__all__ = [
    "DEFAULT_DEPTH",
    "Diversity",
    "Ending",
    "Extraction",
    "Extractor",
    "hamming",
    "mean_hamming",
    "targets",
]
