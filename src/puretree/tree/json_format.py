"""The JSON format of trees: versioned, exact in both directions, and validated completely when read.

Anything that is not a tree of this format raises a :class:`~puretree.errors.FormatError` that names the field. Nothing
in a file is ever executed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..binarize.predicate import Predicate
from ..binarize.region import Region
from ..errors import FormatError
from ..table import DOMAINS, KINDS, Column

if TYPE_CHECKING:
    from .tree import Tree

FORMAT = "puretree/tree"
VERSION = 1


def tree_to_dict(tree: Tree, *, identity_only: bool = False) -> dict[str, Any]:
    """Return a tree as JSON values.

    Parameters
    ----------
    tree : Tree
        The tree.
    identity_only : bool, default=False
        Omit what does not distinguish trees: row counts and, if predicates are attached, the numbers of the
        features.
    """
    tests: list[dict[str, Any]] = []
    columns: list[Column] = []
    for feature in tree.features:
        test: dict[str, Any] = {"feature": feature}
        if tree.predicates is not None:
            predicate = tree.predicates[feature]
            if predicate.column not in columns:
                columns.append(predicate.column)
            test |= region_to_dict(predicate.region)
            test["column"] = columns.index(predicate.column)
        tests.append(test)
    data = {
        "format": FORMAT,
        "version": VERSION,
        "classes": list(tree.classes),
        "columns": [column_to_dict(column) for column in columns],
        "n_columns": tree.n_columns,
        "tests": tests,
        "nodes": [_node_to_dict(tree, node) for node in range(tree.n_nodes)],
    }
    return _identity(data) if identity_only else data


def _identity(data: dict[str, Any]) -> dict[str, Any]:
    """Inline each test into its node, so that neither the numbering nor the order of features matters."""

    def inline_test(node: dict[str, Any]) -> dict[str, Any]:
        if "label" in node:
            return {"label": node["label"]}
        test = data["tests"][node["test"]]
        if "column" not in test:
            return {"test": test}
        column = data["columns"][test["column"]]
        return {"test": {**test, "column": column, "feature": None}}

    return {"classes": data["classes"], "nodes": [inline_test(node) for node in data["nodes"]]}


def column_to_dict(column: Column) -> dict[str, Any]:
    """Return a column as JSON values."""
    data = {
        "name": column.name,
        "index": column.index,
        "kind": column.kind,
        "levels": list(column.levels),
        "has_missing": column.has_missing,
    }
    # The default is omitted, as in files of releases without domains.
    return data if column.domain == "real" else data | {"domain": column.domain}


def region_to_dict(region: Region) -> dict[str, Any]:
    """Return a region as JSON values."""
    return {
        "edges": list(region.edges),
        "starts_inside": region.starts_inside,
        "holds_missing": region.holds_missing,
    }


def _node_to_dict(tree: Tree, node: int) -> dict[str, Any]:
    if tree.left[node] < 0:
        data: dict[str, Any] = {"label": int(tree.label[node])}
    else:
        test = tree.features.index(int(tree.feature[node]))
        data = {"test": test, "left": int(tree.left[node])}
    if tree.counts is not None:
        data["counts"] = tree.counts[node].tolist()
    return data


def parse_tree(data: Mapping[str, Any]) -> dict[str, Any]:
    """Validate JSON values and return the arguments of Tree."""
    if isinstance(data, str | bytes):
        raise FormatError("this is text, not a tree; use Tree.from_json")
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise FormatError(f"this is not a tree: 'format' is not {FORMAT!r}")
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise FormatError(
            f"tree format version {data.get('version')!r} is not supported (this release reads version {VERSION}); "
            "use the release of puretree that wrote it"
        )
    classes = _list(data, "classes")
    for i, label in enumerate(classes):
        _require_scalar(label, f"classes[{i}]")
    columns = [_parse_column(item, i) for i, item in enumerate(_list(data, "columns"))]
    _require(len({column.index for column in columns}) == len(columns), "columns", "a list with distinct indices")
    tests = [_parse_test(item, i, columns) for i, item in enumerate(_list(data, "tests"))]
    predicates = {feature: predicate for feature, predicate in tests if predicate is not None}
    if len({feature for feature, _ in tests}) != len(tests):
        raise FormatError("'tests' holds a feature twice")
    n_columns = data.get("n_columns")
    if n_columns is not None:
        highest = max((predicate.column.index for predicate in predicates.values()), default=-1)
        _require_int(n_columns, "n_columns", at_least=highest + 1)
        _require(len(predicates) == len(tests), "tests", "on columns, since n_columns is set")
    _require(n_columns is not None or not predicates, "n_columns", "set, since tests are on columns")
    nodes = [_parse_node(item, i, len(tests)) for i, item in enumerate(_list(data, "nodes"))]
    counts = [node["counts"] for node in nodes]
    return {
        "feature": [-1 if node["test"] is None else tests[node["test"]][0] for node in nodes],
        "left": [node["left"] for node in nodes],
        "label": [node["label"] for node in nodes],
        "classes": classes,
        "predicates": predicates if n_columns is not None else None,
        "n_columns": n_columns,
        "counts": _parse_counts(counts, len(classes)),
    }


def _parse_column(item: Any, index: int) -> Column:
    where = f"columns[{index}]"
    _require(isinstance(item, Mapping), where, "an object")
    _require(isinstance(item.get("name"), str), f"{where}.name", "a string")
    _require(item.get("kind") in KINDS, f"{where}.kind", f"one of {', '.join(KINDS)}")
    _require_int(item.get("index"), f"{where}.index", at_least=0)
    levels = _list(item, "levels", where)
    for level in levels:
        _require_scalar(level, f"{where}.levels")
    _require(len(set(levels)) == len(levels), f"{where}.levels", "distinct")
    is_number = item["kind"] == "number"
    _require(is_number == (levels == []), f"{where}.levels", "nonempty for categories and empty for numbers")
    domain = item.get("domain", "real")
    _require(domain in DOMAINS, f"{where}.domain", f"one of {', '.join(DOMAINS)}")
    _require(is_number or domain == "real", f"{where}.domain", "absent for categories")
    has_missing = _bool(item, "has_missing", where)
    return Column(item["name"], item["index"], item["kind"], tuple(levels), has_missing, domain)


def _parse_test(item: Any, index: int, columns: list[Column]) -> tuple[int, Predicate | None]:
    where = f"tests[{index}]"
    _require(isinstance(item, Mapping), where, "an object")
    _require_int(item.get("feature"), f"{where}.feature", at_least=0)
    if "column" not in item:
        return item["feature"], None
    _require_int(item["column"], f"{where}.column", at_least=0, below=len(columns))
    edges = _list(item, "edges", where)
    for edge in edges:
        _require(
            isinstance(edge, float) and math.isfinite(edge), f"{where}.edges", "finite numbers with a decimal point"
        )
    _require(edges == sorted(set(edges)), f"{where}.edges", "ascending")
    region = Region(
        tuple(map(float, edges)),
        _bool(item, "starts_inside", where),
        _bool(item, "holds_missing", where),
    )
    return item["feature"], Predicate(columns[item["column"]], region)


def _parse_node(item: Any, index: int, n_tests: int) -> dict[str, Any]:
    where = f"nodes[{index}]"
    _require(isinstance(item, Mapping), where, "an object")
    node = {"test": None, "left": -1, "label": -1, "counts": item.get("counts")}
    if "label" in item:
        _require_int(item["label"], f"{where}.label", at_least=0)
        return node | {"label": item["label"]}
    _require_int(item.get("test"), f"{where}.test", at_least=0, below=n_tests)
    _require_int(item.get("left"), f"{where}.left", at_least=1)
    return node | {"test": item["test"], "left": item["left"]}


def _parse_counts(counts: list[Any], n_classes: int) -> list[list[int]] | None:
    if all(row is None for row in counts):
        return None
    for node, row in enumerate(counts):
        where = f"nodes[{node}].counts"
        _require(isinstance(row, list) and len(row) == n_classes, where, "a list of one count per class")
        for count in row:
            _require_int(count, where, at_least=0)
    return counts


def _require(holds: bool, where: str, what: str) -> None:
    if not holds:
        raise FormatError(f"in a tree, {where!r} must be {what}")


def _require_int(value: Any, where: str, *, at_least: int, below: int = 2**31) -> None:
    is_int = isinstance(value, int) and not isinstance(value, bool)
    _require(is_int and at_least <= value < below, where, f"an integer from {at_least} to {below - 1}")


def _require_scalar(value: Any, where: str) -> None:
    is_finite = not isinstance(value, float) or math.isfinite(value)
    _require(isinstance(value, str | int | float) and is_finite, where, "a string, number or boolean")


def _list(data: Mapping[str, Any], key: str, where: str = "") -> list[Any]:
    value = data.get(key)
    _require(isinstance(value, list), f"{where}.{key}".lstrip("."), "a list")
    return list(value)  # type: ignore[arg-type]  # _require checked it


def _bool(data: Mapping[str, Any], key: str, where: str) -> bool:
    value = data.get(key)
    _require(isinstance(value, bool), f"{where}.{key}", "true or false")
    return bool(value)
