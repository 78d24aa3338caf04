"""Export a tree to other formats; exports that can be executed are checked on the training rows.

>>> from puretree.tree import Tree
>>> print(export_tree(Tree.from_nested((0, "a", "b")), "sql"))
CASE
  WHEN "feature 0" = 1 THEN 'b'
  WHEN ("feature 0" IS NULL OR "feature 0" <> 1) THEN 'a'
END
"""

from .node_view import to_records
from .picture import plot
from .registry import FORMATS, Format, export_tree, find_format
from .sklearn_tree import to_sklearn
from .sql import to_sql
from .svg import to_svg

__all__ = ["FORMATS", "Format", "export_tree", "find_format", "plot", "to_records", "to_sklearn", "to_sql", "to_svg"]
