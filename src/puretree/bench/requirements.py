"""What every experiment asks of its options: refused with the option's name before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf
from numbers import Real

from ..errors import InputError, near


def require_some(option: str, values: Sequence[object]) -> None:
    """Refuse nothing at all, and anything twice."""
    if not values or len(set(values)) < len(values):
        raise InputError(f"{option}={values!r} must name one or more, and each once")


def require_known(option: str, names: Sequence[str], known: Collection[str]) -> None:
    """Refuse names that are not known, besides."""
    require_some(option, names)
    for name in names:
        if name not in known:
            raise InputError(f"{option}={name!r} is not known{near(name, known)}; use some of {', '.join(known)}")


def require_count(option: str, count: int) -> None:
    """Refuse what is not a whole number of at least 1."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"{option}={count!r} is not a whole number of at least 1")


def require_limits(limit: float, memory: float | None) -> None:
    """Refuse what is not a time and not an amount of memory."""
    if not _is_positive(limit):
        raise InputError(f"limit={limit!r} is not a finite number of seconds above 0")
    if memory is not None and not _is_positive(memory):
        raise InputError(f"memory={memory!r} is not a number of bytes above 0; leave it out for no limit")


def _is_positive(number: float) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and 0 < number < inf
