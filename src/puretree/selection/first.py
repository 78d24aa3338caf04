"""No choice at all: the first tree that was found, as the paper's mpdt-1 does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .choice import Candidates, Choice, Evidence


@dataclass(frozen=True, slots=True)
class First:
    """The first candidate."""

    name: ClassVar[str] = "first"
    needs_selection: ClassVar[bool] = False

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Take the first; see :class:`SelectionRule`."""
        return Choice(candidates[0], candidates, None, True)
