"""The binary problem as the file ``problem.json``: the features, the examples, and the rows they come from.

It links the certificate to the raw table: ``checkers/table.py`` derives the problem from the table again and compares,
and the proofs refer to this file only.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..binarize import (
    Binarizer,
    BitsBinarizer,
    GuessedThresholdBinarizer,
    OneHotBinarizer,
    ThresholdBinarizer,
)
from ..binarize.predicate import Predicate
from ..errors import FormatError, InputError
from ..problem import BinaryProblem, Constraints, Prepared
from ..table import Column, Table
from ..tree import Tree
from .checkers.table import FIELDS, FORMAT


def problem_to_dict(
    prepared: Prepared,
    tree: Tree,
    max_depth: int | None,
    target: str,
    n_table_rows: int,
    missing_values: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return a problem as JSON values.

    Parameters
    ----------
    prepared : Prepared
        The training rows.
    tree : Tree
        The tree; its tests may be other predicates than those that represent the features.
    max_depth : int or None
        The maximum depth of the tree.
    target : str
        The column to predict.
    n_table_rows : int
        Number of rows of the table, including those not used for training.
    missing_values : mapping of str to sequence of str
        For each column the cells that stand for a missing value, besides empty ones.
    """
    problem, numbers = prepared.problem, prepared.row_numbers
    all_predicates = prepared.binarizer.features_
    predicates = [all_predicates[index] for index in problem.merge.original_of_feature.tolist()]
    columns = _columns(prepared)
    without_predicates = {column.index for column in columns} - {item.column.index for item in all_predicates}
    allowed = without_predicates | {all_predicates[index].column.index for index in prepared.policy.allowed.tolist()}
    return {
        "format": FORMAT,
        "target": target,
        "classes": list(problem.classes),
        "family": _family(prepared.binarizer),
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "levels": list(column.levels),
                "missing_values": list(missing_values.get(column.name, ())),
                "has_missing": column.has_missing,
                "domain": column.domain,
                "cuts": _cuts(prepared.binarizer, column),
                "is_forbidden": column.index not in allowed,
            }
            for column in columns
        ],
        "root": _root(prepared),
        "max_depth": max_depth,
        "rows": None if len(numbers) == n_table_rows else numbers.tolist(),
        "left_out": numbers[problem.example_of_row < 0].tolist(),
        "features": [_predicate(predicate) for predicate in predicates],
        "equal_tests": _equal_tests(prepared, tree),
        "examples": ["".join(map(str, row)) for row in problem.examples.unpack().astype(np.uint8).tolist()],
        "labels": problem.labels.tolist(),
        "weights": problem.weights.tolist(),
        "roots": None if prepared.roots is None else sorted(prepared.roots),
    }


def _predicate(predicate: Predicate) -> dict[str, Any]:
    return {
        "column": predicate.column.index,
        "edges": list(predicate.region.edges),
        "starts_inside": predicate.region.starts_inside,
        "holds_missing": predicate.region.holds_missing,
    }


def _equal_tests(prepared: Prepared, tree: Tree) -> list[dict[str, Any]]:
    """List the tests of a tree that split the examples like a feature but are not the predicate that represents it."""
    merge, predicates = prepared.problem.merge, prepared.binarizer.features_
    used = set((tree.predicates or {}).values())
    equal = [index for index, predicate in enumerate(predicates) if predicate in used]
    return [
        _predicate(predicates[index])
        | {"feature": int(merge.feature_of_original[index]), "is_negated": bool(merge.flipped[index])}
        for index in equal
        if merge.feature_of_original[index] >= 0 and index not in merge.original_of_feature
    ]


def _family(binarizer: Binarizer) -> dict[str, Any]:
    """Declare the family of tests that the features of a binariser are."""
    if type(binarizer) in (ThresholdBinarizer, GuessedThresholdBinarizer):
        return {"name": "thresholds"}
    is_coded = type(binarizer) in (BitsBinarizer, OneHotBinarizer)
    if is_coded and (binarizer.strategy, binarizer.edges) == ("uniform", "exact"):
        return {"name": "bits" if isinstance(binarizer, BitsBinarizer) else "onehot", "n_bins": binarizer.n_bins}
    raise InputError(
        f"trees over the features of {binarizer} cannot be certified; use one of thresholds, guessed, onehot, bits"
    )


def _cuts(binarizer: Binarizer, column: Column) -> list[float] | None:
    """List the cuts of a column if the binariser makes only some of them; None for all."""
    is_limited = isinstance(binarizer, GuessedThresholdBinarizer)
    if isinstance(binarizer, ThresholdBinarizer):
        is_limited = (binarizer.cuts, binarizer.max_cuts) != ("all", None)
    if not is_limited or column.kind == "category":
        return None
    regions = [item.region for item in binarizer.features_ if item.column.index == column.index]
    return sorted(region.edges[-1] for region in regions if region.edges)


def _root(prepared: Prepared) -> int | None:
    """Return the column that the root must test; None if it may test any."""
    roots = np.flatnonzero(prepared.policy.is_root)
    return int(prepared.binarizer.features_[int(roots[0])].column.index) if len(roots) else None


def _columns(prepared: Prepared) -> list[Column]:
    """Return all columns, as the predicates describe them; columns without predicates as in the table."""
    columns = [
        Column(item.name, index, item.kind, item.levels, item.has_missing, item.domain)
        for index, item in enumerate(prepared.table)
    ]
    for predicate in prepared.binarizer.features_:
        columns[predicate.column.index] = predicate.column
    return columns


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """The problem that the proofs of minimality refer to.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        The constraints on the trees.
    """

    problem: BinaryProblem
    constraints: Constraints

    @classmethod
    def from_dict(cls, data: Any) -> ProblemFile:
        """Read the result of :func:`problem_to_dict`; raise FormatError if it is invalid."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(f"problem.json is not of format {FORMAT!r}")
        missing = sorted(FIELDS - set(data))
        if missing:
            raise FormatError(f"problem.json has no {missing[0]!r}")
        examples, labels, classes = data["examples"], data["labels"], data["classes"]
        n_features = len(data["features"]) if isinstance(data["features"], list) else -1
        are_examples = isinstance(examples, list) and all(_is_example(example, n_features) for example in examples)
        if not are_examples or not examples or n_features < 1:
            raise FormatError("problem.json: each of the 'examples' must hold 0 or 1 for each of the 'features'")
        if not _are_indices(classes, labels) or len(labels) != len(examples):
            raise FormatError("problem.json: 'labels' must hold an index into 'classes' for each example")
        return cls(_read_problem(examples, labels), _read_constraints(data, n_features))


def _is_example(example: Any, n_features: int) -> bool:
    return isinstance(example, str) and len(example) == n_features and not example.strip("01")


def _are_indices(items: Any, indices: Any) -> bool:
    """Return whether both are lists, and the second holds indices into the first."""
    if not isinstance(items, list) or not isinstance(indices, list):
        return False
    return all(type(index) is int and 0 <= index < len(items) for index in indices)


def _read_problem(examples: list[str], labels: list[int]) -> BinaryProblem:
    """Build the problem; its classes are their indices, since the names do not matter."""
    rows = np.array([list(map(int, example)) for example in examples], dtype=np.uint8)
    try:
        problem = BinaryProblem.from_rows(rows, np.array(labels), on_conflict="raise")
    except InputError as error:
        raise FormatError(f"problem.json: {error}") from None
    if problem.n_examples != len(examples) or problem.n_features != rows.shape[1]:
        raise FormatError("problem.json holds an example twice, or a constant or redundant feature")
    return problem


def _read_constraints(data: dict[str, Any], n_features: int) -> Constraints:
    roots, max_depth = data["roots"], data["max_depth"]
    if roots is not None and not (roots and _are_indices([None] * n_features, roots)):
        raise FormatError("problem.json: 'roots' must hold indices into 'features', or be null")
    if max_depth is not None and (type(max_depth) is not int or max_depth < 1):
        raise FormatError("problem.json: 'max_depth' must be a positive integer, or null")
    return Constraints(max_depth, None if roots is None else frozenset(roots))


def table_to_csv(table: Table, target: str, labels: list[Any]) -> bytes:
    """Write a table as CSV, for named data sets that are not in a file.

    Parameters
    ----------
    table : Table
    target : str
        Name of the column to predict, which comes last.
    labels : list
        Values of that column.
    """
    if target in table.names:
        raise InputError(f"{target!r} names both the label and another column; rename one of them to certify the tree")
    if any("" in column.levels for column in table):
        raise InputError(
            "a level is an empty string, which a CSV file cannot distinguish from a missing value; rename the level to "
            "certify the tree"
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.names, target])
    columns = [_cells(values.tolist()) for values in table.to_dict().values()]
    writer.writerows(zip(*columns, map(str, labels), strict=True))
    return text.getvalue().encode()


def missing_cells(table_csv: bytes, table: Table, missing_values: Collection[str]) -> dict[str, list[str]]:
    """Return for each column the cells of a CSV file that were read as missing values, besides empty ones."""
    header, *rows = [row for row in csv.reader(io.StringIO(table_csv.decode("utf-8-sig"), newline="")) if row]
    cells_of = dict(zip(header, zip(*rows, strict=True), strict=True))
    return {
        column.name: sorted(
            cell
            for cell in set(cells_of[column.name]) - {""}
            if cell in missing_values or (column.kind == "number" and math.isnan(float(cell)))
        )
        for column in table
    }


def _cells(values: list[Any]) -> list[str]:
    """Format numbers so that they are read back exactly, and missing values as empty cells."""
    return ["" if value is None or value != value else str(value) for value in values]
