"""An explanation: the path through the tree and the nearest change, to print or to send."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..predicate import Level, Predicate, format_level


@dataclass(frozen=True, slots=True)
class Step:
    """A question on the way: what was asked, of what value, and the answer."""

    question: Predicate
    value: Level | None
    answer: bool
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.question}? {'yes' if self.answer else 'no'} (it is {_said(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Change:
    """A column that must change: its value, what must hold instead, and the nearest value for which it does."""

    condition: Predicate
    value: Level | None
    nearest: Level | None
    is_unseen: bool = False

    def __str__(self) -> str:
        return f"{self.condition} (it is {_said(self.value, self.is_unseen)})"


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest change that leads to another label."""

    changes: tuple[Change, ...]
    label: Level

    def __str__(self) -> str:
        return f"if {' and '.join(map(str, self.changes))}: {format_level(self.label)}"


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a row gets its label.

    Parameters
    ----------
    label : str, int, float or bool
        What the tree answers.
    path : tuple of Step
        The questions from the root to the leaf.
    flip : Flip or None
        The nearest change to another label; None if the tree has no other.
    """

    label: Level
    path: tuple[Step, ...]
    flip: Flip | None

    def __str__(self) -> str:
        if not self.path:
            return f"{format_level(self.label)}, always"
        lines = [f"{format_level(self.label)}, because:", *(f"  {step}" for step in self.path)]
        lines.append(f"Nearest change: {self.flip}" if self.flip else "No change leads to another label.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation: {format_level(self.label)} by {len(self.path)} questions>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values; infinite numbers as text."""
        return {
            "label": self.label,
            "path": [
                {
                    "column": step.question.column.name,
                    "question": str(step.question),
                    "answer": step.answer,
                    "value": _json(step.value),
                }
                for step in self.path
            ],
            "flip": self.flip
            and {
                "label": self.flip.label,
                "changes": [
                    {
                        "column": change.condition.column.name,
                        "condition": str(change.condition),
                        "value": _json(change.value),
                        "nearest": _json(change.nearest),
                    }
                    for change in self.flip.changes
                ],
            },
        }


def _said(value: Level | None, is_unseen: bool) -> str:
    if value is None:
        return "missing"
    return format_level(value) + ", which training did not have" * is_unseen


def _json(value: Level | None) -> Level | None:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
