"""The binary problem that engines solve, the constraints on its trees, and the way back to the raw table."""

from .codes import Codes, CodeTree
from .conflicts import Conflict, OnConflict, describe_conflicts
from .constraints import Constraints, Minimise, leaves_of, nodes_of
from .features import FeaturePolicy, feature_policy, require_cheapest
from .ordinal import OrdinalProblem
from .prepared import Prepared, prepare
from .problem import LARGEST_COST, BinaryProblem, FeatureMerge

__all__ = [
    "LARGEST_COST",
    "BinaryProblem",
    "CodeTree",
    "Codes",
    "Conflict",
    "Constraints",
    "FeatureMerge",
    "FeaturePolicy",
    "Minimise",
    "OnConflict",
    "OrdinalProblem",
    "Prepared",
    "describe_conflicts",
    "feature_policy",
    "leaves_of",
    "nodes_of",
    "prepare",
    "require_cheapest",
]
