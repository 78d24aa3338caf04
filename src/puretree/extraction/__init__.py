"""Some of the minimum trees by SAT, any or diverse ones; :class:`Extractor` is the interface."""

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
