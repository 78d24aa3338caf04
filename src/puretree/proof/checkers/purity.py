"""Check that a decision tree is right on every training row, with nothing but Python's standard library.

::

    python3 check_purity.py FOLDER [TABLE.csv]

FOLDER is the certificate: ``model.json`` (the tree), ``problem.json`` (the yes/no questions that a tree may ask, and
the rows as answers to them) and ``table.csv`` (the data; name the file yourself if it was left out). The exit code is
0 if the tree is verified, 1 if it is rejected, 2 if a file is not there. Checked is that

1. the examples of ``problem.json`` are the training rows, answered question by question, and no others;
2. rows that were left out contradict others: equal in all answers, with another label;
3. the tree gives every other training row its label, and has the depth and the first test that were asked for;
4. every test of the tree parts the training rows as one of the questions does.

What is asked of a value: a number stands for itself, a level for its place in the list of levels (-1 if it is not in
it), and a question is a list of edges where the answer changes, an edge belonging to what is right of it. Sets of rows
are the bits of whole numbers.
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
    """What is checked does not hold, and why."""


def bits(rows: Iterable[int], n_rows: int) -> int:
    """Return a set of rows."""
    data = bytearray(n_rows // 8 + 1)
    for row in rows:
        data[row // 8] |= 1 << row % 8
    return int.from_bytes(data, "little")


class Column:
    """The cells of a column, by the numbers that stand for them."""

    def __init__(self, cells: Sequence[str], kind: str, levels: Sequence[Any], *, may_be_asked: bool) -> None:
        self.kind, self.may_be_asked = kind, may_be_asked
        place_of = {cell: find_place(cell, kind, levels) for cell in set(cells)}
        rows_at: dict[float | None, list[int]] = {}
        for row, cell in enumerate(cells):
            rows_at.setdefault(place_of[cell], []).append(row)
        self.missing = bits(rows_at.pop(None, ()), len(cells))
        self.places = sorted(place for place in rows_at if place is not None)
        self.at_least = [0]  # for each place the rows there and above, for none above the last
        for place in reversed(self.places):
            self.at_least.append(self.at_least[-1] | bits(rows_at[place], len(cells)))
        self.at_least.reverse()

    def yes(self, question: dict[str, Any]) -> int:
        """Return the rows that a question is answered yes for."""
        require_question(question)
        rows = self.at_least[0] if question["starts_inside"] else 0
        for edge in question["edges"]:
            rows ^= self.at_least[bisect_left(self.places, edge)]
        return rows | (self.missing if question["holds_missing"] else 0)

    def cuts(self) -> list[int]:
        """Return the ways to part the rows by one value: below and above a number, or a level and the others."""
        if self.kind != "category":
            return [*self.at_least, self.missing]
        return [*(here ^ above for here, above in zip(self.at_least, self.at_least[1:], strict=False)), self.missing]

    def ways(self, cut: int) -> tuple[int, int]:
        """Return a cut with the rows without a value on either side."""
        return cut & ~self.missing, cut | self.missing


def require_question(question: dict[str, Any]) -> None:
    """Refuse what one reader might take for another question than the next: edges that are not in order, for one."""
    edges = question["edges"]
    are_edges = all(type(edge) is float and math.isfinite(edge) for edge in edges) and edges == sorted(set(edges))
    if not are_edges or not all(type(question[key]) is bool for key in ("starts_inside", "holds_missing")):
        raise Rejected("the edges of a question must be numbers in order, and where it begins true or false")


def require_place(value: Any, end: int, what: str) -> int:
    """Return a number that counts something from 0; Python would take others, too: -1 is the last, true is 1."""
    if type(value) is not int or not 0 <= value < end:
        raise Rejected(f"{value!r} is not one of the {end} {what}, counted from 0")
    return value


def find_place(cell: str, kind: str, levels: Sequence[Any]) -> float | None:
    """Return the number that stands for a cell; None if it holds no value."""
    if cell == "":
        return None
    if kind == "number":
        number = read_number(cell)
        return None if math.isnan(number) else number
    if cell in levels:
        return float(levels.index(cell))
    return float(next((place for place, level in enumerate(levels) if means(cell, level)), -1))


def read_number(cell: str) -> float:
    """Read a number as a table has it: Python reads 1_000, 007 and inf as well, which are names."""
    number = float(cell)
    if "_" in cell or math.isinf(number) or (cell.isdigit() and len(cell) > 1 and cell[0] == "0"):
        raise ValueError(f"{cell!r} is not a number")
    return number


def means(cell: str, value: Any) -> bool:
    """Whether a cell is how a table writes a value."""
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
        raise Rejected(f"{path.name} has no column {target!r}, which holds the labels")
    if any(len(row) != len(header) for row in rows):
        raise Rejected(f"{path.name} has rows of different lengths")
    place = header.index(target)
    header.pop(place)
    return header, rows, [row.pop(place) for row in rows]


class Training:
    """The rows that trained, as a table has them."""

    def __init__(self, problem: dict[str, Any], path: Path) -> None:
        header, rows, labels = read_table(path, problem["target"])
        self.n_table_rows = len(rows)
        self.numbers: list[int] = list(range(len(rows)) if problem["rows"] is None else problem["rows"])
        for row in self.numbers:
            require_place(row, len(rows), f"rows of {path.name}")
        if len(set(self.numbers)) != len(self.numbers):
            raise Rejected("a row is said to have trained twice")
        if [column["name"] for column in problem["columns"]] != header:
            raise Rejected(f"the columns of {path.name} are not those of problem.json")
        self.columns = [
            Column(
                [rows[row][place] for row in self.numbers],
                column["kind"],
                column["levels"],
                may_be_asked=column["may_be_asked"],
            )
            for place, column in enumerate(problem["columns"])
        ]
        self.labels = [self._find_class(labels[row], problem["classes"]) for row in self.numbers]

    @staticmethod
    def _find_class(cell: str, classes: Sequence[Any]) -> int:
        for place, label in enumerate(classes):
            if means(cell, label):
                return place
        raise Rejected(f"the label {cell!r} is none of the classes")

    def of_other_classes(self, label: int) -> int:
        """Return the rows that have another label."""
        return bits((place for place, other in enumerate(self.labels) if other != label), len(self.labels))

    def answers(self, questions: Sequence[int]) -> list[str]:
        """Return for each row its answers to all questions: a character each."""
        n_rows = len(self.numbers)
        texts = [format(rows, f"0{n_rows}b")[::-1] for rows in questions]
        return ["".join(row) for row in zip(*texts, strict=True)] if texts else [""] * n_rows


def require_examples(problem: dict[str, Any], training: Training, questions: Sequence[int]) -> int:
    """Check that the examples are the training rows, and return the rows that no contradiction left out."""
    label_of = dict(zip(problem["examples"], problem["labels"], strict=True))
    left_out = set(problem["left_out"])
    answers = training.answers(questions)
    labels_of: dict[str, set[int]] = {}
    for answer, label in zip(answers, training.labels, strict=True):
        labels_of.setdefault(answer, set()).add(label)
    counted, met = [], set()
    for place, (row, answer, label) in enumerate(zip(training.numbers, answers, training.labels, strict=True)):
        if row not in left_out:
            if label_of.get(answer) != label:
                raise Rejected(f"row {row} is no example of problem.json, or has another label there")
            counted.append(place)
            met.add(answer)
        elif len(labels_of[answer]) < 2:
            raise Rejected(f"row {row} was left out, though no row contradicts it")
    if len(met) != len(problem["examples"]):
        raise Rejected("problem.json holds an example twice, or one that is no training row")
    if not left_out <= set(training.numbers) or len(left_out) != len(problem["left_out"]):
        raise Rejected("rows are said to be left out that are no training rows, or twice")
    if not counted:
        raise Rejected("no training row is left for the tree to be right on")
    return bits(counted, len(answers))


def walk(tree: dict[str, Any], training: Training, counted: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield for each node its number, its depth, the rows that come there, and those of all that answer yes."""
    nodes = tree["nodes"]
    waiting = [(0, 0, counted)]
    for node, depth, rows in waiting:  # which grows on the way
        yes = 0
        if "label" not in nodes[node]:
            test = tree["tests"][require_place(nodes[node]["test"], len(tree["tests"]), "tests")]
            column = tree["columns"][require_place(test["column"], len(tree["columns"]), "columns")]
            left, yes = nodes[node]["left"], training.columns[column["index"]].yes(test)
            waiting += [(left, depth + 1, rows & ~yes), (left + 1, depth + 1, rows & yes)]
        yield node, depth, rows, yes & counted
        if len(waiting) > len(nodes):
            break
    if [node for node, _, _ in waiting] != list(range(len(nodes))):
        raise Rejected("the nodes of model.json are not those of a tree, numbered level by level")


def require_tree(
    problem: dict[str, Any], tree: dict[str, Any], training: Training, questions: Sequence[int], counted: int
) -> None:
    """Check that the tree is right on the rows that count, and keeps to what was asked of it."""
    if tree["format"] != "puretree/tree" or type(tree["version"]) is not int or tree["version"] != 1:
        raise Rejected("model.json is not a tree of the format that is checked here")
    if tree["classes"] != problem["classes"]:
        raise Rejected("model.json and problem.json name different classes")
    for column in tree["columns"]:
        require_place(column["index"], len(problem["columns"]), "columns")
        if any(column[key] != problem["columns"][column["index"]][key] for key in ("name", "kind", "levels")):
            raise Rejected(f"column {column['name']!r} is another one in model.json than in problem.json")
    either_way = [rows & counted for rows in questions] + [counted & ~rows for rows in questions]
    asked = set(either_way)
    roots = problem["roots"]
    for root in roots or ():
        require_place(root, len(questions), "questions")
    may_begin = asked if roots is None else {either_way[root + side] for root in roots for side in (0, len(questions))}
    wrong_at = [training.of_other_classes(label) for label in range(len(problem["classes"]))]
    for node, depth, rows, yes in walk(tree, training, counted):
        if problem["max_depth"] is not None and depth > problem["max_depth"]:
            raise Rejected(f"the tree is deeper than {problem['max_depth']} tests")
        if "label" in tree["nodes"][node]:
            wrong = rows & wrong_at[require_place(tree["nodes"][node]["label"], len(wrong_at), "classes")]
            if wrong:
                raise Rejected(f"the tree is wrong on row {training.numbers[wrong.bit_length() - 1]}, at node {node}")
        elif yes not in asked:
            raise Rejected(f"node {node} asks what none of the questions asks")
        elif node == 0 and yes not in may_begin:
            raise Rejected("the first test is not one of those asked for")


def count_cuts(training: Training, questions: Sequence[int], counted: int) -> tuple[int, int]:
    """Return in how many ways a value of a column that may be asked parts the rows, and how many no question does."""
    asked = {rows & counted for rows in questions} | {counted & ~rows for rows in questions} | {0, counted}
    n_cuts = n_not_asked = 0
    for column in training.columns:
        if column.may_be_asked:
            cuts = {min(cut & counted, counted & ~cut) for cut in column.cuts()} - {0}  # a cut has two sides
            n_cuts += len(cuts)
            n_not_asked += sum(all(way & counted not in asked for way in column.ways(cut)) for cut in cuts)
    return n_cuts, n_not_asked


def check(folder: str | Path, table: str | Path | None = None) -> dict[str, Any]:
    """Check the tree of a certificate on its data, and return what was found.

    Parameters
    ----------
    folder : path
        The certificate.
    table : path, optional
        The data, where the certificate does not hold them.

    Raises
    ------
    Rejected
        If anything does not hold.
    """
    try:
        problem = json.loads((Path(folder) / "problem.json").read_text(encoding="utf-8"))
        tree = json.loads((Path(folder) / "model.json").read_text(encoding="utf-8"))
        training = Training(problem, Path(table or Path(folder) / "table.csv"))
        questions = [
            training.columns[require_place(question["column"], len(training.columns), "columns")].yes(question)
            for question in problem["questions"]
        ]
        counted = require_examples(problem, training, questions)
        require_tree(problem, tree, training, questions, counted)
        n_cuts, n_cuts_not_asked = count_cuts(training, questions, counted)
    except OSError as error:
        raise Rejected(f"a file cannot be read: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, csv.Error) as error:
        raise Rejected(f"problem.json, model.json or the table is broken: {error!r}") from None
    return {
        "n_nodes": len(tree["nodes"]),
        "n_table_rows": training.n_table_rows,
        "n_rows": len(training.numbers),
        "n_left_out": len(problem["left_out"]),
        "n_examples": len(problem["examples"]),
        "n_questions": len(questions),
        "n_cuts": n_cuts,
        "n_cuts_not_asked": n_cuts_not_asked,
        "forbidden": [column["name"] for column in problem["columns"] if not column["may_be_asked"]],
        "root_columns": None if problem["roots"] is None else columns_of(problem, problem["roots"]),
        "max_depth": problem["max_depth"],
    }


def columns_of(problem: dict[str, Any], questions: Sequence[int]) -> list[str]:
    """Return the names of the columns that questions are about, each once."""
    return list(dict.fromkeys(problem["columns"][problem["questions"][place]["column"]]["name"] for place in questions))


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a folder, and print what was found."""
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
        found = check(*arguments)
    except Rejected as error:
        print(f"REJECTED: {error}")
        return 1
    except MemoryError:
        print("CANNOT BE CHECKED: the answers of all rows to all questions need more memory than there is")
        return 2
    n_right = found["n_rows"] - found["n_left_out"]
    print(f"VERIFIED: a tree of {found['n_nodes']} nodes is right on {n_right} training rows")
    print(f"  rows of the table: {found['n_table_rows']}, training: {found['n_rows']}")
    print(f"  training rows left out, as others contradict them: {found['n_left_out']}")
    print(f"  different examples: {found['n_examples']}, different questions: {found['n_questions']}")
    print(f"  columns that may not be asked: {', '.join(map(repr, found['forbidden'])) or 'none'}")
    if found["root_columns"] is not None:
        print(f"  the first test must be about: {', '.join(map(repr, found['root_columns']))}")
    if found["max_depth"] is not None:
        print(f"  tests on a path, at most: {found['max_depth']}")
    print(f"  cuts by one value of the others: {found['n_cuts']}, of which not asked: {found['n_cuts_not_asked']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
