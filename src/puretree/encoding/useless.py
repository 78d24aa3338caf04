"""Cut what a tree does not need on the data: a complete tree has places that no example reaches.

Encodings of complete trees fill every place, so their models are larger than the trees they stand for. Sizes are told
of the tree that is left here, which answers the same on every example.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem import BinaryProblem
from ..tree import Tree


def without_useless_tests(tree: Tree, problem: BinaryProblem, *, keep_root: bool = False) -> Tree:
    """Return the tree without tests that send all examples one way, or that lead to the same answers both ways.

    Parameters
    ----------
    tree : Tree
    problem : BinaryProblem
        Whose features it tests.
    keep_root : bool, default=False
        Leave the first test alone, which somebody asked for, unless a single leaf does as well.

    Examples
    --------
    >>> problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0]], ["a", "a", "b"])
    >>> without_useless_tests(Tree.from_nested((0, (1, "a", "a"), (1, "b", "a"))), problem).to_nested()
    (0, 'a', 'b')
    """
    bits = problem.features.take(np.array(tree.features, dtype=np.intp)).unpack()
    answers = dict(zip(tree.features, bits, strict=True))

    def cut(node: int, members: NDArray[np.bool_]) -> Any:
        if tree.left[node] < 0:
            return int(tree.label[node])
        feature, left = int(tree.feature[node]), int(tree.left[node])
        no, yes = members & ~answers[feature], members & answers[feature]
        if not yes.any() or not no.any():
            return cut(left if no.any() else left + 1, members)
        below = cut(left, no), cut(left + 1, yes)
        is_asked_for = keep_root and node == 0 and isinstance(below[0], tuple)
        return below[0] if below[0] == below[1] and not is_asked_for else (feature, *below)

    nested = cut(0, np.ones(problem.n_examples, dtype=np.bool_))
    kept = Tree.from_nested(nested, range(len(tree.classes)))
    return Tree(kept.feature, kept.left, kept.label, tree.classes)
