"""Tables in Markdown."""

import re
from html import unescape

import pytest
from helpers.result_tables import EMPTY, NASTY, TABLE_3, TABLE_4, TABLES

from puretree._support.text import escape
from puretree.bench.cell import ResultTable
from puretree.bench.output.typesetting import to_markdown


def cells(line: str) -> list[str]:
    """Split a line at the bars that are not escaped, and take the escapes away: as a reader of Markdown does."""
    parts = re.split(r"(?<!\\)\|", line)[1:-1]
    return [unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", part)).strip() for part in parts]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_line_has_every_column(table: ResultTable) -> None:
    """No name can break a table, whatever it is made of."""
    _, _, *lines = to_markdown(table).splitlines()
    assert len(lines) == 2 + len(table.rows)
    assert {len(cells(line)) for line in lines} == {len(table.header)}


def test_names_are_read_as_they_are() -> None:
    """A reader sees the name of the data set, not its markup."""
    assert escape(NASTY) == r"a\|b\_&lt;script&gt;\$%"
    lines = to_markdown(TABLE_4).splitlines()
    assert cells(lines[4]) == [NASTY, "71.05 ± 0.31 (70.48)", "27", "100.00"]
    assert cells(lines[5]) == ["[iris]", "– (94.53)", "–", "−0.50 ± 0.25"]
    assert "<script>" not in to_markdown(TABLE_4)


def test_groups_come_before_the_names_of_columns() -> None:
    """Without a line above the header, each column says what it belongs to."""
    lines = to_markdown(TABLE_4).splitlines()
    assert cells(lines[2]) == ["dataset", "psk t.acc", "psk size", "mpdt t.acc"]
    assert lines[3] == "|---|---:|---:|---:|"


def test_a_caption_is_no_heading_and_no_second_line() -> None:
    """What begins with # or holds a new line is still one line of text."""
    assert escape("# best\nUB *now*") == r"\# best UB \*now\*"


def test_an_empty_table_is_its_header() -> None:
    """Nothing measured yet is no reason to fail."""
    assert to_markdown(EMPTY) == "Nothing yet\n\n| dataset | t.acc |\n|---:|---:|\n"
    assert "123,456" in to_markdown(TABLE_3)
