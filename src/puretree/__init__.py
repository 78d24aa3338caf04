"""Minimum pure decision trees: the smallest tree that fits every row, and the proof that no smaller one does.

Start with :mod:`puretree.pipeline`, which shows the whole path on one screen.
"""

from .binarize import BitsBinarizer, OneHotBinarizer, ThresholdBinarizer
from .boosting import DtMaxClassifier
from .chosen import Chosen
from .classifier import PureTreeClassifier
from .comparison import Comparison, compare
from .engines import Auto, MaxSat, MinDt, Search
from .errors import (
    ConflictError,
    ConflictWarning,
    DataNotFoundError,
    FormatError,
    InfeasibleError,
    InputError,
    InputTypeError,
    MixedColumnWarning,
    PuretreeError,
    SolverError,
    UnfinishedError,
    UnfinishedWarning,
)
from .forest import Forest
from .outcome import Bounds, Outcome
from .pipeline import choose_tree, minimum_tree, minimum_trees, prepare
from .predicate import Predicate
from .problem import BinaryProblem
from .tree import Tree
from .variants import mpdt
from .wording import Rule

__version__ = "0.1.0"

__all__ = [
    "Auto",
    "BinaryProblem",
    "BitsBinarizer",
    "Bounds",
    "Chosen",
    "Comparison",
    "ConflictError",
    "ConflictWarning",
    "DataNotFoundError",
    "DtMaxClassifier",
    "Forest",
    "FormatError",
    "InfeasibleError",
    "InputError",
    "InputTypeError",
    "MaxSat",
    "MinDt",
    "MixedColumnWarning",
    "OneHotBinarizer",
    "Outcome",
    "Predicate",
    "PureTreeClassifier",
    "PuretreeError",
    "Rule",
    "Search",
    "SolverError",
    "ThresholdBinarizer",
    "Tree",
    "UnfinishedError",
    "UnfinishedWarning",
    "choose_tree",
    "compare",
    "minimum_tree",
    "minimum_trees",
    "mpdt",
    "prepare",
]
