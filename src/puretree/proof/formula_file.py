"""The formula "there is a pure tree of at most n nodes" as a DIMACS file, and the examples that it encodes.

The file is a function of the problem: anyone who has the problem can write the formula again, byte by byte, and check
that this is the formula that was refuted.

The formula may encode a subset of the examples, which its comments list: a tree that classifies all examples correctly
also classifies the subset correctly, so refuting the subset is enough. The subset is taken from the search's log if
this removes features, that is, if features that differ only on other examples are merged: of iris's 118 thresholds 33
remain, and the proof is a ninth as large. If no feature is removed, more examples only help the solver: mux11 was
refuted in 0.5 s with all of its examples, and in 3.4 s with those of the log.
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

NUMBERS_PER_LINE = 15  # drat-trim rejects comments of a thousand characters
_EXAMPLES = re.compile(rb"c example((?: [0-9]{1,9})+)\n")


def choose_core(problem: BinaryProblem, constraints: Constraints, log: bytes | None) -> tuple[int, ...] | None:
    """Return the examples that a refutation should encode.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        With a root constraint all examples are needed: the root may be a feature that the subset would remove.
    log : bytes or None
        The search's log of the bound, which is a proof for the examples that it names.

    Returns
    -------
    tuple of int or None
        In ascending order; None for all examples.
    """
    if log is None or constraints.root is not None:
        return None
    core = examples_in_log(log)
    return core if restrict(problem, core).n_features < problem.n_features else None


def examples_in_log(log: bytes) -> tuple[int, ...]:
    r"""Return the examples that a log names: its sample, and the witnesses of its conflicts.

    >>> examples_in_log(b"puretree bound 1\np 9 4\nb 2\ne 4 2\nx 0 1 7\nend\n")
    (2, 4, 7)
    """
    examples: set[bytes] = set()
    for line in log.splitlines():
        match line.split():
            case [b"e", *sample]:
                examples.update(sample)
            case [b"x", _, _, witness]:
                examples.add(witness)
    return tuple(sorted(map(int, examples)))


def restrict(problem: BinaryProblem, examples: Sequence[int]) -> BinaryProblem:
    """Return the problem of a subset of the examples; its original features are the features of ``problem``."""
    if not examples or examples[0] < 0 or examples[-1] >= problem.n_examples or list(examples) != sorted(set(examples)):
        raise FormatError("the examples listed in the formula are not a subset of the problem's, in ascending order")
    rows = np.array(examples, dtype=np.intp)
    bits, labels = problem.examples.take(rows).transpose(), problem.labels[rows].tolist()
    return BinaryProblem.from_bits(bits, labels, on_conflict="raise")


@dataclass(frozen=True)
class SmallerTreeFormula:
    """The formula "there is a pure tree of at most ``n_nodes`` nodes".

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
        The root and the maximum depth are encoded; the objective is not.
    n_nodes : int
    examples : sequence of int, optional
        The examples to encode, in ascending order; all by default.
    """

    problem: BinaryProblem
    constraints: Constraints
    n_nodes: int
    examples: Sequence[int] | None = None

    @cached_property
    def encoded_problem(self) -> BinaryProblem:
        """The problem restricted to the encoded examples."""
        if self.examples is None:
            return self.problem
        if self.constraints.root is not None:
            raise FormatError("a formula with a root constraint must encode all examples; this one lists a subset")
        return restrict(self.problem, self.examples)

    @cached_property
    def encoding(self) -> TreeEncoding:
        """The clauses of the formula."""
        constraints = Constraints(max_depth=self.constraints.max_depth, root=self.constraints.root)
        return TreeEncoding(self.encoded_problem, self.n_nodes, constraints=constraints)

    def count_clauses(self, clock: Clock) -> int:
        """Return the number of clauses, which the file's header states."""
        counter = Counter()
        self.encoding.write(counter, clock)
        return counter.n_clauses

    def header(self, n_clauses: int) -> Iterator[bytes]:
        """Yield the lines before the clauses: comments on the formula and its variables, and the problem line."""
        pool = self.encoding.pool
        for line in self._comments():
            yield f"c {line}\n".encode()
        yield from (f"c var {var} {name}\n".encode() for var, name in pool.items())
        yield f"p cnf {pool.n_vars} {n_clauses}\n".encode()

    def _comments(self) -> Iterator[str]:
        problem, constraints = self.encoded_problem, self.constraints
        n_classes = len(np.unique(problem.labels))
        yield f"There is a decision tree of at most {self.encoding.n_nodes} nodes that correctly classifies"
        yield f"{problem.n_examples} examples of {n_classes} classes with {problem.n_features} binary features."
        if constraints.max_depth is not None:
            yield f"Its depth is at most {constraints.max_depth}."
        if constraints.root is not None:
            yield f"Its root splits on one of the features {', '.join(map(str, sorted(map(int, constraints.root))))}."
        if self.examples is not None:
            yield "These are some of the examples and features of problem.json, counted from 0. A tree"
            yield "that classifies all examples correctly also classifies these correctly. On these examples, every"
            yield "other feature equals one of these features or its complement, or is constant."
            yield from _number_lines("example", self.examples)
            yield from _number_lines("feature", problem.merge.original_of_feature.tolist())

    def digest(self, clock: Clock) -> str:
        """Return the SHA-256 of the file without writing it; raise TimeLimitReached at the time limit."""
        file = _HashFile()
        for line in self.header(self.count_clauses(clock)):
            file.write(line)
        self.encoding.write(ClauseLines(file, b"", clock), clock)
        return file.sha256.hexdigest()


def _number_lines(keyword: str, numbers: Sequence[int]) -> Iterator[str]:
    for start in range(0, len(numbers), NUMBERS_PER_LINE):
        yield " ".join([keyword, *map(str, numbers[start : start + NUMBERS_PER_LINE])])


def read_examples(path: Path) -> tuple[int, ...] | None:
    """Return the examples that the comments of a formula file list; None for all."""
    examples: list[int] = []
    with path.open("rb") as file:
        while (line := file.readline(1000)).startswith(b"c"):
            if match := _EXAMPLES.fullmatch(line):
                examples += map(int, match[1].split())
    return tuple(examples) or None


class _HashFile:
    """A file object that only hashes what is written to it."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        return len(data)
