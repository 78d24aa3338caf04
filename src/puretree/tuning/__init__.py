"""Choosing a point of the front: by cross-validation, by a price for each leaf, or by a number of errors."""

from .cross_validation import FoldsSolved
from .fit_result import OptimalFitResult, trees_of_point, warn_if_incomplete
from .folds import FrontParameters
from .record import FrontRecord
from .target import Target
from .vote import Vote, check_vote, find_voters

__all__ = [
    "FoldsSolved",
    "FrontParameters",
    "FrontRecord",
    "OptimalFitResult",
    "Target",
    "Vote",
    "check_vote",
    "find_voters",
    "trees_of_point",
    "warn_if_incomplete",
]
