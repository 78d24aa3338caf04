"""The upper bound to start from: the smallest pure tree that the heuristics find."""

from __future__ import annotations

from collections.abc import Iterator

from ..clock import Clock
from ..problem import BinaryProblem
from ..steering import Steering
from ..tree import Tree
from .greedy import greedy_tree, rooted_greedy_tree
from .iti import iti_tree

ITI_SHARE = 0.1  # of the time limit


def starting_trees(problem: BinaryProblem, steering: Steering, clock: Clock) -> Iterator[Tree]:
    """Yield pure trees that keep to the wishes, the quickest first; none if no heuristic finds one."""
    for tree in _candidates(problem, steering, clock):
        if tree is not None and steering.allows(tree):
            yield tree


def _candidates(problem: BinaryProblem, steering: Steering, clock: Clock) -> Iterator[Tree | None]:
    yield greedy_tree(problem)
    for feature in () if steering.root is None else sorted(steering.root):
        yield rooted_greedy_tree(problem, feature)
    yield iti_tree(problem, seconds=clock.part(ITI_SHARE).left)
