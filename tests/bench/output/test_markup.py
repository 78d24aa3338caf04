"""Result tables in LaTeX and in Markdown."""

import re
from html import unescape

import pytest
from helpers.result_tables import EMPTY, NASTY, TABLE_3, TABLE_4, TABLES

from puretree._support.text import escape as escape_markdown
from puretree.bench.output.markup import escape_latex, to_latex, to_markdown
from puretree.bench.result_table import ResultTable


def n_latex_columns(line: str) -> int:
    r"""Count the columns of a LaTeX row: ampersands plus one, and the columns that \multicolumn spans."""
    spans = [int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", line)]
    return 1 + len(re.findall(r"(?<!\\)&", line)) + sum(spans)


def markdown_cells(line: str) -> list[str]:
    """Split a Markdown row at the bars that are not escaped, and remove the escapes, as a renderer does."""
    parts = re.split(r"(?<!\\)\|", line)[1:-1]
    return [unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", part)).strip() for part in parts]


# LaTeX


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_latex_rows_have_all_columns_and_braces_match(table: ResultTable) -> None:
    """Every row has the number of columns of the header; braces and environments are balanced."""
    text = to_latex(table)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + len(table.rows) + bool(table.groups)
    assert {n_latex_columns(row) for row in rows} == {len(table.header)}
    # The only unescaped % are the one that ends the line of \resizebox and the one of the comment.
    unescaped = re.sub(r"\\[{}]", "", text)
    assert unescaped.count("{") == unescaped.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", text) == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    assert len(re.findall(r"(?<!\\)%", text)) == 2
    assert text.isascii()


def test_special_characters_are_escaped_in_latex() -> None:
    """LaTeX prints a name verbatim."""
    assert escape_latex(NASTY) == r"a\textbar{}b\_\textless{}script\textgreater{}\$\%"
    assert escape_latex("{}#&^~\\") == r"\{\}\#\&\textasciicircum{}\textasciitilde{}\textbackslash{}"
    assert escape_latex("±−–∞") == r"$\pm$$-$--$\infty$"
    assert escape_latex("new\n\nparagraph") == "new paragraph"


def test_hyphens_form_no_dash_in_latex() -> None:
    """A command-line option keeps its two hyphens; a single hyphen is unchanged."""
    assert escape_latex("--limit 20, house-votes-84") == "-{}-limit 20, house-votes-84"
    assert escape_latex("---") == "-{}-{}-"


def test_a_bracket_is_not_an_option_of_the_preceding_row() -> None:
    r"""After \\ and \midrule LaTeX reads a "[" or "*" as an option, so both are protected by braces."""
    lines = to_latex(TABLE_4).splitlines()
    assert not any(line.lstrip().startswith(("[", "*")) for line in lines)
    assert any(line.startswith("{[}iris{]} & -- (94.53)") for line in lines)
    assert escape_latex("*") == "{*}"


def test_latex_has_group_titles_and_rules() -> None:
    """Group titles span their columns with a rule below, and a rule precedes the means."""
    lines = to_latex(TABLE_4).splitlines()
    assert r"\multicolumn{1}{c}{} & \multicolumn{2}{c}{psk} & \multicolumn{1}{c}{mpdt} \\" in lines
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-4}" in lines
    assert r"\begin{tabular}{lrrr}" in lines
    assert lines[lines.index(r"mean & 87.00 (87.07) & -- & -- \\") - 1] == r"\midrule"
    assert r"\label{tab:table-4}" in lines
    assert r"\begin{tabular}{llrr}" in to_latex(TABLE_3)


# Markdown


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_markdown_rows_have_all_columns(table: ResultTable) -> None:
    """No name can break a table."""
    _, _, *lines = to_markdown(table).splitlines()
    assert len(lines) == 2 + len(table.rows)
    assert {len(markdown_cells(line)) for line in lines} == {len(table.header)}


def test_special_characters_are_escaped_in_markdown() -> None:
    """A rendered name is the name of the data set, without markup."""
    assert escape_markdown(NASTY) == r"a\|b\_&lt;script&gt;\$%"
    lines = to_markdown(TABLE_4).splitlines()
    assert markdown_cells(lines[4]) == [NASTY, "71.05 ± 0.31 (70.48)", "27", "100.00"]
    assert markdown_cells(lines[5]) == ["[iris]", "– (94.53)", "–", "−0.50 ± 0.25"]
    assert "<script>" not in to_markdown(TABLE_4)


def test_group_titles_precede_column_names_in_markdown() -> None:
    """Markdown has one header line, so the column names include the group titles."""
    lines = to_markdown(TABLE_4).splitlines()
    assert markdown_cells(lines[2]) == ["dataset", "psk t.acc", "psk size", "mpdt t.acc"]
    assert lines[3] == "|---|---:|---:|---:|"


def test_a_markdown_caption_is_one_line_of_text() -> None:
    """A caption that starts with # or contains a newline stays one line of text."""
    assert escape_markdown("# best\nUB *now*") == r"\# best UB \*now\*"


def test_an_empty_table_has_a_header_in_markdown() -> None:
    """A table without rows can be written."""
    assert to_markdown(EMPTY) == "Nothing yet\n\n| dataset | t.acc |\n|---:|---:|\n"
    assert "123,456" in to_markdown(TABLE_3)
