"""The explorer: all trees of a forest or of a front in one HTML page that works offline.

The graph of the trees is in the page, and not the trees, so that a small page holds billions of them: it counts,
filters, compares and draws them, by the same dynamic programming as :mod:`puretree.forest`.
"""

from .explore import PageOptions, explore_forest, explore_front, explore_tree

__all__ = ["PageOptions", "explore_forest", "explore_front", "explore_tree"]
