"""The binary problem that engines solve, the constraints on its trees, and the way back to the raw table."""

from .constraints import Constraints, Minimise, leaves_of, nodes_of
from .features import FeaturePolicy, feature_policy, require_cheapest
from .prepared import Prepared, prepare
from .problem import LARGEST_COST, BinaryProblem, Conflict, FeatureMerge, OnConflict, describe_conflicts

__all__ = [
    "LARGEST_COST",
    "BinaryProblem",
    "Conflict",
    "Constraints",
    "FeatureMerge",
    "FeaturePolicy",
    "Minimise",
    "OnConflict",
    "Prepared",
    "describe_conflicts",
    "feature_policy",
    "leaves_of",
    "nodes_of",
    "prepare",
    "require_cheapest",
]
