"""Validation of the options that experiments share; errors name the option, before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf
from numbers import Real

from ..errors import InputError, near


def require_distinct(option: str, values: Sequence[object]) -> None:
    """Raise InputError if there are no values, or duplicates."""
    if not values or len(set(values)) < len(values):
        raise InputError("must list at least one value, without duplicates", parameter=option, value=values)


def require_known(option: str, names: Sequence[str], known: Collection[str]) -> None:
    """Raise InputError if there are no names, duplicates, or unknown names."""
    require_distinct(option, names)
    for name in names:
        if name not in known:
            raise InputError(
                f"is unknown{near(name, known)}; choose from {', '.join(known)}", parameter=option, value=name
            )


def require_count(option: str, count: int) -> None:
    """Raise InputError if a count is not a positive integer."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError("must be an integer of at least 1", parameter=option, value=count)


def require_limits(time_limit: float, memory_limit: float | None) -> None:
    """Raise InputError if the time limit or the memory limit is not a positive finite number."""
    if not _is_positive(time_limit):
        raise InputError("must be a finite number of seconds above 0", parameter="time_limit", value=time_limit)
    if memory_limit is not None and not _is_positive(memory_limit):
        raise InputError(
            "must be a number of bytes above 0; omit it for no limit", parameter="memory_limit", value=memory_limit
        )


def _is_positive(number: float) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and 0 < number < inf
