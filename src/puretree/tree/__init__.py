"""Decision trees: prediction, rules and text, the JSON format, and explanations of single predictions."""

from __future__ import annotations

from .._support.text import format_count
from .explanation import Explanation, explain
from .rules import Conditions, Rule, add_condition
from .shares import class_shares
from .tree import Ints, Tree

__all__ = [
    "Conditions",
    "Explanation",
    "Ints",
    "Rule",
    "Tree",
    "add_condition",
    "class_shares",
    "explain",
    "format_count",
]
