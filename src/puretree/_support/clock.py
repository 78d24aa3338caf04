"""A time limit: a clock is started once per request and passed to every function that works on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from numbers import Real
from time import monotonic

from ..errors import InputError


class TimeLimitReached(Exception):  # noqa: N818  an expected event, not an error
    """The time limit was reached before a step with no partial result was finished."""


@dataclass(slots=True, eq=False)
class Clock:
    """Seconds since the start, and seconds left until the limit.

    An interrupt (Ctrl-C) ends the time, too: whoever catches one stops the clock, and no later step starts.

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
    is_stopped: bool = field(default=False, init=False)

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
        return 0.0 if self.is_stopped else max(0.0, self.limit - self.seconds)

    @property
    def is_over(self) -> bool:
        """Whether the limit is reached, or the clock is stopped."""
        return self.is_stopped or self.seconds >= self.limit

    @property
    def reason(self) -> str:
        """Why no time is left, for messages."""
        return "the user interrupted" if self.is_stopped else "the time limit was reached"

    def stop(self) -> None:
        """Leave no time: the user interrupted. Only for the clock of a request, which nothing else uses."""
        self.is_stopped = True

    def require_time(self) -> None:
        """Raise TimeLimitReached if no time is left; long computations call it between steps."""
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
