"""Result tables in LaTeX, in the layout of the paper's tables, and in Markdown, as GitHub renders it.

The LaTeX needs the packages booktabs and graphicx; a table wider than the line is scaled down. Markdown has no group
titles, so they become part of the column names, and no horizontal rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..._support.text import escape as escape_markdown
from ..result_table import ResultTable
from .value_format import format_rows, is_text_column

_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "{}$&#%_"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"},
    # At the start of a row LaTeX would read these as options of the preceding \\.
    **{"[": "{[}", "]": "{]}", "*": "{*}"},
    "\0": "{}",
    **{"±": r"$\pm$", "−": "$-$", "–": "--", "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$"},
    **{"…": r"\dots{}", "δ": r"$\delta$", "†": r"$\dagger$", "≈": r"$\approx$", "η": r"$\eta$"},
}
_LIGATURE = re.compile(r"(?<=[-`'?!])(?=[-`'])")  # LaTeX joins two hyphens into a dash, unless separated

_SCALE_TO_LINE = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(table: ResultTable) -> str:
    """Return a floating table with its caption."""
    alignment = "".join("l" if is_text else "r" for is_text in is_text_column(table))
    lines = [
        r"% needs \usepackage{booktabs,graphicx}",
        r"\begin{table}[ht]",
        r"\centering",
        _SCALE_TO_LINE,
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        *_latex_groups(table),
        _latex_row([escape_latex(name) for name in table.header]),
        r"\midrule",
        *_latex_body(table),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.name)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    r"""Escape text so that LaTeX prints it verbatim.

    >>> print(escape_latex("a_b 5 % --limit"))
    a\_b 5 \% -{}-limit
    """
    separated = _LIGATURE.sub("\0", " ".join(text.replace("\0", "").split()))
    return "".join(_SPECIAL.get(letter, letter) for letter in separated)


def _latex_groups(table: ResultTable) -> list[str]:
    """Return the titles of groups, with a rule under each."""
    if not table.groups:
        return []
    titles, rules, first = [], [], 1
    for title, n_columns in table.groups:
        titles.append(rf"\multicolumn{{{n_columns}}}{{c}}{{{escape_latex(title)}}}")
        if title:
            rules.append(rf"\cmidrule(lr){{{first}-{first + n_columns - 1}}}")
        first += n_columns
    return [_latex_row(titles), "".join(rules)] if rules else []


def _latex_body(table: ResultTable) -> list[str]:
    lines = []
    for index, row in enumerate(format_rows(table)):
        if index in table.rules and index:
            lines.append(r"\midrule")
        lines.append(_latex_row([escape_latex(text) for text in row]))
    return lines


def _latex_row(texts: Sequence[str]) -> str:
    return rf"{' & '.join(texts)} \\"


def to_markdown(table: ResultTable) -> str:
    """Return the caption and the table."""
    alignment = ["---" if is_text else "---:" for is_text in is_text_column(table)]
    lines = [_markdown_row([escape_markdown(name) for name in table.columns]), f"|{'|'.join(alignment)}|"]
    lines += [_markdown_row([escape_markdown(text) for text in row]) for row in format_rows(table)]
    return "\n".join([escape_markdown(table.caption), "", *lines, ""])


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
