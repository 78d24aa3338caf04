"""The paper's MaxSAT encoding of a minimum pure tree, with the printed errors corrected."""

from .tree_encoding import TreeEncoding

__all__ = ["TreeEncoding"]
