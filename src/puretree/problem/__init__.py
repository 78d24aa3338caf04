"""The problems that engines solve, the constraints on its trees, and the way back to the raw table."""

from .codes import Codes, CodeTree
from .conflicts import Conflict, OnConflict, describe_conflicts
from .constraints import Constraints, Minimise, leaves_of, nodes_of
from .costs import CostProblem
from .features import FeaturePolicy, feature_policy, require_cheapest
from .merging import FeatureMerge, MergedRows
from .ordinal import OrdinalProblem
from .prepared import BinarizedTable, Prepared, PreparedCosts, prepare, prepare_costs
from .problem import LARGEST_COST, BinaryProblem
from .row_costs import RowCosts, SampleWeights
from .soft_labels import CostedRows, SoftLabels, quantise

__all__ = [
    "LARGEST_COST",
    "BinarizedTable",
    "BinaryProblem",
    "CodeTree",
    "Codes",
    "Conflict",
    "Constraints",
    "CostProblem",
    "CostedRows",
    "FeatureMerge",
    "FeaturePolicy",
    "MergedRows",
    "Minimise",
    "OnConflict",
    "OrdinalProblem",
    "Prepared",
    "PreparedCosts",
    "RowCosts",
    "SampleWeights",
    "SoftLabels",
    "describe_conflicts",
    "feature_policy",
    "leaves_of",
    "nodes_of",
    "prepare",
    "prepare_costs",
    "quantise",
    "require_cheapest",
]
