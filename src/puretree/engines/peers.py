"""Systems of others, each in a process of its own: what they all need, and how their word is taken.

They are written in C++ and hear neither Ctrl-C nor, at times, their own time limit; they may take all the memory. A
child can be ended. It gets the examples on its standard input, as numpy writes arrays, and answers with a line of
JSON: the tree, its errors, and whether the peer claims that no tree of its depth has fewer.

The tree is walked here, and errors counted anew. The claim cannot be checked that way: ``optimal`` repeats it.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf, isinf
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from typing import Any, ClassVar

import numpy as np

from .._support import processes
from .._support.resources import MOST_BYTES
from ..bounds.upper import Heuristic, majority_leaf
from ..errors import InputError, SolverError
from ..outcome import Status
from ..problem import BinaryProblem
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent

_PROGRAM = Path(__file__).with_name("programs") / "peers.py"
GRACE = 1.0  # seconds after the limit in which a peer may still hand in its best tree


def require_depth(depth: int, most: float) -> None:
    """Refuse a depth that the peer cannot take."""
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not 1 <= depth <= most:
        limit = "" if isinf(most) else f" and at most {most}"
        raise InputError(f"depth={depth!r} is not a whole number of at least 1{limit}")


def ask_peer(name: str, module: str, package: str, incumbent: Incumbent, depth: int) -> Status:
    """Ask a peer for the tree with fewest errors at a depth.

    Parameters
    ----------
    name : str
        Of the engine; the program knows the peer by it.
    module, package : str
        What the peer is imported as, and what pip calls it.
    incumbent : Incumbent
        Gets the tree.
    depth : int
        The most tests on a path.
    """
    if find_spec(module) is None:
        raise InputError(f'the package {package} is not installed; use: pip install "puretree[peers]"')
    incumbent.constraints.require_only(name, "max_depth")
    incumbent.offer(majority_leaf(incumbent.problem))  # an answer, should the peer have none in time
    answer = _run(name, incumbent, min(depth, incumbent.constraints.max_depth or depth))
    if isinstance(answer, str):
        return answer
    if answer["tree"] is None:
        return "time_limit"
    classes = incumbent.problem.classes
    tree = Tree.from_nested(_nested(answer["tree"], classes), classes)
    if incumbent.problem.n_errors(tree) != answer["errors"]:
        raise SolverError(f"{package} says that its tree is wrong on {answer['errors']} rows, which is not so")
    incumbent.offer(tree)
    if not answer["is_optimal"]:
        return "time_limit"
    incumbent.prove()
    return "optimal"


def _run(name: str, incumbent: Incumbent, depth: int) -> dict[str, Any] | Status:
    """Return what the peer answers, or what kept it from answering."""
    seconds = incumbent.clock.left
    limit = "0" if isinf(seconds) else str(seconds)  # 0: none
    memory = "0" if isinf(MOST_BYTES) else str(int(MOST_BYTES))
    child = processes.start_python(_PROGRAM, name, str(depth), limit, memory, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    try:
        wait = None if isinf(seconds) else seconds + GRACE
        output, words = child.communicate(_packed(incumbent.problem), timeout=wait)
    except TimeoutExpired:
        return "time_limit"
    finally:
        processes.stop(child, grace=0)
    if b"bad_alloc" in words or b"MemoryError" in words:
        return "memory_limit"
    try:
        answer: dict[str, Any] = json.loads(output.splitlines()[-1])
    except (ValueError, IndexError) as error:
        last = words.decode(errors="replace").strip().splitlines()[-1:]
        raise SolverError(f"{name} ended without an answer (code {child.returncode}): {' '.join(last)}") from error
    return answer


def _packed(problem: BinaryProblem) -> bytes:
    """Return the examples, their classes and weights as numpy writes them."""
    file = io.BytesIO()
    np.savez(file, rows=problem.examples.unpack(), labels=problem.labels, weights=problem.weights)
    return file.getvalue()


def _nested(node: Any, classes: tuple[Any, ...]) -> Any:
    """Return a tree as told in lists, with labels for codes; no deeper than the peers can go."""
    if not isinstance(node, list):
        return classes[node]
    feature, no, yes = node
    return feature, _nested(no, classes), _nested(yes, classes)


# DL8.5: the tree with fewest errors up to a depth, by branch and bound over itemsets with a cache.
#
# Aglin, Nijssen, Schaus, *Learning Optimal Decision Trees Using Caching Branch-and-Bound Search*, AAAI 2020. Guarantees
# the best training accuracy at the depth, if it ends in time; says nothing of purity or size. Their package is optional:
# ``pip install "puretree[peers]"`` builds it from source, which takes a C++ compiler and some minutes.


@dataclass(frozen=True, slots=True)
class Dl85:
    """Best training accuracy at a depth, by pydl8.5.

    Parameters
    ----------
    depth : int, default=2
        The most tests on a path.

    Notes
    -----
    ``optimal`` repeats the claim of pydl8.5: only the errors of its tree are counted anew.
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
        """Fewest errors at the depth."""
        return Guarantees(aim="errors", max_depth=self.depth)

    def search(self, incumbent: Incumbent) -> Status:
        """Ask pydl8.5; see :class:`~puretree.engines.base.Engine`."""
        return ask_peer(self.name, self.package, "pydl8.5", incumbent, self.depth)


# STreeD: the tree with fewest errors up to a depth, by dynamic programming with a fast end for the last two levels.
#
# Van der Linden, de Weerdt, Demirović, *Necessary and Sufficient Conditions for Optimal Decision Trees using Dynamic
# Programming*, NeurIPS 2023. Guarantees the best training accuracy at the depth, if it ends in time; says nothing of
# purity or size. Their package is optional: ``pip install "puretree[peers]"``.

DEEPEST = 20  # pystreed refuses more


@dataclass(frozen=True, slots=True)
class Streed:
    """Best training accuracy at a depth, by pystreed.

    Parameters
    ----------
    depth : int, default=2
        The most tests on a path, up to 20.

    Notes
    -----
    ``optimal`` repeats the claim of pystreed: only the errors of its tree are counted anew.
    """

    depth: int = 2
    name: ClassVar[str] = "streed"
    source: ClassVar[str] = "van der Linden, de Weerdt, Demirović 2023"
    package: ClassVar[str] = "pystreed"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ()

    def __post_init__(self) -> None:
        require_depth(self.depth, DEEPEST)

    @property
    def guarantees(self) -> Guarantees:
        """Fewest errors at the depth."""
        return Guarantees(aim="errors", max_depth=self.depth)

    def search(self, incumbent: Incumbent) -> Status:
        """Ask pystreed; see :class:`~puretree.engines.base.Engine`."""
        return ask_peer(self.name, self.package, "pystreed", incumbent, self.depth)
