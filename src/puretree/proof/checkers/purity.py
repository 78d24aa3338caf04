"""Check that a decision tree classifies every training row correctly, with Python's standard library only.

::

    python3 check_purity.py FOLDER [TABLE.csv]

FOLDER is the certificate: ``model.json`` (the tree), ``problem.json`` (the predicates that a tree may test, called
``questions`` there, and the rows as 0/1 values of these predicates) and ``table.csv`` (the data; pass the file if the
certificate does not include it). The exit code is 0 if the tree is verified, 1 if it is rejected, 2 if a file is
missing. The program checks that

1. the examples of ``problem.json`` are exactly the training rows, evaluated predicate by predicate;
2. every row that was left out contradicts another row: equal in all predicates, with another label;
3. the tree predicts the label of every other training row, and satisfies the constraints on its depth and its root;
4. every test of the tree splits the training rows as one of the predicates does.

Values are compared by a numeric code: the code of a number is the number itself, that of a level is its index in the
list of levels (-1 if it is not in the list). A predicate is a sorted list of edges where its value changes; an edge
belongs to the interval on its right. Sets of rows are represented as the bits of integers.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any


class Rejected(Exception):  # noqa: N818  a verdict
    """The check failed; the message says why."""


def bits(rows: Iterable[int], n_rows: int) -> int:
    """Return a set of rows as an integer."""
    data = bytearray(n_rows // 8 + 1)
    for row in rows:
        data[row // 8] |= 1 << row % 8
    return int.from_bytes(data, "little")


class Column:
    """The cells of a column, as sets of rows ordered by the code of their value."""

    def __init__(self, cells: Sequence[str], kind: str, levels: Sequence[Any], *, is_allowed: bool) -> None:
        self.kind, self.is_allowed = kind, is_allowed
        code_of_cell = {cell: encode_cell(cell, kind, levels) for cell in set(cells)}
        rows_of_code: dict[float | None, list[int]] = {}
        for row, cell in enumerate(cells):
            rows_of_code.setdefault(code_of_cell[cell], []).append(row)
        self.missing = bits(rows_of_code.pop(None, ()), len(cells))
        self.codes = sorted(code for code in rows_of_code if code is not None)
        self.at_least = [0]  # for each code the rows with this code or a larger one; in the end the empty set
        for code in reversed(self.codes):
            self.at_least.append(self.at_least[-1] | bits(rows_of_code[code], len(cells)))
        self.at_least.reverse()

    def evaluate(self, predicate: dict[str, Any]) -> int:
        """Return the rows for which a predicate is true."""
        require_predicate(predicate)
        rows = self.at_least[0] if predicate["starts_inside"] else 0
        for edge in predicate["edges"]:
            rows ^= self.at_least[bisect_left(self.codes, edge)]
        return rows | (self.missing if predicate["holds_missing"] else 0)

    def cuts(self) -> list[int]:
        """Return the splits at a single value: below and above a number, or one level against the others."""
        if self.kind != "category":
            return [*self.at_least, self.missing]
        return [*(here ^ above for here, above in zip(self.at_least, self.at_least[1:], strict=False)), self.missing]

    def variants(self, cut: int) -> tuple[int, int]:
        """Return a cut with the rows that have a missing value on either side."""
        return cut & ~self.missing, cut | self.missing


def require_predicate(predicate: dict[str, Any]) -> None:
    """Reject a predicate that different readers might interpret differently, such as one with unsorted edges."""
    edges = predicate["edges"]
    are_edges = all(type(edge) is float and math.isfinite(edge) for edge in edges) and edges == sorted(set(edges))
    if not are_edges or not all(type(predicate[key]) is bool for key in ("starts_inside", "holds_missing")):
        raise Rejected(
            "the edges of a predicate must be finite numbers in ascending order, and starts_inside and holds_missing "
            "must be true or false"
        )


def require_index(value: Any, end: int, what: str) -> int:
    """Return an index from 0 to end - 1; Python would also accept -1 for the last item, and true for 1."""
    if type(value) is not int or not 0 <= value < end:
        raise Rejected(f"{value!r} is not the index of one of the {end} {what}, counted from 0")
    return value


def encode_cell(cell: str, kind: str, levels: Sequence[Any]) -> float | None:
    """Return the code of a cell's value; None if the value is missing."""
    if cell == "":
        return None
    if kind == "number":
        number = read_number(cell)
        return None if math.isnan(number) else number
    if cell in levels:
        return float(levels.index(cell))
    return float(next((index for index, level in enumerate(levels) if represents(cell, level)), -1))


def read_number(cell: str) -> float:
    """Read a number; cells like 1_000, 007 and inf, which Python also reads as numbers, are names."""
    number = float(cell)
    if "_" in cell or math.isinf(number) or (cell.isdigit() and len(cell) > 1 and cell[0] == "0"):
        raise ValueError(f"{cell!r} is not a number")
    return number


def represents(cell: str, value: Any) -> bool:
    """Return whether the text of a cell stands for a value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return cell == str(value)
    try:
        return read_number(cell) == value
    except ValueError:
        return False


def read_table(path: Path, target: str) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the header and the rows without the label, and the labels."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        header, *rows = [row for row in csv.reader(file, strict=True) if row]
    if header.count(target) != 1:
        raise Rejected(f"{path.name} has no column {target!r} with the labels")
    if any(len(row) != len(header) for row in rows):
        raise Rejected(f"{path.name} has rows of different lengths")
    index = header.index(target)
    header.pop(index)
    return header, rows, [row.pop(index) for row in rows]


class Training:
    """The training rows, as read from the table."""

    def __init__(self, problem: dict[str, Any], path: Path) -> None:
        header, rows, labels = read_table(path, problem["target"])
        self.n_table_rows = len(rows)
        self.numbers: list[int] = list(range(len(rows)) if problem["rows"] is None else problem["rows"])
        for row in self.numbers:
            require_index(row, len(rows), f"rows of {path.name}")
        if len(set(self.numbers)) != len(self.numbers):
            raise Rejected("problem.json lists a training row twice")
        if [column["name"] for column in problem["columns"]] != header:
            raise Rejected(f"the columns of {path.name} are not those of problem.json")
        self.columns = [
            Column(
                [rows[row][index] for row in self.numbers],
                column["kind"],
                column["levels"],
                is_allowed=column["may_be_asked"],
            )
            for index, column in enumerate(problem["columns"])
        ]
        self.labels = [self._find_class(labels[row], problem["classes"]) for row in self.numbers]

    @staticmethod
    def _find_class(cell: str, classes: Sequence[Any]) -> int:
        for index, label in enumerate(classes):
            if represents(cell, label):
                return index
        raise Rejected(f"the label {cell!r} is not one of the classes")

    def rows_of_other_classes(self, label: int) -> int:
        """Return the rows that have another label."""
        return bits((index for index, other in enumerate(self.labels) if other != label), len(self.labels))

    def examples(self, features: Sequence[int]) -> list[str]:
        """Return for each row its 0/1 values of all features, one character each."""
        n_rows = len(self.numbers)
        texts = [format(rows, f"0{n_rows}b")[::-1] for rows in features]
        return ["".join(row) for row in zip(*texts, strict=True)] if texts else [""] * n_rows


def require_examples(problem: dict[str, Any], training: Training, features: Sequence[int]) -> int:
    """Check that the examples are the training rows, and return the rows that were not left out."""
    label_of_example = dict(zip(problem["examples"], problem["labels"], strict=True))
    left_out = set(problem["left_out"])
    examples = training.examples(features)
    labels_of_example: dict[str, set[int]] = {}
    for example, label in zip(examples, training.labels, strict=True):
        labels_of_example.setdefault(example, set()).add(label)
    kept, kept_examples = [], set()
    for index, (row, example, label) in enumerate(zip(training.numbers, examples, training.labels, strict=True)):
        if row not in left_out:
            if label_of_example.get(example) != label:
                raise Rejected(f"row {row} is not an example of problem.json, or has another label there")
            kept.append(index)
            kept_examples.add(example)
        elif len(labels_of_example[example]) < 2:
            raise Rejected(f"row {row} was left out, but no other row contradicts it")
    if len(kept_examples) != len(problem["examples"]):
        raise Rejected("problem.json holds an example twice, or one that is not a training row")
    if not left_out <= set(training.numbers) or len(left_out) != len(problem["left_out"]):
        raise Rejected("problem.json lists rows as left out that are not training rows, or lists one twice")
    if not kept:
        raise Rejected("all training rows were left out")
    return bits(kept, len(examples))


def walk(tree: dict[str, Any], training: Training, kept: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield for each node its index, its depth, the rows that reach it, and all rows for which its test is true."""
    nodes = tree["nodes"]
    queue = [(0, 0, kept)]
    for node, depth, rows in queue:  # the queue grows during the loop
        true_rows = 0
        if "label" not in nodes[node]:
            test = tree["tests"][require_index(nodes[node]["test"], len(tree["tests"]), "tests")]
            column = tree["columns"][require_index(test["column"], len(tree["columns"]), "columns")]
            left, true_rows = nodes[node]["left"], training.columns[column["index"]].evaluate(test)
            queue += [(left, depth + 1, rows & ~true_rows), (left + 1, depth + 1, rows & true_rows)]
        yield node, depth, rows, true_rows & kept
        if len(queue) > len(nodes):
            break
    if [node for node, _, _ in queue] != list(range(len(nodes))):
        raise Rejected("the nodes of model.json do not form a tree numbered level by level")


def require_tree(
    problem: dict[str, Any], tree: dict[str, Any], training: Training, features: Sequence[int], kept: int
) -> None:
    """Check that the tree classifies the kept rows correctly and satisfies the constraints."""
    if tree["format"] != "puretree/tree" or type(tree["version"]) is not int or tree["version"] != 1:
        raise Rejected("model.json is not a tree in the format puretree/tree, version 1")
    if tree["classes"] != problem["classes"]:
        raise Rejected("model.json and problem.json have different classes")
    for column in tree["columns"]:
        require_index(column["index"], len(problem["columns"]), "columns")
        if any(column[key] != problem["columns"][column["index"]][key] for key in ("name", "kind", "levels")):
            raise Rejected(f"column {column['name']!r} differs between model.json and problem.json")
    splits = [rows & kept for rows in features] + [kept & ~rows for rows in features]
    allowed = set(splits)
    roots = problem["roots"]
    for root in roots or ():
        require_index(root, len(features), "questions")
    root_splits = allowed if roots is None else {splits[root + side] for root in roots for side in (0, len(features))}
    other_rows = [training.rows_of_other_classes(label) for label in range(len(problem["classes"]))]
    for node, depth, rows, true_rows in walk(tree, training, kept):
        if problem["max_depth"] is not None and depth > problem["max_depth"]:
            raise Rejected(f"the tree is deeper than {problem['max_depth']}")
        if "label" in tree["nodes"][node]:
            wrong = rows & other_rows[require_index(tree["nodes"][node]["label"], len(other_rows), "classes")]
            if wrong:
                raise Rejected(f"the tree misclassifies row {training.numbers[wrong.bit_length() - 1]}, at node {node}")
        elif true_rows not in allowed:
            raise Rejected(f"the test of node {node} is not one of the predicates")
        elif node == 0 and true_rows not in root_splits:
            raise Rejected("the test of the root violates the root constraint")


def count_cuts(training: Training, features: Sequence[int], kept: int) -> tuple[int, int]:
    """Return the number of cuts at a single value of the allowed columns, and how many of them are no feature."""
    splits = {rows & kept for rows in features} | {kept & ~rows for rows in features} | {0, kept}
    n_cuts = n_uncovered = 0
    for column in training.columns:
        if column.is_allowed:
            cuts = {min(cut & kept, kept & ~cut) for cut in column.cuts()} - {0}  # a cut has two sides
            n_cuts += len(cuts)
            n_uncovered += sum(all(variant & kept not in splits for variant in column.variants(cut)) for cut in cuts)
    return n_cuts, n_uncovered


def check(folder: str | Path, table: str | Path | None = None) -> dict[str, Any]:
    """Check the tree of a certificate on its data, and return a summary of what was checked.

    Parameters
    ----------
    folder : path
        The certificate.
    table : path, optional
        The data, if the certificate does not include them.

    Raises
    ------
    Rejected
        If anything does not hold.
    """
    try:
        problem = json.loads((Path(folder) / "problem.json").read_text(encoding="utf-8"))
        tree = json.loads((Path(folder) / "model.json").read_text(encoding="utf-8"))
        training = Training(problem, Path(table or Path(folder) / "table.csv"))
        features = [
            training.columns[require_index(predicate["column"], len(training.columns), "columns")].evaluate(predicate)
            for predicate in problem["questions"]
        ]
        kept = require_examples(problem, training, features)
        require_tree(problem, tree, training, features, kept)
        n_cuts, n_uncovered_cuts = count_cuts(training, features, kept)
    except OSError as error:
        raise Rejected(f"a file cannot be read: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, csv.Error) as error:
        raise Rejected(f"problem.json, model.json or the table is malformed: {error!r}") from None
    return {
        "n_nodes": len(tree["nodes"]),
        "n_table_rows": training.n_table_rows,
        "n_rows": len(training.numbers),
        "n_left_out": len(problem["left_out"]),
        "n_examples": len(problem["examples"]),
        "n_features": len(features),
        "n_cuts": n_cuts,
        "n_uncovered_cuts": n_uncovered_cuts,
        "forbidden": [column["name"] for column in problem["columns"] if not column["may_be_asked"]],
        "root_columns": None if problem["roots"] is None else columns_of(problem, problem["roots"]),
        "max_depth": problem["max_depth"],
    }


def columns_of(problem: dict[str, Any], features: Sequence[int]) -> list[str]:
    """Return the names of the columns of some features, without duplicates."""
    return list(dict.fromkeys(problem["columns"][problem["questions"][index]["column"]]["name"] for index in features))


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a folder, and print the verdict."""
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    table = Path(arguments[1]) if len(arguments) > 1 else folder / "table.csv"
    for path in (folder / "problem.json", folder / "model.json", table):
        if not path.is_file():
            print(f"CANNOT BE CHECKED: there is no file {path}")
            return 2
    try:
        summary = check(*arguments)
    except Rejected as error:
        print(f"REJECTED: {error}")
        return 1
    except MemoryError:
        print("CANNOT BE CHECKED: not enough memory for the values of all predicates on all rows")
        return 2
    n_correct = summary["n_rows"] - summary["n_left_out"]
    print(f"VERIFIED: a tree of {summary['n_nodes']} nodes classifies {n_correct} training rows correctly")
    print(f"  rows of the table: {summary['n_table_rows']}, training rows: {summary['n_rows']}")
    print(f"  training rows left out because they contradict others: {summary['n_left_out']}")
    print(f"  distinct examples: {summary['n_examples']}, distinct features: {summary['n_features']}")
    print(f"  forbidden columns: {', '.join(map(repr, summary['forbidden'])) or 'none'}")
    if summary["root_columns"] is not None:
        print(f"  columns allowed at the root: {', '.join(map(repr, summary['root_columns']))}")
    if summary["max_depth"] is not None:
        print(f"  maximum depth: {summary['max_depth']}")
    print(f"  cuts at a single value of an allowed column: {summary['n_cuts']}")
    print(f"  of these not among the features: {summary['n_uncovered_cuts']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
