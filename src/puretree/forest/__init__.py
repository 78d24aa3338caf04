"""All minimum pure trees as an AND/OR graph; :class:`Forest` is the public interface."""

from .best import Best
from .forest import Forest
from .graph import Graph
from .grow import grow_forest, grow_graph
from .layouts import Layout
from .tree_list import TreeList
from .usage import FeatureUsage

__all__ = ["Best", "FeatureUsage", "Forest", "Graph", "Layout", "TreeList", "grow_forest", "grow_graph"]
