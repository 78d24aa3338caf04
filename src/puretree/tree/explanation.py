"""Explanations of single predictions: the path through the tree, and the nearest counterfactual.

The nearest counterfactual is the smallest change of a row that leads to another label. It is exact: every leaf of
another label is a box of conditions, one per column, so exactly the columns whose values lie outside must change. The
counterfactual changes the fewest columns; among those, values that occurred in training are preferred to missing values
and unseen levels; then the smallest change wins. The change of a number counts as a fraction of the range of its column
in training; if the range is unknown, of the largest absolute value among the row's value and the tree's thresholds on
the column, and at least 1 for integers. Any other change counts as 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .._support.text import quantity
from ..binarize.predicate import Predicate, columns_of, format_level
from ..binarize.region import Region
from ..errors import InputError
from ..table import UNSEEN, Column, Level, as_frame, is_missing, plain_level, read_columns, read_fitted_columns
from .rules import Rule
from .tree import Tree

RowValues = dict[str, Any] | list[Any]  # the raw values of a row: by column name, or in order
Codes = dict[int, float]  # the encoded values of a row, by column index
Cost = tuple[int, int, float]  # columns to change, how many of them to a missing value or an unseen level, distance


@dataclass(frozen=True, slots=True)
class Step:
    """A split on the path of a row: its predicate, the row's value, and whether the value satisfies the predicate."""

    predicate: Predicate
    value: Level | None
    answer: bool
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.predicate}? {'yes' if self.answer else 'no'} (it is {_format_value(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Change:
    """A column that must change: the condition to satisfy, the row's value, and the nearest value that satisfies it."""

    condition: Predicate
    value: Level | None
    nearest: Level | None
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.condition} (it is {_format_value(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Counterfactual:
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
        The predicted label.
    path : tuple of Step
        The splits from the root to the leaf.
    counterfactual : Counterfactual or None
        The nearest change to another label; None if the tree has no other.
    """

    label: Level
    path: tuple[Step, ...]
    counterfactual: Counterfactual | None

    def __str__(self) -> str:
        if not self.path:
            return f"{format_level(self.label)}, always"
        lines = [f"{format_level(self.label)}, because:", *(f"  {step}" for step in self.path)]
        change = self.counterfactual
        lines.append(f"Nearest change: {change}" if change else "No change leads to another label.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation: {format_level(self.label)} by {quantity(len(self.path), 'split')}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values; infinite numbers as text."""
        return {
            "label": self.label,
            "path": [
                {
                    "column": step.predicate.column.name,
                    "question": str(step.predicate),
                    "answer": step.answer,
                    "value": _json(step.value),
                }
                for step in self.path
            ],
            "counterfactual": self.counterfactual
            and {
                "label": self.counterfactual.label,
                "changes": [
                    {
                        "column": change.condition.column.name,
                        "condition": str(change.condition),
                        "value": _json(change.value),
                        "nearest": _json(change.nearest),
                    }
                    for change in self.counterfactual.changes
                ],
            },
        }


def _format_value(value: Level | None, is_unseen: bool) -> str:
    if value is None:
        return "missing"
    return format_level(value) + ", which training did not have" * is_unseen


def _json(value: Level | None) -> Level | None:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def explain(tree: Tree, row: Any, ranges: Mapping[str, float] | None = None) -> Explanation:
    """Explain the prediction of a tree for one row.

    Parameters
    ----------
    tree : Tree
        The tree.
    row : list, 1-D array, dictionary, pandas row, or data frame or 2-D array of one row
        The values: all columns in order, or by name those that the tree tests; None where missing.
    ranges : mapping of str to float, optional
        The range of each column of numbers in training, largest minus smallest value, by name: the scale of changes.
        Without it, the scale is the size of the tree's thresholds and of the value.

    Returns
    -------
    Explanation
        Print it, or convert it to JSON values with ``to_dict()``.
    """
    values = read_row(row)
    columns = columns_of([tree.predicate(feature) for feature in tree.features])
    codes = encode_row(values, columns, tree)
    raw = {column.index: raw_value(values, column) for column in columns}
    path, label = _follow_path(tree, codes, raw)
    return Explanation(label, path, nearest_counterfactual(tree, label, codes, raw, ranges or {}))


def _follow_path(tree: Tree, codes: Codes, raw: dict[int, Level | None]) -> tuple[tuple[Step, ...], Level]:
    path: list[Step] = []
    node = 0
    while tree.left[node] >= 0:
        predicate = tree.predicate(int(tree.feature[node]))
        index = predicate.column.index
        answer = predicate.region.contains(codes[index])
        path.append(Step(predicate, raw[index], answer, is_unseen(predicate.column, codes[index])))
        node = int(tree.left[node]) + answer
    return tuple(path), tree.classes[int(tree.label[node])]


def read_row(row: Any) -> RowValues:
    """Return the raw values of one row, by name if it has names."""
    row = as_frame(row)
    if nw.dependencies.is_into_dataframe(row):
        frame = nw.from_native(row, eager_only=True)
        if len(frame) != 1:
            raise InputError(f"explain takes one row, got a table of {len(frame)}; select one, for example X.iloc[[0]]")
        return dict(zip(map(str, frame.columns), frame.row(0), strict=True))
    if isinstance(row, Mapping) or (hasattr(row, "items") and hasattr(row, "index")):  # a row of pandas
        return {str(name): value for name, value in row.items()}
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise InputError(f"a row is a list of values or a dictionary by column name, not {type(row).__name__}")
    cells = list(row)
    if len(cells) == 1 and isinstance(cells[0], Sequence | np.ndarray) and not isinstance(cells[0], str):
        cells = list(cells[0])
    if any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        raise InputError(f"explain takes one row, got {len(cells)}; select one, for example X[0]")
    return cells


def encode_row(values: RowValues, columns: list[Column], tree: Tree) -> Codes:
    """Return the encoded values of some columns of a row."""
    if not columns:
        return {}
    n_columns = tree.n_columns if tree.n_columns is not None else len(values)
    if isinstance(values, list) and len(values) != n_columns:
        raise InputError(
            f"the row has {quantity(len(values), 'value')}, but the training table had "
            f"{quantity(n_columns, 'column')}; pass one value per column, None where missing, or a dictionary by "
            "column name"
        )
    if isinstance(values, list):
        encoded, _ = read_fitted_columns([values], columns, n_columns)
    else:
        names = {column.name for column in columns}
        # Without the columns that the tree does not test, unless one is absent: then they help to suggest its name.
        cells = {name: value for name, value in values.items() if name in names} if names <= values.keys() else values
        table = read_columns({name: [value] for name, value in cells.items()})
        encoded, _ = read_fitted_columns(table, columns, n_columns)
    return {column.index: float(code[0]) for column, code in zip(columns, encoded, strict=True)}


def raw_value(values: RowValues, column: Column) -> Level | None:
    """Return the raw value of a column as a str, bool, int or float; None if it is missing."""
    value = values[column.index] if isinstance(values, list) else values.get(column.name)
    if is_missing(value):
        return None
    plain = plain_level(value)
    return plain if plain is not None else str(value)


def nearest_counterfactual(
    tree: Tree, label: Level, codes: Codes, raw: dict[int, Level | None], ranges: Mapping[str, float]
) -> Counterfactual | None:
    """Return the nearest change that leads to another label than the row's; None if there is none.

    Parameters
    ----------
    tree : Tree
        The tree.
    label : str, int, float or bool
        The predicted label of the row.
    codes : dict of int to float
        The encoded values of the row, by column index.
    raw : dict of int to value
        The raw values of the row, by column index.
    ranges : mapping of str to float
        The ranges of columns of numbers in training, as far as known.
    """
    rules = [rule for rule in tree.rules() if rule.label != label and not any(c.is_empty for c in rule.conditions)]
    scales = _scales(tree, codes, ranges)
    costs = [(_cost(rule, codes, scales), i) for i, rule in enumerate(rules) if _is_satisfiable(rule, codes)]
    return _counterfactual(rules[min(costs)[1]], codes, raw) if costs else None


def _scales(tree: Tree, codes: Codes, ranges: Mapping[str, float]) -> dict[int, float]:
    """Return by column index the number that a change of 1 corresponds to."""
    scales: dict[int, float] = {}
    for feature in tree.features:
        predicate = tree.predicate(feature)
        index = predicate.column.index
        sizes = [abs(x) for x in (*predicate.region.edges, codes[index]) if math.isfinite(x)]
        scales[index] = max(scales.get(index, 0.0), *sizes, float(predicate.column.domain != "real"))
    names = {column.index: column.name for column in columns_of([tree.predicate(f) for f in tree.features])}
    return {index: ranges.get(names[index]) or scale or 1.0 for index, scale in scales.items()}


def _violated(rule: Rule, codes: Codes) -> list[Predicate]:
    return [c for c in rule.conditions if not c.region.contains(codes[c.column.index])]


def _is_satisfiable(rule: Rule, codes: Codes) -> bool:
    """Return whether the row can be changed to satisfy a rule: a column of booleans has no unseen levels."""
    return all(_nearest(condition, codes[condition.column.index]) is not None for condition in _violated(rule, codes))


def _cost(rule: Rule, codes: Codes, scales: dict[int, float]) -> Cost:
    n_unusual, distance = 0, 0.0
    violated = _violated(rule, codes)
    for condition in violated:
        column, now = condition.column, codes[condition.column.index]
        nearest = _nearest(condition, now)
        assert nearest is not None
        n_unusual += math.isnan(nearest) or is_unseen(column, nearest)
        is_number = column.kind == "number" and math.isfinite(now) and math.isfinite(nearest)
        distance += abs(nearest / scales[column.index] - now / scales[column.index]) if is_number else 1.0
    return len(violated), n_unusual, distance


def _nearest(condition: Predicate, now: float) -> float | None:
    """Return the nearest code that satisfies a condition: a number or level, else missing, else an unseen level."""
    column, region = condition.column, condition.region
    start = 0.0 if math.isnan(now) else now
    if column.kind == "number":
        candidates = [_nearest_in(low, high, start, column.domain != "real") for low, high in region.intervals()]
    else:
        candidates = [float(code) for code in range(len(column.levels)) if region.contains(float(code))]
    if candidates:
        # Levels without order are equally near: take the first.
        return min(candidates, key=lambda x: abs(x - start)) if column.kind != "category" else candidates[0]
    if region.holds_missing:
        return math.nan
    is_boolean = all(isinstance(level, bool) for level in column.levels)
    return None if is_boolean or not region.contains(UNSEEN) else UNSEEN


def _nearest_in(low: float, high: float, x: float, is_integer: bool) -> float:
    """Return the nearest number in an interval; the nearest integer in it, if training had only integers."""
    if low <= x < high:
        return x
    nearest = low if x < low else math.nextafter(high, -math.inf)
    integer = float(math.ceil(nearest) if x < low else math.floor(nearest)) if is_integer else nearest
    return integer if low <= integer < high else nearest


def _counterfactual(rule: Rule, codes: Codes, raw: dict[int, Level | None]) -> Counterfactual:
    changes = []
    for condition in _violated(rule, codes):
        column, now = condition.column, codes[condition.column.index]
        nearest = _nearest(condition, now)
        assert nearest is not None
        shown = Predicate(column, _region_to_show(condition, nearest))
        changes.append(Change(shown, raw[column.index], column.decode(nearest), is_unseen(column, now)))
    return Counterfactual(tuple(changes), rule.label)


def _region_to_show(condition: Predicate, code: float) -> Region:
    """Return the part of a condition around a value: the interval of a number, and no missing values."""
    region = condition.region
    if math.isnan(code):
        return region
    if condition.column.kind != "number":
        return replace(region, holds_missing=False)
    low, high = next(piece for piece in region.intervals() if piece[0] <= code < piece[1])
    edges = tuple(edge for edge in (low, high) if math.isfinite(edge))
    return Region(edges, starts_inside=low == -math.inf)


def is_unseen(column: Column, code: float) -> bool:
    """Return whether a code stands for a level that training did not contain."""
    return column.kind != "number" and code == UNSEEN
