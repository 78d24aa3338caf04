"""First trees of tables that the exact search does not solve at once: the best of several greedy ones.

Our greedy tree over codes by entropy and by the Gini index, scikit-learn's trees on the same columns, and ITI's where
that is cheap. They differ by a few percent, and which one is the smallest depends on the table. All of them together
take a tenth of the time at most.

scikit-learn checks no clock. So it grows a tree only if the time of our own greedy tree, which is 4 to 20 times faster,
says that it will be ready in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from .._support.clock import Clock
from ..bounds.upper import grow_code_tree, iti_tree
from ..problem import BinaryProblem, Codes, CodeTree, OrdinalProblem
from ..tree import Tree
from .incumbent import Incumbent

SHARE = 0.1  # of the time left
MAX_SECONDS = 20.0
CRITERIA: tuple[Literal["entropy", "gini"], ...] = ("entropy", "gini")
N_SEEDS = 3  # of scikit-learn
SLOWDOWN = 20  # of scikit-learn's tree against ours
MAX_LEVELS = 64  # of a column without order, for scikit-learn
MAX_ITI_CELLS = 2_000_000


def offer_first_trees(incumbent: Incumbent) -> None:
    """Offer the trees that satisfy the constraints."""
    clock = Clock(min(SHARE * incumbent.clock.left, MAX_SECONDS))
    for name, tree in first_trees(incumbent.problem, clock):
        if incumbent.problem.is_pure(tree) and incumbent.constraints.allows(tree, incumbent.problem):
            with incumbent.credit(name):
                incumbent.offer(tree)


def first_trees(problem: BinaryProblem, clock: Clock) -> Iterator[tuple[str, Tree]]:
    """Yield trees with the name of the heuristic until the clock reaches its limit."""
    seconds = 0.0
    for criterion in CRITERIA:
        start = monotonic()
        grown = grow_code_tree(
            problem.codes, problem.labels, len(problem.classes), clock.left, criterion=criterion, gives_up=True
        )
        if grown is None:
            return
        seconds = max(seconds, SLOWDOWN * (monotonic() - start))
        yield "greedy", problem.tree_of_codes(grown)
    if not isinstance(problem, OrdinalProblem) and problem.n_examples * problem.n_features <= MAX_ITI_CELLS:
        tree = iti_tree(problem, seconds=clock.left / 2)
        if tree is not None:
            yield "iti", tree
    columns: _Columns | None = None
    for seed in range(N_SEEDS):
        for criterion in CRITERIA:
            if seconds > clock.left:
                return
            start = monotonic()
            columns = columns or _Columns.of(problem.codes)
            yield "scikit-learn", columns.grow(problem, criterion, seed)
            seconds = monotonic() - start


class _Columns:
    """The columns of codes for scikit-learn: those without order become a 0/1 column for each frequent level."""

    def __init__(self, matrix: NDArray[np.float32], column: NDArray[np.int32], level: NDArray[np.int32]) -> None:
        self.matrix = matrix
        self.column = column  # of the codes
        self.level = level  # -1 for an ordered column

    @classmethod
    def of(cls, codes: Codes) -> _Columns:
        columns: list[NDArray[np.float32]] = []
        sources: list[tuple[int, int]] = []
        for index, values in enumerate(codes.values):
            if codes.is_ordered[index]:
                columns.append(values.astype(np.float32))
                sources.append((index, -1))
                continue
            counts = np.bincount(values)
            for level in np.argsort(-counts, kind="stable")[:MAX_LEVELS].tolist():
                columns.append((values == level).astype(np.float32))
                sources.append((index, level))
        column, level = np.array(sources, dtype=np.int32).T
        return cls(np.stack(columns, axis=1), column, level)

    def grow(self, problem: BinaryProblem, criterion: str, seed: int) -> Tree:
        """Grow a tree, which is not pure if levels are missing among the columns."""
        weights = None if (problem.weights == 1).all() else problem.weights
        model = DecisionTreeClassifier(criterion=criterion, random_state=seed)
        nodes = model.fit(self.matrix, problem.labels, sample_weight=weights).tree_
        is_inner = nodes.children_left >= 0
        column, level = self.column[nodes.feature], self.level[nodes.feature]
        code = np.where(level >= 0, level, np.floor(nodes.threshold).astype(np.int32))
        is_level = is_inner & (level >= 0)
        # "≤ t" is scikit-learn's left; yes is our right. Of a level, "≤ 0.5" is no.
        no = np.where(is_level, nodes.children_left, nodes.children_right)
        yes = np.where(is_level, nodes.children_right, nodes.children_left)
        label = model.classes_[nodes.value[:, 0, :].argmax(axis=1)]
        return problem.tree_of_codes(_breadth_first(column, code, no, yes, label, is_inner))


def _breadth_first(
    column: NDArray[np.int32],
    code: NDArray[np.int32],
    no: NDArray[np.int64],
    yes: NDArray[np.int64],
    label: NDArray[np.int32],
    is_inner: NDArray[np.bool_],
) -> CodeTree:
    """Return the tree with its nodes numbered breadth first."""
    order = [0]
    for node in order:
        if is_inner[node]:
            order += [int(no[node]), int(yes[node])]
    inner = is_inner[order]
    left = np.where(inner, 2 * np.cumsum(inner) - 1, -1)
    return CodeTree(
        np.where(inner, column[order], -1).astype(np.int32),
        np.where(inner, code[order], -1).astype(np.int32),
        left.astype(np.int32),
        np.where(inner, -1, label[order]).astype(np.int32),
    )
