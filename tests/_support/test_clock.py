"""The clock of a time limit."""

import time
from math import inf

import pytest

from puretree import InputError
from puretree._support.clock import Clock


def test_the_time_left_decreases_to_zero() -> None:
    """The time left falls to zero and not below."""
    clock = Clock(0.05)
    assert 0 < clock.left <= 0.05
    assert not clock.is_over
    time.sleep(0.06)
    assert clock.is_over
    assert clock.left == 0
    assert clock.seconds >= 0.06


def test_part_limits_to_a_fraction_of_the_time_left() -> None:
    """A fraction of a limit is a limit, a fraction of no limit is no limit."""
    assert 0.9 < Clock(10).part(0.1).limit <= 1
    assert Clock.of(None).part(0.1).limit == inf


@pytest.mark.parametrize("limit", [-1, float("nan"), "60", True, [1]])
def test_invalid_limits_raise(limit: object) -> None:
    """A limit that is not a number of seconds raises InputError, and the message says what to pass."""
    with pytest.raises(InputError, match="None for no limit"):
        Clock.of(limit)  # type: ignore[arg-type]
