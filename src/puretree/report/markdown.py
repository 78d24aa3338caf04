"""A document as Markdown: read as it is, kept under version control, or turned into anything else.

Every text is escaped, and the drawing of the tree is fenced by more backticks than any name in it has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .._support.text import escape
from .content import Block, Document, Drawing, Items, Paragraph, Table, ToFill, Verdict, visible

_SIDES = {"text": "---", "number": "---:", "code": "---"}


def to_markdown(document: Document) -> str:
    """Write a document."""
    parts = [f"# {_text(document.title)}", *map(_block, document.lead)]
    for section in document.sections:
        parts += [f"## {_text(section.title)}", *map(_block, section.blocks)]
    return "\n\n".join([*parts, "---", _text(document.closing)]) + "\n"


def _text(text: str) -> str:
    return escape(visible(text))


def _block(block: Block) -> str:
    write: Callable[[Any], str] = _WRITERS[type(block)]
    return write(block)


def _paragraph(block: Paragraph) -> str:
    return _text(block.text)


def _verdict(block: Verdict) -> str:
    return f"> **{_text(block.title)}.** {_text(block.text)}"


def _items(block: Items) -> str:
    return "\n".join(f"- {_text(text)}" for text in block.texts)


def _to_fill(block: ToFill) -> str:
    return f"> **To be filled in by people.** {_text(block.prompt)}\n>\n> …"


def _drawing(block: Drawing) -> str:
    drawn = "\n".join(visible(line) for line in block.tree.to_text().split("\n"))
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", drawn))]))
    return f"{_text(block.caption)}\n\n{fence}text\n{drawn}\n{fence}"


def _table(block: Table) -> str:
    lines = [_line(block.header), f"|{'|'.join(_SIDES[kind] for kind in block.kinds)}|", *map(_line, block.rows)]
    return "\n".join([f"{_text(block.caption)}:", "", *lines])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


_WRITERS: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Verdict: _verdict,
    Items: _items,
    Table: _table,
    Drawing: _drawing,
    ToFill: _to_fill,
}
