"""A binary feature is a yes/no question about one raw column, and it knows how to say so.

Every question has the same form: *is the value in this part of the real line?* A number stands for itself, a
category for its place in the list of levels, a missing value for NaN. So "petal width ≤ 0.8", "colour in
{red, blue}" and the second bit of a binned column are all a :class:`Region`: the edges where the answer changes.
That one form is what the native kernels ask, what rules intersect, what JSON stores and what is put into words.

What was not seen in training gets an answer all the same: a level that was not there, and a missing value in a column
that had none, answer *no* to every question that a binariser asks, and so *yes* to its negation.

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
    """A yes/no question about one column: the meaning of a binary feature."""

    column: Column
    region: Region

    @classmethod
    def of_feature(cls, feature: int) -> Predicate:
        """Ask a 0/1 matrix for one of its features."""
        column = Column(f"feature {feature}", feature, "category", (0, 1))
        return cls(column, Region((1.0, 2.0)))

    def __call__(self, value: Any) -> bool:
        """Answer for one raw value of the column."""
        return self.region.contains(self.column.encode(value))

    def __invert__(self) -> Predicate:
        return Predicate(self.column, ~self.region)

    @property
    def is_empty(self) -> bool:
        """Whether no value at all is in it: no number or level, no unseen level, no gap."""
        if self.region.holds_missing:
            return False
        if self.column.kind == "number":
            return not self.region.edges and not self.region.starts_inside
        return not any(self.region.contains(float(place)) for place in range(int(UNSEEN), len(self.column.levels)))

    def __str__(self) -> str:
        return describe(self.column, self.region)


# What a level must not look like: "smoker is never" would be the words for an empty region.
RESERVED_WORDS = ("missing", "true", "false", "never", "anything", "none", "nan", "null")
CONNECTING_WORDS = ("is", "in", "not", "or", "and")


def format_name(name: str) -> str:
    """Write a column name on one line, whatever it holds."""
    return name if name.isprintable() else repr(name)[1:-1]


def format_level(level: Level) -> str:
    """Write a level as people do; quotes only where the text would be ambiguous without."""
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
    """Write a number in the shortest form that reads back as the same number.

    >>> format_number(0.8), format_number(12.0), format_number(1e-7)
    ('0.8', '12', '1e-07')
    """
    text = repr(x)
    return text.removesuffix(".0")


def describe(column: Column, region: Region) -> str:
    """Describe "the value is in this region" in words."""
    name = format_name(column.name)
    if column.kind == "number":
        return _describe_numbers(column, name, region)
    return _describe_levels(column, name, region)


def _bound(edge: float) -> tuple[str, bool]:
    """Write an edge, and whether the number written lies left of it ("≤ 0.8" rather than "< 0.8000…2")."""
    below = math.nextafter(edge, -math.inf)
    exact, before = format_number(edge), format_number(below)
    return (before, True) if len(before) < len(exact) else (exact, False)


def _describe_numbers(column: Column, name: str, region: Region) -> str:
    pieces = region.intervals()
    with_missing = region.holds_missing and column.has_missing
    if not pieces:
        return f"{name} is {'missing' if with_missing else 'never'}"
    if pieces == [(-math.inf, math.inf)]:
        known = column.has_missing and not with_missing
        return f"{name} is {'not missing' if known else 'anything'}"
    if len(pieces) == 1:
        words = _one_interval(name, *pieces[0])
    else:
        words = f"{name} " + " or ".join(_interval(*piece) for piece in pieces)
    return words + " or missing" * with_missing


def _one_interval(name: str, low: float, high: float) -> str:
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
    inside = [region.contains(float(place)) for place in range(len(column.levels))]
    if column.kind == "ordered" and (words := _describe_range(column, name, inside, region)):
        return words
    # Unseen levels make it a "not"; but there is no third truth value: what is not true is false.
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
    """Words for a run of ordered levels, if that is what is inside."""
    changes = [i for i, (a, b) in enumerate(pairwise(inside)) if a != b]
    if not 1 <= len(changes) <= 2 or (len(changes) == 2 and inside[0]):
        return None
    levels = [format_level(level) for level in column.levels]
    if len(changes) == 2:
        words = f"{levels[changes[0]]} < {name} ≤ {levels[changes[1]]}"
    else:
        words = f"{name} {'≤' if inside[0] else '>'} {levels[changes[0]]}"
    return words + " or missing" * (region.holds_missing and column.has_missing)


def pack_questions(predicates: Sequence[Predicate], columns: Sequence[Column]) -> _native.Questions:
    """Pack predicates for the native kernels, which know columns by their place in ``columns``."""
    place_of = {column.index: place for place, column in enumerate(columns)}
    regions = [predicate.region for predicate in predicates]
    return _native.Questions(
        column=[place_of[predicate.column.index] for predicate in predicates],
        edge_start=[0, *accumulate(len(region.edges) for region in regions)],
        edges=[edge for region in regions for edge in region.edges],
        starts_inside=[region.starts_inside for region in regions],
        holds_missing=[region.holds_missing for region in regions],
    )


def columns_of(predicates: Sequence[Predicate]) -> list[Column]:
    """Return the columns of one table that are asked about, each once."""
    # By index: hashing a column looks at all its levels.
    return list({predicate.column.index: predicate.column for predicate in predicates}.values())
