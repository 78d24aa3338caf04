"""The binary problem as a file: what may be asked, what every training row answers, and which rows those are.

The certificate speaks of this file, and it is the one place where it meets the raw table: ``checkers/purity.py`` makes
it anew from the table, and the proofs of minimality are about nothing else.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FormatError, InputError
from ..problem import BinaryProblem, Constraints, Prepared
from ..table import Column, Table

FORMAT = "puretree problem 1"
_FIELDS = ("target", "classes", "columns", "questions", "examples", "labels", "roots", "max_depth", "rows", "left_out")


def problem_to_dict(prepared: Prepared, max_depth: int | None, target: str, n_table_rows: int) -> dict[str, Any]:
    """Return a problem as JSON values.

    Parameters
    ----------
    prepared : Prepared
        The rows that trained.
    max_depth : int or None
        The most tests on a path that were allowed.
    target : str
        The column that is predicted.
    n_table_rows : int
        How many rows the table has, those that did not train included.
    """
    problem, numbers = prepared.problem, prepared.row_numbers
    questions = [prepared.binarizer.features_[given] for given in problem.merge.original_of_feature.tolist()]
    columns = _columns(prepared)
    without_questions = {item.index for item in columns} - {item.column.index for item in prepared.binarizer.features_}
    may_be_asked = without_questions | {
        prepared.binarizer.features_[i].column.index for i in prepared.policy.allowed.tolist()
    }
    return {
        "format": FORMAT,
        "target": target,
        "classes": list(problem.classes),
        "columns": [
            {
                "name": item.name,
                "kind": item.kind,
                "levels": list(item.levels),
                "may_be_asked": item.index in may_be_asked,
            }
            for item in columns
        ],
        "questions": [
            {
                "column": question.column.index,
                "edges": list(question.region.edges),
                "starts_inside": question.region.starts_inside,
                "holds_missing": question.region.holds_missing,
            }
            for question in questions
        ],
        "examples": ["".join(map(str, row)) for row in problem.examples.unpack().astype(np.uint8).tolist()],
        "labels": problem.labels.tolist(),
        "roots": None if prepared.roots is None else sorted(prepared.roots),
        "max_depth": max_depth,
        "rows": None if len(numbers) == n_table_rows else numbers.tolist(),
        "left_out": numbers[problem.example_of_row < 0].tolist(),
    }


def _columns(prepared: Prepared) -> list[Column]:
    """Return all columns as they are asked about; those that are not, as they are."""
    columns = [Column(item.name, i, item.kind, item.levels) for i, item in enumerate(prepared.table)]
    for question in prepared.binarizer.features_:
        columns[question.column.index] = question.column
    return columns


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """What the proofs of minimality are about.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        The wishes that the trees keep to.
    """

    problem: BinaryProblem
    constraints: Constraints

    @classmethod
    def from_dict(cls, data: Any) -> ProblemFile:
        """Read what :func:`problem_to_dict` made; what does not fit is a FormatError."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(f"problem.json is not of format {FORMAT!r}")
        missing = [name for name in _FIELDS if name not in data]
        if missing:
            raise FormatError(f"problem.json has no {missing[0]!r}")
        examples, labels, classes = data["examples"], data["labels"], data["classes"]
        n_questions = len(data["questions"]) if isinstance(data["questions"], list) else -1
        are_examples = isinstance(examples, list) and all(_is_example(example, n_questions) for example in examples)
        if not are_examples or not examples or n_questions < 1:
            raise FormatError("problem.json: 'examples' must hold an answer, 0 or 1, to each of the 'questions'")
        if not _are_places(classes, labels) or len(labels) != len(examples):
            raise FormatError("problem.json: 'labels' must hold a place in 'classes' for each example")
        return cls(_read_problem(examples, labels), _read_steering(data, n_questions))


def _is_example(example: Any, n_questions: int) -> bool:
    return isinstance(example, str) and len(example) == n_questions and not example.strip("01")


def _are_places(classes: Any, places: Any) -> bool:
    if not isinstance(classes, list) or not isinstance(places, list):
        return False
    return all(type(place) is int and 0 <= place < len(classes) for place in places)


def _read_problem(examples: list[str], labels: list[int]) -> BinaryProblem:
    """Make the problem; classes are their places here, since their names play no part in it."""
    rows = np.array([list(map(int, example)) for example in examples], dtype=np.uint8)
    try:
        problem = BinaryProblem.from_rows(rows, np.array(labels))
    except InputError as error:
        raise FormatError(f"problem.json: {error}") from None
    if problem.n_examples != len(examples) or problem.n_features != rows.shape[1]:
        raise FormatError("problem.json holds an example twice, or a question that says nothing new")
    return problem


def _read_steering(data: dict[str, Any], n_questions: int) -> Constraints:
    roots, max_depth = data["roots"], data["max_depth"]
    if roots is not None and not (roots and _are_places([None] * n_questions, roots)):
        raise FormatError("problem.json: 'roots' must hold numbers of questions, or be null")
    if max_depth is not None and (type(max_depth) is not int or max_depth < 1):
        raise FormatError("problem.json: 'max_depth' must be a number of tests, or null")
    return Constraints(max_depth, None if roots is None else frozenset(roots))


def table_to_csv(table: Table, target: str, labels: list[Any]) -> bytes:
    """Write a table as CSV: for data that are known by name and are in no file.

    Parameters
    ----------
    table : Table
    target : str
        The name of the column that is predicted; it comes last.
    labels : list
        Its values.
    """
    if target in table.names:
        raise InputError(f"{target!r} is the name of the label and of another column; rename one to certify the tree")
    if any("" in column.levels for column in table):
        raise InputError(
            "a level is empty text, which a CSV file cannot tell from a gap; rename it to certify the tree"
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.names, target])
    columns = [_cells(values.tolist()) for values in table.to_dict().values()]
    writer.writerows(zip(*columns, map(str, labels), strict=True))
    return text.getvalue().encode()


def _cells(values: list[Any]) -> list[str]:
    """Write numbers so that they read back as the same, and gaps as nothing."""
    return ["" if value is None or value != value else str(value) for value in values]
