"""The paper's rule: find the trees with the best accuracy on a selection set, within δ, and choose one at random.

The selection set is not used for training, and the choice must make up for that: see docs/benchmarks.md. The rule is
for reproducing the paper, and for users who have a selection set anyway.

Alòs, Ansótegui and Torres (2022), Algorithm 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import InputError, shorten
from ..forest.best import accuracy_scores
from ..table import Labels
from .rules import Candidates, Choice, Evidence, find_top_scoring
from .teacher import Teacher


@dataclass(frozen=True, slots=True)
class Holdout:
    """Chooses a tree with the best accuracy on the selection set.

    Parameters
    ----------
    delta : float, default=0.0
        The accepted loss of accuracy compared with the best, as a fraction of the selection rows.
    ties : Teacher, optional
        The rule that decides among the accepted trees; by default one is drawn at random.
    """

    delta: float = 0.0
    ties: Teacher | None = None
    needs_selection: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name of the rule."""
        return "holdout" if self.ties is None else f"holdout-{self.ties.name}"

    def __post_init__(self) -> None:
        check_delta(self.delta)

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by accuracy on the selection set; see :class:`SelectionRule`."""
        assert evidence.selection is not None
        rows, labels = evidence.selection.table, evidence.selection.labels
        _check_labels(labels, candidates)
        scores = accuracy_scores(labels, rows.n_rows, candidates.classes) * rows.row_weights[:, None]
        top = find_top_scoring(candidates, scores, rows, evidence, within=self.delta * rows.total_weight)
        if self.ties is None:
            return Choice(top.trees.sample(1, evidence.random)[0], top.trees, top.score, top.is_exact)
        tie_break = self.ties.choose(top.trees, evidence)
        return Choice(tie_break.tree, top.trees, top.score, top.is_exact and tie_break.is_exact)


def check_delta(delta: float) -> None:
    """Raise an error unless delta is a fraction."""
    if not 0 <= delta <= 1:
        raise InputError(
            "is not a fraction of the selection rows; use a number from 0 to 1", parameter="delta", value=delta
        )


def _check_labels(labels: Labels, candidates: Candidates) -> None:
    """Raise an error if the selection set has no label of the training set."""
    if not set(labels.classes) & set(candidates.classes):
        raise InputError(
            f"the selection set has no label of the training set: its labels are "
            f"{shorten(map(repr, labels.classes))}, those of training are {shorten(map(repr, candidates.classes))}; "
            "convert them to the same type"
        )
