"""Result tables on a terminal."""

from helpers.result_tables import EMPTY, TABLE_3, TABLE_4

from puretree.bench.output.terminal import SHORTENED, to_text
from puretree.bench.result_table import Estimate, Reproduction, ResultTable


def test_columns_are_aligned() -> None:
    """Text is left-aligned, numbers are right-aligned, and rules are as wide as the table."""
    assert to_text(TABLE_3) == [
        "Best upper bounds after 20 s",
        "",
        "share  engine              best   PAR2",
        "──────────────────────────────────────",
        "40 %   search          58 (528)   1.50",
        "40 %   a|b_<script>$%         3      –",
        "──────────────────────────────────────",
        "60 %   mindt            123,456  40.00",
    ]


def test_group_titles_are_centred() -> None:
    """The line above the header has the title of each group centred over its columns."""
    groups = to_text(TABLE_4)[2]
    # The columns have widths 14, 20, 4 and 12 with 2 between: psk spans 16 to 42, mpdt 44 to 56.
    assert groups == " " * (16 + 11) + "psk" + " " * (42 - 30 + 2 + 4) + "mpdt"


def test_long_group_titles_widen_their_columns() -> None:
    """The title of a group is never truncated, and the rule is as wide as the table."""
    table = ResultTable("t", "c", ("a", "b"), ((1, 2),), groups=(("a long word", 1), ("x", 1)))
    assert to_text(table)[2:] == ["a long word  x", "          a  b", "──────────────", "          1  2"]


def test_an_empty_table_is_its_header() -> None:
    """A table without rows can be printed."""
    assert to_text(EMPTY)[2:] == ["dataset  t.acc", "──────────────"]


def test_a_narrow_screen() -> None:
    """A table that is too wide is printed without errors and published values, with a note, if it has any."""
    table = ResultTable(
        "t", "What.", ("method", "accuracy"), (("mpdt", Reproduction(Estimate(71.05, 0.31), 70.48)), ("psk", 5))
    )
    wide, narrow = to_text(table, 40), to_text(table, 20)
    assert wide == to_text(table)
    assert "71.05 ± 0.31 (70.48)" in wide[4]
    assert narrow[:2] == ["What.", SHORTENED]
    assert narrow[3:] == ["method  accuracy", "─" * 16, "mpdt       71.05", "psk            5"]
    plain = ResultTable("t", "What.", ("a long name of a column",), ((5,),))
    assert to_text(plain, 10) == to_text(plain)
