"""Export a tree to SQL, to predict inside the database.

The result is one ``CASE`` with a ``WHEN`` per leaf, in which the conditions on each column are combined: it reads like
the rules, and a deep tree does not become a deeply nested expression, which databases limit. Every condition states
explicitly whether it holds for NULL, according to the branch of missing values, so three-valued logic cannot change
the result.

Only standard SQL is used: CASE, AND, OR, IN, comparisons, IS NULL, double-quoted identifiers, single-quoted strings,
TRUE and FALSE. It is checked with SQLite. Missing values must be NULL, not NaN, and text must be compared exactly,
which the usual collations of MySQL and SQL Server do not do.
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
from .check import raw_rows, used_columns
from .intervals import Comparison, region_intervals


def to_sql(tree: Tree, table: str | None = None) -> str:
    """Write a tree as SQL.

    Parameters
    ----------
    tree : Tree
    table : str, optional
        The name of a table. If it is passed, the result is a SELECT of all its columns and a column ``prediction``;
        otherwise it is only the CASE expression.

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
    _require_distinct_names(used_columns(tree))
    rules = [rule for rule in tree.rules() if not any(condition.is_empty for condition in rule.conditions)]
    expression = _literal(rules[0].label)
    if len(rules) > 1:
        expression = "\n".join(["CASE", *map(_when, rules), "END"])
    if table is None:
        return expression
    return f"SELECT *, {expression} AS {_identifier('prediction')}\nFROM {_identifier(table)};"


def predict_with_sql(expression: str, tree: Tree, X: Any) -> Iterable[Any]:
    """Predict the rows of a table with an exported expression, evaluated by SQLite."""
    rows, columns = raw_rows(tree, X), used_columns(tree)
    with sqlite3.connect(":memory:") as database:
        row_id = "row" + "_" * max((len(column.name) for column in columns), default=0)  # longer than all names
        names = [row_id, *(_identifier(column.name) for column in columns)]
        database.execute(f"CREATE TABLE rows ({', '.join(names)})")
        values = ([i, *row.values()] for i, row in enumerate(rows))
        database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(names))})", values)
        predictions = database.execute(f"SELECT {row_id}, {expression} FROM rows ORDER BY 1").fetchall()
    return [label for _, label in predictions]


def _when(rule: Rule) -> str:
    terms = [term for condition in rule.conditions if (term := _condition(condition))]
    return f"  WHEN {' AND '.join(terms) or '1 = 1'} THEN {_literal(rule.label)}"


def _condition(condition: Predicate) -> str | None:
    """Return a condition as SQL; None if every value satisfies it."""
    name, region = _identifier(condition.column.name), condition.region
    is_number = condition.column.kind == "number"
    terms = _number_terms(name, region) if is_number else _level_terms(name, condition.column, region)
    if terms is None:
        return None if region.holds_missing else f"{name} IS NOT NULL"
    if region.holds_missing:
        terms = [f"{name} IS NULL", *terms]
    return terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})"


def _number_terms(name: str, region: Region) -> list[str] | None:
    """Return the terms of a disjunction; None if every number satisfies it."""
    if not region.edges:
        return None if region.starts_inside else []
    return [
        " AND ".join(f"{name} {_format_comparison(bound)}" for bound in interval if bound is not None)
        for interval in region_intervals(region)
    ]


def _format_comparison(comparison: Comparison) -> str:
    operator, number = comparison
    return f"{operator} {number!r}"


def _level_terms(name: str, column: Column, region: Region) -> list[str] | None:
    """Return the terms of a disjunction; None if every level satisfies it."""
    holds_unseen = region.contains(UNSEEN)
    listed = [level for index, level in enumerate(column.levels) if region.contains(float(index)) != holds_unseen]
    if not listed:
        return None if holds_unseen else []
    if len(listed) == 1:
        return [f"{name} {'<>' if holds_unseen else '='} {_literal(listed[0])}"]
    return [f"{name} {'NOT ' * holds_unseen}IN ({', '.join(map(_literal, listed))})"]


def _literal(value: Level) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return "'" + _require_text(value).replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _identifier(name: str) -> str:
    return '"' + _require_text(name).replace('"', '""') + '"'


def _require_text(text: str) -> str:
    is_text = "\x00" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
    if not is_text:
        raise InputError(f"SQL cannot represent {text!r}; replace NUL characters and lone surrogates before fitting")
    return text


def _require_distinct_names(columns: list[Column]) -> None:
    by_name: dict[str, str] = {}
    for column in columns:
        other = by_name.setdefault(column.name.lower(), column.name)
        if other != column.name:
            raise InputError(
                f"the columns {other!r} and {column.name!r} differ only in case, which SQL may ignore; rename one"
            )
