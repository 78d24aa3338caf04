"""Validation of the options that experiments share; errors name the option, before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf
from numbers import Real

from ..errors import InputError, near


def require_distinct(option: str, values: Sequence[object]) -> None:
    """Raise InputError if there are no values, or duplicates."""
    if not values or len(set(values)) < len(values):
        raise InputError(f"{option}={values!r} must list at least one value, without duplicates")


def require_known(option: str, names: Sequence[str], known: Collection[str]) -> None:
    """Raise InputError if there are no names, duplicates, or unknown names."""
    require_distinct(option, names)
    for name in names:
        if name not in known:
            raise InputError(f"{option}={name!r} is not known{near(name, known)}; choose from {', '.join(known)}")


def require_count(option: str, count: int) -> None:
    """Raise InputError if a count is not a positive integer."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"{option}={count!r} must be an integer of at least 1")


def require_limits(limit: float, memory: float | None) -> None:
    """Raise InputError if the time limit or the memory limit is not a positive finite number."""
    if not _is_positive(limit):
        raise InputError(f"limit={limit!r} must be a finite number of seconds above 0")
    if memory is not None and not _is_positive(memory):
        raise InputError(f"memory={memory!r} must be a number of bytes above 0; omit it for no limit")


def _is_positive(number: float) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and 0 < number < inf
