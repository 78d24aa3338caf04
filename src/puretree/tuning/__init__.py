"""Choosing a point of the front: by cross-validation, by a price for each leaf, or by a number of errors."""

from .fit_result import OptimalFitResult, trees_of_point, warn_if_incomplete
from .folds import FrontParameters
from .record import FrontRecord
from .target import Target

__all__ = ["FrontParameters", "FrontRecord", "OptimalFitResult", "Target", "trees_of_point", "warn_if_incomplete"]
