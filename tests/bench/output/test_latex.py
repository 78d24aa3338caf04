"""Tables in LaTeX."""

import re

import pytest
from helpers.result_tables import NASTY, TABLE_3, TABLE_4, TABLES

from puretree.bench.cell import ResultTable
from puretree.bench.output.typesetting import escape, to_latex


def n_columns(line: str) -> int:
    r"""Count the columns of a line: one more than ampersands, and those that \multicolumn spans."""
    spans = [int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", line)]
    return 1 + len(re.findall(r"(?<!\\)&", line)) + sum(spans)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_lines_have_all_columns_and_braces_close(table: ResultTable) -> None:
    """What LaTeX complains of first: a column too many, a brace or an environment left open."""
    text = to_latex(table)
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(lines) == 1 + len(table.rows) + bool(table.groups)
    assert {n_columns(line) for line in lines} == {len(table.header)}
    # The % at the end of the line of \resizebox and that of the comment are the only ones that LaTeX sees.
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", text) == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    assert len(re.findall(r"(?<!\\)%", text)) == 2
    assert text.isascii()


def test_every_special_letter_is_escaped() -> None:
    """A name is printed as it is."""
    assert escape(NASTY) == r"a\textbar{}b\_\textless{}script\textgreater{}\$\%"
    assert escape("{}#&^~\\") == r"\{\}\#\&\textasciicircum{}\textasciitilde{}\textbackslash{}"
    assert escape("±−–∞") == r"$\pm$$-$--$\infty$"
    assert escape("new\n\nparagraph") == "new paragraph"


def test_dashes_are_not_drawn_together() -> None:
    """An option of the command line keeps its two dashes; a single one is left alone."""
    assert escape("--limit 20, house-votes-84") == "-{}-limit 20, house-votes-84"
    assert escape("---") == "-{}-{}-"


def test_a_name_in_brackets_is_no_option_of_the_line_before() -> None:
    r"""After \\ and \midrule LaTeX takes a "[" or "*" for an option."""
    lines = to_latex(TABLE_4).splitlines()
    assert not any(line.lstrip().startswith(("[", "*")) for line in lines)
    assert any(line.startswith("{[}iris{]} & -- (94.53)") for line in lines)
    assert escape("*") == "{*}"


def test_groups_and_rules_are_the_papers() -> None:
    """Words span their columns with a line under them, and a line comes before the means."""
    lines = to_latex(TABLE_4).splitlines()
    assert r"\multicolumn{1}{c}{} & \multicolumn{2}{c}{psk} & \multicolumn{1}{c}{mpdt} \\" in lines
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-4}" in lines
    assert r"\begin{tabular}{lrrr}" in lines
    assert lines[lines.index(r"mean & 87.00 (87.07) & -- & -- \\") - 1] == r"\midrule"
    assert r"\label{tab:table-4}" in lines
    assert r"\begin{tabular}{llrr}" in to_latex(TABLE_3)
