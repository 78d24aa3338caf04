"""The leaves are right: an example of another class does not get to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..formula import Block, implies
from .classes import class_literals
from .variables import Variables


def examples_keep_to_their_class(x: Variables, bits: NDArray[np.bool_], classes: NDArray[np.intp]) -> Iterator[Block]:
    """Eq. 17, 18, and 24 with its sign corrected: an example gets to no leaf of another class.

    Parameters
    ----------
    x : Variables
    bits : ndarray of shape (n_examples, n_features)
    classes : ndarray of shape (n_examples,)
        From 0 to the number of classes.
    """
    right_class = class_literals(x.c, classes)
    for j in x.nodes[1:]:
        kept_away = np.where(bits, x.d1[:, j], x.d0[:, j])
        is_leaf = np.full(len(bits), x.v[j], dtype=np.int32)
        yield np.column_stack([-is_leaf, right_class[:, j], kept_away])


def only_leaves_have_a_class(x: Variables) -> Iterator[Block]:
    """Eq. 25, and likewise for two classes: else the class of an inner node is free."""
    yield implies(x.c[:, 1:], x.v[1:])


def leaves_have_one_class(x: Variables) -> Iterator[Block]:
    """Eq. 26: a leaf has exactly one class; with two classes a single variable says which."""
    if len(x.c) == 1:
        return
    yield np.column_stack([-x.v[1:], *x.c[:, 1:]])
    first, second = np.triu_indices(len(x.c), 1)
    yield implies(x.c[first, 1:], -x.c[second, 1:])
