"""All minimum pure trees, or all trees of a point of the front, as an AND/OR graph: :class:`Forest` is public."""

from .best import Best
from .forest import Forest
from .graph import Graph
from .grow import grow_forest, grow_graph
from .grow_front import grow_front_forest
from .layouts import Layout
from .tree_list import TreeList
from .usage import FeatureUsage
from .votes import ExplainedVote

__all__ = [
    "Best",
    "ExplainedVote",
    "FeatureUsage",
    "Forest",
    "Graph",
    "Layout",
    "TreeList",
    "grow_forest",
    "grow_front_forest",
    "grow_graph",
]
