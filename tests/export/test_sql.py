"""Export to SQL."""

import sqlite3
from typing import Any

import pytest
from helpers.strategies import readable_trees
from hypothesis import assume, given, settings

from puretree import InputError, Tree, minimum_tree
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.export.sql import predict_with_sql, to_sql
from puretree.table import Column


@settings(max_examples=50)
@given(readable_trees())
def test_predictions_equal_those_of_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """For any names, NULLs and unseen levels, SQLite predicts what the tree predicts."""
    tree, rows, others = drawn
    try:
        expression = to_sql(tree)
    except InputError as error:
        assume("SQL cannot represent" not in str(error))
        raise
    for table in (rows, others):
        try:
            predictions = predict_with_sql(expression, tree, table)
        except UnicodeEncodeError:  # a lone surrogate in the data
            assume(False)
        assert list(predictions) == tree.predict(table).tolist()


def test_infinite_numbers_are_numbers() -> None:
    """Minus and plus infinity are below and above every threshold."""
    tree = minimum_tree([[1.0], [2.0], [None]], ["a", "b", "c"]).tree
    assert tree is not None
    rows = [[float("-inf")], [float("inf")], [None]]
    assert list(predict_with_sql(to_sql(tree), tree, rows)) == ["a", "b", "c"]


def test_select_from_a_table() -> None:
    """With the name of a table, the export is a complete statement with the name quoted."""
    tree = minimum_tree([["red"], ["blue"]], ["it's", "b"]).tree
    assert tree is not None
    statement = to_sql(tree, 'my "table"; --')
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE "my ""table""; --" (x0)')
        database.executemany('INSERT INTO "my ""table""; --" VALUES (?)', [("red",), ("blue",), (None,), ("grey",)])
        result = database.execute(statement).fetchall()
    assert result == [("red", "it's"), ("blue", "b"), (None, "b"), ("grey", "b")]


def test_unreachable_leaves_are_omitted() -> None:
    """A leaf behind a repeated test is unreachable and does not appear in the SQL."""
    small = Predicate(Column("x", 0, "number"), Region.at_most(1.0))
    tree = Tree.from_nested((0, (0, "a", "never"), "b")).with_predicates([small], 1)
    assert "never" not in to_sql(tree)
    assert list(predict_with_sql(to_sql(tree), tree, [[1.0], [2.0], [None]])) == ["b", "a", "a"]


def test_unsupported_names_are_rejected() -> None:
    """A NUL in a level and two columns that differ only in case raise errors that name them."""
    tree = minimum_tree([["a\x00"], ["b"], ["c"]], [0, 1, 2]).tree
    assert tree is not None
    with pytest.raises(InputError, match="SQL cannot represent"):
        to_sql(tree)
    columns = [Column("Size", 0, "number"), Column("size", 1, "number")]
    tests = [Predicate(column, Region.at_most(1.0)) for column in columns]
    twins = Tree.from_nested((0, "a", (1, "b", "c"))).with_predicates(tests, 2)
    with pytest.raises(InputError, match=r"'Size' and 'size' differ only in case.*rename"):
        to_sql(twins)
    assert to_sql(Tree.leaf(0, ("x",))) == "'x'"
