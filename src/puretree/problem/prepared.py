"""From a raw table to the problem that engines solve, and back from their trees to trees over raw columns."""

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
from ..binarize.bitmatrix import BitMatrix
from ..errors import InputError, PuretreeError, SolverError, UnfinishedError
from ..outcome import Aim, Outcome
from ..table import Labels, Table, read_labels, read_table
from ..tree import Tree
from .codes import Codes
from .conflicts import OnConflict
from .costs import CostProblem
from .features import FeaturePolicy, feature_policy, require_cheapest
from .ordinal import OrdinalProblem
from .problem import BinaryProblem
from .row_costs import COST_BYTES, RowCosts, SampleWeights
from .soft_labels import CostedRows, SoftLabels

MAX_BITS = 2**25  # examples × features of a problem whose features are made at once
CODE_BYTES = 16  # of a cell: its code, and the copies that are made while equal rows are merged
GRACE = 0.4  # seconds after the time limit in which the table may still be binarised: a tree is better than none


@dataclass(frozen=True, slots=True)
class BinarizedTable:
    """A table with the features of its columns.

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
    row_numbers : ndarray of intp
        The row numbers in the user's table, of which ``table`` may be a part.
    """

    table: Table
    labels: Labels
    binarizer: Binarizer
    policy: FeaturePolicy
    row_numbers: NDArray[np.intp]

    def readable(self, tree: Tree) -> Tree:
        """Return a tree over the original features with their predicates."""
        return tree.with_predicates(self.binarizer.features_, self.binarizer.n_features_in_)


@dataclass(frozen=True, slots=True)
class Prepared(BinarizedTable):
    """A table with its binary problem.

    Parameters
    ----------
    table, labels, binarizer, policy, row_numbers
        As for :class:`BinarizedTable`.
    problem : BinaryProblem
        What engines solve.
    sample_weight : ndarray of float, optional
        The weight of each row of ``table``; 1 by default. Rows of weight 0 are left out.
    """

    problem: BinaryProblem
    sample_weight: NDArray[np.float64] | None = None

    @property
    def kept_rows(self) -> NDArray[np.intp]:
        """The rows of ``table`` that belong to an example: those that no conflict removed."""
        return self.problem.kept_rows

    @property
    def solved_table(self) -> Table:
        """The rows that the problem is made of."""
        return self.table

    @property
    def weights(self) -> NDArray[Any]:
        """What each row counts for the class frequencies in the leaves.

        The weights of contradictory rows count, whatever their labels, unless the problem keeps none of these rows
        (``on_conflict="drop"``).
        """
        weights = self.table.row_weights if self.sample_weight is None else self.sample_weight * self.table.row_weights
        problem = self.problem
        contradictory = problem.conflicts[0].rows if problem.conflicts else ()
        if np.isin(contradictory, self.row_numbers[self.kept_rows]).any():
            return weights
        return np.where(problem.example_of_row >= 0, weights, 0)

    @property
    def roots(self) -> Collection[int] | None:
        """The problem's features that the root may test; None if it may test any."""
        if isinstance(self.problem, OrdinalProblem) and self.policy.is_root_column.any():
            column = int(np.flatnonzero(self.policy.is_root_column)[0])
            return range(*self.binarizer.features_.starts[column : column + 2].tolist())
        return self.policy.roots(self.problem.merge)

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
        readable, kept = self.readable(tree), self.kept_rows
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


@dataclass(frozen=True, slots=True)
class PreparedCosts(BinarizedTable):
    """A table with its cost problem.

    Parameters
    ----------
    table, labels, binarizer, policy, row_numbers
        As for :class:`BinarizedTable`. Rows of weight 0 are left out.
    row_costs : RowCosts
        The cost of each label for each row of ``table``, by its class.
    solved : CostedRows
        The rows that the problem is made of, and what labels cost for them: those of ``table`` with ``row_costs``, or
        under a teacher with expected costs, and synthetic rows after them.
    problem : CostProblem
        What engines solve.
    """

    row_costs: RowCosts
    solved: CostedRows
    problem: CostProblem

    @property
    def kept_rows(self) -> NDArray[np.intp]:
        """The rows of ``table`` that belong to an example: all of them."""
        return np.arange(self.table.n_rows)

    @property
    def solved_table(self) -> Table:
        """The rows that the problem is made of."""
        return self.solved.table

    @property
    def solved_costs(self) -> RowCosts:
        """What trees are measured by: the cost of each label for each row of ``solved_table``."""
        return self.solved.costs

    @property
    def minimised(self) -> Aim:
        """What is least for a size."""
        if self.solved.is_expected:
            return "teacher-cost"
        return "errors" if self.row_costs.counts_errors else "error-cost"

    @property
    def weights(self) -> NDArray[np.float64]:
        """What each row counts for the class frequencies in the leaves: its sample weight times its class weight."""
        return self.row_costs.weights

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weight of each row of ``table``; None if errors are counted."""
        return None if self.row_costs.counts_errors else self.row_costs.weights / self.row_costs.n_rows

    @property
    def roots(self) -> frozenset[int] | None:
        """The problem's features that the root may test; None if it may test any."""
        return self.policy.roots(self.problem.merge)

    @property
    def column_of_feature(self) -> NDArray[np.intp]:
        """The column that each of the problem's features tests."""
        return self.policy.features.column_of_feature[self.problem.merge.original_of_feature]

    def decode_tree(self, tree: Tree, cost: int) -> Tree:
        """Do what :meth:`Prepared.decode_tree` does, with the cost in units that the engine reports.

        Raises
        ------
        PuretreeError
            If the tree has another cost on the raw rows.
        """
        return self.check_tree(self.problem.restore(tree), cost)

    def check_tree(self, tree: Tree, cost: int) -> Tree:
        """Do for a tree over the original features what :meth:`decode_tree` does for one over the problem's."""
        readable, costs = self.readable(tree), self.solved_costs
        leaves = readable.apply(self.solved_table)
        found = costs.of(readable.label[leaves])
        if found != cost:
            unit = "" if costs.unit == 1 else f" (in units of {costs.unit:g})"
            raise PuretreeError(
                f"the tree costs {found:,} on the training rows, not {cost:,} as reported{unit}: this is a bug, please "
                "report it"
            )
        of_rows = leaves[: self.table.n_rows]  # the synthetic rows come after them
        return replace(readable, counts=readable.weights_of_nodes(of_rows, self.labels.codes, self.table.row_weights))


def prepare(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    on_conflict: OnConflict = "warn",
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = (),
    feature_costs: Mapping[str | int, int] | None = None,
    sample_weight: Any = None,
    row_numbers: NDArray[np.intp] | None = None,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
) -> Prepared:
    """Turn a raw table into a binary problem.

    Parameters
    ----------
    X, y, binarize, on_conflict, root, forbidden, feature_costs, memory_limit
        As for :func:`minimum_tree`.
    sample_weight : array-like of shape (n_rows,), optional
        The weight of each row: of contradictory rows, those of the label with the greatest total weight are kept. Rows
        of weight 0 are left out.
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
    numbers = np.arange(table.n_rows) if row_numbers is None else row_numbers
    samples = None if sample_weight is None else SampleWeights.read(sample_weight, table.row_weights)
    if samples is not None:
        table, labels, numbers = _take(table, labels, numbers, samples.rows)
    late = clock.extended(GRACE)
    with _in_time(clock):
        binarizer, policy = _fit(binarize, table, labels, root, forbidden, feature_costs, late, memory_limit)
        n_features = len(binarizer.features_)
        _require_memory(table, memory_limit)
        codes = Codes.of_table(table, binarizer.features_, policy.is_allowed_column, late)
        options: Any = {"on_conflict": on_conflict, "row_numbers": numbers, "row_weights": table.weights}
        options["row_votes"] = None if samples is None else samples.votes
        if codes is not None and not feature_costs and n_features * table.n_rows > MAX_BITS:
            problem: BinaryProblem = OrdinalProblem(codes, labels, n_features, memory_limit=memory_limit, **options)
        else:
            bits = _evaluate(binarizer, table, late, memory_limit)
            problem = BinaryProblem.from_bits(
                bits, labels, allowed=policy.allowed, costs=policy.costs, codes=codes, **options
            )
            require_cheapest(policy, problem.merge)
    return Prepared(table, labels, binarizer, policy, numbers, problem, None if samples is None else samples.weights)


def prepare_costs(
    X: Any,
    y: Any,
    *,
    binarize: str | Binarizer = "thresholds",
    root: str | int | None = None,
    forbidden: Collection[str | int] | None = (),
    class_weight: Any = None,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    soft_labels: SoftLabels | None = None,
    counts_synthetic: bool = True,
    row_numbers: NDArray[np.intp] | None = None,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
) -> PreparedCosts:
    """Turn a raw table into a cost problem.

    Parameters
    ----------
    X, y, binarize, root, forbidden, row_numbers, clock, memory_limit
        As for :func:`prepare`. What errors cost also weighs the rows for the binariser.
    class_weight, sample_weight, cost_matrix
        As for :meth:`RowCosts.read`. Rows of weight 0 are ignored: they define no features, and no leaf counts them.
    soft_labels : SoftLabels, optional
        The class probabilities of the rows, and synthetic rows with theirs: labels cost what is expected by them.
        Features are made from the rows of the table alone.
    counts_synthetic : bool, default=True
        Whether synthetic rows count as rows of a leaf.

    Raises
    ------
    UnfinishedError
        If the table is not binarised soon after the time limit.
    InputError
        If the cost problem would exceed the memory limit.
    """
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    numbers = np.arange(table.n_rows) if row_numbers is None else row_numbers
    late = clock.extended(GRACE)
    with _in_time(clock):
        _require_memory(table, memory_limit, len(labels.classes))
        costs = RowCosts.read(
            labels,
            class_weight=class_weight,
            sample_weight=sample_weight,
            cost_matrix=cost_matrix,
            row_weights=table.weights,
        )
        if len(costs.rows) < table.n_rows:
            table, labels, numbers = _take(table, labels, numbers, costs.rows)
        late.require_time()
        weighted = replace(table, weights=costs.costs.max(axis=1).astype(np.int64))
        binarizer, policy = _fit(binarize, weighted, labels, root, forbidden, None, late, memory_limit)
        solved = CostedRows(table, costs)
        if soft_labels is not None:
            solved = soft_labels.expected(table, costs, counts_synthetic=counts_synthetic)
        bits = _evaluate(binarizer, solved.table, late, memory_limit)
        problem = CostProblem.from_bits(bits, labels, solved.costs, allowed=policy.allowed)
    return PreparedCosts(table, labels, binarizer, policy, numbers, costs, solved, problem)


def _take(
    table: Table, labels: Labels, numbers: NDArray[np.intp], rows: NDArray[np.intp]
) -> tuple[Table, Labels, NDArray[np.intp]]:
    """Return some of the rows, with the classes of all of them."""
    return table.take(rows), Labels(labels.classes, labels.codes[rows]), numbers[rows]


@contextmanager
def _in_time(clock: Clock) -> Iterator[None]:
    """Raise UnfinishedError when the time limit is reached."""
    try:
        yield
    except TimeLimitReached:
        raise UnfinishedError(
            f"the time limit of {clock.limit:g} s was reached while the table was binarised; allow more time, or make "
            "fewer features, for example with ThresholdBinarizer(max_cuts=…)",
            None,
        ) from None


def _fit(
    binarize: str | Binarizer,
    table: Table,
    labels: Labels,
    root: str | int | None,
    forbidden: Collection[str | int] | None,
    feature_costs: Mapping[str | int, int] | None,
    clock: Clock,
    memory_limit: float | None,
) -> tuple[Binarizer, FeaturePolicy]:
    """Return a fitted binariser, and the features that may be tested."""
    binarizer = make_binarizer(binarize).fit_within(table, labels, clock=clock, memory_limit=memory_limit)
    return binarizer, feature_policy(
        binarizer.features_, table.names, root=root, forbidden=forbidden, feature_costs=feature_costs
    )


def _evaluate(binarizer: Binarizer, table: Table, clock: Clock, memory_limit: float | None) -> BitMatrix:
    """Return the features of the rows, if they fit into memory."""
    require_memory(binarizer.features_, table.n_rows, memory_limit)
    clock.require_time()
    return binarizer.transform_bits(table)


def _require_memory(table: Table, memory_limit: float | None, n_classes: int = 0) -> None:
    """Raise InputError if the codes of a table, or the costs of some classes, would exceed the memory limit."""
    n_bytes = table.n_rows * (CODE_BYTES * len(table.columns) + COST_BYTES * n_classes)
    if n_bytes <= free_bytes(memory_limit):
        return
    size = f"{table.n_rows:,} rows of {quantity(len(table.columns), 'column')}"
    size += f" and {quantity(n_classes, 'class', 'classes')}" if n_classes else ""
    needed = f"{size} need {n_bytes / 1e9:.1f} GB more"
    if memory_limit is None:
        raise InputError(f"{needed}, but the process may use half of this machine's memory; use fewer rows or columns")
    raise InputError(
        f"is too small: {needed}; raise it, or use fewer rows or columns", parameter="memory_limit", value=memory_limit
    )
