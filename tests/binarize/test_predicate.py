"""Predicates: their values and their text."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.strategies import all_floats
from hypothesis import given

from puretree.binarize.predicate import Predicate, format_level, format_number
from puretree.binarize.region import Region
from puretree.table import Column

WIDTH = Column("width", 0, "number")
WIDTH_OR_MISSING = Column("width", 0, "number", has_missing=True)
COLOUR = Column("colour", 0, "category", ("blue", "green", "red"))
COLOUR_OR_MISSING = Column("colour", 0, "category", ("blue", "green", "red"), has_missing=True)
BIT = Column("flag", 0, "number", domain="binary")
BIT_OR_MISSING = replace(BIT, has_missing=True)
SMOKER = Column("smoker", 0, "category", (False, True))
SIZE = Column("size", 0, "ordered", ("small", "medium", "large", "huge"))


def levels(*codes: int, missing: bool = False) -> Region:
    """Return the region of some levels."""
    inside = np.zeros(6, dtype=np.bool_)
    inside[[code + 1 for code in codes]] = True
    return Region.from_cells(np.arange(5.0), inside, holds_missing=missing)


@pytest.mark.parametrize(
    ("column", "region", "text", "negated"),
    [
        (WIDTH, Region.at_most(0.8), "width ≤ 0.8", "width > 0.8"),
        (WIDTH, Region((0.8,), True), "width < 0.8", "width ≥ 0.8"),
        (WIDTH_OR_MISSING, Region.at_most(0.8), "width ≤ 0.8", "width > 0.8 or missing"),
        (WIDTH_OR_MISSING, Region.missing(), "width is missing", "width is not missing"),
        (WIDTH, Region((1.0, 2.0)), "1 ≤ width < 2", "width < 1 or ≥ 2"),
        (WIDTH, Region((2.0, math.nextafter(2.0, 3))), "width = 2", "width < 2 or > 2"),
        (
            WIDTH,
            Region((1.0, 2.0, 3.5), True),
            "width < 1 or in [2, 3.5)",
            "width in [1, 2) or ≥ 3.5",
        ),
        (BIT, Region.above(0.0), "flag = 1", "flag = 0"),
        (BIT, Region((0.5,)), "flag = 1", "flag = 0"),
        (BIT, Region.at_most(2.0), "flag ≤ 2", "flag > 2"),
        (BIT_OR_MISSING, Region.at_most(0.0), "flag = 0", "flag = 1 or missing"),
        (BIT_OR_MISSING, Region.missing(), "flag is missing", "flag is not missing"),
        (COLOUR, levels(2), "colour is red", "colour is not red"),
        (SMOKER, Region((1.0, 2.0)), "smoker is true", "smoker is false"),
        (replace(SMOKER, has_missing=True), Region((1.0, 2.0)), "smoker is true", "smoker in {false, missing}"),
        (replace(WIDTH, name="a\nb"), Region.at_most(1.0), "a\\nb ≤ 1", "a\\nb > 1"),
        (COLOUR, levels(0, 2), "colour in {blue, red}", "colour not in {blue, red}"),
        (COLOUR_OR_MISSING, levels(2), "colour is red", "colour is missing or not red"),
        (
            COLOUR_OR_MISSING,
            levels(2, missing=True),
            "colour in {red, missing}",
            "colour not in {red, missing}",
        ),
        (COLOUR_OR_MISSING, levels(missing=True), "colour is missing", "colour is not missing"),
        (SIZE, levels(0, 1), "size ≤ medium", "size > medium"),
        (
            SIZE,
            levels(1, 2),
            "small < size ≤ large",
            "size not in {medium, large}",
        ),
    ],
)
def test_predicates_are_described_in_plain_text(column: Column, region: Region, text: str, negated: str) -> None:
    """Each kind of predicate, and its negation, has a readable description."""
    predicate = Predicate(column, region)
    assert str(predicate) == text
    assert str(~predicate) == negated


@pytest.mark.parametrize(
    ("region", "value", "answer"),
    [
        (levels(0, 2), "red", True),
        (levels(0, 2), "green", False),
        (levels(0, 2), "purple", False),
        (~levels(0, 2), "purple", True),
        (levels(0, 2), None, False),
        (levels(0, 2, missing=True), None, True),
    ],
)
def test_unseen_and_missing_levels(region: Region, value: object, answer: bool) -> None:
    """An unseen level is in no listed set; missing is in a set only if it is listed."""
    assert Predicate(COLOUR, region)(value) is answer


def test_pandas_missing_values() -> None:
    """NA and NaT are missing, like None and NaN."""
    pd = pytest.importorskip("pandas")
    is_missing = Predicate(WIDTH, Region.missing())
    assert all(is_missing(value) for value in (None, math.nan, np.float32("nan"), pd.NA, pd.NaT))
    assert not is_missing(0.0)


@given(all_floats)
def test_format_number_is_exact(x: float) -> None:
    """The formatted number parses to the same number."""
    assert float(format_number(x)) == x


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("red", "red"),
        ("light blue", "light blue"),
        ("a, b", "'a, b'"),
        ("", "''"),
        (" x", "' x'"),
        ("missing", "'missing'"),
        ("true", "'true'"),
        (True, "true"),
        (3, "3"),
        (2.0, "2"),
        ("line\nbreak", "'line\\nbreak'"),
        ("never", "'never'"),
        ("NaN", "'NaN'"),
        ("not known", "'not known'"),
        ("x or y", "'x or y'"),
        ("notorious", "notorious"),
    ],
)
def test_only_ambiguous_levels_are_quoted(level: object, text: str) -> None:
    """Levels that would be ambiguous or unprintable are quoted, others are not."""
    assert format_level(level) == text
