"""What a document says, apart from how it is written: said once, then written as Markdown and as HTML.

Everything here is plain text. What is markup is the business of the writers, so no name from the data can become any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..tree import Tree

Kind = Literal["text", "number", "code"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentence that most readers come for, and whether it is good news."""

    is_proved: bool
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a caption.

    Parameters
    ----------
    caption : str
    header : tuple of str
    rows : tuple of tuple of str
    kinds : tuple of {"text", "number", "code"}
        How each column is set.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree: a picture where there can be one, else drawn with letters."""

    tree: Tree
    caption: str


@dataclass(frozen=True, slots=True)
class ToFill:
    """A place that only people can fill in."""

    prompt: str


Block = Paragraph | Verdict | Items | Table | Drawing | ToFill


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Sections under a title.

    Parameters
    ----------
    title : str
    lead : tuple of Block
        What comes before the first section.
    sections : tuple of Section
    closing : str
        The last line.
    has_contents : bool
        Whether it is so long that a reader wants a list of the sections.
    """

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]
    closing: str
    has_contents: bool = False


def table(caption: str, header: Sequence[str], rows: Sequence[Sequence[object]], kinds: str) -> Table:
    """Make a table; the kinds of its columns as letters: t(ext), n(umber) or c(ode)."""
    kind_of: dict[str, Kind] = {"t": "text", "n": "number", "c": "code"}
    cells = tuple(tuple(map(str, row)) for row in rows)
    return Table(caption, tuple(header), cells, tuple(kind_of[letter] for letter in kinds))


def visible(text: str) -> str:
    r"""Write what cannot be seen, or turns the direction of reading, by its number.

    >>> print(visible("a\nb\u202ec"))
    a\nb\u202ec
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
