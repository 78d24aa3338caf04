"""Small pure trees by constraint programming: a model for CP-SAT of OR-tools.

As in the constraint model of Bessiere, Hebrard and O'Sullivan (CP 2009), there are variables for the feature and the
parent of every inner node, and every example is followed through the tree. It depends only on NumPy and OR-tools.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np


class TreeModel:
    """The pure trees with at most a given number of tests.

    Slots are potential tests, numbered breadth first; unused ones come last. Edge 2i is the "no" branch of slot i, edge
    2i+1 its "yes" branch. An edge leads to a later slot or to a leaf.

    Parameters
    ----------
    rows : ndarray of bool of shape (n_examples, n_features)
    labels : ndarray of int of shape (n_examples,)
    n_tests : int
        The number of slots.
    max_depth : int or None
        The maximum number of tests on a path.
    roots : list of int or None
        The features that the root may test.
    """

    def __init__(self, rows: Any, labels: Any, n_tests: int, max_depth: int | None, roots: list[int] | None) -> None:
        self.cp = importlib.import_module("ortools.sat.python.cp_model")
        self.model = self.cp.CpModel()
        self.codes, classes = np.unique(labels, return_inverse=True)
        edges = range(2 * n_tests)
        self.used = self._bools(n_tests)
        self.tests = [self._bools(rows.shape[1]) for _ in range(n_tests)]
        self.leaf = [self._bools(len(self.codes)) for _ in edges]
        self.child = [{j: self._bools(1)[0] for j in range(e // 2 + 1, min(e + 2, n_tests))} for e in edges]
        self._add_layout()
        if roots is not None:
            self.model.add_bool_or([self.tests[0][feature] for feature in roots])
        if max_depth is not None:
            self._limit_depth(max_depth)
        for row, class_ in zip(rows, classes.tolist(), strict=True):
            self._add_example(np.flatnonzero(row).tolist(), class_)
        self.model.minimize(self.cp.LinearExpr.sum(self.used))

    def _bools(self, n: int) -> list[Any]:
        return [self.model.new_bool_var("") for _ in range(n)]

    def _add_layout(self) -> None:
        """Require that used slots test one feature and have a place in the tree, in breadth-first order."""
        self.model.add_bool_and(self.used[0])
        places: list[Any] = []
        for i, used in enumerate(self.used):
            self.model.add_exactly_one([*self.tests[i], ~used])
            for edge in (2 * i, 2 * i + 1):
                self.model.add_exactly_one([*self.leaf[edge], *self.child[edge].values(), ~used])
            if i == 0:
                continue
            parents = {edge: children[i] for edge, children in enumerate(self.child) if i in children}
            self.model.add_implication(used, self.used[i - 1])
            self.model.add_exactly_one([*parents.values(), ~used])
            places.append(self.cp.LinearExpr.weighted_sum(list(parents.values()), list(parents)))
            if i > 1:
                self.model.add(places[-2] < places[-1]).only_enforce_if(used)

    def _limit_depth(self, max_depth: int) -> None:
        depth = [self.model.new_int_var(0, max_depth - 1, "") for _ in self.used]
        for edge, children in enumerate(self.child):
            for j, is_child in children.items():
                self.model.add(depth[j] > depth[edge // 2]).only_enforce_if(is_child)

    def _add_example(self, features: list[int], class_: int) -> None:
        """Require that an example, given by its true features, reaches no leaf of another class."""
        reaches = self._bools(len(self.used))
        self.model.add_bool_and(reaches[0])
        for i, goes_right in enumerate(self._bools(len(self.used))):
            self.model.add(self.cp.LinearExpr.sum([self.tests[i][feature] for feature in features]) == goes_right)
            for edge, goes_elsewhere in ((2 * i, goes_right), (2 * i + 1, ~goes_right)):
                for other, is_leaf in enumerate(self.leaf[edge]):
                    if other != class_:
                        self.model.add_bool_or([~reaches[i], goes_elsewhere, ~is_leaf])
                for j, is_child in self.child[edge].items():
                    self.model.add_bool_or([~reaches[i], goes_elsewhere, ~is_child, reaches[j]])

    def tree(self, is_true: Callable[[Any], bool], slot: int = 0) -> Any:
        """Return the tree of a solution as nested lists (feature, no, yes) with the classes at the leaves."""
        node: list[Any] = [next(feature for feature, tested in enumerate(self.tests[slot]) if is_true(tested))]
        for edge in (2 * slot, 2 * slot + 1):
            children = [j for j, is_child in self.child[edge].items() if is_true(is_child)]
            leaves = [code for code, leaf in zip(self.codes.tolist(), self.leaf[edge], strict=True) if is_true(leaf)]
            node.append(self.tree(is_true, children[0]) if children else leaves[0])
        return node


def find_trees(rows: Any, labels: Any, send: Callable[[Any], None], *, seconds: float, **limits: Any) -> dict[str, Any]:
    """Send smaller and smaller trees, and return whether the last one is the smallest, or there is none.

    Parameters
    ----------
    rows, labels, **limits
        As for :class:`TreeModel`.
    send : callable
        Called with ``{"tree": nested lists}``.
    seconds : float
        The time limit.
    """
    trees = TreeModel(rows, labels, **limits)
    cp = trees.cp

    class SendTree(cp.CpSolverSolutionCallback):  # type: ignore[misc,name-defined]  # OR-tools is optional
        def on_solution_callback(self) -> None:
            send({"tree": trees.tree(self.boolean_value)})

    solver = cp.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0  # trees were found earlier without linear relaxations
    solver.parameters.catch_sigint_signal = False  # it would replace Python's handler for good
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(trees.model, SendTree())
    return {"tree": None, "is_finished": status in (cp.OPTIMAL, cp.INFEASIBLE)}
