"""Extract some of the minimum trees by SAT: any or diverse ones, over all layouts or by layout.

For problems whose forest is out of reach, and to reproduce the paper. An engine proves the minimum first. As in the
paper, the trees are then enumerated by the solver of the proof, with all clauses that it learnt, if the engine leaves
it open (:class:`~puretree.engines.maxsat.OpenFormula`); otherwise by a new one, whose formula is smaller: it states
the minimum.

The encoding is over the original features. Engines are faster on merged features, but users count trees in the columns
of their table: equal and complementary columns make different trees, and they may disagree on new rows. The targets of
MDSOL are features that users see, so the original features are encoded, as in the paper, which merges nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock
from ..encoding import TreeEncoding
from ..engines.maxsat import OpenFormula
from ..errors import InputError, PuretreeError
from ..maxsat.mdsol import Pace, StopReason, TimeBudget, collect, enumerate_solutions, require_pace, require_positive
from ..outcome import Outcome
from ..problem import BinaryProblem, Constraints, FeatureMerge, Prepared
from ..sat import DEFAULT_SOLVER, make_oracle, require_solver
from ..tree import Tree
from .layouts import enumerate_by_layout
from .mdsol import STRATEGIES, Diversity
from .tree_oracle import TreeOracle


@dataclass(frozen=True, slots=True)
class Extraction:
    """Minimum trees, and why the extraction stopped.

    Parameters
    ----------
    trees : tuple of Tree
        Distinct, in the order they were found.
    stopped : {"enough", "exhausted", "limit"}
        The requested number of trees was found; there are provably no more; or the time limit or the memory limit was
        reached, or the user interrupted the extraction (Ctrl-C).
    n_unproved : int
        The number of diverse trees that may not be the farthest from those before, because their time slice ended
        before the proof. They are minimum trees like the others. Always 0 with ``pace="prove"``.
    """

    trees: tuple[Tree, ...]
    stopped: StopReason
    n_unproved: int = 0


@dataclass(frozen=True, slots=True)
class Extractor:
    """The options of an extraction.

    Parameters
    ----------
    diversity : {"none", "mdsol"}, default="mdsol"
        Any trees, or each as far as possible from those before.
    layout_depth : int, optional
        Alternate between the layouts down to this depth (the paper's ``lay``); diverse trees are then far from those
        of the same layout.
    pace : {"prove", "share"}, default="prove"
        Prove that each diverse tree is the farthest before the next is taken, and return fewer trees at the time limit;
        or share the time among the trees, and take the best so far where the proof does not end in its part of the
        time. On 64 % of house-votes-84 (one run) the second tree took 2 s; the third was found after 15 s and not
        proved after 20.
    warm_start : bool, default=True
        Start the search for each tree near the one before, by the solver's phases. This finds trees much earlier, and
        without diversity they are similar; the paper does not do it.
    solver : str, default="cadical195"
        The SAT solver, by its name in python-sat.
    isolated : bool, default=True
        Run the solver in a child process, so that the time limit always holds.
    """

    diversity: Diversity = "mdsol"
    layout_depth: int | None = None
    pace: Pace = "prove"
    warm_start: bool = True
    solver: str = DEFAULT_SOLVER
    isolated: bool = True

    def __post_init__(self) -> None:
        if self.diversity not in get_args(Diversity):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(Diversity))}",
                parameter="diversity",
                value=self.diversity,
            )
        if self.layout_depth is not None:
            require_positive("layout_depth", self.layout_depth)
        require_pace(self.pace)
        require_solver(self.solver)

    def extract(
        self,
        prepared: Prepared,
        outcome: Outcome,
        k: int,
        *,
        constraints: Constraints | None = None,
        clock: Clock | None = None,
        formula: OpenFormula | None = None,
    ) -> Extraction:
        """Extract minimum trees of a table, with its predicates, verified on its rows; Ctrl-C stops the clock.

        Parameters
        ----------
        prepared : Prepared
        outcome : Outcome
            With a proved minimum, decoded by :meth:`Prepared.decode`; its tree is the first.
        k : int
            The maximum number of trees.
        constraints : Constraints, optional
            The constraints that the minimum was proved for.
        clock : Clock, optional
            No limit by default.
        formula : OpenFormula, optional
            The formula of the proof, over the original features (:func:`with_original_features`). If it is not empty,
            its solver continues, whatever ``solver`` and ``isolated`` are. It cannot be used again afterwards.
        """
        if outcome.status != "optimal" or outcome.tree is None:
            raise InputError(f"only minimum trees can be extracted, but the minimum is not proved: {outcome}")
        problem, constraints = prepared.problem, constraints or Constraints()
        first = outcome.tree
        extraction = self.extract_trees(
            problem,
            first.n_nodes,
            k,
            constraints=constraints,
            is_root=prepared.policy.is_root,
            first=first,
            clock=clock,
            formula=formula,
        )
        return replace(extraction, trees=tuple(map(prepared.check_tree, extraction.trees)))

    def extract_trees(
        self,
        problem: BinaryProblem,
        n_nodes: int,
        k: int,
        *,
        constraints: Constraints | None = None,
        is_root: NDArray[np.bool_] | None = None,
        first: Tree | None = None,
        clock: Clock | None = None,
        formula: OpenFormula | None = None,
    ) -> Extraction:
        """Extract minimum trees of a problem, over its original features.

        Parameters
        ----------
        problem : BinaryProblem
        n_nodes : int
            The minimum, which must be proved: larger trees have leaves that no example reaches.
        k, constraints, clock, formula
            As for :meth:`extract`.
        is_root : ndarray of bool, optional
            The original features allowed at the root, where ``constraints`` restricts the root.
        first : Tree, optional
            A minimum tree over original features to start with.
        """
        require_positive("k", k)
        constraints, clock = constraints or Constraints(), clock or Clock()
        _check_constraints(constraints)
        is_root = np.zeros(len(problem.merge.feature_of_original), dtype=np.bool_) if is_root is None else is_root
        unmerged, constraints = unmerge(problem), unmerge_root(problem, constraints, is_root)
        start = None if first is None else first.with_features(unmerged.merge.feature_of_original)
        budget = TimeBudget(clock, k, self.pace)
        found = self._trees(unmerged, constraints, n_nodes, budget, formula, start)
        trees, stopped = collect(_verified(found, unmerged, constraints, n_nodes), k, clock)
        return Extraction(tuple(map(unmerged.restore, trees)), stopped, budget.n_unproved)

    def _trees(
        self,
        unmerged: BinaryProblem,
        constraints: Constraints,
        n_nodes: int,
        budget: TimeBudget,
        formula: OpenFormula | None,
        first: Tree | None,
    ) -> Generator[Tree]:
        """Yield trees over the features of the unmerged problem; closing the generator closes a new solver."""
        if unmerged.n_classes == 1:
            yield Tree.leaf(int(unmerged.labels[0]), unmerged.classes)
        elif formula is not None and formula.encoding is not None and formula.search is not None:
            if formula.encoding.problem.n_features != unmerged.n_features:
                raise InputError("the formula has merged features; solve the problem with its original features")
            encoding, search = formula.encoding, formula.search
            yield from self._enumerate(
                TreeOracle.continuing(encoding, search, budget, warm_start=self.warm_start), first
            )
        else:
            encoding = TreeEncoding(unmerged, n_nodes, lower=n_nodes, constraints=constraints)
            with closing(make_oracle(self.solver, isolated=self.isolated)) as oracle:
                yield from self._enumerate(TreeOracle(encoding, oracle, budget, warm_start=self.warm_start), first)

    def _enumerate(self, trees: TreeOracle, first: Tree | None) -> Iterator[Tree]:
        make_strategy = STRATEGIES[self.diversity]
        if self.layout_depth is not None:
            yield from enumerate_by_layout(trees, make_strategy, self.layout_depth, first)
            return
        strategy = make_strategy(trees)
        if first is not None:
            yield first
            trees.start_from(first)
            trees.forbid(first)
            strategy.add(first)
        yield from enumerate_solutions(trees, strategy)


def with_original_features(prepared: Prepared, constraints: Constraints) -> tuple[Prepared, Constraints]:
    """Return a table whose problem has every original feature, as in the paper, and the constraints for it."""
    problem = unmerge(prepared.problem)
    constraints = unmerge_root(prepared.problem, constraints, prepared.policy.is_root)
    return replace(prepared, problem=problem), constraints


def unmerge(problem: BinaryProblem) -> BinaryProblem:
    """Return the same examples with every allowed original feature that varies, equal ones included.

    >>> problem = BinaryProblem.from_rows([[0, 1, 1], [1, 0, 1]], ["a", "b"])
    >>> problem, unmerge(problem)
    (<BinaryProblem: 2 examples × 1 feature, 2 classes>, <BinaryProblem: 2 examples × 2 features, 2 classes>)
    """
    merge = problem.merge
    original = np.flatnonzero(merge.feature_of_original >= 0)
    merged = merge.feature_of_original[original]
    feature_of_original = np.full(len(merge.feature_of_original), -1, dtype=np.int64)
    feature_of_original[original] = np.arange(len(original))
    return replace(
        problem,
        features=problem.features.take(merged).flip(merge.flipped[original]),
        merge=FeatureMerge(feature_of_original, np.zeros_like(merge.flipped), original),
        costs=problem.costs[merged],
    )


def unmerge_root(problem: BinaryProblem, constraints: Constraints, is_root: NDArray[np.bool_]) -> Constraints:
    """Return the constraints for the unmerged problem.

    Parameters
    ----------
    problem : BinaryProblem
        With merged features, which the constraints refer to.
    constraints : Constraints
    is_root : ndarray of bool
        The original features allowed at the root: an equal feature of another column does not satisfy the constraint.
        If none is set, all original features of the merged root features are allowed.
    """
    if constraints.root is None:
        return constraints
    merge = problem.merge
    original = np.flatnonzero(merge.feature_of_original >= 0)
    is_allowed = np.isin(merge.feature_of_original[original], sorted(constraints.root))
    if is_root.any():
        is_allowed &= is_root[original]
    return replace(constraints, root=frozenset(np.flatnonzero(is_allowed).tolist()))


def _verified(
    trees: Generator[Tree], problem: BinaryProblem, constraints: Constraints, n_nodes: int
) -> Generator[Tree]:
    """Yield the trees, each verified without the solver: its size, its purity, the constraints, and that it is new."""
    seen: set[Tree] = set()
    with closing(trees):
        for tree in trees:
            is_valid = tree.n_nodes == n_nodes and problem.is_pure(tree) and constraints.allows(tree, problem)
            if not is_valid or tree in seen:
                raise PuretreeError("the solver returned an invalid or duplicate tree: this is a bug, please report it")
            seen.add(tree)
            yield tree


def _check_constraints(constraints: Constraints) -> None:
    """Raise an error for constraints that the encoding of minimum trees does not support."""
    if constraints.min_samples_leaf > 1:
        raise InputError(
            f"extraction does not support min_samples_leaf={constraints.min_samples_leaf}; use the forest instead"
        )
    if constraints.minimise != "nodes":
        raise InputError(f"extraction minimises nodes, not {constraints.minimise!r}")
