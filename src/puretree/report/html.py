"""A document as one HTML file: no script, no request to anywhere, readable on a screen by day and night, and on paper.

Every text is escaped, and a policy in the page forbids scripts and requests, should anything ever slip through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from ..export.notebook import LARGEST_DRAWING
from ..export.svg import to_svg
from .content import Block, Document, Drawing, Items, Paragraph, Section, Table, ToFill, Verdict, visible
from .style import STYLE

_PIECES = re.compile(r"\S{32}(?=\S)|(?:(?!\S{33}).)+", re.DOTALL)
SHORT = 12  # lines of a table that stays on one page of paper
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def to_html(document: Document) -> str:
    """Write a document as a page of its own."""
    title = escape(visible(document.title))
    body = [f"<h1>{_text(document.title)}</h1>", *map(_block, document.lead)]
    if document.has_contents:
        body.append(_contents(document.sections))
    for number, section in enumerate(document.sections, 1):
        body.append(f'<section aria-labelledby="s{number}">\n<h2 id="s{number}">{_text(section.title)}</h2>')
        body += [*map(_block, section.blocks), "</section>"]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>",
            *body,
            f"</main>\n<footer><p>{_text(document.closing)}</p></footer>\n</body>\n</html>\n",
        ]
    )


def _text(text: str) -> str:
    """Write text as it is; long words, such as hashes, may break."""
    return "<wbr>".join(map(escape, _PIECES.findall(visible(text))))


def _contents(sections: Sequence[Section]) -> str:
    links = "".join(f'<li><a href="#s{i}">{_text(section.title)}</a></li>\n' for i, section in enumerate(sections, 1))
    return f'<nav aria-label="Contents">\n<ol>\n{links}</ol>\n</nav>'


def _block(block: Block) -> str:
    write: Callable[[Any], str] = _WRITERS[type(block)]
    return write(block)


def _paragraph(block: Paragraph) -> str:
    return f"<p>{_text(block.text)}</p>"


def _verdict(block: Verdict) -> str:
    kind = "proved" if block.is_proved else "open"
    return f'<p class="verdict {kind}"><strong>{_text(block.title)}.</strong> {_text(block.text)}</p>'


def _items(block: Items) -> str:
    return "<ul>\n" + "".join(f"<li>{_text(text)}</li>\n" for text in block.texts) + "</ul>"


def _to_fill(block: ToFill) -> str:
    return f'<div class="fill"><p><strong>To be filled in by people.</strong> {_text(block.prompt)}</p></div>'


def _drawing(block: Drawing) -> str:
    """Draw the tree; with letters where a picture would be slow and nobody could read it."""
    if block.tree.n_nodes <= LARGEST_DRAWING:
        drawn = to_svg(block.tree)
    else:
        drawn = f"<pre>{escape(chr(10).join(map(visible, block.tree.to_text().split(chr(10)))))}</pre>"
    return f'<figure>\n<div class="wide">{drawn}</div>\n<figcaption>{_text(block.caption)}</figcaption>\n</figure>'


def _table(block: Table) -> str:
    header = "".join(
        f'<th scope="col" class="{kind}">{_text(name)}</th>'
        for name, kind in zip(block.header, block.kinds, strict=True)
    )
    short = ' class="short"' if len(block.rows) <= SHORT else ""
    rows = "".join(f"<tr>{_cells(row, block.kinds)}</tr>\n" for row in block.rows)
    return (
        f'<div class="wide"><table{short}>\n<caption>{_text(block.caption)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>"
    )


def _cells(row: Sequence[str], kinds: Sequence[str]) -> str:
    """Write a row; its first cell says what the others are about."""
    first = f'<th scope="row" class="{kinds[0]}">{_text(row[0])}</th>'
    others = (f'<td class="{kind}">{_text(cell)}</td>' for cell, kind in zip(row[1:], kinds[1:], strict=True))
    return first + "".join(others)


_WRITERS: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Verdict: _verdict,
    Items: _items,
    Table: _table,
    Drawing: _drawing,
    ToFill: _to_fill,
}
