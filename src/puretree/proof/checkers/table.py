"""Check that a binary problem is that of a table, with Python's standard library only.

::

    python3 check_table.py FOLDER [TABLE.csv]

FOLDER is the certificate: ``problem.json`` and ``table.csv`` (the data; pass the file if the certificate does not
include it). The exit code is 0 if the problem is verified, 1 if it is rejected, 2 if a file is missing.

The proofs of a certificate are about the binary problem in ``problem.json``: examples with 0/1 features. This program
relates it to the table. ``problem.json`` declares a family of tests; the program derives from the table itself which
tests of this family exist, and requires that the features of the problem are these tests: all of them and no others.
What the sender may decide (forbidden columns, cuts, kinds, the order of levels, spellings of missing values, rows) is
declared in ``problem.json``, and is stated at the end unless the table implies it. The program then derives the
examples from the table and compares them: each training row is an example, unless it contradicts another row, that is,
no test of the family distinguishes them and their labels differ.

Families
--------
thresholds
    On a column of numbers: ``value ≤ t`` for every number t. On a column of categories: ``value is L`` for every value
    L. On a column of ordered categories: ``value ≤ L``, in the declared order. On a column with missing values, also
    ``value is missing``; a missing value satisfies no other test. The problem may declare a list of cuts for a column
    of numbers or ordered categories; then there are only these.
onehot
    The numbers of a column are divided into bins of equal width between the smallest and the largest training value,
    computed in double precision. The values of a column are its bins or categories that occur in the training rows, and
    a missing value. ``value is V`` for every value V.
bits
    The values of a column are as for *onehot*, numbered from 0: bins and numeric categories in ascending order, other
    categories by their characters, the missing value last. ``digit i of the number is 1`` for every binary digit.

Cells
-----
An empty cell is a missing value, and so are the spellings that ``missing_values`` of its column declares. A column
*holds numbers* if every other cell is one: in decimal notation, finite, without leading zeros, and below 2^53 if it is
an integer. Numbers are compared by value, in double precision; numbers of a column that differ only beyond it are
rejected. Categories and labels are compared by their text.

Values are represented by a numeric code: the code of a number is the number itself, that of a category its index in the
list of levels. A predicate is a sorted list of edges where its value changes; an edge belongs to the interval on its
right. Sets of rows are represented as the bits of integers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

FORMAT = "puretree problem 2"
FIELDS = {
    *("format", "target", "classes", "family", "columns", "root", "max_depth", "rows", "left_out"),
    *("features", "equal_tests", "examples", "labels", "weights", "roots"),
}
PREDICATE_FIELDS = {"column", "edges", "starts_inside", "holds_missing"}
COLUMN_FIELDS = {"name", "kind", "levels", "missing_values", "has_missing", "domain", "cuts", "is_forbidden"}
FAMILIES = {"thresholds": {"name"}, "onehot": {"name", "n_bins"}, "bits": {"name", "n_bins"}}
LEADING_ZERO = re.compile(r"\s*[+-]?0[0-9]")
MAX_NAME = 60  # characters of a name from the data in the statement
MAX_LISTED = 20
MAX_BINS = 10**6

Shape = tuple[tuple[int, ...], bool, bool]
"""What distinguishes the tests of a column: where they change, and whether they hold at minus infinity (for categories:
for an unknown one) and for a missing value."""


class Rejected(Exception):  # noqa: N818  a verdict
    """The check failed; the message says why."""


def require(condition: bool, reason: str) -> None:
    """Reject the certificate if a condition does not hold."""
    if not condition:
        raise Rejected(reason)


def read_json(path: Path) -> Any:
    """Read a JSON file; a name that occurs twice in an object would mean different things to different readers."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), f"{path.name} holds an object with a repeated name")
        return dict(pairs)

    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)


def require_object(value: Any, fields: Collection[str], what: str) -> None:
    """Reject anything but an object with exactly these names."""
    is_object = isinstance(value, dict) and set(value) == set(fields)
    require(is_object, f"{what} is not an object with the names {', '.join(sorted(fields))}")


def require_index(value: Any, end: int, what: str) -> int:
    """Return an index from 0 to end - 1; Python would also accept -1 for the last item, and true for 1."""
    require(type(value) is int and 0 <= value < end, f"{value!r} is not the index of one of the {end} {what}")
    return int(value)


def bits(rows: Iterable[int], n_rows: int) -> int:
    """Return a set of rows as an integer."""
    data = bytearray(n_rows // 8 + 1)
    for row in rows:
        data[row // 8] |= 1 << row % 8
    return int.from_bytes(data, "little")


def read_number(cell: str) -> float:
    """Read a number; raise ValueError for 1_000, 007, nan, inf and long integers, which Python would also read."""
    number = float(cell)
    is_long = cell.strip().lstrip("+-").isdigit() and abs(number) >= 2**53
    if "_" in cell or not math.isfinite(number) or LEADING_ZERO.match(cell) or is_long:
        raise ValueError(f"{cell!r} is not a number")
    return number


def holds_numbers(cells: Iterable[str]) -> bool:
    """Return whether all cells are numbers."""
    try:
        for cell in cells:
            read_number(cell)
    except ValueError:
        return False
    return True


def quote(name: Any) -> str:
    """Return a name from the data in quotes; a long one, which might imitate the statement, is shortened."""
    text = repr(name)
    if len(text) <= MAX_NAME:
        return text
    digest = hashlib.sha256(str(name).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[: MAX_NAME // 2]}… (shortened; SHA-256 {digest})"


def quote_all(names: Sequence[Any]) -> str:
    """Return names in quotes, and the number of those that are not listed."""
    more = len(names) - MAX_LISTED
    return ", ".join(map(quote, names[:MAX_LISTED])) + (f" and {more} more (see problem.json)" if more > 0 else "")


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'s' * (number != 1)}"


def require_distinct_numbers(cells: Collection[str], name: str) -> None:
    """Reject numbers that differ only beyond double precision, since they would be taken for equal."""
    cell_of: dict[float, str] = {}
    for cell in cells:
        other = cell_of.setdefault(read_number(cell), cell)
        require(
            cell == other or Decimal(cell) == Decimal(other),
            f"{cell} and {other} in column {name!r} differ only beyond double precision",
        )


def match_levels(cells: Collection[str], levels: Sequence[Any], name: str) -> dict[str, int]:
    """Return for each cell the index of its level or class: numbers are compared by value, others by their text.

    Parameters
    ----------
    cells : collection of str
        The distinct cells of a column.
    levels : sequence of str, bool, int or float
        Its levels or classes.
    name : str
        The column.
    """
    kinds = {"number" if type(level) in (int, float) else type(level).__name__ for level in levels}
    require(kinds in ({"number"}, {"str"}, {"bool"}), f"the values of column {name!r} are not of one kind")
    index_of: dict[Any, int] = {}
    for index, level in enumerate(levels):
        key = level if kinds == {"number"} else str(level)
        require(key not in index_of, f"problem.json lists a value of column {name!r} twice")
        index_of[key] = index
    if kinds == {"number"}:
        require_distinct_numbers(cells, name)
    result = {}
    for cell in cells:
        index = index_of.get(read_number(cell) if kinds == {"number"} else cell, -1)
        require(index >= 0, f"column {name!r} holds {cell!r}, which problem.json does not list")
        result[cell] = index
    require(len(set(result.values())) == len(result), f"two spellings of a number in column {name!r} are one category")
    return result


def match_labels(cells: Collection[str], classes: Sequence[Any], name: str) -> dict[str, int]:
    """Return for each label the index of its class, by its text."""
    require("" not in cells, "the table has a row without a label")
    return match_levels(cells, [str(label) for label in classes], name)


class Column:
    """The training values of a column, and the tests of the family on it."""

    def __init__(self, name: str, kind: str, levels: Any, cells: Sequence[str], missing: Collection[str]) -> None:
        self.name, self.kind, self.levels = name, kind, levels
        self.is_forbidden = False
        self.cuts: Any = None
        require(kind in ("number", "category", "ordered"), f"the kind of column {name!r} is unknown")
        self.spellings = [spelling for spelling in missing if spelling in cells]
        distinct = set(cells) - {"", *missing}
        self.holds_numbers = holds_numbers(distinct)
        self.code_of: dict[str, float | None] = dict.fromkeys(("", *missing))
        if kind == "number":
            require(levels == [] and self.holds_numbers, f"column {name!r} does not hold numbers only")
            require_distinct_numbers(distinct, name)
            for cell in distinct:
                self.code_of[cell] = read_number(cell)
        else:
            require(isinstance(levels, list) and levels != [], f"column {name!r} has no list of levels")
            for cell, index in match_levels(distinct, levels, name).items():
                self.code_of[cell] = float(index)

    def set_training(self, cells: Sequence[str]) -> None:
        """Set the cells of the training rows."""
        rows_of_code: dict[float | None, list[int]] = {}
        for row, cell in enumerate(cells):
            rows_of_code.setdefault(self.code_of[cell], []).append(row)
        self.missing = bits(rows_of_code.pop(None, ()), len(cells))
        self.codes = sorted(code for code in rows_of_code if code is not None)
        self.rows_of_code = [bits(rows_of_code[code], len(cells)) for code in self.codes]
        position_of = {code: position for position, code in enumerate(self.codes)}
        self.positions = [position_of.get(self.code_of[cell], -1) for cell in cells]  # type: ignore[arg-type]

    @property
    def domain(self) -> str:
        """Whether all training values are integers, or both 0 and 1 and nothing else."""
        if self.kind != "number" or not self.codes or not all(code.is_integer() for code in self.codes):
            return "real"
        return "binary" if self.codes == [0.0, 1.0] else "integer"

    def values(self, family: dict[str, Any]) -> list[range]:
        """Return the values that the tests of a family distinguish, as ranges of positions in ``codes``."""
        if not self.codes:
            return []
        starts = list(range(len(self.codes)))
        if family["name"] != "thresholds" and self.kind == "number":
            starts = [0, *find_bins(self.codes, family["n_bins"])]
        elif self.cuts is not None:
            starts = [0, *self.cut_positions(family)]
        return [range(*ends) for ends in zip(starts, [*starts[1:], len(self.codes)], strict=True)]

    def cut_positions(self, family: dict[str, Any]) -> list[int]:
        """Return the positions of the declared cuts in ``codes``."""
        is_possible = family["name"] == "thresholds" and self.kind != "category" and isinstance(self.cuts, list)
        are_numbers = is_possible and all(type(cut) is float and math.isfinite(cut) for cut in self.cuts or ())
        require(are_numbers, f"column {self.name!r} has an invalid list of cuts")
        positions = [bisect_left(self.codes, cut) for cut in self.cuts or ()]
        is_valid = positions == sorted(set(positions) - {0, len(self.codes)})
        require(is_valid, f"the cuts of column {self.name!r} are not ascending, or one does not split its values")
        return positions

    def signature(self, family: dict[str, Any]) -> list[int]:
        """Return for each training row the number of its value: two rows with equal ones satisfy the same tests."""
        number_of = {position: number for number, value in enumerate(self.values(family)) for position in value}
        return [number_of.get(position, -1) for position in self.positions]

    def tests(self, family: dict[str, Any]) -> Iterator[tuple[Shape, int]]:
        """Yield the tests of a family on this column, each with the training rows that satisfy it."""
        values = self.values(family)
        rows = [sum(self.rows_of_code[position] for position in value) for value in values]
        sets: Iterable[Sequence[int]]  # of values; the number after the last one is the missing value
        n_values = len(values) + (self.missing != 0)
        if family["name"] == "bits":
            digits = range((n_values - 1).bit_length() if n_values else 0)
            sets = [[number for number in range(n_values) if number >> digit & 1] for digit in digits]
        elif family["name"] == "thresholds" and self.kind != "category":
            yield from self._thresholds(values, rows)
            sets = [[len(values)]] if self.missing else []
        else:
            sets = [[number] for number in range(n_values)]
        for chosen in sets:
            inside = [number for number in chosen if number < len(values)]
            holds_missing = len(inside) < len(chosen)
            satisfied = sum(rows[number] for number in inside) | (self.missing if holds_missing else 0)
            yield self._shape_of([values[number] for number in inside], holds_missing=holds_missing), satisfied

    def _thresholds(self, values: Sequence[range], rows: Sequence[int]) -> Iterator[tuple[Shape, int]]:
        if self.domain == "binary" and not self.missing and len(values) == 2:
            yield ((1,), False, False), rows[1]  # value is 1; its negation is value ≤ 0
            return
        below = 0
        for value, previous in zip(values[1:], rows, strict=False):
            below |= previous
            if self.kind == "number":
                yield ((value.start,), True, False), below
            else:
                yield (tuple(range(int(self.codes[value.start - 1]) + 1)), False, False), below

    def _shape_of(self, values: Sequence[range], *, holds_missing: bool) -> Shape:
        """Return the shape of the test whether the value is one of some."""
        positions = {position for value in values for position in value}
        if self.kind != "number":
            return tuple(sorted(int(self.codes[position]) for position in positions)), False, holds_missing
        inside = [position in positions for position in range(len(self.codes))]
        edges = [position for position in range(1, len(inside)) if inside[position] != inside[position - 1]]
        return tuple(edges), bool(inside) and inside[0], holds_missing

    def shape(self, predicate: dict[str, Any]) -> Shape:
        """Return the shape of a predicate of the problem."""
        edges, starts_inside, holds_missing = (predicate[key] for key in ("edges", "starts_inside", "holds_missing"))
        require(type(starts_inside) is bool and type(holds_missing) is bool, "a predicate has no true or false")
        are_edges = all(type(edge) is float and math.isfinite(edge) for edge in edges) and edges == sorted(set(edges))
        require(are_edges, "the edges of a predicate are not finite numbers in ascending order")
        if self.kind == "number":
            return tuple(bisect_left(self.codes, edge) for edge in edges), starts_inside, holds_missing

        def contains(code: float) -> bool:
            return bool(starts_inside != (sum(edge <= code for edge in edges) % 2 == 1))

        levels = tuple(code for code in range(len(self.levels)) if contains(code))
        return levels, contains(-1), holds_missing

    @property
    def is_sorted(self) -> bool:
        """Whether the training levels are listed in ascending or alphabetical order."""
        levels = [self.levels[int(code)] for code in self.codes] if self.kind != "number" else []
        if all(isinstance(level, str) for level in levels) and holds_numbers(levels):
            levels = [(read_number(level), level) for level in levels]
        return levels == sorted(levels)


def find_bins(codes: Sequence[float], n_bins: int) -> list[int]:
    """Return the position of the first number of each bin but the first; empty bins are dropped."""
    low, width = codes[0], codes[-1] - codes[0]
    require(math.isfinite(width), "the numbers of a column span a range that cannot be divided into bins")
    step = width / n_bins
    cuts = [(index * step if step else index / n_bins * width) + low for index in range(1, n_bins)]
    return sorted({bisect_left(codes, cut) for cut in cuts} - {0, len(codes)})


def require_family(family: Any) -> None:
    """Reject a family that is not one of the above."""
    name = family.get("name") if isinstance(family, dict) else None
    require(name in FAMILIES, "problem.json declares an unknown family of tests")
    require_object(family, FAMILIES[str(name)], "the family of problem.json")
    is_valid = name == "thresholds" or (is_positive(family["n_bins"]) and family["n_bins"] <= MAX_BINS)
    require(is_valid, f"n_bins of problem.json is not an integer from 1 to {MAX_BINS}")


def is_positive(value: Any) -> bool:
    """Return whether a value is a positive integer."""
    return type(value) is int and value > 0


class Training:
    """The training rows, as read from the table."""

    def __init__(self, problem: dict[str, Any], path: Path) -> None:
        data = path.read_bytes()
        self.sha256 = hashlib.sha256(data).hexdigest()
        text = io.StringIO(data.decode("utf-8-sig"), newline="")
        header, *rows = [row for row in csv.reader(text, strict=True) if row]
        require(len(set(header)) == len(header), f"two columns of {path.name} have the same name")
        require(problem["target"] in header, f"{path.name} has no column {problem['target']!r} with the labels")
        require(all(len(row) == len(header) for row in rows), f"{path.name} has rows of different lengths")
        self.n_table_rows = len(rows)
        self.numbers = list(range(len(rows))) if problem["rows"] is None else problem["rows"]
        for number in self.numbers:
            require_index(number, len(rows), f"rows of {path.name}")
        require(len(set(self.numbers)) == len(self.numbers), "problem.json lists a training row twice")
        cells = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
        labels = cells.pop(problem["target"])
        names = [column["name"] for column in problem["columns"]]
        require(names == list(cells), f"the columns of {path.name} are not those of problem.json")
        class_of = match_labels(set(labels), problem["classes"], problem["target"])
        self.labels = [class_of[labels[number]] for number in self.numbers]
        self.cells = cells
        self.columns = [self.read_described(description) for description in problem["columns"]]

    def read_described(self, description: Any) -> Column:
        """Read a column as problem.json describes it."""
        require_object(description, COLUMN_FIELDS, "a column of problem.json")
        name, missing = description["name"], description["missing_values"]
        are_texts = isinstance(missing, list) and all(isinstance(item, str) and item for item in missing)
        require(are_texts and len(set(missing)) == len(missing), f"missing_values of column {name!r} is invalid")
        column = self.read_column(name, description["kind"], description["levels"], missing)
        require(type(description["is_forbidden"]) is bool, f"is_forbidden of column {name!r} is neither true nor false")
        column.is_forbidden, column.cuts = description["is_forbidden"], description["cuts"]
        has_missing, domain = description["has_missing"], description["domain"]
        is_described = has_missing is (column.missing != 0) and domain == column.domain
        require(is_described, f"column {name!r} is described wrongly")
        return column

    def read_column(self, name: str, kind: str, levels: Any, missing: Collection[str]) -> Column:
        """Read a column as one of a kind."""
        column = Column(name, kind, levels, self.cells[name], missing)
        column.set_training([self.cells[name][number] for number in self.numbers])
        return column


class Check:
    """Compares the binary problem with the table."""

    def __init__(self, problem: dict[str, Any], path: Path) -> None:
        require_object(problem, FIELDS, "problem.json")
        require(problem["format"] == FORMAT, f"problem.json is not of format {FORMAT!r}; certify the run again")
        for name in ("classes", "columns", "left_out", "features", "equal_tests", "examples", "labels", "weights"):
            require(isinstance(problem[name], list), f"{name} of problem.json is not a list")
        are_rows = problem["rows"] is None or isinstance(problem["rows"], list)
        require(are_rows and isinstance(problem["target"], str), "rows or target of problem.json is of another type")
        require_family(problem["family"])
        max_depth = problem["max_depth"]
        require(max_depth is None or is_positive(max_depth), "max_depth of problem.json is not a positive integer")
        self.problem, self.family = problem, problem["family"]
        self.training = Training(problem, path)
        self.columns = self.training.columns
        self.n_rows = len(self.training.numbers)
        self.tests: dict[int, dict[Shape, int]] = {}  # of the family, for each column that is used
        self.features = [self.evaluate(predicate, PREDICATE_FIELDS) for predicate in problem["features"]]
        self.kept = self.require_examples()
        self.splits = self.require_splits()
        for column in self.columns:
            if column.cuts is not None:
                column.cut_positions(self.family)
            self.require_all_tests(column)
        self.require_roots()
        self.require_equal_tests()

    def evaluate(self, predicate: Any, fields: Collection[str]) -> int:
        """Return the rows that satisfy a predicate; reject one that is no test of the family."""
        require_object(predicate, fields, "a predicate of problem.json")
        index = require_index(predicate["column"], len(self.columns), "columns")
        column = self.columns[index]
        require(not column.is_forbidden, f"problem.json holds a test on column {column.name!r}, which is forbidden")
        if index not in self.tests:
            self.tests[index] = dict(column.tests(self.family))
        rows = self.tests[index].get(column.shape(predicate))
        require(rows is not None, f"a predicate on column {column.name!r} is no test of the family")
        return rows or 0

    def require_equal_tests(self) -> None:
        """Check the tests of the tree that split the examples like a feature, or like its negation."""
        for test in self.problem["equal_tests"]:
            rows = self.evaluate(test, {*PREDICATE_FIELDS, "feature", "is_negated"})
            feature = self.features[require_index(test["feature"], len(self.features), "features")]
            require(type(test["is_negated"]) is bool, "is_negated is neither true nor false")
            is_equal = (rows ^ feature) & self.kept == (self.kept if test["is_negated"] else 0)
            require(is_equal, "a test in equal_tests of problem.json does not split the examples like its feature")

    def require_examples(self) -> int:
        """Check that the examples are the training rows, and return the rows that were not left out."""
        training, problem = self.training, self.problem
        examples = self.examples()
        label_of = dict(zip(problem["examples"], problem["labels"], strict=True))
        left_out = set(problem["left_out"])
        require(
            left_out <= set(training.numbers) and len(left_out) == len(problem["left_out"]),
            "problem.json lists rows as left out that are not training rows, or lists one twice",
        )
        labels_of_signature: dict[Any, set[int]] = {}
        signatures = self.signatures()
        for signature, label in zip(signatures, training.labels, strict=True):
            labels_of_signature.setdefault(signature, set()).add(label)
        kept, n_kept_of = [], dict.fromkeys(problem["examples"], 0)
        for index, number in enumerate(training.numbers):
            if number in left_out:
                is_contradictory = len(labels_of_signature[signatures[index]]) > 1
                require(is_contradictory, f"row {number} was left out, but no other row contradicts it")
                continue
            expected = label_of.get(examples[index])
            is_same = type(expected) is int and expected == training.labels[index]
            require(is_same, f"row {number} is not an example of problem.json, or has another label there")
            kept.append(index)
            n_kept_of[examples[index]] += 1
        require(kept != [], "all training rows were left out")
        is_exact = len(n_kept_of) == len(problem["examples"]) and all(n_kept_of.values())
        require(is_exact, "problem.json holds an example twice, or one that is not a training row")
        weights = [n_kept_of[example] for example in problem["examples"]]
        is_exact = problem["weights"] == weights and all(type(weight) is int for weight in problem["weights"])
        require(is_exact, "the weights of problem.json are not the numbers of rows of its examples")
        return bits(kept, self.n_rows)

    def examples(self) -> list[str]:
        """Return for each training row its 0/1 values of all features, one character each."""
        texts = [format(rows, f"0{self.n_rows}b")[::-1] for rows in self.features]
        return ["".join(row) for row in zip(*texts, strict=True)] if texts else [""] * self.n_rows

    def signatures(self) -> list[Any]:
        """Return for each row a key; rows that no test of the family distinguishes have equal keys."""
        allowed = [column.signature(self.family) for column in self.columns if not column.is_forbidden]
        return list(zip(*allowed, [0] * self.n_rows, strict=True))

    def split(self, rows: int) -> int:
        """Return a set of rows or its complement, among the kept rows: a test and its negation split alike."""
        rows &= self.kept
        return rows if rows & (self.kept & -self.kept) == 0 else self.kept ^ rows

    def require_splits(self) -> set[int]:
        """Return the splits of the features; each feature has one of its own."""
        splits = {self.split(rows) for rows in self.features}
        is_exact = len(splits) == len(self.features) and 0 not in splits
        require(is_exact, "two features of problem.json split the examples alike, or one does not split them")
        return splits

    def require_all_tests(self, column: Column) -> None:
        """Reject a problem that lacks a test of the family on an allowed column."""
        for _, rows in () if column.is_forbidden else column.tests(self.family):
            split = self.split(rows)
            require(not split or split in self.splits, f"problem.json lacks a test of the family on {column.name!r}")

    def require_roots(self) -> None:
        """Reject a list of features for the root other than the tests on the declared column."""
        root, roots = self.problem["root"], self.problem["roots"]
        if root is None:
            require(roots is None, "problem.json restricts the root without declaring a column")
            return
        column = self.columns[require_index(root, len(self.columns), "columns")]
        splits = {self.split(rows) for _, rows in column.tests(self.family)}
        expected = [index for index, rows in enumerate(self.features) if self.split(rows) in splits]
        is_same = isinstance(roots, list) and roots == expected and all(type(item) is int for item in roots)
        require(is_same and roots != [], f"the roots of problem.json are not the tests on column {column.name!r}")

    def summary(self) -> dict[str, Any]:
        """Return what was verified."""
        return {
            "table_sha256": self.training.sha256,
            "target": self.problem["target"],
            "n_table_rows": self.training.n_table_rows,
            "n_rows": self.n_rows,
            "n_left_out": len(self.problem["left_out"]),
            "n_examples": len(self.problem["examples"]),
            "n_features": len(self.features),
            "family": self.describe_family(),
            "limitations": [*self.describe_left_out(), *self.describe_declarations(), *self.describe_conditions()],
        }

    def describe_family(self) -> str:
        """Describe the tests of the family on the allowed columns."""
        allowed = [column for column in self.columns if not column.is_forbidden]
        names = {kind: [column.name for column in allowed if column.kind == kind] for kind in KINDS}
        columns = "; ".join(f"{KINDS[kind]}: {quote_all(names[kind])}" for kind in KINDS if names[kind])
        return f"{describe_tests(self.family, {column.kind for column in allowed})} ({columns or 'no column'})"

    def describe_left_out(self) -> Iterator[str]:
        """State which tests of the columns are not in the family, and why."""
        forbidden = [column.name for column in self.columns if column.is_forbidden]
        if forbidden:
            yield f"forbidden: tests on column{'s' * (len(forbidden) > 1)} {quote_all(forbidden)}"
        for column in self.columns:
            if column.cuts is not None and not column.is_forbidden:
                n_cuts, n_possible = len(column.cuts), max(len(column.codes) - 1, 0)
                chosen = "the sender chose" if n_cuts < n_possible else "the sender listed"
                yield f"{chosen} {n_cuts} of the {count(n_possible, 'cut')} of column {quote(column.name)}"

    def describe_declarations(self) -> Iterator[str]:
        """State which declarations of problem.json the table does not imply."""
        for column in self.columns:
            if column.is_forbidden:
                continue
            if column.codes and column.holds_numbers and column.kind != "number":
                yield from self.describe_declared_kind(column)
            if column.codes and (column.kind == "ordered" or (self.family["name"] == "bits" and not column.is_sorted)):
                levels = [column.levels[int(code)] for code in column.codes]
                yield f"declared order of column {quote(column.name)}: {quote_all(levels)}"
            if column.spellings:
                yield f"declared missing in column {quote(column.name)}: {quote_all(column.spellings)}"

    def describe_declared_kind(self, column: Column) -> Iterator[str]:
        """State how the tests differ because numbers are declared to be categories."""
        numbers = self.training.read_column(column.name, "number", [], column.spellings)
        splits, own = (
            {self.split(rows) for _, rows in version.tests(self.family)} - {0} for version in (numbers, column)
        )
        if splits != own:
            yield (
                f"declared a category though it holds numbers: column {quote(column.name)}, which leaves out "
                f"{len(splits - self.splits)} of its {count(len(splits), 'test')} as numbers and adds "
                f"{len(own - splits)}"
            )

    def describe_conditions(self) -> Iterator[str]:
        """State the conditions on the trees and the rows."""
        if self.problem["root"] is not None:
            root = quote(self.columns[self.problem["root"]].name)
            yield f"only trees whose root is a leaf or splits the rows by column {root}"
        if self.problem["max_depth"] is not None:
            yield f"only trees of depth at most {self.problem['max_depth']}"
        if self.n_rows < self.training.n_table_rows:
            n_others = self.training.n_table_rows - self.n_rows
            yield f"{n_others} rows of the table are not training rows" if n_others > 1 else "1 row is no training row"
        if n_left_out := len(self.problem["left_out"]):
            left_out = "rows are left out: they contradict" if n_left_out > 1 else "row is left out: it contradicts"
            yield f"{n_left_out} training {left_out} others"


KINDS = {"number": "numbers", "category": "categories", "ordered": "ordered categories"}


def describe_tests(family: dict[str, Any], kinds: Collection[str]) -> str:
    """Describe the tests of a family, as far as columns of these kinds have any."""
    tests = {"number": "value ≤ t for every number t", "category": "value is L for every value L"}
    tests["ordered"] = "value ≤ L for every value L in the declared order"
    if family["name"] == "thresholds":
        parts = [f"on {KINDS[kind]}, {tests[kind]}" for kind in tests if kind in kinds]
        return "; ".join([*parts, "on any column, value is missing (a missing value satisfies no other test)"])
    bins = f"the values that occur in the training rows; numbers in {count(family['n_bins'], 'bin')} of equal width, "
    bins += "computed in double precision"
    if family["name"] == "onehot":
        return f"value is V for every value V of a column ({bins}; missing is a value)"
    digit = "a binary digit of the number of the value is 1, with the values of a column numbered in order"
    return f"{digit} ({bins}; missing is the last value)"


def state_scope(summary: dict[str, Any]) -> str:
    """Return which trees and rows the certificate is about, in words that can be quoted."""
    n_kept = summary["n_rows"] - summary["n_left_out"]
    rows = (
        f"all {n_kept} rows" if n_kept == summary["n_table_rows"] else f"{n_kept} of the {summary['n_table_rows']} rows"
    )
    limitations = "; ".join(summary["limitations"]) or "none"
    return (
        f"(1) Rows: {rows} of the table with SHA-256 {summary['table_sha256']}, labelled by column "
        f"{quote(summary['target'])}. (2) Trees: decision trees whose tests are of this family: {summary['family']}. "
        "In a column of numbers, every cell that is not missing is a decimal number, without leading zeros and below "
        "2^53 if an integer; numbers are compared by value, other cells by their text. (3) Limitations of the rows and "
        f"trees: {limitations}."
    )


def check(folder: str | Path, table: str | Path | None = None) -> dict[str, Any]:
    """Check the problem of a certificate against its table, and return a summary of what was verified.

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
        problem = read_json(Path(folder) / "problem.json")
        return Check(problem, Path(table or Path(folder) / "table.csv")).summary()
    except OSError as error:
        raise Rejected(f"a file cannot be read: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, csv.Error) as error:
        raise Rejected(f"problem.json or the table is malformed: {error!r}") from None


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a folder, and print the verdict."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have characters that it cannot encode
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder = Path(arguments[0])
    table = Path(arguments[1]) if len(arguments) > 1 else folder / "table.csv"
    for path in (folder / "problem.json", table):
        if not path.is_file():
            print(f"CANNOT BE CHECKED: there is no file {path}")
            return 2
    try:
        summary = check(*arguments)
    except Rejected as error:
        print(f"REJECTED: {error}")
        return 1
    except MemoryError:
        print("CANNOT BE CHECKED: not enough memory for the values of all features on all rows")
        return 2
    print("VERIFIED: problem.json is the binary problem of the table")
    print(f"  rows of the table: {summary['n_table_rows']}, training rows: {summary['n_rows']}")
    print(f"  training rows left out because they contradict others: {summary['n_left_out']}")
    print(f"  distinct examples: {summary['n_examples']}, distinct features: {summary['n_features']}")
    print(state_scope(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
