"""Trees as clauses: the paper's encoding of a minimum pure tree, corrected, and those of other systems."""

from .complete_tree import CompleteTreeEncoding
from .paths import PathEncoding
from .topologies import layout_literals, layout_of, layouts
from .tree_encoding import TreeEncoding
from .useless_nodes import SlotEncoding

__all__ = [
    "CompleteTreeEncoding",
    "PathEncoding",
    "SlotEncoding",
    "TreeEncoding",
    "layout_literals",
    "layout_of",
    "layouts",
]
