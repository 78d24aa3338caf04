"""The nearest flip: the smallest change of a row that leads to another label.

It is exact, not searched for: every leaf of another label is a box of conditions, one per column, so the columns whose
values lie outside are all that must change. The flip changes the fewest columns; among those, values that exist are
preferred to gaps and unseen levels, then the smallest change wins: a number's change counts as a share of the range of
its column in training, or where that is not known of the largest size among the value and the tree's thresholds on the
column; any other change counts as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from ..predicate import UNSEEN, Column, Level, Predicate, columns_of
from ..region import Region
from ..tree import Tree
from ..wording import Rule
from .explanation import Change, Flip

Places = dict[int, float]  # the number that stands for the row's value, by column
Cost = tuple[int, int, float]  # columns to change, of them to nothing that was seen, and how far


def nearest_flip(
    tree: Tree, label: Level, places: Places, raw: dict[int, Level | None], ranges: Mapping[str, float]
) -> Flip | None:
    """Return the nearest change that leads to another label than the row's; None if there is none.

    Parameters
    ----------
    tree : Tree
        The tree.
    label : str, int, float or bool
        What it answers for the row.
    places : dict of int to float
        The number that stands for the row's value, by column.
    raw : dict of int to value
        The values as they were given, by column.
    ranges : mapping of str to float
        How far the numbers of a column reached in training, where that is known.
    """
    rules = [rule for rule in tree.rules() if rule.label != label and not any(c.is_empty for c in rule.conditions)]
    scales = _scales(tree, places, ranges)
    found = [(_cost(rule, places, scales), i) for i, rule in enumerate(rules) if _can_be(rule, places)]
    return _flip(rules[min(found)[1]], places, raw) if found else None


def _scales(tree: Tree, places: Places, ranges: Mapping[str, float]) -> dict[int, float]:
    """Return by column what a change of a number is a share of."""
    scales: dict[int, float] = {}
    for feature in tree.features:
        predicate = tree.predicate(feature)
        index = predicate.column.index
        sizes = [abs(x) for x in (*predicate.region.edges, places[index]) if math.isfinite(x)]
        scales[index] = max(scales.get(index, 0.0), *sizes, 0.0)
    names = {column.index: column.name for column in columns_of([tree.predicate(f) for f in tree.features])}
    return {index: ranges.get(names[index]) or scale or 1.0 for index, scale in scales.items()}


def _unmet(rule: Rule, places: Places) -> list[Predicate]:
    return [c for c in rule.conditions if not c.region.contains(places[c.column.index])]


def _can_be(rule: Rule, places: Places) -> bool:
    """Whether the row can be changed to meet a rule: nothing but true and false can be put where these were."""
    return all(_nearest(condition, places[condition.column.index]) is not None for condition in _unmet(rule, places))


def _cost(rule: Rule, places: Places, scales: dict[int, float]) -> Cost:
    n_strange, far = 0, 0.0
    unmet = _unmet(rule, places)
    for condition in unmet:
        column, now = condition.column, places[condition.column.index]
        nearest = _nearest(condition, now)
        assert nearest is not None
        n_strange += math.isnan(nearest) or is_unseen(column, nearest)
        is_number = column.kind == "number" and math.isfinite(now) and math.isfinite(nearest)
        far += abs(nearest / scales[column.index] - now / scales[column.index]) if is_number else 1.0
    return len(unmet), n_strange, far


def _nearest(condition: Predicate, now: float) -> float | None:
    """Return the nearest place that meets a condition: seen ones first, then a gap, then an unseen level."""
    column, region = condition.column, condition.region
    start = 0.0 if math.isnan(now) else now
    if column.kind == "number":
        found = [_nearest_in(low, high, start) for low, high in region.intervals()]
    else:
        found = [float(place) for place in range(len(column.levels)) if region.contains(float(place))]
    if found:
        # Levels without order are all as near: the first will do.
        return min(found, key=lambda x: abs(x - start)) if column.kind != "category" else found[0]
    if region.holds_missing:
        return math.nan
    is_boolean = all(isinstance(level, bool) for level in column.levels)
    return None if is_boolean or not region.contains(UNSEEN) else UNSEEN


def _nearest_in(low: float, high: float, x: float) -> float:
    return low if x < low else min(x, math.nextafter(high, -math.inf))


def _flip(rule: Rule, places: Places, raw: dict[int, Level | None]) -> Flip:
    changes = []
    for condition in _unmet(rule, places):
        column, now = condition.column, places[condition.column.index]
        nearest = _nearest(condition, now)
        assert nearest is not None
        wanted = Predicate(column, _around(condition, nearest))
        changes.append(Change(wanted, raw[column.index], column.value(nearest), is_unseen(column, now)))
    return Flip(tuple(changes), rule.label)


def _around(condition: Predicate, place: float) -> Region:
    """Return the part of a condition to be told: the interval that holds a number, and no gaps beside what is known."""
    region = condition.region
    if math.isnan(place):
        return region
    if condition.column.kind != "number":
        return replace(region, holds_missing=False)
    low, high = next(piece for piece in region.intervals() if piece[0] <= place < piece[1])
    edges = tuple(edge for edge in (low, high) if math.isfinite(edge))
    return Region(edges, starts_inside=low == -math.inf)


def is_unseen(column: Column, place: float) -> bool:
    """Whether a place stands for a level that training did not have."""
    return column.kind != "number" and place == UNSEEN
