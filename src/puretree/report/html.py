"""Write a document as one self-contained HTML file, for light and dark screens and for print.

The page has no scripts and makes no requests. Every text is escaped, and a content security policy forbids scripts and
requests in case the escaping should ever fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from ..export.notebook import LARGEST_DRAWING
from ..export.svg import to_svg
from ..tuning.chart import to_svg as front_to_svg
from .content import (
    Block,
    BulletList,
    Document,
    Drawing,
    FrontPicture,
    Paragraph,
    Placeholder,
    Section,
    Table,
    Verdict,
    escape_unprintable,
)
from .style import STYLE

_FRAGMENTS = re.compile(r"\S{32}(?=\S)|(?:(?!\S{33}).)+", re.DOTALL)
MAX_SHORT_ROWS = 12  # larger tables may be broken across printed pages
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def to_html(document: Document) -> str:
    """Return a document as an HTML page."""
    title = escape(escape_unprintable(document.title))
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
            f"</main>\n<footer><p>{_text(document.footer)}</p></footer>\n</body>\n</html>\n",
        ]
    )


def _text(text: str) -> str:
    """Escape a text, and allow line breaks in long words such as hashes."""
    return "<wbr>".join(map(escape, _FRAGMENTS.findall(escape_unprintable(text))))


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


def _bullet_list(block: BulletList) -> str:
    return "<ul>\n" + "".join(f"<li>{_text(text)}</li>\n" for text in block.texts) + "</ul>"


def _placeholder(block: Placeholder) -> str:
    return f'<div class="fill"><p><strong>To be completed by hand.</strong> {_text(block.prompt)}</p></div>'


def _drawing(block: Drawing) -> str:
    """Draw the tree, as text if it is too large for a picture."""
    if block.tree.n_nodes <= LARGEST_DRAWING:
        drawn = to_svg(block.tree)
    else:
        drawn = f"<pre>{escape(chr(10).join(map(escape_unprintable, block.tree.to_text().split(chr(10)))))}</pre>"
    return _figure(drawn, block.caption)


def _front_picture(block: FrontPicture) -> str:
    return _figure(front_to_svg(block.front), block.caption)


def _figure(drawn: str, caption: str) -> str:
    return f'<figure>\n<div class="wide">{drawn}</div>\n<figcaption>{_text(caption)}</figcaption>\n</figure>'


def _table(block: Table) -> str:
    header = "".join(
        f'<th scope="col" class="{kind}">{_text(name)}</th>'
        for name, kind in zip(block.header, block.kinds, strict=True)
    )
    short = ' class="short"' if len(block.rows) <= MAX_SHORT_ROWS else ""
    rows = "".join(f"<tr>{_cells(row, block.kinds)}</tr>\n" for row in block.rows)
    return (
        f'<div class="wide"><table{short}>\n<caption>{_text(block.caption)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>"
    )


def _cells(row: Sequence[str], kinds: Sequence[str]) -> str:
    """Write a row; its first cell is the row header."""
    first = f'<th scope="row" class="{kinds[0]}">{_text(row[0])}</th>'
    others = (f'<td class="{kind}">{_text(cell)}</td>' for cell, kind in zip(row[1:], kinds[1:], strict=True))
    return first + "".join(others)


_WRITERS: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Verdict: _verdict,
    BulletList: _bullet_list,
    Table: _table,
    Drawing: _drawing,
    FrontPicture: _front_picture,
    Placeholder: _placeholder,
}
