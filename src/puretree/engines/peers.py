"""Third-party solvers (peers) as engines: pydl8.5 and pystreed, each run in its own process.

Both return the tree with fewest training errors up to a depth, if they finish in time; they guarantee neither purity
nor size. They are written in C++, ignore Ctrl-C and sometimes their own time limit, and may use all memory. So they run
in a child process, which can be stopped; see :mod:`.problem_program`. Its answer is the tree, its errors, and whether
the peer claims that no tree of its depth has fewer.

The errors of the tree are counted again here. The claim cannot be checked that way: ``optimal`` repeats it. The
packages are optional: ``pip install "puretree[peers]"`` installs both. It builds pydl8.5 from source, which needs a C++
compiler and takes some minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from math import inf, isinf
from typing import Any, ClassVar

import numpy as np

from .._support.clock import TimeLimitReached
from .._support.text import quantity
from ..bounds.upper import Heuristic, majority_leaf
from ..errors import InputError, SolverError
from ..outcome import Status
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .problem_program import ProblemProgram

GRACE = 0.5  # seconds after the limit in which a peer may still return its best tree
STREED_MAX_DEPTH = 20  # pystreed accepts no more


@dataclass(frozen=True, slots=True)
class Dl85:
    """Best training accuracy at a depth, by pydl8.5: branch and bound over itemsets with a cache.

    Parameters
    ----------
    depth : int, default=2
        Maximum depth of the tree.

    Notes
    -----
    ``optimal`` repeats the claim of pydl8.5: only the errors of its tree are counted again.

    References
    ----------
    Aglin, Nijssen, Schaus, *Learning Optimal Decision Trees Using Caching Branch-and-Bound Search*, AAAI 2020.
    """

    depth: int = 2
    name: ClassVar[str] = "dl85"
    source: ClassVar[str] = "Aglin, Nijssen, Schaus 2020"
    package: ClassVar[str] = "dl85Optimizer"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_depth(self.depth, inf)

    @property
    def guarantees(self) -> Guarantees:
        """Fewest training errors at the depth."""
        return Guarantees(aim="errors", max_depth=self.depth)

    def search(self, incumbent: Incumbent) -> Status:
        """Run pydl8.5; see :class:`~puretree.engines.base.Engine`."""
        return run_peer(self.name, self.package, "pydl8.5", incumbent, self.depth)


@dataclass(frozen=True, slots=True)
class Streed:
    """Best training accuracy at a depth, by pystreed: dynamic programming, specialised for the last two levels.

    Parameters
    ----------
    depth : int, default=2
        Maximum depth of the tree, at most 20.

    Notes
    -----
    ``optimal`` repeats the claim of pystreed: only the errors of its tree are counted again.

    References
    ----------
    Van der Linden, de Weerdt, Demirović, *Necessary and Sufficient Conditions for Optimal Decision Trees using Dynamic
    Programming*, NeurIPS 2023.
    """

    depth: int = 2
    name: ClassVar[str] = "streed"
    source: ClassVar[str] = "van der Linden, de Weerdt, Demirović 2023"
    package: ClassVar[str] = "pystreed"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_depth(self.depth, STREED_MAX_DEPTH)

    @property
    def guarantees(self) -> Guarantees:
        """Fewest training errors at the depth."""
        return Guarantees(aim="errors", max_depth=self.depth)

    def search(self, incumbent: Incumbent) -> Status:
        """Run pystreed; see :class:`~puretree.engines.base.Engine`."""
        return run_peer(self.name, self.package, "pystreed", incumbent, self.depth)


def require_depth(depth: int, max_depth: float) -> None:
    """Raise InputError for a depth that the peer does not support."""
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not 1 <= depth <= max_depth:
        limit = "" if isinf(max_depth) else f" and at most {max_depth}"
        raise InputError(f"is not an integer of at least 1{limit}", parameter="depth", value=depth)


def run_peer(name: str, module: str, package: str, incumbent: Incumbent, depth: int) -> Status:
    """Run a peer for the tree with fewest errors at a depth.

    Parameters
    ----------
    name : str
        Name of the engine, which selects the peer in the program.
    module, package : str
        Import name of the peer, and its name on PyPI.
    incumbent : Incumbent
        Receives the tree.
    depth : int
        Maximum depth of the tree.
    """
    if find_spec(module) is None:
        raise InputError(f'the package {package} is not installed; use: pip install "puretree[peers]"')
    incumbent.constraints.require_only(name, "max_depth")
    incumbent.offer(majority_leaf(incumbent.problem))  # the answer if the peer returns none in time
    try:
        answer = _run(name, incumbent, min(depth, incumbent.constraints.max_depth or depth))
    except TimeLimitReached:
        return "time_limit"
    except MemoryError:
        return "memory_limit"
    if answer["tree"] is None:
        return "time_limit"
    classes = incumbent.problem.classes
    tree = Tree.from_nested(with_labels(answer["tree"], classes), classes)
    n_errors = incumbent.problem.n_errors(tree)
    if n_errors != answer["errors"]:
        raise SolverError(
            f"{package} reports {answer['errors']} errors, but its tree misclassifies {quantity(n_errors, 'row')}"
        )
    incumbent.offer(tree)
    if not answer["is_optimal"]:
        return "time_limit"
    incumbent.prove()
    return "optimal"


def _run(name: str, incumbent: Incumbent, depth: int) -> Any:
    """Return the peer's answer."""
    clock = incumbent.clock
    with ProblemProgram(name, incumbent.problem, clock, incumbent.bytes_for_child) as program:
        program.request({"depth": int(depth), "seconds": 0 if isinf(clock.left) else clock.left})
        return program.receive(GRACE)


def with_labels(node: Any, classes: tuple[Any, ...]) -> Any:
    """Convert nested lists with class codes to nested tuples with labels; no tree is too deep for recursion."""
    if not isinstance(node, list):
        return classes[node]
    feature, no, yes = node
    return feature, with_labels(no, classes), with_labels(yes, classes)
