"""The box of a node: which words stand in it, and how large they make it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from ..binarize.predicate import format_level
from .appearance import BOLD, text_width, wrap
from .node_view import NodeView

Direction = Literal["down", "right"]

FONT, SMALL = 13.0, 11.0  # letter sizes
LINE_HEIGHT = 17.0
PAD = 9.0  # between a text and its box
QUESTION_WIDTH, QUESTION_LINES = 170.0, 5
LABEL_WIDTH, LABEL_LINES = 130.0, 2


@dataclass(frozen=True, slots=True)
class Box:
    """A node's box: its middle, its size, its lines, and its whole text."""

    told: NodeView
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    note: str
    title: str

    def moved(self, x: float, y: float) -> Box:
        """Return the box somewhere else."""
        return replace(self, x=self.x + x, y=self.y + y)

    def texts(self) -> list[Text]:
        """Return the lines with their places."""
        note_width = text_width(self.note, SMALL)
        is_beside = bool(self.note) and self.width > note_width + 2 * PAD and self.height < 2 * LINE_HEIGHT
        x = self.x - (note_width + 10) / 2 if is_beside else self.x
        y = self.y - self.height / 2 + PAD / 2 + 13
        found = [Text(line, x, y + i * LINE_HEIGHT, FONT, self.told.is_leaf) for i, line in enumerate(self.lines)]
        if self.note:
            right = self.x + self.width / 2 - PAD - note_width / 2
            found.append(
                Text(self.note, right, y, SMALL) if is_beside else Text(self.note, x, found[-1].y + LINE_HEIGHT, SMALL)
            )
        return found


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text: the middle of its base line, and how it is written. Small ones are faint."""

    words: str
    x: float
    y: float
    size: float
    is_bold: bool = False


def make_box(told: NodeView, direction: Direction) -> Box:
    """Measure the box of a node, its middle at zero. Growing to the right, a leaf takes one line."""
    if told.question is not None and told.brief is not None:
        lines = wrap(_kept_together(told.brief), QUESTION_WIDTH, FONT, QUESTION_LINES)
        title = told.question + (f" ({_rows(told)})" if _rows(told) else "")
        width = max(text_width(line, FONT) for line in lines)
        height = len(lines) * LINE_HEIGHT
        note = ""
    else:
        assert told.label is not None
        label, note = format_level(told.label), _rows(told)
        title = label + (f" ({note})" if note else "")
        lines = wrap(label, LABEL_WIDTH, FONT * BOLD, LABEL_LINES if direction == "down" else 1)
        label_width, note_width = max(text_width(line, FONT * BOLD) for line in lines), text_width(note, SMALL)
        beside = direction == "right" and bool(note)
        width = label_width + 10 + note_width if beside else max(label_width, note_width)
        height = LINE_HEIGHT * (len(lines) + (bool(note) and not beside))
    answer_width = text_width(told.answer, SMALL) if direction == "down" else 0.0
    return Box(told, 0.0, 0.0, max(width + 2 * PAD, answer_width), height + PAD, lines, note, title)


def _kept_together(question: str) -> str:
    """Let no line break fall within an interval, or between a sign and its number."""
    question = re.sub(r"in ([\[(][^ ,]+), ([^ ,]+[\])])", "in\N{NO-BREAK SPACE}\\1,\N{NO-BREAK SPACE}\\2", question)
    return re.sub(r"([≤≥<>=]) (?=[-\d])", "\\1\N{NO-BREAK SPACE}", question)


def _rows(told: NodeView) -> str:
    if told.n_rows is None:
        return ""
    return f"{told.n_rows} row{'s' * (told.n_rows != 1)}"
