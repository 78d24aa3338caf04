"""The end of the path: one tree, the trees it was chosen from, and the proof that none is smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._support.clock import Clock
from .._support.resources import free_bytes
from ..forest import Forest, TreeList
from ..outcome import Outcome
from ..problem import Constraints, Prepared
from ..table import Table, label_array
from ..tree import Tree
from . import Choice, Evidence, Rows, SelectionRule, choose
from .candidates import CandidateSet, Limits, find_forest


@dataclass(frozen=True, slots=True)
class FitResult:
    """A tree that was chosen among smallest ones.

    Parameters
    ----------
    prepared : Prepared
        The rows that trained.
    constraints : Constraints
        What was asked of the trees.
    found : CandidateSet
        The proof, and the trees to choose from.
    choice : Choice
        The tree, and those that were as good.
    rule : str
        The name of the rule.
    """

    prepared: Prepared
    constraints: Constraints
    found: CandidateSet
    choice: Choice
    rule: str

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.choice.tree

    @property
    def best(self) -> Forest | TreeList:
        """All trees that the rule found good enough: what the paper's algorithm returns."""
        return self.choice.top_scoring

    @property
    def outcome(self) -> Outcome:
        """The proof, or the bounds so far."""
        return self.found.outcome

    @property
    def scores(self) -> dict[str, Any]:
        """How the choice went, as plain values."""
        return {
            "rule": self.rule,
            "score": self.choice.score,
            "n_best": self.choice.top_scoring.count,
            "n_candidates": self.found.candidates.count,
            "is_exact": self.choice.is_exact and self.found.ending != "limit",
        }

    @property
    def training(self) -> tuple[Table, NDArray[Any]]:
        """The rows that the tree is right on, and their labels."""
        kept, labels = self.prepared.problem.kept_rows, self.prepared.labels
        return self.prepared.table.take(kept), label_array(labels.classes)[labels.codes[kept]]

    def leaf_shares(self, *, with_conflicts: bool) -> NDArray[np.float64]:
        """Return for each node the share of the training rows there that are of each class.

        Parameters
        ----------
        with_conflicts : bool
            Count the rows that a contradiction left out, too: then a leaf is not as sure as it is pure.
        """
        labels, table = self.prepared.labels, self.prepared.table
        rows = np.arange(table.n_rows) if with_conflicts else self.prepared.problem.kept_rows
        counts = self.tree.with_counts(table.take(rows), labels.codes[rows]).counts
        assert counts is not None
        shares: NDArray[np.float64] = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        return shares

    def with_all_trees(self, time_limit: float | None = None, memory_limit: float | None = None) -> FitResult:
        """Return the same with all smallest trees at hand, found now if need be.

        Raises
        ------
        UnfinishedError
            If the time or the memory is not enough for all of them.
        """
        if self.found.forest is not None:
            return self
        with self.prepared.decoding_errors():
            forest = find_forest(self.prepared, self.constraints, Limits(Clock.of(time_limit), memory_limit))
        return replace(self, found=replace(self.found, forest=forest))

    def reselect(self, rule: SelectionRule, selection: Rows, limits: Limits, random_state: Any = None) -> FitResult:
        """Choose by other rows, among all smallest trees if they are known, else among the same."""
        training = Rows.read(self.prepared.table, self.prepared.labels)
        memory = free_bytes(limits.memory_limit)
        evidence = Evidence(training, selection, check_random_state(random_state), limits.clock, memory_limit=memory)
        return replace(self, choice=choose(rule, self.found.forest or self.found.candidates, evidence), rule=rule.name)
