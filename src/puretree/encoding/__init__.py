"""Minimum pure trees as formulas: the paper's encoding, with the printed errors corrected, and those of others."""

from .paths import PathEncoding
from .topologies import layout_literals, layout_of, layouts
from .tree_encoding import TreeEncoding
from .useless_nodes import SlotEncoding

__all__ = ["PathEncoding", "SlotEncoding", "TreeEncoding", "layout_literals", "layout_of", "layouts"]
