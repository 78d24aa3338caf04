"""Adopting a tree that somebody chose by hand, if it is valid for the table and as good as the fitted tree.

A tree from a file is not trusted. Its tests must be features of the table, and it is applied to the raw training rows.
It may be adopted if it satisfies the constraints and has the size and the errors of the fitted tree: then whatever is
proved of that tree holds for it, too. No other tree is: a larger one, say, would be a tree of another model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._support.text import quantity
from ..binarize.predicate import Predicate, format_level
from ..errors import InputError, InputTypeError, shorten
from ..problem import Constraints, Prepared, PreparedCosts
from ..tree import Tree

REMEDY = "adopt a tree of the forest of this model: one of trees_, or of a page made from it"


def check_adopted(prepared: Prepared | PreparedCosts, constraints: Constraints, fitted: Tree, tree: Tree) -> Tree:
    """Return a tree over the features of a table, with its training rows counted.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
        The training rows.
    constraints : Constraints
        What the tree must satisfy.
    fitted : Tree
        The tree whose size and errors, or cost, it must have.
    tree : Tree
        The tree to check.

    Raises
    ------
    InputError
        If the tree does not fit the table, or is not as good as the fitted one. The message has the figures.
    """
    if not isinstance(tree, Tree):
        raise InputTypeError(f"a {type(tree).__name__} cannot be adopted; pass a Tree, such as one of trees_")
    _require_classes(prepared, tree)
    tree = _renumber(prepared, tree)
    if isinstance(prepared, Prepared):
        _require_pure(prepared, tree)
    if tree.n_nodes != fitted.n_nodes:
        raise _refused(f"has {quantity(tree.n_nodes, 'node')}, the fitted tree {fitted.n_nodes}")
    if isinstance(prepared, PreparedCosts):
        return _check_costs(prepared, constraints, fitted, tree)
    cost, least = (sum(prepared.policy.costs[tested(one)].tolist()) for one in (tree, fitted))
    if constraints.minimise == "nodes-then-cost" and cost != least:
        raise _refused(f"has tests of total cost {cost}, those of the fitted tree cost {least}")
    kept = prepared.kept_rows
    leaves = tree.apply(prepared.table.take(kept))
    _require_constraints(prepared, constraints, tree, leaves, prepared.table.row_weights[kept])
    return prepared.check_tree(tree)


def tested(tree: Tree) -> NDArray[np.int32]:
    """Return the feature of each inner node."""
    return tree.feature[tree.left >= 0]


def _refused(reason: str) -> InputError:
    return InputError(f"the tree cannot be adopted: it {reason}; {REMEDY}")


def _require_classes(prepared: Prepared | PreparedCosts, tree: Tree) -> None:
    classes = prepared.problem.classes
    if tree.classes != classes:
        found, expected = (shorten(map(format_level, labels)) for labels in (tree.classes, classes))
        raise _refused(f"has the classes {found}, the training rows have {expected}")


def _renumber(prepared: Prepared | PreparedCosts, tree: Tree) -> Tree:
    """Return the tree with the features of the table that have the predicates of its own."""
    if tree.predicates is None and tree.features:
        raise _refused("tests features of a 0/1 matrix, not columns of a table")
    number_of = {feature: _find(prepared, tree.predicate(feature), feature) for feature in tree.features}
    renumbered = np.array([number_of.get(feature, -1) for feature in tree.feature.tolist()], dtype=np.int32)
    return prepared.readable(Tree(renumbered, tree.left, tree.label, prepared.problem.classes))


def _find(prepared: Prepared | PreparedCosts, predicate: Predicate, likely: int) -> int:
    """Return the feature of a predicate."""
    features, index = prepared.policy.features, predicate.column.index
    if likely < len(features) and features[likely] == predicate:
        return likely
    if index >= len(features.columns) or features.columns[index] != predicate.column:
        same = [column for column in features.columns if column.name == predicate.column.name]
        name = repr(predicate.column.name)
        other = "is another one in the training rows: its position, kind, levels or values differ" if same else "is not"
        raise _refused(f"tests the column {name}, which {other}{'' if same else ' in the training rows'}")
    for position, region in enumerate(features.regions[index]):
        if region == predicate.region:
            return int(features.starts[index]) + position
    raise _refused(f"tests '{predicate}', which is not a feature of the training rows: they have other cuts or values")


def _require_pure(prepared: Prepared, tree: Tree) -> None:
    """Raise an error that names the first row that is misclassified, if there is one."""
    kept = prepared.kept_rows
    codes = prepared.labels.codes[kept]
    predicted = tree.predict_codes(prepared.table.take(kept))
    wrong = np.flatnonzero(predicted != codes)
    if len(wrong):
        first, n_wrong = int(wrong[0]), int(prepared.table.row_weights[kept[wrong]].sum())
        label, other = (format_level(tree.classes[code]) for code in (codes[first], predicted[first]))
        raise _refused(
            f"misclassifies {quantity(n_wrong, 'training row')}: row {prepared.row_numbers[kept[first]]}, counting "
            f"from 0, is {label}, and the tree predicts {other}"
        )


def _check_costs(prepared: PreparedCosts, constraints: Constraints, fitted: Tree, tree: Tree) -> Tree:
    """Check a tree that may have errors: it must cost as much as the fitted one."""
    rows, costs = prepared.solved_table, prepared.solved_costs
    leaves = tree.apply(rows)
    cost, least = (costs.of(labels) for labels in (tree.label[leaves], fitted.predict_codes(rows)))
    if cost != least:
        figures = (
            (f"{cost}", f"{least}") if costs.counts_errors else (f"{cost * costs.unit:g}", f"{least * costs.unit:g}")
        )
        unit = "training errors" if costs.counts_errors else "as the cost of its errors"
        raise _refused(f"has {figures[0]} {unit}, the fitted tree {figures[1]}")
    _require_constraints(prepared, constraints, tree, leaves, costs.n_rows)
    return prepared.check_tree(tree, cost)


def _require_constraints(
    prepared: Prepared | PreparedCosts,
    constraints: Constraints,
    tree: Tree,
    leaves: NDArray[np.int32],
    n_rows: NDArray[np.int64],
) -> None:
    """Raise an error unless a tree satisfies the constraints of the fit.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
    constraints : Constraints
    tree : Tree
        Over the features of the table.
    leaves : ndarray of int
        The leaf of each row.
    n_rows : ndarray of int
        How many rows each of them stands for.
    """
    policy, most = prepared.policy, constraints.max_depth
    columns = policy.features.column_of_feature[tested(tree)]
    for column in columns[~policy.is_allowed_column[columns]].tolist():
        raise _refused(f"tests the forbidden column {prepared.table.names[column]!r}")
    if policy.is_root_column.any() and len(columns) and not policy.is_root_column[columns[0]]:
        raise _refused(f"begins with the column {prepared.table.names[columns[0]]!r}, which is not the required root")
    if most is not None and tree.depth > most:
        raise _refused(f"has a depth of {tree.depth}, but max_depth is {most}")
    fewest = int(np.bincount(leaves, n_rows, tree.n_nodes)[tree.left < 0].min())
    if tree.n_nodes > 1 and fewest < constraints.min_samples_leaf:
        raise _refused(
            f"has a leaf of {quantity(fewest, 'training row')}, but min_samples_leaf is {constraints.min_samples_leaf}"
        )
