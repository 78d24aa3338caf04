"""Why a row gets its label, and what would have to be different for another one.

>>> from puretree.predicate import Column, Predicate
>>> from puretree.region import Region
>>> from puretree.tree import Tree
>>> small = Predicate(Column("petal width", 0, "number"), Region.at_most(1.75))
>>> tree = Tree.from_nested((0, "virginica", "versicolor")).with_predicates([small], 1)
>>> print(explain(tree, [1.6]))
versicolor, because:
  petal width ≤ 1.75? yes (it is 1.6)
Nearest change: if petal width > 1.75 (it is 1.6): virginica
"""

from .explain import explain
from .explanation import Change, Explanation, Flip, Step

__all__ = ["Change", "Explanation", "Flip", "Step", "explain"]
