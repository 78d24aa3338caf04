"""Systems of others, each in a process of its own: what they all need, and how their word is taken.

They are written in C++ and hear neither Ctrl-C nor, at times, their own time limit; they may take all the memory. A
child can be ended. It gets the examples on its standard input, as numpy writes arrays, and answers with a line of
JSON: the tree, its errors, and whether the peer claims that no tree of its depth has fewer.

The tree is walked here, and errors counted anew. The claim cannot be checked that way: ``optimal`` repeats it.
"""

from __future__ import annotations

import io
import json
from importlib.util import find_spec
from math import isinf
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from typing import Any

import numpy as np

from .. import children
from ..bounds.majority import majority_leaf
from ..errors import InputError, SolverError
from ..machine import MOST_BYTES
from ..outcome import Status
from ..problem import BinaryProblem
from ..record import Record
from ..tree import Tree

_PROGRAM = Path(__file__).with_name("programs") / "peers.py"
GRACE = 1.0  # seconds after the limit in which a peer may still hand in its best tree


def require_depth(depth: int, most: float) -> None:
    """Refuse a depth that the peer cannot take."""
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not 1 <= depth <= most:
        limit = "" if isinf(most) else f" and at most {most}"
        raise InputError(f"depth={depth!r} is not a whole number of at least 1{limit}")


def ask_peer(name: str, module: str, package: str, record: Record, depth: int) -> Status:
    """Ask a peer for the tree with fewest errors at a depth.

    Parameters
    ----------
    name : str
        Of the engine; the program knows the peer by it.
    module, package : str
        What the peer is imported as, and what pip calls it.
    record : Record
        Gets the tree.
    depth : int
        The most tests on a path.
    """
    if find_spec(module) is None:
        raise InputError(f'the package {package} is not installed; use: pip install "puretree[peers]"')
    record.steering.require_only(name, "max_depth")
    record.offer(majority_leaf(record.problem))  # an answer, should the peer have none in time
    answer = _run(name, record, min(depth, record.steering.max_depth or depth))
    if isinstance(answer, str):
        return answer
    if answer["tree"] is None:
        return "time_limit"
    classes = record.problem.classes
    tree = Tree.from_nested(_nested(answer["tree"], classes), classes)
    if record.problem.n_errors(tree) != answer["errors"]:
        raise SolverError(f"{package} says that its tree is wrong on {answer['errors']} rows, which is not so")
    record.offer(tree)
    if not answer["is_optimal"]:
        return "time_limit"
    record.prove()
    return "optimal"


def _run(name: str, record: Record, depth: int) -> dict[str, Any] | Status:
    """Return what the peer answers, or what kept it from answering."""
    seconds = record.clock.left
    limit = "0" if isinf(seconds) else str(seconds)  # 0: none
    memory = "0" if isinf(MOST_BYTES) else str(int(MOST_BYTES))
    child = children.start_python(_PROGRAM, name, str(depth), limit, memory, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    try:
        wait = None if isinf(seconds) else seconds + GRACE
        output, words = child.communicate(_packed(record.problem), timeout=wait)
    except TimeoutExpired:
        return "time_limit"
    finally:
        children.stop(child, grace=0)
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
