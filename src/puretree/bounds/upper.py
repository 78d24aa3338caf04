"""The upper bound to start from: the smallest pure tree that the heuristics find."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from ..clock import Clock
from ..problem import BinaryProblem
from ..steering import Steering
from ..tree import Tree
from .greedy import greedy_tree, rooted_greedy_tree
from .iti import iti_tree

Start = Literal["greedy", "iti"]

GREEDY_SHARE, ITI_SHARE = 0.8, 0.1  # of the time left
GREEDY_LEAST = 0.3  # seconds, even if none are left: a tree is wanted in any case
ROOTS_TRIED = 20


def starting_trees(
    problem: BinaryProblem, steering: Steering, clock: Clock, by: Collection[Start] = ("greedy", "iti")
) -> Iterator[Tree]:
    """Yield pure trees that keep to the wishes, the quickest first; none if no heuristic finds one.

    Parameters
    ----------
    problem : BinaryProblem
    steering : Steering
    clock : Clock
    by : collection of {"greedy", "iti"}
        Greedily from the root, or by incremental induction, which takes longer.
    """
    for tree in _candidates(problem, steering, clock, by):
        if tree is not None and steering.allows(tree, problem):
            yield tree


def _candidates(
    problem: BinaryProblem, steering: Steering, clock: Clock, by: Collection[Start]
) -> Iterator[Tree | None]:
    if "greedy" in by:
        yield greedy_tree(problem, seconds=_greedy_seconds(clock))
        if steering.root is not None:
            yield from _rooted(problem, sorted(steering.root), clock)
    if "iti" in by:
        yield iti_tree(problem, seconds=clock.part(ITI_SHARE).left)


def _rooted(problem: BinaryProblem, roots: list[int], clock: Clock) -> Iterator[Tree]:
    """Yield a tree for some of the roots, evenly spread, and for one of them even when the clock is over."""
    for place, feature in enumerate(roots[:: len(roots) // ROOTS_TRIED + 1]):
        if place and clock.is_over:
            return
        yield rooted_greedy_tree(problem, feature, seconds=_greedy_seconds(clock))


def _greedy_seconds(clock: Clock) -> float:
    return max(GREEDY_LEAST, GREEDY_SHARE * clock.left)
