"""Check that a decision tree classifies every example of a problem correctly, with Python's standard library only.

::

    python3 check_purity.py FOLDER

FOLDER is the certificate: ``model.json`` (the tree) and ``problem.json`` (the features that a tree may test, and the
training rows as 0/1 values of these features, which ``check_table.py`` derives from the table). The exit code is 0 if
the tree is verified, 1 if it is rejected, 2 if a file is missing. The program checks that

1. every test of the tree is a feature of the problem, with the same column and the same edges, or one of the tests that
   the problem lists as equal to a feature or to its negation;
2. the tree predicts the label of every example, and the numbers of rows at its nodes are right;
3. the tree satisfies the constraints on its depth and its root.

An example that satisfies the test of an inner node goes to its second child, any other to the first. Nodes are numbered
level by level, so the children of a node are neighbours.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

PROBLEM_FORMAT = "puretree problem 2"
TREE_FORMAT, TREE_VERSION = "puretree/tree", 1
TREE_FIELDS = {"format", "version", "classes", "columns", "n_columns", "tests", "nodes"}
COLUMN_FIELDS = {"name", "kind", "levels", "has_missing", "domain"}  # and the index
PREDICATE_FIELDS = ("edges", "starts_inside", "holds_missing")


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


def is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are written alike; in Python, 1 == 1.0 == True."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def describe(predicate: dict[str, Any], column: int) -> str:
    """Return a text that is the same for equal predicates only."""
    return json.dumps([column, *(predicate[name] for name in PREDICATE_FIELDS)])


class Tree:
    """The tree of model.json, over the features of the problem."""

    def __init__(self, tree: dict[str, Any], problem: dict[str, Any]) -> None:
        require_object(tree, TREE_FIELDS, "model.json")
        is_tree = tree["format"] == TREE_FORMAT and is_same(tree["version"], TREE_VERSION)
        require(is_tree, f"model.json is not a tree in the format {TREE_FORMAT}, version {TREE_VERSION}")
        require(is_same(tree["classes"], problem["classes"]), "model.json and problem.json have different classes")
        n_columns = len(problem["columns"])
        require(is_same(tree["n_columns"], n_columns), "model.json and problem.json have different columns")
        self.nodes, self.n_classes = tree["nodes"], len(problem["classes"])
        columns = [self.read_column(column, problem) for column in tree["columns"]]
        features = {describe(item, item["column"]): (index, 0) for index, item in enumerate(problem["features"])}
        for item in problem["equal_tests"]:
            features[describe(item, item["column"])] = item["feature"], int(item["is_negated"])
        tests = [self.find_feature(test, columns, features) for test in tree["tests"]]
        self.left: list[int | None] = []  # the first child of each node; None for leaves
        self.feature: list[int] = []  # of inner nodes; for leaves the label
        self.is_negated: list[int] = []  # 1 for an inner node that tests the negation of its feature
        self.column: list[int] = []  # that an inner node tests
        for node in self.nodes:
            self.add_node(node, tests)
        children = [child for left in self.left if left is not None for child in (left, left + 1)]
        is_tree = len(self.nodes) > 0 and children == list(range(1, len(self.nodes)))
        require(is_tree, "the nodes of model.json do not form a tree numbered level by level")

    @staticmethod
    def read_column(column: Any, problem: dict[str, Any]) -> int:
        """Return the index of a column of the tree among those of the problem."""
        require(isinstance(column, dict), "a column of model.json is not an object")
        column = {"domain": "real", **column}  # the default is omitted
        require_object(column, COLUMN_FIELDS | {"index"}, "a column of model.json")
        index = require_index(column["index"], len(problem["columns"]), "columns")
        are_same = all(is_same(column[name], problem["columns"][index][name]) for name in COLUMN_FIELDS)
        require(are_same, f"column {column['name']!r} differs between model.json and problem.json")
        return index

    @staticmethod
    def find_feature(test: Any, columns: Sequence[int], features: dict[str, tuple[int, int]]) -> tuple[int, int, int]:
        """Return the feature of the problem that a test of the tree is, whether it is negated, and its column."""
        require_object(test, {"feature", "column", *PREDICATE_FIELDS}, "a test of model.json")
        column = columns[require_index(test["column"], len(columns), "columns of model.json")]
        description = describe(test, column)
        require(description in features, "a test of model.json is not one of the features of problem.json")
        return *features[description], column

    def add_node(self, node: Any, tests: Sequence[tuple[int, int, int]]) -> None:
        """Read a node."""
        fields = {"label", "counts"} if "label" in node else {"test", "left", "counts"}
        require_object(node, fields, "a node of model.json")
        if "label" in node:
            left, test = None, (require_index(node["label"], self.n_classes, "classes"), 0, -1)
        else:
            left = require_index(node["left"], len(self.nodes), "nodes")
            test = tests[require_index(node["test"], len(tests), "tests")]
        self.left.append(left)
        for values, value in zip((self.feature, self.is_negated, self.column), test, strict=True):
            values.append(value)

    def path(self, example: str) -> Iterator[int]:
        """Yield the nodes that an example reaches, from the root to a leaf."""
        node = 0
        yield node
        while (left := self.left[node]) is not None:
            node = left + (int(example[self.feature[node]]) ^ self.is_negated[node])
            yield node

    def depths(self) -> list[int]:
        """Return the number of tests above each node."""
        depths = [0] * len(self.nodes)
        for node, left in enumerate(self.left):
            if left is not None:
                depths[left] = depths[left + 1] = depths[node] + 1
        return depths


def require_constraints(tree: Tree, problem: dict[str, Any]) -> None:
    """Check the depth and the root of the tree."""
    max_depth, roots = problem["max_depth"], problem["roots"]
    require(max_depth is None or max(tree.depths()) <= max_depth, f"the tree is deeper than {max_depth}")
    is_root = roots is None or tree.left[0] is None or (tree.feature[0] in roots and tree.column[0] == problem["root"])
    require(is_root, "the root of the tree is not one of the features that problem.json allows there")


def check(folder: str | Path) -> dict[str, Any]:
    """Check the tree of a certificate, and return a summary of what was verified.

    Parameters
    ----------
    folder : path
        The certificate.

    Raises
    ------
    Rejected
        If anything does not hold.
    """
    try:
        problem = read_json(Path(folder) / "problem.json")
        require(problem["format"] == PROBLEM_FORMAT, f"problem.json is not of format {PROBLEM_FORMAT!r}")
        tree = Tree(read_json(Path(folder) / "model.json"), problem)
        counts = [[0] * tree.n_classes for _ in tree.nodes]
        examples = zip(problem["examples"], problem["labels"], problem["weights"], strict=True)
        for index, (example, label, weight) in enumerate(examples):
            node = 0
            for node in tree.path(example):
                counts[node][require_index(label, tree.n_classes, "classes")] += weight
            require(tree.feature[node] == label, f"the tree misclassifies example {index}, at node {node}")
        are_counts = is_same([node["counts"] for node in tree.nodes], counts)
        require(are_counts, "the numbers of rows at the nodes of model.json are wrong")
        require_constraints(tree, problem)
        return {"n_nodes": len(tree.nodes), "n_rows": sum(problem["weights"]), "n_examples": len(problem["examples"])}
    except OSError as error:
        raise Rejected(f"a file cannot be read: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise Rejected(f"problem.json or model.json is malformed: {error!r}") from None


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a folder, and print the verdict."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have characters that it cannot encode
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    for name in ("problem.json", "model.json"):
        if not (Path(arguments[0]) / name).is_file():
            print(f"CANNOT BE CHECKED: there is no file {Path(arguments[0]) / name}")
            return 2
    try:
        summary = check(arguments[0])
    except Rejected as error:
        print(f"REJECTED: {error}")
        return 1
    print(
        f"VERIFIED: a tree of {summary['n_nodes']} nodes classifies all {summary['n_rows']} rows of problem.json "
        "correctly (check_table.py checks that they are the training rows of the table)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
