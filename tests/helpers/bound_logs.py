"""Write and parse bound logs in tests, and compute the true bounds by brute force."""

import re
from collections.abc import Iterator
from math import inf
from typing import Any

from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import rows_of

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.problem import Constraints
from puretree.proof.bound_log import bound_log

LEMMA = re.compile(r"([cs]) (\d+)(@\d+)? ([0-9a-f]+)(.*)")


def as_file(problem: BinaryProblem, roots: list[int] | None = None, max_depth: int | None = None) -> dict[str, Any]:
    """Return a problem in the format of problem.json, with the keys that the checker reads."""
    return {
        "format": "puretree problem 2",
        "classes": [str(label) for label in problem.classes],
        "features": [{} for _ in range(problem.n_features)],
        "examples": ["".join(map(str, row)) for row in rows_of(problem)],
        "labels": problem.labels.tolist(),
        "roots": roots,
        "max_depth": max_depth,
    }


def log_of(problem: BinaryProblem, n_tests: int, roots: list[int] | None = None, max_depth: int | None = None) -> str:
    """Return the log of a bound."""
    return bound_log(problem, Constraints(max_depth, roots), 2 * n_tests + 1, Clock()).decode("ascii")


def fewest_tests(problem: BinaryProblem, roots: list[int] | None = None, max_depth: float = inf) -> float:
    """Return the minimum number of tests by brute force; infinite if there is no tree."""
    costs = [1] * problem.n_features
    return minimum_cost(rows_of(problem), problem.labels.tolist(), costs, root=roots, max_depth=max_depth)


def lemmas_of(log: str) -> Iterator[tuple[int, int, float, list[int]]]:
    """Yield the line index, the tests, the depth and the examples of each lemma."""
    lines = log.split("\n")
    sample = [int(word) for word in lines[3].split()[1:]]
    for at, line in enumerate(lines):
        if match := LEMMA.fullmatch(line):
            members = int(match[4], 16)
            depth = int(match[3][1:]) if match[3] else inf
            yield at, int(match[2]), depth, [example for index, example in enumerate(sample) if members >> index & 1]


def need(problem: BinaryProblem, members: list[int], depth: float = inf) -> float:
    """Return the minimum number of tests for all examples in the hull of ``members``, by definition."""
    rows = rows_of(problem)
    constant = [f for f in range(problem.n_features) if len({rows[i][f] for i in members}) == 1]
    hull = [i for i, row in enumerate(rows) if all(row[f] == rows[members[0]][f] for f in constant)]
    labels = problem.labels[hull].tolist()
    return minimum_cost([rows[i] for i in hull], labels, [1] * problem.n_features, max_depth=depth)


def replace_line(log: str, at: int, *lines: str) -> str:
    """Return a log with one line replaced by others."""
    all_lines = log.split("\n")
    return "\n".join([*all_lines[:at], *lines, *all_lines[at + 1 :]])
