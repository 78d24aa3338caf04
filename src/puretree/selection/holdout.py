"""The paper's rule: the trees that are best on rows kept back, within δ, and one of them at random.

The rows kept back do not train, and what the choice brings has to make up for that: see docs/benchmarks.md. The rule is
here to reproduce the paper, and for those who have such rows anyway.

Alòs, Ansótegui and Torres (2022), Algorithm 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import InputError, shorten
from ..forest.best import accuracy_scores
from ..table import Labels
from .rules import Candidates, Choice, Evidence, best_of
from .teacher import Teacher


@dataclass(frozen=True, slots=True)
class Holdout:
    """Best on the selection set.

    Parameters
    ----------
    delta : float, default=0.0
        How much less accuracy than the best is good enough, as a share of the selection rows.
    ties : Teacher, optional
        Who decides among those that are good enough; by default chance does.
    """

    delta: float = 0.0
    ties: Teacher | None = None
    needs_selection: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name of the rule."""
        return "holdout" if self.ties is None else f"holdout-{self.ties.name}"

    def __post_init__(self) -> None:
        require_delta(self.delta)

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by accuracy on the selection set; see :class:`SelectionRule`."""
        assert evidence.selection is not None
        rows, labels = evidence.selection.table, evidence.selection.labels
        _require_known(labels, candidates)
        right = accuracy_scores(labels, rows.n_rows, candidates.classes)
        good = best_of(candidates, right, rows, evidence, within=self.delta * rows.n_rows)
        if self.ties is None:
            return Choice(good.trees.sample(1, evidence.random)[0], good.trees, good.score, good.is_exact)
        settled = self.ties.choose(good.trees, evidence)
        return Choice(settled.tree, good.trees, good.score, good.is_exact and settled.is_exact)


def require_delta(delta: float) -> None:
    """Refuse what is not a share."""
    if not 0 <= delta <= 1:
        raise InputError(f"delta={delta!r} is not a share of the selection rows; use a number from 0 to 1")


def _require_known(labels: Labels, candidates: Candidates) -> None:
    if not set(labels.classes) & set(candidates.classes):
        raise InputError(
            f"no tree knows any label of the selection set ({shorten(map(repr, labels.classes))}); those of training "
            f"are {shorten(map(repr, candidates.classes))}: convert them to the same kind"
        )
