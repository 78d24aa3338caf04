"""Extraction in one call, for tests."""

from collections.abc import Iterable
from typing import Any

from puretree import Tree
from puretree.engines import make_engine, solve
from puretree.extraction import Extraction, Extractor, hamming
from puretree.problem import Constraints, Prepared


def extract(
    prepared: Prepared, extractor: Extractor, k: int, constraints: Constraints | None = None, **options: Any
) -> Extraction:
    """Prove the minimum and extract trees."""
    constraints = constraints or Constraints()
    outcome = prepared.decode(solve(prepared.problem, make_engine("search"), constraints=constraints))
    return extractor.extract(prepared, outcome, k, constraints=constraints, **options)


def nested(extraction: Extraction) -> list[Any]:
    """Return the trees as nested triples."""
    return [tree.to_nested() for tree in extraction.trees]


def in_process(*options: Any) -> Extractor:
    """Make an extractor that starts no child process."""
    return Extractor(*options, isolated=False)


def distance_sum(tree: Tree, others: Iterable[Tree]) -> int:
    """Return the sum of the Hamming distances of a tree to others."""
    return sum(hamming(tree, other) for other in others)
