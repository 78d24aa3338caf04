"""A forger with all our tools: certificates of false problems, complete with tree, proof, hashes and seal.

:func:`write_certificate` makes a certificate for whatever problem it is given, as long as the problem is consistent in
itself: the examples are computed from the declared columns and features, the tree and the log by the search.
:func:`true_minimum` is the judge: brute force over the tests that ``problem.json`` declares, with code of its own.
"""

import csv
import json
import math
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer

from puretree._support.clock import Clock
from puretree.engines import make_engine, solve
from puretree.proof import Manifest
from puretree.proof.bound_log import bound_log
from puretree.proof.manifest import COMPONENTS, MANIFEST, describe_file
from puretree.proof.problem_file import ProblemFile
from puretree.tree import Tree

Problem = dict[str, Any]
Rows = list[dict[str, str]]


def read_rows(path: Path) -> Rows:
    """Read a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# The forger


def code_of(column: dict[str, Any], cell: str) -> float | None:
    """Encode a cell as declared; a level that is not listed is -1, as in the binarisers."""
    if cell in ("", *column["missing_values"]):
        return None
    if column["kind"] == "number":
        return float(cell)
    texts = [str(level) for level in column["levels"]]
    return float(texts.index(cell)) if cell in texts else -1.0


def holds(feature: dict[str, Any], code: float | None) -> bool:
    """Evaluate a predicate."""
    if code is None:
        return bool(feature["holds_missing"])
    return bool(feature["starts_inside"]) != (sum(edge <= code for edge in feature["edges"]) % 2 == 1)


def domain_of(column: dict[str, Any], values: set[float]) -> str:
    """Return the domain of a column with these values."""
    if column["kind"] != "number" or not values or not all(value.is_integer() for value in values):
        return "real"
    return "binary" if values == {0.0, 1.0} else "integer"


def complete(problem: Problem, rows: Rows) -> Problem:
    """Compute the examples from the features; of contradictory rows keep those of the first label."""
    problem = deepcopy(problem)
    numbers = range(len(rows)) if problem["rows"] is None else problem["rows"]
    codes = {
        column["name"]: [code_of(column, rows[number][column["name"]]) for number in numbers]
        for column in problem["columns"]
    }
    for column in problem["columns"]:
        column["has_missing"] = None in codes[column["name"]]
        column["domain"] = domain_of(column, {code for code in codes[column["name"]] if code is not None})
    bits, features = [], []
    for feature in problem["features"]:
        values = [holds(feature, code) for code in codes[problem["columns"][feature["column"]]["name"]]]
        negated = [not value for value in values]
        if len(set(values)) > 1 and values not in bits and negated not in bits:
            bits.append(values)
            features.append(feature)
    examples = ["".join("01"[value] for value in row) for row in zip(*bits, strict=True)]
    texts = [str(label) for label in problem["classes"]]
    labels = [texts.index(rows[number][problem["target"]]) for number in numbers]
    label_of: dict[str, int] = {}
    weights: dict[str, int] = {}
    forced, left_out = set(problem["left_out"]), []
    for number, example, label in zip(numbers, examples, labels, strict=True):
        if number in forced or label_of.setdefault(example, label) != label:
            left_out.append(number)
        else:
            weights[example] = weights.get(example, 0) + 1
    roots = problem["roots"]
    if problem["root"] is not None and roots is None:
        roots = [index for index, feature in enumerate(features) if feature["column"] == problem["root"]]
    return problem | {
        "features": features,
        "examples": list(weights),
        "labels": [label_of[example] for example in weights],
        "weights": list(weights.values()),
        "left_out": left_out,
        "roots": roots,
    }


def tree_to_model(tree: Tree, problem: Problem) -> dict[str, Any]:
    """Write a tree over the features of a problem as model.json."""
    tests = sorted({int(feature) for feature in tree.feature if feature >= 0})
    predicates = dict(enumerate(problem["features"]))
    for test in problem["equal_tests"]:
        if not test["is_negated"]:
            predicates[test["feature"]] = {name: test[name] for name in problem["features"][0]}
    used = sorted({predicates[feature]["column"] for feature in tests})
    counts = [[0] * len(problem["classes"]) for _ in range(tree.n_nodes)]
    for example, label, weight in zip(problem["examples"], problem["labels"], problem["weights"], strict=True):
        node = 0
        counts[node][label] += weight
        while tree.left[node] >= 0:
            node = int(tree.left[node]) + int(example[int(tree.feature[node])])
            counts[node][label] += weight
    return {
        "format": "puretree/tree",
        "version": 1,
        "classes": problem["classes"],
        "columns": [
            {name: problem["columns"][index][name] for name in ("name", "kind", "levels", "has_missing", "domain")}
            | {"index": index}
            for index in used
        ],
        "n_columns": len(problem["columns"]),
        "tests": [
            {**item, "feature": feature, "column": used.index(item["column"])}
            for feature, item in ((feature, predicates[feature]) for feature in tests)
        ],
        "nodes": [
            {"label": int(tree.label[node]), "counts": counts[node]}
            if tree.left[node] < 0
            else {"test": tests.index(int(tree.feature[node])), "left": int(tree.left[node]), "counts": counts[node]}
            for node in range(tree.n_nodes)
        ],
    }


def write_certificate(folder: Path, problem: Problem, table: bytes) -> None:
    """Write the certificate of a problem, which the table need not have."""
    contents = ProblemFile.from_dict(problem)
    outcome = solve(contents.problem, make_engine("search"), constraints=contents.constraints)
    assert outcome.tree is not None
    model = tree_to_model(outcome.tree, problem)
    n_nodes = outcome.tree.n_nodes
    for name, content in {"problem.json": problem, "model.json": model}.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "table.csv").write_bytes(table)
    (folder / "bound.log").write_bytes(bound_log(contents.problem, contents.constraints, n_nodes, Clock()))
    claim = {
        "n_nodes": n_nodes,
        "lower_bound": n_nodes,
        "is_minimum": True,
        "tree": Tree.from_dict(model).digest,
    }
    seal(folder, claim)


def seal(folder: Path, claim: dict[str, Any]) -> None:
    """Write the manifest of a certificate without its run."""
    (folder / MANIFEST).unlink(missing_ok=True)
    files = {path.name: describe_file(path) for path in sorted(folder.iterdir())}
    parts = {name: {"made": True, "detail": ""} for name in COMPONENTS}
    (folder / MANIFEST).write_bytes(Manifest(claim, files, {}, {}, parts, {}).to_bytes())


# The lies


def lies(problem: Problem, rows: Rows, random_state: random.Random) -> Iterator[tuple[str, Problem]]:
    """Yield false problems of a table, each with the field that lies, before the examples are computed."""

    def lie(field: str, change: Callable[[Problem], Any]) -> tuple[str, Problem]:
        changed = deepcopy(problem)
        change(changed)
        return field, changed

    for index, column in enumerate(problem["columns"]):
        cells = sorted({row[column["name"]] for row in rows} - {""})
        yield lie("columns.is_forbidden", lambda p, i=index: forbid(p, i))
        for kind, levels in declared_kinds(cells):
            yield lie("columns.kind", lambda p, i=index, k=kind, values=levels: redeclare(p, i, k, values))
        for size in (1, 2):
            for start in range(len(column["levels"])):
                kept = [level for at, level in enumerate(column["levels"]) if not start <= at < start + size]
                change = partial(redeclare, index=index, kind=column["kind"], levels=kept)
                yield lie("columns.levels", change)
        yield lie("root", lambda p, i=index: p.update(root=i))
        for cell in cells:
            yield lie("missing_values", lambda p, i=index, text=cell: p["columns"][i].update(missing_values=[text]))
    for index in range(len(problem["features"])):
        yield lie("features", lambda p, i=index: p["features"].pop(i))
        yield lie("features", lambda p, i=index: p["features"].__delitem__(slice(i, None)))
        yield lie("columns.cuts", lambda p, i=index: leave_out_cut(p, i))
        yield lie("features.edges", lambda p, i=index: p["features"][i]["edges"].append(1e300))
        yield lie("features.edges", lambda p, i=index: p["features"][i].update(edges=p["features"][i]["edges"][1:]))
        yield lie("features.starts_inside", lambda p, i=index: negate(p["features"][i], "starts_inside"))
        yield lie("features.holds_missing", lambda p, i=index: negate(p["features"][i], "holds_missing"))
        yield lie("roots", lambda p, i=index: p.update(root=p["features"][i]["column"], roots=[i]))
        yield lie("roots", lambda p, i=index: p.update(roots=[i]))
        other = random_state.choice(problem["features"])["column"]
        yield lie("features.column", lambda p, i=index, column=other: p["features"][i].update(column=column))
    for column in range(len(problem["columns"])):
        for _ in range(3):
            edges = sorted(random_state.sample([-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.5, 6.0], 3))
            feature = {"column": column, "edges": edges, "starts_inside": False, "holds_missing": False}
            yield lie("features", lambda p, item=feature: p["features"].append(item))
            test = feature | {"feature": random_state.randrange(len(problem["features"])), "is_negated": False}
            yield lie("equal_tests", lambda p, item=test: p["equal_tests"].append(item))
    for number in range(len(rows)):
        others = [other for other in range(len(rows)) if other != number]
        pair = [number, (number + 1) % len(rows)]
        yield lie("rows", lambda p, values=others: p.update(rows=values))
        yield lie("left_out", lambda p, values=[number]: p.update(left_out=values))
        yield lie("left_out", lambda p, values=pair: p.update(left_out=values))
    for depth in (1, 2, 3):
        yield lie("max_depth", lambda p, d=depth: p.update(max_depth=d))
    yield lie("classes", lambda p: p["classes"].reverse())
    yield lie("classes", lambda p: p["classes"].append("other"))
    for family in ({"name": "bits", "n_bins": 8}, {"name": "onehot", "n_bins": 2}):
        yield lie("family", lambda p, value=family: p.update(family=value))
    for column in problem["columns"]:
        yield lie("target", lambda p, c=column: retarget(p, c["name"], rows))


def declared_kinds(cells: list[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield ways to declare a column with these cells."""
    yield "number", []
    for kind in ("category", "ordered"):
        yield kind, cells
        yield kind, cells[::-1]
        yield kind, cells[1:] + cells[:1]
        with suppress(ValueError):
            yield kind, sorted({float(cell) for cell in cells})


def forbid(problem: Problem, index: int) -> None:
    """Forbid a column, and remove its features."""
    problem["columns"][index]["is_forbidden"] = True
    problem["features"] = [feature for feature in problem["features"] if feature["column"] != index]


def redeclare(problem: Problem, index: int, kind: str, levels: list[Any]) -> None:
    """Declare a column anew, with one feature for each level or each threshold between small numbers."""
    problem["columns"][index].update(kind=kind, levels=levels)
    others = [feature for feature in problem["features"] if feature["column"] != index]
    edges: list[list[float]]
    if kind == "number":
        edges = [[x / 2] for x in range(-1, 20)]
    elif kind == "ordered":
        edges = [[0.0, float(code + 1)] for code in range(len(levels))]
    else:
        edges = [[float(code), float(code + 1)] for code in range(len(levels))]
    base = {"column": index, "holds_missing": False}
    own = [{**base, "edges": values, "starts_inside": kind == "number"} for values in edges]
    own += [{**base, "edges": values, "starts_inside": False} for values in edges]
    own.append({"column": index, "edges": [], "starts_inside": False, "holds_missing": True})
    problem["features"] = others + own


def leave_out_cut(problem: Problem, index: int) -> None:
    """Remove a feature, and declare the other ones on its column to be all cuts."""
    column = problem["features"].pop(index)["column"]
    kept = [feature["edges"][-1] for feature in problem["features"] if feature["column"] == column and feature["edges"]]
    problem["columns"][column]["cuts"] = sorted(kept)


def negate(feature: dict[str, Any], name: str) -> None:
    """Change a Boolean of a feature."""
    feature[name] = not feature[name]


def retarget(problem: Problem, name: str, rows: Rows) -> None:
    """Declare another column to be the label; the former label becomes a column."""
    others = [other for other in rows[0] if other != name]
    base = {"missing_values": [], "has_missing": False, "cuts": None, "is_forbidden": False}
    columns = [{"name": other, **base} for other in others]
    problem.update(target=name, classes=sorted({row[name] for row in rows}), columns=columns, features=[])
    for index, other in enumerate(others):
        redeclare(problem, index, "category", sorted({row[other] for row in rows} - {""}))


# The judge


def true_minimum(problem: Problem, rows: Rows) -> float:
    """Return the size of the smallest tree that the declarations of a problem allow, by brute force."""
    training = list(range(len(rows))) if problem["rows"] is None else problem["rows"]
    numbers = [number for number in training if number not in problem["left_out"]]
    labels = [rows[number][problem["target"]] for number in numbers]
    masks_of_column = [
        set() if column["is_forbidden"] else column_masks(problem, index, rows, training, numbers)
        for index, column in enumerate(problem["columns"])
    ]
    masks = set().union(*masks_of_column)
    root = problem["root"]

    @cache
    def need(here: int, depth: float, is_root: bool) -> float:
        members = [labels[bit] for bit in range(len(labels)) if here >> bit & 1]
        is_constrained = is_root and root is not None
        if len(set(members)) < 2 and not is_constrained:
            return 0
        if depth == 0:
            return math.inf
        sides = [(here & mask, here & ~mask) for mask in (masks_of_column[root] if is_constrained else masks)]
        sides = [(yes, no) for yes, no in sides if yes and no]
        return 1 + min((need(a, depth - 1, False) + need(b, depth - 1, False) for a, b in sides), default=math.inf)

    depth = math.inf if problem["max_depth"] is None else problem["max_depth"]
    return 2 * need((1 << len(labels)) - 1, depth, True) + 1


def column_masks(problem: Problem, index: int, rows: Rows, training: list[int], numbers: list[int]) -> set[int]:
    """Return the splits of the kept rows by the tests of the declared family on a column."""
    column, family = problem["columns"][index], problem["family"]
    missing = {"", *column["missing_values"]}
    cells = {number: rows[number][column["name"]] for number in training}
    present = {number: cell for number, cell in cells.items() if cell not in missing}
    if family["name"] == "thresholds" and column["kind"] == "number":
        values = sorted({float(cell) for cell in present.values()})
        tests = [{n for n, cell in present.items() if float(cell) <= value} for value in values]
        if column["cuts"] is not None:
            tests = [{n for n, cell in present.items() if float(cell) < cut} for cut in column["cuts"]]
    elif family["name"] == "thresholds" and column["kind"] == "ordered":
        texts = [str(level) for level in column["levels"]]
        cuts = range(1, len(texts) + 1) if column["cuts"] is None else column["cuts"]
        tests = [{n for n, cell in present.items() if texts.index(cell) < cut} for cut in cuts]
    else:
        tests = value_tests(column, family, present, set(cells) - set(present))
    tests.append(set(cells) - set(present) if family["name"] == "thresholds" else set())
    return {sum(1 << bit for bit, number in enumerate(numbers) if number in test) for test in tests}


def value_tests(
    column: dict[str, Any], family: dict[str, Any], present: dict[int, str], missing: set[int]
) -> list[set[int]]:
    """Return the tests on the values of a column: one for each value, or one for each digit of its number."""
    value_of: dict[int, Any]
    if column["kind"] == "number" and present:
        numbers = np.array([[float(cell)] for cell in present.values()])
        if len(np.unique(numbers)) > 1:
            bins = KBinsDiscretizer(family["n_bins"], encode="ordinal", strategy="uniform").fit_transform(numbers)
        else:
            bins = np.zeros((len(numbers), 1))
        value_of = {n: float(value) for n, (value,) in zip(present, bins.tolist(), strict=True)}
        order = sorted(set(value_of.values()))
    else:
        value_of = {n: float(cell) if is_numeric(column) else cell for n, cell in present.items()}
        levels = [float(level) if is_numeric(column) else str(level) for level in column["levels"]]
        order = [level for level in levels if level in value_of.values()]
    code_of_row = {n: order.index(value) for n, value in value_of.items()} | dict.fromkeys(missing, len(order))
    n_values = len(order) + bool(missing)
    if family["name"] == "bits":
        return [{n for n, code in code_of_row.items() if code >> digit & 1} for digit in range(10)]
    return [{n for n, code in code_of_row.items() if code == value} for value in range(n_values)]


def is_numeric(column: dict[str, Any]) -> bool:
    """Return whether the levels of a column are numbers."""
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in column["levels"])


def plain_problem(problem: Problem, rows: Rows) -> Problem:
    """Return the problem as the table alone suggests it: no constraints, all rows, and kinds by the cells."""
    plain = deepcopy(problem) | {"root": None, "max_depth": None, "rows": None}
    for column in plain["columns"]:
        cells = {row[column["name"]] for row in rows} - {""}
        try:
            [float(cell) for cell in cells]
            column.update(kind="number", levels=[])
        except ValueError:
            column.update(kind="category", levels=sorted(cells))
        column.update(is_forbidden=False, missing_values=[], cuts=None)
    return plain
