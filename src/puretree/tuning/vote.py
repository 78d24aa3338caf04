"""The trees that vote: all trees of the chosen point, or also those of its size with a few more errors.

A single tree is for those who must read it. All trees near the optimum together do not depend on the choice of one, and
:meth:`puretree.forest.Forest.explain_vote` says which columns their vote rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Literal

from .._support.clock import Clock
from .._support.resources import free_bytes
from ..errors import InputError, UnfinishedError
from ..forest import Forest
from ..pareto import FrontPoint
from ..selection.candidates import CandidateSet

Vote = Literal["point"] | float | None

BAND_SHARE = 0.4  # of the time left, to collect the trees of a band; a smaller band has the same share of the rest
LEAVES_SHARE = 0.5  # of the time left then, to find the rows of their leaves
N_BANDS = 3  # that are tried, each half as wide as the one before


@dataclass(frozen=True, slots=True)
class Voters:
    """The trees that vote.

    Parameters
    ----------
    forest : Forest
    fraction : float
        How many more errors than the point they have at most, or how much more they cost, as a fraction.
    """

    forest: Forest
    fraction: float


def check_vote(vote: Vote) -> None:
    """Raise InputError unless a vote is "point", a number of at least 0, or None."""
    is_number = isinstance(vote, Real) and not isinstance(vote, bool) and 0 <= float(vote) < float("inf")
    if vote is not None and vote != "point" and not is_number:
        raise InputError("is neither 'point', nor a number of at least 0, nor None", parameter="vote", value=vote)


def find_voters(
    vote: Vote, point: FrontPoint, candidates: CandidateSet, clock: Clock, memory_limit: float | None
) -> Voters | None:
    """Collect the trees that vote; those of a smaller band if a limit is reached, or at least those of the point.

    Parameters
    ----------
    vote : "point", float or None
    point : FrontPoint
    candidates : CandidateSet
        The trees of the point.
    clock : Clock
        An interrupt stops it.
    memory_limit : float or None

    Returns
    -------
    Voters or None
        None if no vote is wanted, or not even the trees of the point are known.
    """
    if vote is None or candidates.forest is None:
        return None
    width = 0.0 if vote == "point" else float(vote)
    bands = [width / 2**index for index in range(N_BANDS)] if width else []
    for fraction in (*bands, 0.0):
        try:
            return Voters(_collect(fraction, point, candidates.forest, clock, memory_limit), fraction)
        except UnfinishedError:
            continue
        except KeyboardInterrupt:
            clock.stop()
    return None


def _collect(fraction: float, point: FrontPoint, of_point: Forest, clock: Clock, memory_limit: float | None) -> Forest:
    forest = of_point
    if fraction:
        part = clock.part(BAND_SHARE)
        forest = point.forest(extra_cost=fraction * point.cost, time_limit=part, memory_limit=memory_limit)
    forest.split_leaves(time_limit=clock.part(LEAVES_SHARE), memory_limit=free_bytes(memory_limit))
    return forest
