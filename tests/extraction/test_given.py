"""The problem in given features."""

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import BinaryProblem
from puretree.extraction.extract import unmerge, unmerge_root
from puretree.problem import Constraints


@pytest.mark.parametrize("seed", range(8))
def test_every_given_feature_that_varies_is_there(seed: int) -> None:
    """The examples answer the given questions as the table does, and nothing else has changed."""
    prepared = small_forest(seed).forest.prepared
    problem = unmerge(prepared.problem)
    answers = prepared.binarizer.transform(prepared.table)[prepared.problem.kept_rows].astype(bool)
    varying = np.flatnonzero(answers.any(axis=0) & ~answers.all(axis=0))
    assert problem.merge.original_of_feature.tolist() == varying.tolist()
    rows = problem.examples.unpack()[problem.example_of_row[problem.kept_rows]]
    assert (rows == answers[:, varying]).all()
    assert (problem.labels == prepared.problem.labels).all()


def test_forbidden_and_constant_features_stay_out() -> None:
    """What may not be asked or says nothing is no feature of the problem."""
    problem = BinaryProblem.from_rows([[0, 1, 1, 0], [1, 0, 1, 1]], ["a", "b"], allowed=[1, 2, 3])
    assert unmerge(problem).merge.original_of_feature.tolist() == [1, 3]


def test_a_root_is_a_given_feature() -> None:
    """Any that says the same will do, unless it is said which."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], [0, 1, 1, 0])
    wish = Constraints(root=[0])
    assert unmerge_root(problem, wish, np.zeros(3, dtype=bool)).root == {0, 2}
    assert unmerge_root(problem, wish, np.array([False, False, True])).root == {2}
    assert unmerge_root(problem, Constraints(), np.array([True, False, False])).root is None
