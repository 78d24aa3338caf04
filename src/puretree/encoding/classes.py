"""The class of a leaf as variables: one for each class, or a single one where there are two.

A single variable that is false for the first class and true for the second needs no clause to say that a leaf has
exactly one class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..problem import BinaryProblem
from .variables import Vars


def present_classes(problem: BinaryProblem) -> NDArray[np.int32]:
    """Return the codes of the classes that examples have, in order; there must be two at least."""
    present = np.unique(problem.labels)
    if len(present) < 2:
        raise InputError("all examples are of one class: the tree is a single leaf, there is nothing to encode")
    return present


def class_literals(variables: Vars, places: NDArray[np.intp]) -> Vars:
    """Return the literals that say a class, for each of some classes.

    Parameters
    ----------
    variables : ndarray of shape (1 or n_classes, ...)
        Of leaves, or of whatever has a class.
    places : ndarray of int
        Of the classes among those that are present.

    Returns
    -------
    ndarray of shape (len(places), ...)
    """
    if len(variables) > 1:
        return np.asarray(variables[places])
    is_second = places.reshape(-1, *[1] * (variables.ndim - 1)) == 1
    return np.asarray(np.where(is_second, variables[0], -variables[0]))


def said_classes(said: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the place of the class that each leaf has, from the values of its variables."""
    return np.asarray(said[0].astype(np.intp) if len(said) == 1 else said.argmax(axis=0))
