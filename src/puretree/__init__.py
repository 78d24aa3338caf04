"""Minimum pure decision trees: the smallest tree that fits every row, and the proof that no smaller one does.

Start with :mod:`puretree.pipeline`, which shows the whole path on one screen.
"""

from .binarize import BitsBinarizer, OneHotBinarizer, ThresholdBinarizer
from .engines import Auto, MaxSat, MinDt, Search
from .errors import (
    ConflictError,
    DataNotFoundError,
    FormatError,
    InfeasibleError,
    InputError,
    InputTypeError,
    PuretreeError,
    SolverError,
    UnfinishedError,
)
from .forest import Forest
from .outcome import Bounds, Outcome
from .pipeline import minimum_tree, minimum_trees, prepare
from .predicate import Predicate
from .problem import BinaryProblem
from .tree import Tree
from .wording import Rule

__version__ = "0.1.0"

__all__ = [
    "Auto",
    "BinaryProblem",
    "BitsBinarizer",
    "Bounds",
    "ConflictError",
    "DataNotFoundError",
    "Forest",
    "FormatError",
    "InfeasibleError",
    "InputError",
    "InputTypeError",
    "MaxSat",
    "MinDt",
    "OneHotBinarizer",
    "Outcome",
    "Predicate",
    "PuretreeError",
    "Rule",
    "Search",
    "SolverError",
    "ThresholdBinarizer",
    "Tree",
    "UnfinishedError",
    "minimum_tree",
    "minimum_trees",
    "prepare",
]
