"""Minimum pure decision trees: the smallest tree that fits every row, and the proof that no smaller one does.

Start with :mod:`puretree.pipeline`, which shows the whole path on one screen.
"""

from ._support.interrupts import exiting_on_interrupt, is_command_line

with exiting_on_interrupt(is_command_line()):  # Python imports this file before the command line can handle Ctrl-C
    from .binarize import BitsBinarizer, GuessedThresholdBinarizer, OneHotBinarizer, ThresholdBinarizer
    from .binarize.predicate import Predicate
    from .engines import Auto, MaxSat, MinDt, Search
    from .engines.comparison import Comparison, compare
    from .errors import (
        ConflictError,
        ConflictWarning,
        DataNotFoundError,
        FormatError,
        InfeasibleError,
        InputError,
        InputTypeError,
        MissingValuesWarning,
        MixedColumnWarning,
        NoisyLabelsWarning,
        PuretreeError,
        SolverError,
        UnfinishedError,
        UnfinishedWarning,
    )
    from .estimators.dtmax import DtMaxClassifier
    from .estimators.optimal_tree import OptimalTreeClassifier
    from .estimators.pure_tree import PureTreeClassifier
    from .forest import Forest
    from .mpdt import mpdt
    from .outcome import Bounds, Outcome
    from .pareto import Front, FrontBounds, FrontPoint
    from .pipeline import choose_optimal_tree, choose_tree, front, minimum_tree, minimum_trees
    from .problem import BinaryProblem, prepare
    from .selection.fit_result import FitResult
    from .tree import Rule, Tree
    from .tuning import OptimalFitResult

__version__ = "0.1.0"

__all__ = [
    "Auto",
    "BinaryProblem",
    "BitsBinarizer",
    "Bounds",
    "Comparison",
    "ConflictError",
    "ConflictWarning",
    "DataNotFoundError",
    "DtMaxClassifier",
    "FitResult",
    "Forest",
    "FormatError",
    "Front",
    "FrontBounds",
    "FrontPoint",
    "GuessedThresholdBinarizer",
    "InfeasibleError",
    "InputError",
    "InputTypeError",
    "MaxSat",
    "MinDt",
    "MissingValuesWarning",
    "MixedColumnWarning",
    "NoisyLabelsWarning",
    "OneHotBinarizer",
    "OptimalFitResult",
    "OptimalTreeClassifier",
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
    "choose_optimal_tree",
    "choose_tree",
    "compare",
    "front",
    "minimum_tree",
    "minimum_trees",
    "mpdt",
    "prepare",
]
