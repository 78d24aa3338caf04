"""An explanation: the path through the tree and the nearest change, to print or to send."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..binarize.predicate import Predicate, columns_of, format_level
from ..binarize.region import Region
from ..errors import InputError
from ..table import UNSEEN, Column, Level, is_missing, plain_level, read_columns, read_fitted_columns
from .rules import Rule
from .tree import Tree


@dataclass(frozen=True, slots=True)
class Step:
    """A question on the way: what was asked, of what value, and the answer."""

    question: Predicate
    value: Level | None
    answer: bool
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.question}? {'yes' if self.answer else 'no'} (it is {_said(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Change:
    """A column that must change: its value, what must hold instead, and the nearest value for which it does."""

    condition: Predicate
    value: Level | None
    nearest: Level | None
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.condition} (it is {_said(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest change that leads to another label."""

    changes: tuple[Change, ...]
    label: Level

    def __str__(self) -> str:
        return f"if {' and '.join(map(str, self.changes))}: {format_level(self.label)}"


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a row gets its label.

    Parameters
    ----------
    label : str, int, float or bool
        What the tree answers.
    path : tuple of Step
        The questions from the root to the leaf.
    flip : Flip or None
        The nearest change to another label; None if the tree has no other.
    """

    label: Level
    path: tuple[Step, ...]
    flip: Flip | None

    def __str__(self) -> str:
        if not self.path:
            return f"{format_level(self.label)}, always"
        lines = [f"{format_level(self.label)}, because:", *(f"  {step}" for step in self.path)]
        lines.append(f"Nearest change: {self.flip}" if self.flip else "No change leads to another label.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation: {format_level(self.label)} by {len(self.path)} questions>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values; infinite numbers as text."""
        return {
            "label": self.label,
            "path": [
                {
                    "column": step.question.column.name,
                    "question": str(step.question),
                    "answer": step.answer,
                    "value": _json(step.value),
                }
                for step in self.path
            ],
            "flip": self.flip
            and {
                "label": self.flip.label,
                "changes": [
                    {
                        "column": change.condition.column.name,
                        "condition": str(change.condition),
                        "value": _json(change.value),
                        "nearest": _json(change.nearest),
                    }
                    for change in self.flip.changes
                ],
            },
        }


def _said(value: Level | None, is_unseen: bool) -> str:
    if value is None:
        return "missing"
    return format_level(value) + ", which training did not have" * is_unseen


def _json(value: Level | None) -> Level | None:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


# The nearest flip: the smallest change of a row that leads to another label.
#
# It is exact, not searched for: every leaf of another label is a box of conditions, one per column, so the columns whose
# values lie outside are all that must change. The flip changes the fewest columns; among those, values that exist are
# preferred to gaps and unseen levels, then the smallest change wins: a number's change counts as a share of the range of
# its column in training, or where that is not known of the largest size among the value and the tree's thresholds on the
# column; any other change counts as a whole.

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
        changes.append(Change(wanted, raw[column.index], column.decode(nearest), is_unseen(column, now)))
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


# One row, in any of the forms people hold one: a list, a dictionary, a row of pandas, a table of one.

Given = dict[str, Any] | list[Any]


def one_row(row: Any) -> Given:
    """Return the values of one row, by name if it has names."""
    if nw.dependencies.is_into_dataframe(row):
        frame = nw.from_native(row, eager_only=True)
        if len(frame) != 1:
            raise InputError(f"explain takes one row, got a table of {len(frame)}; pick one, for example X.iloc[[0]]")
        return dict(zip(map(str, frame.columns), frame.row(0), strict=True))
    if isinstance(row, Mapping) or (hasattr(row, "items") and hasattr(row, "index")):  # a row of pandas
        return {str(name): value for name, value in row.items()}
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise InputError(f"a row is a list of values or a dictionary by column name, not {type(row).__name__}")
    cells = list(row)
    if len(cells) == 1 and isinstance(cells[0], Sequence | np.ndarray) and not isinstance(cells[0], str):
        cells = list(cells[0])
    if any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        raise InputError(f"explain takes one row, got {len(cells)}; pick one, for example X[0]")
    return cells


def places_of(given: Given, columns: list[Column], tree: Tree) -> dict[int, float]:
    """Return the numbers that stand for the values of the columns asked about."""
    if not columns:
        return {}
    n_columns = tree.n_columns if tree.n_columns is not None else len(given)
    if isinstance(given, list) and len(given) != n_columns:
        raise InputError(
            f"the row has {len(given)} values, but the tree was made for {n_columns} columns; "
            "give one value per column, None where missing, or a dictionary by column name"
        )
    if isinstance(given, list):
        values, _ = read_fitted_columns([given], columns, n_columns)
    else:
        asked = {column.name for column in columns}
        known = {name: value for name, value in given.items() if name in asked} if asked <= given.keys() else given
        values, _ = read_fitted_columns(
            read_columns({name: [value] for name, value in known.items()}), columns, n_columns
        )
    return {column.index: float(known[0]) for column, known in zip(columns, values, strict=True)}


def raw_value(given: Given, column: Column) -> Level | None:
    """Return the value of a column as it was given, as a plain level; None if it is missing."""
    value = given[column.index] if isinstance(given, list) else given.get(column.name)
    if is_missing(value):
        return None
    plain = plain_level(value)
    return plain if plain is not None else str(value)


# From a tree and a row to an explanation.


def explain(tree: Tree, row: Any, ranges: Mapping[str, float] | None = None) -> Explanation:
    """Explain what a tree answers for one row.

    Parameters
    ----------
    tree : Tree
        The tree.
    row : list, 1-D array, dictionary, pandas row, or data frame or 2-D array of one row
        The values: all columns in order, or by name those that the tree asks about; None where missing.
    ranges : mapping of str to float, optional
        How far the numbers of each column reached in training, largest minus smallest, by name: what changes of numbers
        are measured by. Where it is not given, the sizes of the tree's thresholds and of the value stand in.

    Returns
    -------
    Explanation
        To print, or as JSON values by ``to_dict()``.
    """
    given = one_row(row)
    columns = columns_of([tree.predicate(feature) for feature in tree.features])
    places = places_of(given, columns, tree)
    raw = {column.index: raw_value(given, column) for column in columns}
    path, label = _walk(tree, places, raw)
    return Explanation(label, path, nearest_flip(tree, label, places, raw, ranges or {}))


def _walk(tree: Tree, places: Places, raw: dict[int, Level | None]) -> tuple[tuple[Step, ...], Level]:
    path: list[Step] = []
    node = 0
    while tree.left[node] >= 0:
        question = tree.predicate(int(tree.feature[node]))
        index = question.column.index
        answer = question.region.contains(places[index])
        path.append(Step(question, raw[index], answer, is_unseen(question.column, places[index])))
        node = int(tree.left[node]) + answer
    return tuple(path), tree.classes[int(tree.label[node])]
