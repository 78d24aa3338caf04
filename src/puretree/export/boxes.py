"""The box of a node: its text and its size."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from .._support.text import quantity
from ..binarize.predicate import format_level
from .appearance import BOLD, text_width, wrap
from .node_view import NodeView

Direction = Literal["down", "right"]

FONT, SMALL = 13.0, 11.0  # font sizes
LINE_HEIGHT = 17.0
PAD = 9.0  # between a text and the border of its box
SPLIT_WIDTH, SPLIT_LINES = 170.0, 5
LABEL_WIDTH, LABEL_LINES = 130.0, 2


@dataclass(frozen=True, slots=True)
class Box:
    """A node's box.

    Parameters
    ----------
    node : NodeView
    x, y : float
        The centre.
    width, height : float
    lines : tuple of str
        The text, cut where it is too long.
    note : str
        The number of rows at a leaf; "" if there is none.
    title : str
        The full text.
    """

    node: NodeView
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    note: str
    title: str

    def moved(self, x: float, y: float) -> Box:
        """Return the box, moved by an offset."""
        return replace(self, x=self.x + x, y=self.y + y)

    def texts(self) -> list[Text]:
        """Return the lines and the note with their positions."""
        note_width = text_width(self.note, SMALL)
        on_one_line = bool(self.note) and self.width > note_width + 2 * PAD and self.height < 2 * LINE_HEIGHT
        x = self.x - (note_width + 10) / 2 if on_one_line else self.x
        y = self.y - self.height / 2 + PAD / 2 + 13
        texts = [Text(line, x, y + i * LINE_HEIGHT, FONT, self.node.is_leaf) for i, line in enumerate(self.lines)]
        if self.note:
            note_x = self.x + self.width / 2 - PAD - note_width / 2
            texts.append(
                Text(self.note, note_x, y, SMALL)
                if on_one_line
                else Text(self.note, x, texts[-1].y + LINE_HEIGHT, SMALL)
            )
        return texts


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text: the middle of its baseline and its style. Small text is drawn in a faint colour."""

    text: str
    x: float
    y: float
    size: float
    is_bold: bool = False


def make_box(node: NodeView, direction: Direction) -> Box:
    """Compute the box of a node, centred at zero. In a tree that grows to the right, a leaf takes one line."""
    n_rows = _format_rows(node)
    if node.split is not None and node.short_split is not None:
        lines = wrap(_with_fixed_spaces(node.short_split), SPLIT_WIDTH, FONT, SPLIT_LINES)
        title = node.split + (f" ({n_rows})" if n_rows else "")
        width = max(text_width(line, FONT) for line in lines)
        height = len(lines) * LINE_HEIGHT
        note = ""
    else:
        assert node.label is not None
        label, note = format_level(node.label), n_rows
        title = label + (f" ({note})" if note else "")
        lines = wrap(label, LABEL_WIDTH, FONT * BOLD, LABEL_LINES if direction == "down" else 1)
        label_width, note_width = max(text_width(line, FONT * BOLD) for line in lines), text_width(note, SMALL)
        on_one_line = direction == "right" and bool(note)
        width = label_width + 10 + note_width if on_one_line else max(label_width, note_width)
        height = LINE_HEIGHT * (len(lines) + (bool(note) and not on_one_line))
    branch_width = text_width(node.branch, SMALL) if direction == "down" else 0.0
    return Box(node, 0.0, 0.0, max(width + 2 * PAD, branch_width), height + PAD, lines, note, title)


def _with_fixed_spaces(split: str) -> str:
    """Prevent line breaks within an interval and between an operator and its number."""
    split = re.sub(r"in ([\[(][^ ,]+), ([^ ,]+[\])])", "in\N{NO-BREAK SPACE}\\1,\N{NO-BREAK SPACE}\\2", split)
    return re.sub(r"([≤≥<>=]) (?=[-\d])", "\\1\N{NO-BREAK SPACE}", split)


def _format_rows(node: NodeView) -> str:
    if node.n_rows is None:
        return ""
    return quantity(node.n_rows, "row")
