"""Which of the n nodes are used: the first ones, an odd number of them."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula import Block, implies, units
from .variables import Variables


def leaves_are_used(x: Variables) -> Iterator[Block]:
    """Eq. 1: an unused node is no leaf."""
    yield implies(x.v[1:], x.used[1:])


def used_nodes_come_first(x: Variables) -> Iterator[Block]:
    """Eq. 2: η is a chain, so that "at most s nodes" is the single literal ¬η of s+2."""
    yield implies(x.eta[3::2], x.eta[1:-2:2])


def lower_bound_is_used(x: Variables, lower: int) -> Iterator[Block]:
    """Eq. 3: at least ``lower`` nodes are used."""
    yield units(x.eta[lower : lower + 1])
