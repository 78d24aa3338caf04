"""The result of a fit: one tree, the trees it was chosen from, and the proof that none is smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._support.clock import Clock
from .._support.text import format_count, quantity
from ..errors import InputError, UnfinishedWarning, warn
from ..forest import Forest, TreeList, grow_forest
from ..outcome import UNITS, Outcome, number
from ..problem import Constraints, Prepared, PreparedCosts
from ..table import Table
from ..tree import Tree, class_shares
from . import Choice, Evidence, Rows, SelectionRule, choose
from .adoption import check_adopted
from .candidates import CandidateSet, Limits

ADOPTED = "adopted"
"""The selection rule of a tree that somebody chose."""


@dataclass(frozen=True, slots=True)
class FitResult:
    """A tree chosen among minimum trees.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
        The training rows; the second where errors are allowed.
    constraints : Constraints
        What the trees satisfy.
    candidates : CandidateSet
        The proof, and the trees to choose from.
    choice : Choice
        The chosen tree, and those that score as high.
    rule : str
        The name of the selection rule.
    smoothing : float, default=0
        The weight of the prior in the class probabilities; see :func:`~puretree.tree.class_shares`.
    note : str, default=""
        What somebody noted about the tree that was adopted.
    """

    prepared: Prepared | PreparedCosts
    constraints: Constraints
    candidates: CandidateSet
    choice: Choice
    rule: str
    smoothing: float = 0.0
    note: str = ""

    @property
    def tree(self) -> Tree:
        """The chosen tree."""
        return self.choice.tree

    @property
    def best(self) -> Forest | TreeList:
        """All trees that the rule scores highest, or within delta: the result of the paper's algorithm."""
        return self.choice.top_scoring

    @property
    def outcome(self) -> Outcome:
        """The proof, or the bounds so far."""
        return self.candidates.outcome

    @property
    def scores(self) -> dict[str, Any]:
        """The rule and its scores, as plain values."""
        return {
            "rule": self.rule,
            "score": self.choice.score,
            "n_best": self.choice.top_scoring.count,
            "n_candidates": self.candidates.trees.count,
            "n_unproved": self.candidates.n_unproved,
            "is_exact": self.choice.is_exact and not self.candidates.lacks_trees,
            **({"note": self.note} if self.rule == ADOPTED else {}),
        }

    @property
    def is_chosen(self) -> bool:
        """Whether the rule chose the tree; if not, a limit was reached first, and the tree is one of the candidates."""
        return self.choice.is_exact or self.choice.score is not None

    @property
    def training(self) -> tuple[Table, NDArray[Any]]:
        """The training rows, without those that a conflict removed, and the labels that the tree predicts for them."""
        rows = self.prepared.table.take(self.prepared.kept_rows)
        return rows, self.tree.predict(rows)

    def leaf_shares(self) -> NDArray[np.float64]:
        """Return the class frequencies of the training rows at each node, by weight, smoothed.

        Contradictory rows are counted with all of their labels, so that leaves may be impure.
        """
        prepared = self.prepared
        leaves = self.tree.apply(prepared.table)
        weights = self.tree.weights_of_nodes(leaves, prepared.labels.codes, prepared.weights)
        return class_shares(weights, self.smoothing)

    def with_all_trees(self, time_limit: float | None = None, memory_limit: float | None = None) -> FitResult:
        """Return the result with all minimum trees, computed now if they are not known; the minimum must be proved.

        Raises
        ------
        UnfinishedError
            If a limit is reached before all of them are found.
        """
        if self.candidates.forest is not None:
            return self
        assert isinstance(self.prepared, Prepared)
        clock = Clock.of(time_limit)
        forest = grow_forest(
            self.prepared, self.constraints, proof=self.outcome, clock=clock, memory_limit=memory_limit
        )
        return replace(self, candidates=replace(self.candidates, forest=forest))

    def reselect(self, rule: SelectionRule, selection: Rows, limits: Limits, random_state: Any = None) -> FitResult:
        """Choose by other rows, among all minimum trees if they are known, else among the same candidates.

        If a limit is reached or the user interrupts, the tree stays the same.
        """
        training = Rows.of(self.prepared)
        evidence = Evidence(
            *(training, selection, check_random_state(random_state), limits.clock), memory_limit=limits.memory_limit
        )
        trees = self.candidates.forest or self.candidates.trees
        result = replace(self, choice=choose(rule, trees, evidence, self.tree), rule=rule.name, note="")
        if not result.is_chosen:
            warn(UnfinishedWarning(not_chosen(result, limits.clock)))
        return result

    def adopt(self, tree: Tree, note: str = "") -> Self:
        """Return the result with a tree that somebody chose; see :func:`~puretree.selection.adoption.check_adopted`.

        Parameters
        ----------
        tree : Tree
        note : str, default=""
            Why it was chosen.
        """
        if not isinstance(note, str):
            raise InputError("is not a text; use a string", parameter="note", value=note)
        adopted = check_adopted(self.prepared, self.constraints, self.tree, tree)
        choice = Choice(adopted, TreeList([adopted]), None, True)
        return replace(self, choice=choice, rule=ADOPTED, note=note)


def warn_if_unfinished(result: FitResult, clock: Clock) -> None:
    """Warn if a limit was reached before the minimum was proved, all trees were found, or one of them was chosen.

    Parameters
    ----------
    result : FitResult
    clock : Clock
        The clock of the fit, which an interrupt has stopped.
    """
    if result.outcome.status != "optimal":
        warn(UnfinishedWarning(unfinished(result.outcome)))
    elif result.candidates.stopped == "limit":
        n_trees = result.candidates.trees.count
        known = "no other is known" if n_trees == 1 else f"{n_trees} of them are candidates"
        what = f"the tree is proved minimum, but {_limit(clock)} before all trees of its size were found: {known}"
        warn(UnfinishedWarning(what))
    elif not result.is_chosen:
        warn(UnfinishedWarning(f"the tree is proved minimum, but {not_chosen(result, clock)}"))


def not_chosen(result: FitResult, clock: Clock) -> str:
    """Return the text of a warning that a limit was reached before the rule chose a tree."""
    n_trees = format_count(result.candidates.trees.count)
    return f"{_limit(clock)} before one of {n_trees} trees was chosen by {result.rule!r}: the tree is any of them"


def _limit(clock: Clock) -> str:
    return "the user interrupted" if clock.is_stopped else "a limit was reached"


def unfinished(outcome: Outcome) -> str:
    """Return the text of a warning that a limit was reached before optimality was proved."""
    reason = {
        "time_limit": "time limit reached",
        "memory_limit": "memory limit reached",
        "interrupted": "interrupted",
        "unproved": "the engine finished",
    }[outcome.status]
    if outcome.tree is None:
        return f"{reason} before a tree that satisfies the constraints was found; allow more time"
    lower, upper = number(outcome.lower_bound), number(outcome.upper_bound or 0)
    return (
        f"{reason} before optimality was proved: the tree has {quantity(outcome.tree.n_nodes, 'node')}, the minimum "
        f"{UNITS[outcome.minimised]} lies between {lower} and {upper}; allow more time"
    )
