"""The binary problem that engines solve, the constraints on its trees, and the way back to the raw table."""

from __future__ import annotations

from .constraints import Constraints, Minimise
from .features import askable, require_cheapest
from .prepared import Prepared, prepare
from .problem import LARGEST_COST, BinaryProblem, Conflict, FeatureMerge, OnConflict, describe_conflicts

__all__ = [
    "LARGEST_COST",
    "BinaryProblem",
    "Conflict",
    "Constraints",
    "FeatureMerge",
    "Minimise",
    "OnConflict",
    "Prepared",
    "askable",
    "describe_conflicts",
    "prepare",
    "require_cheapest",
]
