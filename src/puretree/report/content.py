"""The content of a document, independent of its markup: built once, then written as Markdown and as HTML.

All texts here are plain. Only the writers produce markup, and they escape every text, so no name from the data can
become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..tree import Tree
from ..tuning import FrontRecord

Kind = Literal["text", "number", "code"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The central claim of a document, and whether it is proved."""

    is_proved: bool
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BulletList:
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
        How each column is typeset.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree: a picture where the format allows it, otherwise indented text."""

    tree: Tree
    caption: str


@dataclass(frozen=True, slots=True)
class FrontPicture:
    """The front and its cross-validation: a picture where the format allows it; a table has the same numbers."""

    front: FrontRecord
    caption: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A field that only people can complete."""

    prompt: str


Block = Paragraph | Verdict | BulletList | Table | Drawing | FrontPicture | Placeholder


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
        The blocks before the first section.
    sections : tuple of Section
    footer : str
        The last line.
    has_contents : bool
        Whether the document is long enough to need a table of contents.
    """

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]
    footer: str
    has_contents: bool = False


def make_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[object]], kinds: str) -> Table:
    """Return a table; the kinds of its columns are abbreviated as t(ext), n(umber) and c(ode)."""
    kind_of: dict[str, Kind] = {"t": "text", "n": "number", "c": "code"}
    cells = tuple(tuple(map(str, row)) for row in rows)
    return Table(caption, tuple(header), cells, tuple(kind_of[letter] for letter in kinds))


def escape_unprintable(text: str) -> str:
    r"""Replace characters that are invisible or change the direction of the text by their escape sequences.

    >>> print(escape_unprintable("a\nb\u202ec"))
    a\nb\u202ec
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
