"""Where in a tree a node stands, whatever the rest of the tree looks like: by the answers on the way to it.

The root is place 1, and from place ``p`` no leads to ``2p`` and yes to ``2p + 1``, as in a heap. Unlike the numbers
that nodes have in a tree, places do not depend on the other nodes, so two trees can be compared place by place.

The paper compares trees by those numbers: they are here as well, for who wants to measure as it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from .order import Edges, Order

Pair = tuple[int, int]
"""A place, or the number of a node, and the given feature that is tested there."""

ROOT = 1


def pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree, the root's first."""
    waiting = [ROOT]
    for edge in edges:
        place = waiting.pop()
        yield place, order.feature[edge]
        if order.label[order.yes[edge]] < 0:
            waiting.append(2 * place + 1)
        if order.label[order.no[edge]] < 0:
            waiting.append(2 * place)


def numbered_pairs_of(order: Order, edges: Edges) -> Iterator[Pair]:
    """Yield the pairs of a tree by the numbers of its nodes, breadth first from 1: the paper's ``a[r,j]``."""
    nodes = [(order.root_of(edges), 0)]  # with the place of its edge in preorder
    for number, (node, at) in enumerate(nodes, 1):  # the list grows on the way
        if order.label[node] < 0:
            edge = edges[at]
            yield number, order.feature[edge]
            nodes.append((order.no[edge], at + 1))
            nodes.append((order.yes[edge], at + 1 + order.size[order.no[edge]]))
