"""The problem in the features that were given: what preprocessing merged is asked apart again.

Engines are faster on merged features, but people count trees in the columns they gave: equal and opposite columns make
different trees, and on new rows they may answer differently. MDSOL's targets are questions that people see, so it is
the given features that are encoded, as in the paper, which merges nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeIsOver
from ..binarize.bitmatrix import BitMatrix
from ..encoding import TreeEncoding
from ..errors import InputError, PuretreeError
from ..outcome import Outcome
from ..problem import BinaryProblem, Constraints, FeatureMerge, Prepared
from ..sat import DEFAULT_SOLVER, make_oracle, require_solver
from ..tree import Tree
from .layouts import tell_by_layout
from .mdsol import CHOICES, Diversity, tell
from .tree_oracle import Pace, TreeOracle


def unmerge(problem: BinaryProblem) -> BinaryProblem:
    """Return the same examples with every given feature that varies and may be asked, whatever says the same.

    >>> problem = BinaryProblem.from_rows([[0, 1, 1], [1, 0, 1]], ["a", "b"])
    >>> problem, unmerge(problem)
    (<BinaryProblem: 2 examples × 1 features, 2 classes>, <BinaryProblem: 2 examples × 2 features, 2 classes>)
    """
    merge = problem.merge
    given = np.flatnonzero(merge.feature_of_original >= 0)
    merged = merge.feature_of_original[given]
    bits = problem.features.take(merged).unpack() ^ merge.flipped[given][:, None]
    feature_of_original = np.full(len(merge.feature_of_original), -1, dtype=np.int64)
    feature_of_original[given] = np.arange(len(given))
    return replace(
        problem,
        features=BitMatrix.pack(bits),
        merge=FeatureMerge(feature_of_original, np.zeros_like(merge.flipped), given),
        costs=problem.costs[merged],
    )


def unmerge_root(problem: BinaryProblem, constraints: Constraints, is_root: NDArray[np.bool_]) -> Constraints:
    """Return the wishes for the problem in given features.

    Parameters
    ----------
    problem : BinaryProblem
        With merged features, of which the wishes speak.
    constraints : Constraints
    is_root : ndarray of bool
        The given features that were wished for at the root: an equal one of another column is not what was wished
        for. None of them if any will do that says the same.
    """
    if constraints.root is None:
        return constraints
    merge = problem.merge
    given = np.flatnonzero(merge.feature_of_original >= 0)
    is_wished = np.isin(merge.feature_of_original[given], sorted(constraints.root))
    if is_root.any():
        is_wished &= is_root[given]
    return replace(constraints, root=frozenset(np.flatnonzero(is_wished).tolist()))


# Some of the minimum trees, through SAT: as many as are asked for, any or diverse ones, over all layouts or by layout.
#
# For when the forest is not to be had, and to do as the paper does. That a minimum is proved comes first, by whatever
# engine; the trees of that size are then told by a solver of their own.

StopReason = Literal["enough", "exhausted", "limit"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Minimum trees, and why there are not more of them.

    Parameters
    ----------
    trees : tuple of Tree
        All different, in the order they were found.
    stopped : {"enough", "exhausted", "limit"}
        As many as were asked for; all that there are, which is proved; or the time, the memory or the patience of the
        person (Ctrl-C) was over.
    n_unproved : int
        Diverse trees that may not be the farthest from those before: each has its share of the time, and that was
        over before the proof. They are minimum trees like the others.
    """

    trees: tuple[Tree, ...]
    stopped: StopReason
    n_unproved: int = 0


@dataclass(frozen=True, slots=True)
class Extractor:
    """A way to extract trees.

    Parameters
    ----------
    diversity : {"none", "mdsol"}, default="mdsol"
        Any trees, or each one as far as can be from those before.
    layout_depth : int, optional
        Go through the layouts down to this depth in turn (the paper's ``lay``); diverse trees are then far from those
        of their own layout.
    solver : str, default="cadical195"
        The SAT solver, by the name python-sat gives it.
    isolated : bool, default=True
        Run it in a process of its own, so that the time limit holds whatever it does.
    """

    diversity: Diversity = "mdsol"
    layout_depth: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True

    def __post_init__(self) -> None:
        if self.diversity not in get_args(Diversity):
            raise InputError(f"diversity={self.diversity!r} is not known; use one of {', '.join(get_args(Diversity))}")
        if self.layout_depth is not None:
            _require_whole("layout_depth", self.layout_depth)
        require_solver(self.solver)

    def extract(
        self,
        prepared: Prepared,
        outcome: Outcome,
        k: int,
        *,
        constraints: Constraints | None = None,
        clock: Clock | None = None,
    ) -> Extraction:
        """Extract minimum trees of a table, told in its words and checked on its rows.

        Parameters
        ----------
        prepared : Prepared
        outcome : Outcome
            With a proved minimum, told by :meth:`Prepared.told`; its tree is the first.
        k : int
            How many trees to extract at most.
        constraints : Constraints, optional
            The wishes that the minimum was proved for.
        clock : Clock, optional
            No limit without it.
        """
        if outcome.status != "optimal" or outcome.tree is None:
            raise InputError(f"only minimum trees can be extracted, but the minimum is not proved: {outcome}")
        problem, constraints = prepared.problem, constraints or Constraints()
        first = outcome.tree
        found = self.extract_trees(
            problem,
            first.n_nodes,
            k,
            constraints=constraints,
            is_root=prepared.policy.is_root,
            first=first,
            clock=clock,
        )
        return replace(found, trees=tuple(map(prepared.check_tree, found.trees)))

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
    ) -> Extraction:
        """Extract minimum trees of a problem, in the features that were given.

        Parameters
        ----------
        problem : BinaryProblem
        n_nodes : int
            The minimum, which must have been proved: larger trees have leaves that no example gets to.
        k, constraints, clock
            As for :meth:`extract`.
        is_root : ndarray of bool, optional
            The given features of which the root must ask one, where ``constraints`` names a root.
        first : Tree, optional
            A minimum tree in given features to begin with.
        """
        _require_whole("k", k)
        constraints, clock = constraints or Constraints(), clock or Clock()
        _require_nodes(constraints)
        is_root = np.zeros(len(problem.merge.feature_of_original), dtype=np.bool_) if is_root is None else is_root
        given, constraints = unmerge(problem), unmerge_root(problem, constraints, is_root)
        pace = Pace(clock, k)
        trees: list[Tree] = []
        stopped: StopReason = "exhausted"
        try:
            with closing(self._found(given, constraints, n_nodes, _renumbered(first, given), pace)) as found:
                for tree in _checked(found, given, constraints, n_nodes):
                    trees.append(given.restore(tree))
                    if len(trees) == k:
                        stopped = "enough"
                        break
        except (TimeIsOver, MemoryError, KeyboardInterrupt):
            stopped = "limit"
        return Extraction(tuple(trees), stopped, pace.n_unproved)

    def _found(
        self, given: BinaryProblem, constraints: Constraints, n_nodes: int, first: Tree | None, pace: Pace
    ) -> Generator[Tree]:
        """Yield trees over the problem's features as a solver tells them; the solver ends with the generator."""
        if given.n_classes == 1:
            yield Tree.leaf(int(given.labels[0]), given.classes)
            return
        encoding = TreeEncoding(given, n_nodes, lower=n_nodes, constraints=constraints)
        choose = CHOICES[self.diversity]
        with closing(make_oracle(self.solver, isolated=self.isolated)) as oracle:
            trees = TreeOracle(encoding, oracle, pace)
            if self.layout_depth is None:
                yield from tell(trees, choose(trees), first)
            else:
                yield from tell_by_layout(trees, choose, self.layout_depth, first)


def _renumbered(tree: Tree | None, given: BinaryProblem) -> Tree | None:
    """Return a tree in given features over the features of the unmerged problem."""
    return None if tree is None else tree.with_features(given.merge.feature_of_original)


def _checked(trees: Iterable[Tree], given: BinaryProblem, constraints: Constraints, n_nodes: int) -> Iterator[Tree]:
    """Yield the trees, each after a check that knows nothing of solvers: it is what was asked for, and new."""
    seen: set[Tree] = set()
    for tree in trees:
        is_right = tree.n_nodes == n_nodes and given.is_pure(tree) and constraints.allows(tree, given)
        if not is_right or tree in seen:
            raise PuretreeError("a solver told a tree that is wrong or not new: this is a bug, please report it")
        seen.add(tree)
        yield tree


def _require_whole(name: str, value: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name}={value!r} is not a whole number of at least 1")


def _require_nodes(constraints: Constraints) -> None:
    """Refuse wishes that the encoding of minimum trees cannot keep."""
    if constraints.min_samples_leaf > 1:
        raise InputError(
            f"extraction cannot keep to min_samples_leaf={constraints.min_samples_leaf}; choose from the forest instead"
        )
    if constraints.minimise != "nodes":
        raise InputError(f"extraction is of trees with fewest nodes, not of those of least {constraints.minimise!r}")
