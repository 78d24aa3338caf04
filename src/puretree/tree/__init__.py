"""Decision trees: prediction, rules and text, the JSON format, and explanations of single rows."""

from __future__ import annotations

from .explanation import Explanation, explain
from .rules import Conditions, Rule, format_count, narrowed
from .tree import Ints, Tree

__all__ = [
    "Conditions",
    "Explanation",
    "Ints",
    "Rule",
    "Tree",
    "explain",
    "format_count",
    "narrowed",
]
