"""SAT and MaxSAT encodings of decision trees: the paper's encoding, corrected, and those of other systems."""

from .complete_tree import CompleteTreeEncoding
from .paths import PathEncoding
from .relaxed_layout import RelaxedLayoutEncoding
from .slots import SlotEncoding
from .topologies import layout_literals, layout_of, layouts
from .tree_encoding import TreeEncoding

__all__ = [
    "CompleteTreeEncoding",
    "PathEncoding",
    "RelaxedLayoutEncoding",
    "SlotEncoding",
    "TreeEncoding",
    "layout_literals",
    "layout_of",
    "layouts",
]
