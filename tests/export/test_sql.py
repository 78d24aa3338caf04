"""Trees as SQL."""

import sqlite3
from typing import Any

import pytest
from helpers.strategies import readable_trees
from hypothesis import assume, given, settings

from puretree import InputError, Tree, minimum_tree
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.export.sql import sql_answers, to_sql
from puretree.table import Column


@settings(max_examples=50)
@given(readable_trees())
def test_sqlite_answers_as_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """Any tree, any names, NULLs and unseen levels: the expression says what the tree says."""
    tree, rows, others = drawn
    try:
        expression = to_sql(tree)
    except InputError as error:
        assume("no way to write" not in str(error))
        raise
    for table in (rows, others):
        try:
            answers = sql_answers(expression, tree, table)
        except UnicodeEncodeError:  # a lone surrogate in the data
            assume(False)
        assert list(answers) == tree.predict(table).tolist()


def test_infinite_numbers_are_numbers() -> None:
    """Minus and plus infinity are smaller and greater than every threshold."""
    tree = minimum_tree([[1.0], [2.0], [None]], ["a", "b", "c"]).tree
    assert tree is not None
    rows = [[float("-inf")], [float("inf")], [None]]
    assert list(sql_answers(to_sql(tree), tree, rows)) == ["a", "b", "c"]


def test_a_table_is_selected_from() -> None:
    """With a table's name there is a whole statement, the name quoted."""
    tree = minimum_tree([["red"], ["blue"]], ["it's", "b"]).tree
    assert tree is not None
    statement = to_sql(tree, 'my "table"; --')
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE "my ""table""; --" (x0)')
        database.executemany('INSERT INTO "my ""table""; --" VALUES (?)', [("red",), ("blue",), (None,), ("grey",)])
        found = database.execute(statement).fetchall()
    assert found == [("red", "it's"), ("blue", "b"), (None, "b"), ("grey", "b")]


def test_leaves_that_nothing_reaches_are_left_out() -> None:
    """A tree may ask the same twice; SQL need not say what cannot be."""
    small = Predicate(Column("x", 0, "number"), Region.at_most(1.0))
    tree = Tree.from_nested((0, (0, "a", "never"), "b")).with_predicates([small], 1)
    assert "never" not in to_sql(tree)
    assert list(sql_answers(to_sql(tree), tree, [[1.0], [2.0], [None]])) == ["b", "a", "a"]


def test_what_sql_cannot_write_is_refused() -> None:
    """A NUL in a level, or two columns that differ in case only, are named."""
    tree = minimum_tree([["a\x00"], ["b"], ["c"]], [0, 1, 2]).tree
    assert tree is not None
    with pytest.raises(InputError, match="no way to write"):
        to_sql(tree)
    columns = [Column("Size", 0, "number"), Column("size", 1, "number")]
    tests = [Predicate(column, Region.at_most(1.0)) for column in columns]
    twins = Tree.from_nested((0, "a", (1, "b", "c"))).with_predicates(tests, 2)
    with pytest.raises(InputError, match="'Size' and 'size' apart; rename"):
        to_sql(twins)
    assert to_sql(Tree.leaf(0, ("x",))) == "'x'"
