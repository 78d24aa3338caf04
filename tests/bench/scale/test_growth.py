"""Growth exponents of known powers of the size."""

import pytest

from puretree.bench.cell import Row
from puretree.bench.scale.growth import Point, exponents


def row(seconds: float, optimum: int | None = 7, peak_bytes: int | None = None) -> Row:
    """Make a row."""
    return Row("scale", {}, "done", "", seconds, None, peak_bytes, [], {"seconds": seconds, "optimum": optimum})


def test_exponents_are_those_of_the_powers() -> None:
    """Seconds grow with the square of the size, bytes with its square root."""
    curve = tuple(Point(size, 0.01 * size**2, 2**22 * size**0.5, 3) for size in (1, 2, 5, 10))
    assert exponents(curve) == pytest.approx((2.0, 0.5))


def test_unsolved_and_tiny_points_are_not_fitted() -> None:
    """Points at the time limit, below the noise level or without a value are ignored."""
    good = [Point(size, 0.01 * size, 2.0**22 * size, 3) for size in (10, 100, 1000)]
    noise = [Point(1, 0.0005, 10.0, 3), Point(10_000, None, 2.0**22, 3), Point(5, 0.05, None, 1)]
    assert exponents((*noise, *good)) == pytest.approx((1.0, 1.0))
    assert exponents((noise[0], *good[:2])) == (None, None)


def test_unsolved_problems_count_as_slowest_in_the_median() -> None:
    """With one of three problems unsolved, the median is the slower of the others; with two, there is none."""
    assert Point.from_rows(5, [row(9.0, None), row(1.0), row(2.0)]).seconds == 2.0
    assert not Point.from_rows(5, [row(9.0, None), row(9.0, None), row(2.0)]).is_proved
    assert Point.from_rows(5, []) == Point(5, None, None, 0)


def test_failed_rows_are_unsolved_and_their_memory_counts() -> None:
    """A crashed row has no values, but its peak memory may be known."""
    crashed = Row("scale", {}, "crashed", "killed", 1.0, None, 3000)
    assert Point.from_rows(5, [crashed]) == Point(5, None, 3000, 1)
    assert Point.from_rows(5, [crashed, row(1.0, 7, 1000), row(1.0, 7, None)]) == Point(5, 1.0, 2000, 3)
