"""Write a document as Markdown, to be read as it is, kept under version control, or converted to other formats.

Every text is escaped, and the drawing of the tree is fenced by more backticks than any name in it contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .._support.text import escape
from .content import (
    Block,
    BulletList,
    Document,
    Drawing,
    FrontPicture,
    Paragraph,
    Placeholder,
    Table,
    Verdict,
    escape_unprintable,
)

_ALIGNMENTS = {"text": "---", "number": "---:", "code": "---"}


def to_markdown(document: Document) -> str:
    """Return a document as Markdown."""
    blocks = [f"# {_text(document.title)}", *map(_block, document.lead)]
    for section in document.sections:
        written = [_block(block) for block in section.blocks if not isinstance(block, FrontPicture)]  # a table follows
        blocks += [f"## {_text(section.title)}", *written]
    return "\n\n".join([*blocks, "---", _text(document.footer)]) + "\n"


def _text(text: str) -> str:
    return escape(escape_unprintable(text))


def _block(block: Block) -> str:
    write: Callable[[Any], str] = _WRITERS[type(block)]
    return write(block)


def _paragraph(block: Paragraph) -> str:
    return _text(block.text)


def _verdict(block: Verdict) -> str:
    return f"> **{_text(block.title)}.** {_text(block.text)}"


def _bullet_list(block: BulletList) -> str:
    return "\n".join(f"- {_text(text)}" for text in block.texts)


def _placeholder(block: Placeholder) -> str:
    return f"> **To be completed by hand.** {_text(block.prompt)}\n>\n> …"


def _drawing(block: Drawing) -> str:
    drawn = "\n".join(escape_unprintable(line) for line in block.tree.to_text().split("\n"))
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", drawn))]))
    return f"{_text(block.caption)}\n\n{fence}text\n{drawn}\n{fence}"


def _table(block: Table) -> str:
    lines = [_line(block.header), f"|{'|'.join(_ALIGNMENTS[kind] for kind in block.kinds)}|", *map(_line, block.rows)]
    return "\n".join([f"{_text(block.caption)}:", "", *lines])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


_WRITERS: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Verdict: _verdict,
    BulletList: _bullet_list,
    Table: _table,
    Drawing: _drawing,
    Placeholder: _placeholder,
}
