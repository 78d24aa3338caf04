"""A time limit: a clock is started once per request and passed to every function that works on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from numbers import Real
from time import monotonic

from ..errors import InputError


class TimeLimitReached(Exception):  # noqa: N818  an expected event, not an error
    """The time limit was reached before a step with no partial result was finished."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds since the start, and seconds left until the limit.

    Parameters
    ----------
    limit : float, default=inf
        Seconds that may pass.

    Examples
    --------
    >>> Clock().left
    inf
    >>> Clock(0).is_over
    True
    """

    limit: float = inf
    start: float = field(default_factory=monotonic)

    @classmethod
    def of(cls, time_limit: float | Clock | None) -> Clock:
        """Start a clock for a ``time_limit`` parameter: seconds, or None for no limit. A clock is returned as it is."""
        if isinstance(time_limit, Clock):
            return time_limit
        if time_limit is None:
            return cls()
        if not isinstance(time_limit, Real) or isinstance(time_limit, bool) or not time_limit >= 0:
            raise InputError(
                "is not a number of seconds; use 0 or more, or None for no limit",
                parameter="time_limit",
                value=time_limit,
            )
        return cls(float(time_limit))

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return monotonic() - self.start

    @property
    def left(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.limit - self.seconds)

    @property
    def is_over(self) -> bool:
        """Whether the limit is reached."""
        return self.seconds >= self.limit

    def require_time(self) -> None:
        """Raise TimeLimitReached if the limit is reached; long computations call it between steps."""
        if self.is_over:
            raise TimeLimitReached

    def part(self, fraction: float) -> Clock:
        """Start a clock for a fraction of the time left."""
        return Clock(self.left * fraction)

    def extended(self, seconds: float) -> Clock:
        """Return a clock with the same start that allows some seconds more."""
        return Clock(self.limit + seconds, self.start)


NO_LIMIT = Clock()
"""A clock without a limit."""
