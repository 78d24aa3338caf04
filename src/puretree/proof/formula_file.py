"""Which examples a refutation speaks of: those that the search's log names, where that leaves questions out, else all.

A tree that is right on all examples is right on a few of them, so it is enough to refute the few. Questions that only
the others tell apart become one then: of iris's 118 thresholds 33 are left, and the proof has a ninth of the bytes.
Where no question goes, more examples only help the solver: mux11 was refuted in 0.5 s with all of its examples, and in
3.4 s with those of the log.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from .._support.clock import Clock
from ..encoding import TreeEncoding
from ..errors import FormatError
from ..formula import ClauseLines, Counter
from ..problem import BinaryProblem, Constraints


def choose_core(problem: BinaryProblem, constraints: Constraints, log: bytes | None) -> tuple[int, ...] | None:
    """Return the examples that a refutation is to speak of.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        A wish for a root needs all examples: a question that is left out may be asked there.
    log : bytes or None
        The search's log of the bound; what it proves, it proves of the examples that it names alone.

    Returns
    -------
    tuple of int or None
        Ascending; None for all.
    """
    if log is None or constraints.root is not None:
        return None
    core = named_examples(log)
    return core if restrict(problem, core).n_features < problem.n_features else None


def named_examples(log: bytes) -> tuple[int, ...]:
    r"""Return the examples in a log: its sample, and those that lie between two of it.

    >>> named_examples(b"puretree bound 1\np 9 4\nb 2\ne 4 2\nx 0 1 7\nend\n")
    (2, 4, 7)
    """
    named: set[bytes] = set()
    for line in log.splitlines():
        match line.split():
            case [b"e", *sample]:
                named.update(sample)
            case [b"x", _, _, witness]:
                named.add(witness)
    return tuple(sorted(map(int, named)))


def restrict(problem: BinaryProblem, examples: Sequence[int]) -> BinaryProblem:
    """Return the problem of some of the examples; what was ``feature`` in the whole one is ``given`` in it."""
    if not examples or examples[0] < 0 or examples[-1] >= problem.n_examples or list(examples) != sorted(set(examples)):
        raise FormatError("the examples that the formula speaks of are not some of the problem's, in their order")
    chosen = np.array(examples, dtype=np.intp)
    return BinaryProblem.from_bits(problem.examples.take(chosen).transpose(), problem.labels[chosen].tolist())


# The formula "there is a pure tree of at most n nodes" as a file: the same bytes whenever it is made.
#
# So whoever has the problem can make the formula anew, and see that it is this one that was refuted. It may speak of some
# of the examples alone (see :mod:`.core`); the file says of which.

A_LINE = 15  # numbers; drat-trim refuses comments of a thousand characters
_EXAMPLES = re.compile(rb"c example((?: [0-9]{1,9})+)\n")


@dataclass(frozen=True)
class SmallerTree:
    """The formula that there is a tree of at most so many nodes.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        Root and depth count; what is minimised does not.
    n_nodes : int
    examples : sequence of int, optional
        The examples that it is right on, ascending; all by default.
    """

    problem: BinaryProblem
    constraints: Constraints
    n_nodes: int
    examples: Sequence[int] | None = None

    @cached_property
    def spoken_of(self) -> BinaryProblem:
        """The problem of its examples."""
        if self.examples is None:
            return self.problem
        if self.constraints.root is not None:
            raise FormatError("a formula with a wish for the root must speak of all examples, and does not")
        return restrict(self.problem, self.examples)

    @cached_property
    def encoding(self) -> TreeEncoding:
        """Its clauses."""
        wishes = Constraints(max_depth=self.constraints.max_depth, root=self.constraints.root)
        return TreeEncoding(self.spoken_of, self.n_nodes, constraints=wishes)

    def count_clauses(self, clock: Clock) -> int:
        """Return how many clauses there are: a file says so at its head."""
        counter = Counter()
        self.encoding.write(counter, clock)
        return counter.n_clauses

    def head(self, n_clauses: int) -> Iterator[bytes]:
        """Yield the lines before the clauses: what the formula says, and what its variables mean."""
        pool = self.encoding.pool
        for line in self._told():
            yield f"c {line}\n".encode()
        yield from (f"c var {var} {name}\n".encode() for var, name in pool.items())
        yield f"p cnf {pool.n_vars} {n_clauses}\n".encode()

    def _told(self) -> Iterator[str]:
        problem, constraints = self.spoken_of, self.constraints
        n_classes = len(np.unique(problem.labels))
        yield f"There is a decision tree of at most {self.encoding.n_nodes} nodes that is right on"
        yield f"{problem.n_examples} examples of {n_classes} classes by {problem.n_features} yes/no questions."
        if constraints.max_depth is not None:
            yield f"It asks at most {constraints.max_depth} questions on a path."
        if constraints.root is not None:
            yield f"Its root asks one of the questions {', '.join(map(str, sorted(map(int, constraints.root))))}."
        if self.examples is not None:
            yield "These are some of the examples and questions of problem.json, counted from 0. A tree that is right"
            yield "on all examples is right on them, and they answer any other question as one of these, or all alike."
            yield from _numbered("example", self.examples)
            yield from _numbered("question", problem.merge.original_of_feature.tolist())

    def digest(self, clock: Clock) -> str:
        """Return the SHA-256 of the file, without writing it; TimeIsOver if the clock is over first."""
        digest = _Digest()
        for line in self.head(self.count_clauses(clock)):
            digest.write(line)
        self.encoding.write(ClauseLines(digest, b"", clock), clock)
        return digest.sha256.hexdigest()


def _numbered(what: str, numbers: Sequence[int]) -> Iterator[str]:
    for start in range(0, len(numbers), A_LINE):
        yield " ".join([what, *map(str, numbers[start : start + A_LINE])])


def read_examples(path: Path) -> tuple[int, ...] | None:
    """Return the examples that a formula says it speaks of; None for all."""
    found: list[int] = []
    with path.open("rb") as file:
        while (line := file.readline(1000)).startswith(b"c"):
            if match := _EXAMPLES.fullmatch(line):
                found += map(int, match[1].split())
    return tuple(found) or None


class _Digest:
    """A file that keeps nothing but the hash of what is written to it."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        return len(data)
