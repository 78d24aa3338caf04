"""From a raw table to the binary problem that engines solve, and back from their trees to trees over raw columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from .._support.resources import free_bytes
from .._support.text import quantity
from ..binarize import Binarizer, make_binarizer
from ..binarize.base import require_memory
from ..errors import InputError, PuretreeError, SolverError, UnfinishedError
from ..outcome import Outcome
from ..table import Labels, Table, read_labels, read_table
from ..tree import Tree
from .codes import Codes
from .conflicts import OnConflict
from .features import FeaturePolicy, feature_policy, require_cheapest
from .ordinal import OrdinalProblem
from .problem import BinaryProblem

MAX_BITS = 2**25  # examples × features of a problem whose features are made at once
CODE_BYTES = 16  # of a cell: its code, and the copies that are made while equal rows are merged
GRACE = 0.4  # seconds after the time limit in which the table may still be binarised: a tree is better than none


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table with its binary problem.

    Parameters
    ----------
    table : Table
        The raw table.
    labels : Labels
        The class of each row.
    binarizer : Binarizer
        Fitted; defines the features.
    policy : FeaturePolicy
        The features that may be tested, and their costs.
    problem : BinaryProblem
        What engines solve.
    row_numbers : ndarray of intp
        The row numbers in the user's table, of which ``table`` may be a part.
    """

    table: Table
    labels: Labels
    binarizer: Binarizer
    policy: FeaturePolicy
    problem: BinaryProblem
    row_numbers: NDArray[np.intp]

    @property
    def roots(self) -> Collection[int] | None:
        """The problem's features that the root may test; None if it may test any."""
        if not self.policy.is_root_column.any():
            return None
        if isinstance(self.problem, OrdinalProblem):
            column = int(np.flatnonzero(self.policy.is_root_column)[0])
            return range(*self.binarizer.features_.starts[column : column + 2].tolist())
        return frozenset(np.flatnonzero(self.policy.is_root[self.problem.merge.original_of_feature]).tolist())

    @contextmanager
    def decoding_errors(self) -> Iterator[None]:
        """Decode the outcome that an error carries."""
        try:
            yield
        except (SolverError, UnfinishedError) as error:
            error.outcome = self.decode(error.outcome)
            raise

    def decode(self, outcome: Outcome) -> Outcome:
        """Return an engine's outcome with its tree over the raw columns, checked on the rows."""
        tree = None if outcome.tree is None else self.decode_tree(outcome.tree, outcome.n_errors)
        return replace(outcome, tree=tree)

    def decode_result(self, outcome: Outcome) -> Outcome:
        """Decode an outcome that is the result already: the first interrupt has nothing to stop, and loses nothing."""
        try:
            return self.decode(outcome)
        except KeyboardInterrupt:
            return self.decode(outcome)

    def decode_tree(self, tree: Tree, n_errors: int = 0) -> Tree:
        """Return a tree over the raw columns for one over the problem's features, checked on the rows.

        Parameters
        ----------
        tree : Tree
            Over the features of ``problem``.
        n_errors : int, default=0
            The number of training rows that the engine says the tree misclassifies; rows dropped as contradictory do
            not count.

        Returns
        -------
        Tree
            With predicates, and with the training rows counted at each node.

        Raises
        ------
        PuretreeError
            If the tree misclassifies another number of rows: engines are not trusted.
        """
        return self.check_tree(self.problem.restore(tree), n_errors)

    def check_tree(self, tree: Tree, n_errors: int = 0) -> Tree:
        """Do for a tree over the original features what :meth:`decode_tree` does for one over the problem's."""
        binarizer, kept = self.binarizer, self.problem.kept_rows
        readable = tree.with_predicates(binarizer.features_, binarizer.n_features_in_)
        is_complete = len(kept) == self.table.n_rows
        rows = self.table if is_complete else self.table.take(kept)
        codes = self.labels.codes[kept]
        leaves = readable.apply(rows)
        n_wrong = int(rows.row_weights[readable.label[leaves] != codes].sum())
        if n_wrong != n_errors:
            reported = f", not {n_errors} as reported" if n_errors else ""
            raise PuretreeError(
                f"the tree misclassifies {quantity(n_wrong, 'training row')}{reported}: this is a bug, please report it"
            )
        return replace(readable, counts=readable.weights_of_nodes(leaves, codes, rows.row_weights))


def prepare(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = (),
    feature_costs: Mapping[str | int, int] | None = None,
    row_numbers: NDArray[np.intp] | None = None,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
) -> Prepared:
    """Turn a raw table into a binary problem.

    Parameters
    ----------
    X, y, binarize, on_conflict, root, forbidden, feature_costs, memory_limit
        As for :func:`minimum_tree`.
    row_numbers : ndarray of int, optional
        The numbers of the rows in a larger table, used in messages; 0, 1, 2 … by default.
    clock : Clock, optional
        No time limit by default.

    Raises
    ------
    UnfinishedError
        If the table is not binarised soon after the time limit: without a binary problem there is no tree.
    InputError
        If the binary problem would exceed the memory limit.
    """
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    late = clock.extended(GRACE)
    try:
        binarizer = make_binarizer(binarize).fit_within(table, labels, clock=late, memory_limit=memory_limit)
        features = binarizer.features_
        policy = feature_policy(features, table.names, root=root, forbidden=forbidden, feature_costs=feature_costs)
        _require_memory(table, memory_limit)
        codes = Codes.of_table(table, features, policy.is_allowed_column, late)
        numbers = np.arange(table.n_rows) if row_numbers is None else row_numbers
        options: Any = {"on_conflict": on_conflict, "row_numbers": numbers, "row_weights": table.weights}
        if codes is not None and not feature_costs and len(features) * table.n_rows > MAX_BITS:
            problem: BinaryProblem = OrdinalProblem(codes, labels, len(features), memory_limit=memory_limit, **options)
        else:
            require_memory(features, table.n_rows, memory_limit)
            late.require_time()
            bits = binarizer.transform_bits(table)
            problem = BinaryProblem.from_bits(
                bits, labels, allowed=policy.allowed, costs=policy.costs, codes=codes, **options
            )
            require_cheapest(policy, problem.merge)
    except TimeLimitReached:
        raise UnfinishedError(
            f"the time limit of {clock.limit:g} s was reached while the table was binarised; allow more time, or make "
            "fewer features, for example with ThresholdBinarizer(max_cuts=…)",
            None,
        ) from None
    return Prepared(table, labels, binarizer, policy, problem, numbers)


def _require_memory(table: Table, memory_limit: float | None) -> None:
    """Raise InputError if the codes of a table would exceed the memory limit."""
    n_bytes = CODE_BYTES * table.n_rows * len(table.columns)
    if n_bytes <= free_bytes(memory_limit):
        return
    needed = f"{table.n_rows:,} rows of {quantity(len(table.columns), 'column')} need {n_bytes / 1e9:.1f} GB more"
    if memory_limit is None:
        raise InputError(f"{needed}, but the process may use half of this machine's memory; use fewer rows or columns")
    raise InputError(
        f"is too small: {needed}; raise it, or use fewer rows or columns", parameter="memory_limit", value=memory_limit
    )
