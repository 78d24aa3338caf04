"""Minimum pure decision trees: the smallest tree that fits every row, and the proof that no smaller one does.

Start with :mod:`puretree.pipeline`, which shows the whole path on one screen.
"""

from .binarize import BitsBinarizer, OneHotBinarizer, ThresholdBinarizer
from .errors import (
    ConflictError,
    DataNotFoundError,
    FormatError,
    InputError,
    InputTypeError,
    PuretreeError,
)
from .pipeline import prepare, small_tree
from .predicate import Predicate
from .problem import BinaryProblem
from .tree import Tree
from .wording import Rule

__version__ = "0.1.0"

__all__ = [
    "BinaryProblem",
    "BitsBinarizer",
    "ConflictError",
    "DataNotFoundError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "OneHotBinarizer",
    "Predicate",
    "PuretreeError",
    "Rule",
    "ThresholdBinarizer",
    "Tree",
    "prepare",
    "small_tree",
]
