"""The formula "there is a pure tree of at most n nodes" as a file: the same bytes whenever it is made.

So whoever has the problem can make the formula anew, and see that it is this one that was refuted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from ..clock import Clock
from ..encoding import TreeEncoding
from ..formula import ClauseLines, Counter
from ..problem import BinaryProblem
from ..steering import Steering


def encode_smaller(problem: BinaryProblem, steering: Steering, n_nodes: int) -> TreeEncoding:
    """Encode the trees of at most so many nodes. Of the wishes root and depth count; what is minimised does not."""
    return TreeEncoding(problem, n_nodes, steering=Steering(max_depth=steering.max_depth, root=steering.root))


def count_clauses(encoding: TreeEncoding, clock: Clock) -> int:
    """Return how many clauses there are: a file says so at its head."""
    counter = Counter()
    encoding.write(counter, clock)
    return counter.n_clauses


def formula_head(encoding: TreeEncoding, n_clauses: int) -> Iterator[bytes]:
    """Yield the lines before the clauses: what the formula says, and what its variables mean."""
    problem, steering = encoding.problem, encoding.steering
    n_classes = len(np.unique(problem.labels))
    yield f"c There is a decision tree of at most {encoding.n_nodes} nodes that is right on\n".encode()
    yield f"c {problem.n_examples} examples of {n_classes} classes by {problem.n_features} yes/no questions.\n".encode()
    if steering.max_depth is not None:
        yield f"c It asks at most {steering.max_depth} questions on a path.\n".encode()
    if steering.root is not None:
        roots = ", ".join(map(str, sorted(map(int, steering.root))))
        yield f"c Its root asks one of the questions {roots}.\n".encode()
    yield from (f"c var {var} {name}\n".encode() for var, name in encoding.pool.items())
    yield f"p cnf {encoding.pool.n_vars} {n_clauses}\n".encode()


def formula_digest(problem: BinaryProblem, steering: Steering, n_nodes: int, clock: Clock) -> str:
    """Return the SHA-256 of the file, without writing it; TimeIsOver if the clock is over first."""
    encoding = encode_smaller(problem, steering, n_nodes)
    digest = _Digest()
    for line in formula_head(encoding, count_clauses(encoding, clock)):
        digest.write(line)
    encoding.write(ClauseLines(digest, b"", clock), clock)
    return digest.sha256.hexdigest()


class _Digest:
    """A file that keeps nothing but the hash of what is written to it."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        return len(data)
