"""A table of results in LaTeX, in the form of the paper's tables.

It needs the packages booktabs and graphicx: a table wider than the line is made smaller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..._support.text import escape as escape_markdown
from ..cell import ResultTable
from .value_text import columns_of_words, texts_of

_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "{}$&#%_"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"},
    # After the end of a row these would be its options.
    **{"[": "{[}", "]": "{]}", "*": "{*}"},
    "\0": "{}",
    **{"±": r"$\pm$", "−": "$-$", "–": "--", "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$"},
    **{"…": r"\dots{}", "δ": r"$\delta$"},
}
_DRAWN_TOGETHER = re.compile(r"(?<=[-`'?!])(?=[-`'])")  # two dashes become a longer one, unless parted

_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(table: ResultTable) -> str:
    """Return a floating table."""
    sides = "".join("l" if is_words else "r" for is_words in columns_of_words(table))
    lines = [
        r"% needs \usepackage{booktabs,graphicx}",
        r"\begin{table}[ht]",
        r"\centering",
        _SHRINK,
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        *_group_lines(table),
        _line([escape(name) for name in table.header]),
        r"\midrule",
        *_body(table),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.name)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    r"""Write text such that LaTeX prints it as it is.

    >>> print(escape("a_b 5 % --limit"))
    a\_b 5 \% -{}-limit
    """
    parted = _DRAWN_TOGETHER.sub("\0", " ".join(text.replace("\0", "").split()))
    return "".join(_SPECIAL.get(letter, letter) for letter in parted)


def _group_lines(table: ResultTable) -> list[str]:
    """Return words above groups of columns, with a line under each."""
    if not table.groups:
        return []
    cells, lines, first = [], [], 1
    for words, n_columns in table.groups:
        cells.append(rf"\multicolumn{{{n_columns}}}{{c}}{{{escape(words)}}}")
        if words:
            lines.append(rf"\cmidrule(lr){{{first}-{first + n_columns - 1}}}")
        first += n_columns
    return [_line(cells), "".join(lines)] if lines else []


def _body(table: ResultTable) -> list[str]:
    lines = []
    for number, row in enumerate(texts_of(table)):
        if number in table.rules and number:
            lines.append(r"\midrule")
        lines.append(_line([escape(text) for text in row]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


# A table of results in Markdown, as GitHub and most others read it.
#
# Markdown has no words above groups of columns, so they come before the name of each column; and no lines within a table.


def to_markdown(table: ResultTable) -> str:
    """Return the caption and the table."""
    sides = ["---" if is_words else "---:" for is_words in columns_of_words(table)]
    lines = [_markdown_line([escape_markdown(name) for name in table.columns]), f"|{'|'.join(sides)}|"]
    lines += [_markdown_line([escape_markdown(text) for text in row]) for row in texts_of(table)]
    return "\n".join([escape_markdown(table.caption), "", *lines, ""])


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
