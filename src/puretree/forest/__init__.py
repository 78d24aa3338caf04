"""All minimum pure trees at once, as an AND/OR graph; :class:`Forest` is what people see of it."""

from .best import Best
from .forest import Forest
from .graph import Graph
from .grow import grow_forest, grow_graph
from .layouts import Layout
from .tree_list import TreeList
from .usage import FeatureUsage

__all__ = ["Best", "FeatureUsage", "Forest", "Graph", "Layout", "TreeList", "grow_forest", "grow_graph"]
