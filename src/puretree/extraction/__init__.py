"""Some of the minimum trees by SAT, any or diverse ones; :class:`Extractor` is the interface."""

from ..maxsat.mdsol import Pace, StopReason
from .extract import Extraction, Extractor, with_original_features
from .layouts import DEFAULT_DEPTH
from .mdsol import Diversity, hamming, mean_hamming, targets

__all__ = [
    "DEFAULT_DEPTH",
    "Diversity",
    "Extraction",
    "Extractor",
    "Pace",
    "StopReason",
    "hamming",
    "mean_hamming",
    "targets",
    "with_original_features",
]
