"""Regions of the real line."""

import math

from helpers.strategies import all_floats
from hypothesis import given
from hypothesis import strategies as st

from puretree.binarize.region import Region

regions = st.builds(
    lambda edges, starts, missing: Region(tuple(sorted(edges)), starts, missing),
    st.sets(st.floats(-1e6, 1e6), max_size=6),
    st.booleans(),
    st.booleans(),
)
points = st.floats(-1e6, 1e6) | st.just(math.nan)


@given(all_floats, all_floats)
def test_at_most_is_exactly_at_most(threshold: float, x: float) -> None:
    """X ≤ t holds for t itself and for nothing above it, to the last bit."""
    region = Region.at_most(threshold)
    assert region.contains(x) == (x <= threshold)
    assert region.contains(threshold)
    above = math.nextafter(threshold, math.inf)
    assert not region.contains(above) or above == threshold


@given(regions, points)
def test_negation_answers_the_opposite(region: Region, x: float) -> None:
    """A region and its complement never agree, missing values included."""
    assert (~region).contains(x) != region.contains(x)


@given(regions, regions, points)
def test_intersection_holds_where_both_do(a: Region, b: Region, x: float) -> None:
    """The intersection of two regions is what is in both."""
    assert (a & b).contains(x) == (a.contains(x) and b.contains(x))
    for edge in (*a.edges, *b.edges):
        assert (a & b).contains(edge) == (a.contains(edge) and b.contains(edge))


@given(regions, points)
def test_intervals_cover_the_region(region: Region, x: float) -> None:
    """A number is in the region exactly when it is in one of its intervals."""
    if not math.isnan(x):
        assert region.contains(x) == any(low <= x < high for low, high in region.intervals())
