"""Exponents of measures that are known powers of the size."""

import pytest

from puretree.bench.cell import Row
from puretree.bench.scale.growth import Point, exponents


def row(seconds: float, optimum: int | None = 7, peak_bytes: int | None = None) -> Row:
    """Make a row up."""
    return Row("scale", {}, "done", "", seconds, None, peak_bytes, [], {"seconds": seconds, "optimum": optimum})


def test_exponents_are_those_of_the_powers() -> None:
    """Seconds grow with the square of the size, and bytes with its root."""
    line = tuple(Point(size, 0.01 * size**2, 2**22 * size**0.5, 3) for size in (1, 2, 5, 10))
    assert exponents(line) == pytest.approx((2.0, 0.5))


def test_what_is_not_proved_or_too_small_is_not_fitted() -> None:
    """A limit reached, a measure below the noise and one that is not known bend no line."""
    good = [Point(size, 0.01 * size, 2.0**22 * size, 3) for size in (10, 100, 1000)]
    noise = [Point(1, 0.0005, 10.0, 3), Point(10_000, None, 2.0**22, 3), Point(5, 0.05, None, 1)]
    assert exponents((*noise, *good)) == pytest.approx((1.0, 1.0))
    assert exponents((noise[0], *good[:2])) == (None, None)


def test_a_point_is_the_median_with_what_is_open_at_the_end() -> None:
    """With one of three problems open it is the slower of the others; with two it is open."""
    assert Point.of(5, [row(9.0, None), row(1.0), row(2.0)]).seconds == 2.0
    assert not Point.of(5, [row(9.0, None), row(9.0, None), row(2.0)]).is_proved
    assert Point.of(5, []) == Point(5, None, None, 0)


def test_rows_that_went_wrong_are_open_and_their_memory_counts() -> None:
    """A crashed row has no values; its peak of memory may be known."""
    crashed = Row("scale", {}, "crashed", "killed", 1.0, None, 3000)
    assert Point.of(5, [crashed]) == Point(5, None, 3000, 1)
    assert Point.of(5, [crashed, row(1.0, 7, 1000), row(1.0, 7, None)]) == Point(5, 1.0, 2000, 3)
