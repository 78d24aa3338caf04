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
def test_at_most_is_exact(threshold: float, x: float) -> None:
    """The region contains the threshold and no larger float."""
    region = Region.at_most(threshold)
    assert region.contains(x) == (x <= threshold)
    assert region.contains(threshold)
    above = math.nextafter(threshold, math.inf)
    assert not region.contains(above) or above == threshold


@given(regions, points)
def test_negation_is_the_complement(region: Region, x: float) -> None:
    """A value, missing or not, is in either a region or its negation."""
    assert (~region).contains(x) != region.contains(x)


@given(regions, regions, points)
def test_intersection_contains_what_both_contain(a: Region, b: Region, x: float) -> None:
    """A value is in the intersection exactly if it is in both regions."""
    assert (a & b).contains(x) == (a.contains(x) and b.contains(x))
    for edge in (*a.edges, *b.edges):
        assert (a & b).contains(edge) == (a.contains(edge) and b.contains(edge))


@given(regions, points)
def test_intervals_cover_the_region(region: Region, x: float) -> None:
    """A number is in the region exactly if it is in one of its intervals."""
    if not math.isnan(x):
        assert region.contains(x) == any(low <= x < high for low, high in region.intervals())
