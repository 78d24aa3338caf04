"""Predicates: a binary feature is a yes/no condition on one raw column, and can describe itself.

Every predicate has the same form: *is the value in this part of the real line?* A number is encoded as itself, a level
of a category as its index in the list of levels, a missing value as NaN. So "petal width ≤ 0.8", "colour in
{red, blue}" and the second bit of a binned column are all a :class:`Region`: the edges where the answer changes.
The native kernels evaluate this form, rules intersect it, and JSON stores it.

Values that training did not contain have an answer, too: an unseen level, and a missing value in a column that had
none, satisfy no predicate of a binariser, and so they satisfy its negation. In a column of 0 and 1, the text says which
of both a condition stands for: "smoker > 0" is "smoker = 1".

>>> width = Column("petal width", 0, "number")
>>> small = Predicate(width, Region.at_most(0.8))
>>> print(small, "/", ~small)
petal width ≤ 0.8 / petal width > 0.8
>>> small(0.3), small(2), small(None)
(True, False, False)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from .. import _native
from ..table import UNSEEN, Column, Level
from .region import Region


@dataclass(frozen=True, slots=True)
class Predicate:
    """A yes/no condition on one column: the meaning of a binary feature."""

    column: Column
    region: Region

    @classmethod
    def of_feature(cls, feature: int) -> Predicate:
        """Return the predicate of a feature of a 0/1 matrix."""
        column = Column(f"feature {feature}", feature, "category", (0, 1))
        return cls(column, Region((1.0, 2.0)))

    def __call__(self, value: Any) -> bool:
        """Return whether a raw value of the column satisfies the predicate."""
        return self.region.contains(self.column.encode(value))

    def __invert__(self) -> Predicate:
        return Predicate(self.column, ~self.region)

    @property
    def is_empty(self) -> bool:
        """Whether no value satisfies it: no number or level, no unseen level, no missing value."""
        if self.region.holds_missing:
            return False
        if self.column.kind == "number":
            return not self.region.edges and not self.region.starts_inside
        return not any(self.region.contains(float(code)) for code in range(int(UNSEEN), len(self.column.levels)))

    def __str__(self) -> str:
        return describe(self.column, self.region)


# Levels equal to these words are quoted: "smoker is never" describes an empty region.
RESERVED_WORDS = ("missing", "true", "false", "never", "anything", "none", "nan", "null")
CONNECTING_WORDS = ("is", "in", "not", "or", "and")


def format_name(name: str) -> str:
    """Format a column name on one line, with control characters escaped."""
    return name if name.isprintable() else repr(name)[1:-1]


def format_level(level: Level) -> str:
    """Format a level, with quotes only if the text would be ambiguous without them."""
    if isinstance(level, bool):
        return "true" if level else "false"
    if not isinstance(level, str):
        return format_number(level)
    plain = level and level == level.strip() and level.isprintable()
    reserved = level.lower() in RESERVED_WORDS or any(f" {word} " in f" {level.lower()} " for word in CONNECTING_WORDS)
    if not plain or reserved or set(level) & set(",{}\"'"):
        return repr(level)
    return level


def format_number(x: float) -> str:
    """Format a number in the shortest form that parses to the same number.

    >>> format_number(0.8), format_number(12.0), format_number(1e-7)
    ('0.8', '12', '1e-07')
    """
    text = repr(x)
    return text.removesuffix(".0")


def describe(column: Column, region: Region) -> str:
    """Describe the condition that the value of a column lies in a region."""
    name = format_name(column.name)
    if column.kind == "number":
        return _describe_numbers(column, name, region)
    return _describe_levels(column, name, region)


def _bound(edge: float) -> tuple[str, bool]:
    """Format an edge; also return whether the number shown is the float below it ("≤ 0.8", not "< 0.8000…2")."""
    below = math.nextafter(edge, -math.inf)
    at_edge, below_edge = format_number(edge), format_number(below)
    return (below_edge, True) if len(below_edge) < len(at_edge) else (at_edge, False)


def _describe_numbers(column: Column, name: str, region: Region) -> str:
    pieces = region.intervals()
    with_missing = region.holds_missing and column.has_missing
    if not pieces:
        return f"{name} is {'missing' if with_missing else 'never'}"
    if pieces == [(-math.inf, math.inf)]:
        excludes_missing = column.has_missing and not with_missing
        return f"{name} is {'not missing' if excludes_missing else 'anything'}"
    values = [value for value in (0, 1) if region.contains(value)]
    if column.domain == "binary" and len(values) == 1:
        text = f"{name} = {values[0]}"
    elif len(pieces) == 1:
        text = _single_interval(name, *pieces[0])
    else:
        text = f"{name} " + " or ".join(_interval(*piece) for piece in pieces)
    return text + " or missing" * with_missing


def _single_interval(name: str, low: float, high: float) -> str:
    if math.isinf(low) or math.isinf(high) or math.nextafter(low, math.inf) == high:
        return f"{name} {_interval(low, high)}"
    (low_text, low_open), (high_text, high_closed) = _bound(low), _bound(high)
    return f"{low_text} {'<' if low_open else '≤'} {name} {'≤' if high_closed else '<'} {high_text}"


def _interval(low: float, high: float) -> str:
    if math.nextafter(low, math.inf) == high:
        return f"= {format_number(low)}"
    (low_text, low_open), (high_text, high_closed) = _bound(low), _bound(high)
    if math.isinf(low):
        return f"{'≤' if high_closed else '<'} {high_text}"
    if math.isinf(high):
        return f"{'>' if low_open else '≥'} {low_text}"
    return f"in {'(' if low_open else '['}{low_text}, {high_text}{']' if high_closed else ')'}"


def _describe_levels(column: Column, name: str, region: Region) -> str:
    inside = [region.contains(float(code)) for code in range(len(column.levels))]
    if column.kind == "ordered" and (text := _describe_range(column, name, inside, region)):
        return text
    # A region with unseen levels is described by "not", except for booleans: not true is false.
    is_negative = region.starts_inside and not all(isinstance(level, bool) for level in column.levels)
    listed = [format_level(level) for level, is_in in zip(column.levels, inside, strict=True) if is_in != is_negative]
    if column.has_missing and region.holds_missing != is_negative:
        listed.append("missing")
    negation = "not " if is_negative else ""
    if not listed:
        return f"{name} is {'anything' if negation else 'never'}"
    is_or = " is missing or" if is_negative and region.holds_missing and column.has_missing else ""
    if len(listed) == 1:
        return f"{name}{is_or or ' is'} {negation}{listed[0]}"
    return f"{name}{is_or} {negation}in {{{', '.join(listed)}}}"


def _describe_range(column: Column, name: str, inside: list[bool], region: Region) -> str | None:
    """Describe a run of ordered levels; return None if the levels inside are not a single run."""
    changes = [i for i, (a, b) in enumerate(pairwise(inside)) if a != b]
    if not 1 <= len(changes) <= 2 or (len(changes) == 2 and inside[0]):
        return None
    levels = [format_level(level) for level in column.levels]
    if len(changes) == 2:
        text = f"{levels[changes[0]]} < {name} ≤ {levels[changes[1]]}"
    else:
        text = f"{name} {'≤' if inside[0] else '>'} {levels[changes[0]]}"
    return text + " or missing" * (region.holds_missing and column.has_missing)


def pack_predicates(predicates: Sequence[Predicate], columns: Sequence[Column]) -> _native.Predicates:
    """Pack predicates for the native kernels, which identify columns by their position in ``columns``."""
    position_of = {column.index: position for position, column in enumerate(columns)}
    regions = [predicate.region for predicate in predicates]
    return _native.Predicates(
        column=[position_of[predicate.column.index] for predicate in predicates],
        edge_start=[0, *accumulate(len(region.edges) for region in regions)],
        edges=[edge for region in regions for edge in region.edges],
        starts_inside=[region.starts_inside for region in regions],
        holds_missing=[region.holds_missing for region in regions],
    )


def columns_of(predicates: Sequence[Predicate]) -> list[Column]:
    """Return the distinct columns of predicates on one table."""
    # By index: hashing a column hashes all its levels.
    return list({predicate.column.index: predicate.column for predicate in predicates}.values())
