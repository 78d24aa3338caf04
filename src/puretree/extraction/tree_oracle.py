"""Time shared out among the trees still wanted, so that a hard proof for one does not use up that of all others.

That no tree is farther than the one at hand can take far longer to prove than it took to find it: on 64 % of
house-votes-84 (one run) the second tree took 2 s; the third was found after 15 s and not proved after 20.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeIsOver
from .._support.resources import MOST_BYTES
from ..encoding import TreeEncoding
from ..engines.maxsat import MANY_EXAMPLES
from ..errors import PuretreeError
from ..formula import Block, as_block
from ..sat import Oracle
from ..tree import Tree


class Pace:
    """The time, and how many trees it has to do for.

    Parameters
    ----------
    clock : Clock
    n_wanted : int
        Trees that were asked for.

    Attributes
    ----------
    n_unproved : int
        Trees that were taken because their turn was over.
    """

    def __init__(self, clock: Clock, n_wanted: int) -> None:
        self.clock = clock
        self._n_wanted = n_wanted
        self.n_unproved = 0

    def count(self) -> None:
        """Note that there is a tree more."""
        self._n_wanted -= 1

    def turn(self) -> Clock:
        """Start the clock of the next tree: its share of the time left, and one is kept for whoever is asked next."""
        return self.clock.part(1 / (max(1, self._n_wanted) + 1))


# Minimum trees from a SAT solver, one at a time and never one twice.
#
# One incremental solver hears the encoding once; every tree it tells is forbidden by one clause, so what it learnt for
# one tree serves all that follow. Of many examples it hears few at first, and then those that a tree gets wrong.


class TreeOracle:
    """The trees of an encoding; TimeIsOver is raised wherever the clock is over, MemoryError if it is too large.

    Parameters
    ----------
    encoding : TreeEncoding
        Of trees of exactly the minimum size.
    oracle : Oracle
        Knows nothing yet. Whoever made it closes it.
    pace : Pace
        Holds the clock, and counts the trees told.
    """

    def __init__(self, encoding: TreeEncoding, oracle: Oracle, pace: Pace) -> None:
        self.encoding = encoding
        self.pace = pace
        self._oracle = oracle
        self._n_vars = encoding.pool.n_vars  # those that tell a tree; more will come
        self._is_told = False

    def add(self, block: Block) -> None:
        """Tell the solver more."""
        self._oracle.add(block, self.pace.clock)

    def ask(self, assumptions: Sequence[int] = (), turn: Clock | None = None) -> Tree | None:
        """Return a tree for which these literals are true; None if there is none that was not forbidden.

        The solver then begins its next search near this tree: on 64 % of wine (one run) ten trees took 0.9 s; without
        it there were three after 30 s.
        """
        if not self._is_told:  # only now: nobody may want more than a tree known before
            self._tell()
        while self._has_model(assumptions, turn):
            model = self._oracle.model(self._n_vars)
            variables = np.arange(1, self._n_vars + 1)
            self._oracle.set_phases(np.where(model[1:], variables, -variables).tolist(), self.pace.clock)
            tree = self.encoding.tree(model)
            wrong = self._wrong(tree)
            if not len(wrong):
                return tree
            self._tell_examples(wrong)
        return None

    def _has_model(self, assumptions: Sequence[int], turn: Clock | None) -> bool:
        answer = self._oracle.solve(assumptions, self.pace.clock, turn)
        if answer is None:
            raise TimeIsOver
        return answer

    def _wrong(self, tree: Tree) -> NDArray[np.intp]:
        """Return an example for each leaf that is wrong on any: those that were not told yet may be."""
        problem = self.encoding.problem
        leaves = tree.apply(problem.examples)
        wrong = np.flatnonzero(tree.label[leaves] != problem.labels)
        return wrong[np.unique(leaves[wrong], return_index=True)[1]]

    def start_from(self, tree: Tree) -> None:
        """Begin the first search near a tree that is known."""
        if self.ask(self.encoding.literals(tree)) is None:
            raise PuretreeError("the encoding does not know a minimum tree: this is a bug, please report it")

    def _tell(self) -> None:
        encoding = self.encoding
        if encoding.n_bytes(encoding.problem, encoding.n_nodes) > MOST_BYTES:
            raise MemoryError
        for block in encoding.structure():
            self.add(block)
        labels = encoding.problem.labels
        few = np.unique(labels, return_index=True)[1]
        self._tell_examples(few if len(labels) > MANY_EXAMPLES else np.arange(len(labels)))
        self._is_told = True

    def _tell_examples(self, which: NDArray[np.intp]) -> None:
        for block in self.encoding.purity(which):
            self.add(block)

    def asked(self, tree: Tree) -> Block:
        """Return the literals ``a[r,j]`` that are true for a tree: its targets."""
        inner = np.flatnonzero(tree.left >= 0)
        return self.encoding.vars.a[tree.feature[inner], inner + 1]

    def forbid(self, tree: Tree) -> None:
        """Never tell a tree again, and lose no other one by it.

        A node is inner exactly if it asks a feature, which tells the shape, as nodes are numbered breadth first. The
        shape and the features tell which examples get to which leaf, which tells its class: no leaf of a minimum tree
        is empty. So no two trees ask the same features at the same nodes. And as all are of one size, none asks all
        that another asks and more: the paper's clause over all targets, true or false, need not name the false ones.
        """
        self.pace.count()
        self.add(as_block([(-self.asked(tree)).tolist()]))
