"""The greedy upper bound."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_inner_nodes
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from puretree import BinaryProblem
from puretree.bounds.upper import greedy_tree
from puretree.datasets import load
from puretree.pipeline import prepare


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 12), st.integers(1, 4))
def test_the_tree_is_pure(seed: int, n_rows: int, n_features: int, n_classes: int) -> None:
    """Whatever the problem, the greedy tree is right on every example."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, n_features))
    y = rng.integers(0, n_classes, size=n_rows)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    tree = greedy_tree(problem)
    assert problem.is_pure(tree)
    given_tree = problem.restore(tree)
    np.testing.assert_array_equal(given_tree.predict(X[problem.kept_rows]), y[problem.kept_rows])


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 12), st.integers(1, 4))
def test_without_time_it_is_pure_all_the_same(seed: int, n_rows: int, n_features: int, n_classes: int) -> None:
    """When the seconds are over, any feature that separates will do."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(n_rows, n_features)), rng.integers(0, n_classes, size=n_rows)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    assert problem.is_pure(greedy_tree(problem, seconds=0))


@given(st.integers(0, 2**32))
def test_it_is_an_upper_bound(seed: int) -> None:
    """No greedy tree is smaller than the brute-force minimum."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(10, 4)), rng.integers(0, 3, size=10)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    minimum = minimum_inner_nodes(problem.examples.unpack().tolist(), problem.labels.tolist())
    assert greedy_tree(problem).n_nodes >= 2 * minimum + 1


@pytest.mark.parametrize("name", ["formula:monks-1", "formula:corral", "sklearn:wine"])
def test_it_is_as_small_as_scikit_learns(name: str) -> None:
    """On whole data sets it is about the size of scikit-learn's entropy tree on the same features."""
    dataset = load(name)
    problem = prepare(dataset.table, dataset.target).problem
    sklearn_tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    sklearn_tree.fit(problem.examples.unpack(), problem.labels)
    assert greedy_tree(problem).n_nodes <= 1.3 * sklearn_tree.tree_.node_count


def test_it_is_deterministic() -> None:
    """The same problem gives the same tree."""
    dataset = load("formula:monks-2")
    trees = {greedy_tree(prepare(dataset.table, dataset.target).problem) for _ in range(3)}
    assert len(trees) == 1


SLOW = """
import numpy as np
from puretree.bounds.upper import greedy_tree
from puretree.pipeline import prepare
rows = np.arange(6000.0)[:, None]
problem = prepare(rows, np.arange(6000) % 2).problem
print("growing", flush=True)
try:
    greedy_tree(problem)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_is_heard() -> None:
    """An interrupt ends the native kernel within moments, not when it is done."""
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "growing\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=5)
    assert rest == "interrupted\n"
