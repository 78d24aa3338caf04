"""A tree as SQL: prediction where the data is.

One ``CASE`` with a ``WHEN`` per leaf, the conditions on each column drawn together: it reads like the rules, and a
deep tree does not become a deeply nested expression, which databases limit. Every condition is written so that NULL
makes it true only where the tree sends missing values, never by accident of three-valued logic.

Only what the standard has is used: CASE, AND, OR, IN, BETWEEN-free comparisons, IS NULL, double-quoted identifiers,
single-quoted strings, TRUE and FALSE. It is checked with SQLite. Missing values must be NULL, not NaN, and text must
be compared exactly, which MySQL's and SQL Server's usual collations do not do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from ..binarize.predicate import Predicate
from ..binarize.region import Region
from ..errors import InputError
from ..table import UNSEEN, Column, Level
from ..tree import Rule, Tree
from .bounds import Bound, pieces
from .check import asked_columns, raw_rows


def to_sql(tree: Tree, table: str | None = None) -> str:
    """Write a tree as SQL.

    Parameters
    ----------
    tree : Tree
        The tree.
    table : str, optional
        The name of a table. With it, the result is a SELECT of all its columns and a column ``prediction``; without,
        only the CASE expression.

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_sql(Tree.from_nested((3, "a", "b"))))
    CASE
      WHEN "feature 3" = 1 THEN 'b'
      WHEN ("feature 3" IS NULL OR "feature 3" <> 1) THEN 'a'
    END
    """
    _require_telling_names(asked_columns(tree))
    rules = [rule for rule in tree.rules() if not any(condition.is_empty for condition in rule.conditions)]
    expression = _literal(rules[0].label)
    if len(rules) > 1:
        expression = "\n".join(["CASE", *map(_when, rules), "END"])
    if table is None:
        return expression
    return f"SELECT *, {expression} AS {_identifier('prediction')}\nFROM {_identifier(table)};"


def sql_answers(expression: str, tree: Tree, X: Any) -> Iterable[Any]:
    """Let SQLite evaluate an expression on the rows of a table."""
    rows, columns = raw_rows(tree, X), asked_columns(tree)
    with sqlite3.connect(":memory:") as database:
        spare = "row" + "_" * max((len(column.name) for column in columns), default=0)  # nobody's name
        database.execute(f"CREATE TABLE rows ({', '.join([spare, *(_identifier(column.name) for column in columns)])})")
        marks = ", ".join("?" * (len(columns) + 1))
        database.executemany(f"INSERT INTO rows VALUES ({marks})", ([i, *row.values()] for i, row in enumerate(rows)))
        found = database.execute(f"SELECT {spare}, {expression} FROM rows ORDER BY 1").fetchall()
    return [label for _, label in found]


def _when(rule: Rule) -> str:
    words = [words for condition in rule.conditions if (words := _condition(condition))]
    return f"  WHEN {' AND '.join(words) or '1 = 1'} THEN {_literal(rule.label)}"


def _condition(condition: Predicate) -> str | None:
    """Write a condition; None if everything meets it."""
    name, region = _identifier(condition.column.name), condition.region
    is_number = condition.column.kind == "number"
    parts = _numbers(name, region) if is_number else _levels(name, condition.column, region)
    if parts is None:  # every value that is there
        return None if region.holds_missing else f"{name} IS NOT NULL"
    if region.holds_missing:
        parts = [f"{name} IS NULL", *parts]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _numbers(name: str, region: Region) -> list[str] | None:
    if not region.edges:
        return None if region.starts_inside else []
    return [
        " AND ".join(f"{name} {_comparison(bound)}" for bound in piece if bound is not None) for piece in pieces(region)
    ]


def _comparison(bound: Bound) -> str:
    sign, number = bound
    return f"{sign} {number!r}"


def _levels(name: str, column: Column, region: Region) -> list[str] | None:
    takes_unseen = region.contains(UNSEEN)
    listed = [level for place, level in enumerate(column.levels) if region.contains(float(place)) != takes_unseen]
    if not listed:
        return None if takes_unseen else []
    if len(listed) == 1:
        return [f"{name} {'<>' if takes_unseen else '='} {_literal(listed[0])}"]
    return [f"{name} {'NOT ' * takes_unseen}IN ({', '.join(map(_literal, listed))})"]


def _literal(value: Level) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return "'" + _text(value).replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _identifier(name: str) -> str:
    return '"' + _text(name).replace('"', '""') + '"'


def _text(text: str) -> str:
    is_text = "\x00" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
    if not is_text:
        raise InputError(f"SQL has no way to write {text!r}: replace the characters that are not text first")
    return text


def _require_telling_names(columns: list[Column]) -> None:
    by_name: dict[str, str] = {}
    for column in columns:
        other = by_name.setdefault(column.name.lower(), column.name)
        if other != column.name:
            raise InputError(f"SQL may not tell the columns {other!r} and {column.name!r} apart; rename one of them")
