"""Tables on a screen."""

from helpers.result_tables import EMPTY, TABLE_3, TABLE_4

from puretree.bench.cell import Beside, Estimate, ResultTable
from puretree.bench.output.terminal import SHORTENED, to_text


def test_columns_stand_under_each_other() -> None:
    """Words begin at the left, figures end at the right, and rules are as wide as the table."""
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


def test_words_above_groups_stand_in_their_middle() -> None:
    """The line above the header has each group's words over its columns."""
    groups = to_text(TABLE_4)[2]
    # The columns are 14, 20, 4 and 12 wide with 2 between: psk is over 16 to 42, mpdt over 44 to 56.
    assert groups == " " * (16 + 11) + "psk" + " " * (42 - 30 + 2 + 4) + "mpdt"


def test_long_words_above_a_narrow_group_make_room() -> None:
    """A group's words are never cut, and the rule is as wide as they are."""
    table = ResultTable("t", "c", ("a", "b"), ((1, 2),), groups=(("a long word", 1), ("x", 1)))
    assert to_text(table)[2:] == ["a long word  x", "          a  b", "──────────────", "          1  2"]


def test_an_empty_table_is_its_header() -> None:
    """Nothing measured yet is no reason to fail."""
    assert to_text(EMPTY)[2:] == ["dataset  t.acc", "──────────────"]


def test_a_narrow_screen() -> None:
    """A table that is too wide is told without errors and the paper's figures, and says so; others stay as they are."""
    table = ResultTable(
        "t", "What.", ("method", "accuracy"), (("mpdt", Beside(Estimate(71.05, 0.31), 70.48)), ("psk", 5))
    )
    wide, narrow = to_text(table, 40), to_text(table, 20)
    assert wide == to_text(table)
    assert "71.05 ± 0.31 (70.48)" in wide[4]
    assert narrow[:2] == ["What.", SHORTENED]
    assert narrow[3:] == ["method  accuracy", "─" * 16, "mpdt       71.05", "psk            5"]
    plain = ResultTable("t", "What.", ("a long name of a column",), ((5,),))
    assert to_text(plain, 10) == to_text(plain)
