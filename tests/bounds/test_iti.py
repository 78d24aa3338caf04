"""The upper bound by incremental induction."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf, log2
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_inner_nodes
from hypothesis import given
from hypothesis import strategies as st

from puretree import BinaryProblem, InputError, Tree, _native
from puretree.bounds import upper
from puretree.bounds.upper import iti_tree
from puretree.datasets import load
from puretree.pipeline import prepare


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 80, max_features: int = 12) -> BinaryProblem:
    """Draw a problem of up to four classes, from sparse to dense."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, max_rows)), draw(st.integers(1, max_features))
    X = rng.random(shape) < draw(st.sampled_from([0.1, 0.5, 0.8]))
    y = rng.integers(0, draw(st.integers(1, 4)), size=shape[0])
    return BinaryProblem.from_rows(X, y, on_conflict="majority")


def entropy(values: list[Any]) -> float:
    """Return the entropy of what is drawn from the values."""
    return -sum(n / len(values) * log2(n / len(values)) for n in Counter(values).values())


def information_gain(answers: list[int], labels: list[int]) -> float:
    """Return the information gain of a test from its definition; -1 if all answers are the same."""
    if len(set(answers)) == 1:
        return -1
    sides = [[label for label, given in zip(labels, answers, strict=True) if given == answer] for answer in (0, 1)]
    left_over = sum(len(side) / len(labels) * entropy(side) for side in sides)
    return entropy(labels) - left_over


def gains_of_nodes(problem: BinaryProblem, tree: Tree) -> Iterator[tuple[int, list[float]]]:
    """Give for each inner node its test and the information gains of all tests on the examples that reach it."""
    rows, labels = problem.examples.unpack().astype(int), problem.labels
    reach = tree.decision_path(problem.examples).toarray().astype(bool)
    for node in np.flatnonzero(tree.left >= 0):
        members = reach[:, node]
        gains = [information_gain(answers.tolist(), labels[members].tolist()) for answers in rows[members].T]
        yield int(tree.feature[node]), gains


def induced(problem: BinaryProblem, seed: int | None = None) -> Tree:
    """Return the tree of one order: the given one or a random one."""
    n = problem.n_examples
    order = np.arange(n) if seed is None else np.random.default_rng(seed).permutation(n)
    tree = upper._induce(problem, order, inf)
    assert tree is not None
    return tree


@given(problems(), st.integers(0, 2**32))
def test_the_tree_is_pure(problem: BinaryProblem, seed: int) -> None:
    """Whatever the problem and the order, the tree is right on every example."""
    assert problem.is_pure(induced(problem))
    assert problem.is_pure(induced(problem, seed))


@given(problems(), st.integers(0, 2**32))
def test_every_test_is_a_best_one(problem: BinaryProblem, seed: int) -> None:
    """On the examples that reach a node, no test has a higher gain than the node's, and no side is empty."""
    for test, gains in gains_of_nodes(problem, induced(problem, seed)):
        assert 0 <= max(gains) <= gains[test] + 1e-8


@given(problems(), st.integers(0, 2**32))
def test_only_ties_depend_on_the_order(problem: BinaryProblem, seed: int) -> None:
    """Where the best test of every node is the only best one, all orders give the same tree."""
    tree = induced(problem)
    tops = [sorted(gains)[-2:] for _, gains in gains_of_nodes(problem, tree)]
    if all(len(top) < 2 or top[1] - top[0] > 1e-8 for top in tops):
        assert induced(problem, seed) == tree


@given(problems())
def test_no_leaves_of_one_class_are_siblings(problem: BinaryProblem) -> None:
    """A subtree that has become pure is a leaf."""
    tree = induced(problem)
    label = tree.label[1:].reshape(-1, 2)
    assert not ((label[:, 0] == label[:, 1]) & (label[:, 0] >= 0)).any()


@given(problems(max_rows=10, max_features=4))
def test_it_is_an_upper_bound(problem: BinaryProblem) -> None:
    """No induced tree is smaller than the brute-force minimum."""
    minimum = minimum_inner_nodes(problem.examples.unpack().tolist(), problem.labels.tolist())
    tree = iti_tree(problem)
    assert tree is not None
    assert tree.n_nodes >= 2 * minimum + 1


@given(problems())
def test_more_orders_never_hurt(problem: BinaryProblem) -> None:
    """The orders tried first are the same however many there are, so the tree only gets smaller."""
    sizes = [tree.n_nodes for n_orders in (1, 2, 5) if (tree := iti_tree(problem, n_orders=n_orders))]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", ["formula:monks-1", "formula:corral", "sklearn:wine"])
def test_whole_data_sets(name: str) -> None:
    """On whole data sets, with nodes that keep counts, the tree is pure and every test is a best one."""
    dataset = load(name)
    problem = prepare(dataset.table, dataset.target).problem
    tree = induced(problem, seed=0)
    assert problem.is_pure(tree)
    assert all(max(gains) <= gains[test] + 1e-8 for test, gains in gains_of_nodes(problem, tree))


@pytest.mark.parametrize("n_features", [2, 3, 6])
def test_xor_is_solved(n_features: int) -> None:
    """Where no test tells anything until all are asked, the tree asks them all."""
    X = np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1
    tree = iti_tree(BinaryProblem.from_rows(X, X.sum(axis=1) % 2))
    assert tree is not None
    assert tree.n_leaves == 2**n_features


@pytest.mark.parametrize("first", [0, 1])
def test_a_test_that_ties_keeps_its_place(first: int) -> None:
    """In xor the two tests tie from the third example on: the one that separated the first two examples stays."""
    X = np.zeros((4, 2), dtype=int)
    X[1, first] = X[2, 1 - first] = 1
    X[3] = 1
    tree = induced(BinaryProblem.from_rows(X, X.sum(axis=1) % 2))
    assert tree.feature[0] == first


def test_one_class_is_a_leaf() -> None:
    """A problem of one class needs no test."""
    tree = iti_tree(BinaryProblem.from_rows([[0, 1], [1, 1]], ["a", "a"]))
    assert tree == Tree.from_nested("a")


def test_it_is_deterministic() -> None:
    """The same problem and seed give the same tree."""
    dataset = load("formula:monks-2")
    trees = {iti_tree(prepare(dataset.table, dataset.target).problem, random_state=7) for _ in range(3)}
    assert len(trees) == 1


def call_in_small_thread(function: Callable[[], Tree | None]) -> Tree | None:
    """Call a function where the stack has room for 256 kB."""
    results: list[Tree | None] = []
    usual = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: results.append(function()))
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    return results[0]


@pytest.mark.slow
def test_a_chain_does_not_overflow_the_stack() -> None:
    """A chain of 5000 nodes is grown, and a test pulled up through all of it, on a small stack.

    One example in the middle of 5000 others: every test cuts off just one of them. The last example brings the test
    that becomes the best at the root, and that lies nowhere in the chain.
    """
    n = 5000
    X = np.zeros((n + 2, n + 1), dtype=np.bool_)
    X[range(n), range(n)] = True
    X[n + 1, n] = True
    problem = BinaryProblem.from_rows(X, np.arange(n + 2) >= n)
    problem.examples  # noqa: B018 - made once, outside the small stack
    tree = call_in_small_thread(lambda: induced(problem))
    assert tree is not None
    assert problem.is_pure(tree)
    assert tree.depth == n + 1
    assert tree.feature[0] == n


def test_no_time_no_tree() -> None:
    """Where the time is too short for one order, there is no tree rather than an unfinished one."""
    problem = BinaryProblem.from_rows([[0, 1], [1, 1], [1, 0]], [0, 1, 0])
    assert iti_tree(problem, seconds=0) is None
    dataset = load("formula:monks-2")
    big = prepare(dataset.table, dataset.target).problem
    assert iti_tree(big, seconds=1e-5) is None


def test_time_that_runs_out_later_keeps_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time ends between two orders, the tree of the first is returned."""
    dataset = load("formula:monks-2")
    problem = prepare(dataset.table, dataset.target).problem
    readings = iter([0.0, 0.0, 1e9])
    monkeypatch.setattr(upper, "monotonic", lambda: next(readings))
    assert iti_tree(problem, seconds=1e6) == induced(problem)


def test_at_least_one_order() -> None:
    """Without an order there is nothing to induce from, and the error says so."""
    problem = BinaryProblem.from_rows([[0], [1]], [0, 1])
    with pytest.raises(InputError, match="n_orders=0"):
        iti_tree(problem, n_orders=0)


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [-1, 0], [0, 1, 1]])
def test_an_order_names_every_example_once(order: list[int]) -> None:
    """The kernel refuses an order that leaves out, repeats or invents an example."""
    words = np.array([[0], [1]], dtype=np.uint64)
    labels = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="every example once"):
        _native.iti_tree(words, 1, labels, 2, np.array(order), inf)


def test_contradictions_are_refused() -> None:
    """The kernel says so where no pure tree exists."""
    words = np.array([[1], [1]], dtype=np.uint64)
    labels = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="contradictory"):
        _native.iti_tree(words, 1, labels, 2, np.arange(2), inf)


SLOW = """
import numpy as np
from puretree.bounds.upper import iti_tree
from puretree.pipeline import prepare
rows = np.arange(6000.0)[:, None]
problem = prepare(rows, np.arange(6000) % 2).problem
print("inducing", flush=True)
try:
    iti_tree(problem)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_is_heard() -> None:
    """An interrupt ends the native kernel within moments, not when it is done."""
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "inducing\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=5)
    assert rest == "interrupted\n"
