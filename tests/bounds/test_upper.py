"""The upper bounds by heuristics: greedy growth, incremental induction, and the starting trees of the engines."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf, log2
from typing import Any, get_args

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_inner_nodes
from helpers.random_problems import formula, random_problem
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from puretree import BinaryProblem, InputError, Tree, _native
from puretree._support.clock import NO_LIMIT, Clock
from puretree.bounds import upper
from puretree.bounds.upper import Rows, greedy_tree, iti_tree, starting_trees
from puretree.datasets import load
from puretree.pipeline import prepare
from puretree.problem import Constraints

ROWS: tuple[Rows, ...] = get_args(Rows)


def load_problem(name: str) -> BinaryProblem:
    """Load a data set as a binary problem."""
    dataset = load(name)
    return prepare(dataset.table, dataset.target).problem


@pytest.mark.parametrize("heuristic", ["greedy_tree", "iti_tree"])
def test_keyboard_interrupt_stops_the_heuristic(heuristic: str) -> None:
    """The native kernel checks for an interrupt while it runs, not only at its end."""
    script = f"""
import numpy as np
from puretree.bounds.upper import {heuristic}
from puretree.pipeline import prepare
rows = np.arange(5700.0)[:, None]
problem = prepare(rows, np.arange(5700) % 2).problem
print("started", flush=True)
try:
    {heuristic}(problem)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=5)
    assert output == "interrupted\n"


# Starting trees


def test_starting_trees_are_pure_and_satisfy_the_constraints() -> None:
    """Every starting tree satisfies the constraints; with only a root required there is at least one."""
    for seed in range(60):
        problem = random_problem(seed)
        for constraints in (Constraints(), Constraints(root=[seed % problem.n_features]), Constraints(max_depth=2)):
            trees = list(starting_trees(problem, constraints, NO_LIMIT))
            assert all(problem.is_pure(tree) and constraints.allows(tree, problem) for tree in trees)
            assert trees or constraints.max_depth


def test_greedy_tree_is_available_without_time() -> None:
    """After the time limit ITI is skipped, but the greedy tree is still returned."""
    problem = formula("monks-1")
    assert len(list(starting_trees(problem, Constraints(), NO_LIMIT))) == 2
    assert len(list(starting_trees(problem, Constraints(), Clock(0)))) == 1


# Greedy growth


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 12), st.integers(1, 4))
def test_greedy_tree_is_pure(seed: int, n_rows: int, n_features: int, n_classes: int) -> None:
    """The greedy tree classifies every example correctly, also over the original features."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, n_features))
    y = rng.integers(0, n_classes, size=n_rows)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    tree = greedy_tree(problem)
    assert problem.is_pure(tree)
    original_tree = problem.restore(tree)
    np.testing.assert_array_equal(original_tree.predict(X[problem.kept_rows]), y[problem.kept_rows])


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 12), st.integers(1, 4))
def test_greedy_tree_is_pure_without_time(seed: int, n_rows: int, n_features: int, n_classes: int) -> None:
    """After its time limit the heuristic splits on any separating feature, and the tree is still pure."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(n_rows, n_features)), rng.integers(0, n_classes, size=n_rows)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    assert problem.is_pure(greedy_tree(problem, seconds=0))


@given(st.integers(0, 2**32))
def test_greedy_tree_is_an_upper_bound(seed: int) -> None:
    """No greedy tree is smaller than the brute-force minimum."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(10, 4)), rng.integers(0, 3, size=10)
    problem = BinaryProblem.from_rows(X, y, on_conflict="majority")
    minimum = minimum_inner_nodes(problem.examples.unpack().tolist(), problem.labels.tolist())
    assert greedy_tree(problem).n_nodes >= 2 * minimum + 1


@pytest.mark.parametrize("name", ["formula:monks-1", "formula:corral", "sklearn:wine"])
def test_greedy_tree_is_about_as_small_as_scikit_learns(name: str) -> None:
    """On whole data sets it has about the size of scikit-learn's entropy tree on the same features."""
    problem = load_problem(name)
    sklearn_tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    sklearn_tree.fit(problem.examples.unpack(), problem.labels)
    assert greedy_tree(problem).n_nodes <= 1.3 * sklearn_tree.tree_.node_count


def test_greedy_tree_is_deterministic() -> None:
    """The same problem gives the same tree."""
    trees = {greedy_tree(load_problem("formula:monks-2")) for _ in range(3)}
    assert len(trees) == 1


# Incremental induction


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 80, max_features: int = 12) -> BinaryProblem:
    """Draw a problem of up to four classes, from sparse to dense."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, max_rows)), draw(st.integers(1, max_features))
    X = rng.random(shape) < draw(st.sampled_from([0.1, 0.5, 0.8]))
    y = rng.integers(0, draw(st.integers(1, 4)), size=shape[0])
    return BinaryProblem.from_rows(X, y, on_conflict="majority")


def entropy(values: list[Any]) -> float:
    """Return the entropy of the empirical distribution of the values."""
    return -sum(n / len(values) * log2(n / len(values)) for n in Counter(values).values())


def information_gain(feature: list[int], labels: list[int]) -> float:
    """Return the information gain of a feature from its definition; -1 if the feature is constant."""
    if len(set(feature)) == 1:
        return -1
    sides = [[label for label, value in zip(labels, feature, strict=True) if value == side] for side in (0, 1)]
    remaining = sum(len(side) / len(labels) * entropy(side) for side in sides)
    return entropy(labels) - remaining


def gains_of_nodes(problem: BinaryProblem, tree: Tree, rows: Rows) -> Iterator[tuple[int, list[float]]]:
    """Yield for each inner node its test and the information gains of all tests on the rows that reach it."""
    example = examples_of(problem, rows)
    values, labels = problem.examples.unpack().astype(int)[example], problem.labels[example]
    reach = tree.decision_path(problem.examples).toarray().astype(bool)[example]
    for node in np.flatnonzero(tree.left >= 0):
        members = reach[:, node]
        gains = [information_gain(column.tolist(), labels[members].tolist()) for column in values[members].T]
        yield int(tree.feature[node]), gains


def examples_of(problem: BinaryProblem, rows: Rows) -> NDArray[np.int64]:
    """Return the example of each row that ITI processes, in the problem's order."""
    return np.arange(problem.n_examples) if rows == "merged" else problem.example_of_row[problem.kept_rows]


def induce(problem: BinaryProblem, seed: int | None = None, rows: Rows = "given") -> Tree:
    """Return the tree of one order of the rows: the problem's own, or a random one."""
    order = examples_of(problem, rows)
    tree = upper._induce(problem, order if seed is None else np.random.default_rng(seed).permutation(order), inf)
    assert tree is not None
    return tree


@given(problems(), st.integers(0, 2**32), st.sampled_from(ROWS))
def test_iti_tree_is_pure(problem: BinaryProblem, seed: int, rows: Rows) -> None:
    """For every problem and order, the tree classifies every example correctly."""
    assert problem.is_pure(induce(problem, rows=rows))
    assert problem.is_pure(induce(problem, seed, rows))


@given(problems(), st.integers(0, 2**32), st.sampled_from(ROWS))
def test_every_iti_test_has_maximum_gain(problem: BinaryProblem, seed: int, rows: Rows) -> None:
    """On the rows that reach a node, no test has a higher gain than the node's, and no side is empty."""
    for test, gains in gains_of_nodes(problem, induce(problem, seed, rows), rows):
        assert 0 <= max(gains) <= gains[test] + 1e-8


@given(problems(), st.integers(0, 2**32), st.sampled_from(ROWS))
def test_only_ties_depend_on_the_order(problem: BinaryProblem, seed: int, rows: Rows) -> None:
    """If the best test of every node is unique, all orders give the same tree."""
    tree = induce(problem, rows=rows)
    tops = [sorted(gains)[-2:] for _, gains in gains_of_nodes(problem, tree, rows)]
    if all(len(top) < 2 or top[1] - top[0] > 1e-8 for top in tops):
        assert induce(problem, seed, rows) == tree


def test_iti_counts_equal_rows() -> None:
    """For the conjunction both tests tie; repeating a row decides between them, unless equal rows are merged."""
    rows, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "a", "b"]
    repeat_1, repeat_2 = (BinaryProblem.from_rows([*rows, *9 * [rows[i]]], [*labels, *9 * [labels[i]]]) for i in (1, 2))
    assert [problem.n_examples for problem in (repeat_1, repeat_2)] == [4, 4]
    assert [induce(problem).feature[0] for problem in (repeat_1, repeat_2)] == [0, 1]
    assert induce(repeat_1, rows="merged") == induce(repeat_2, rows="merged")


def test_iti_processes_the_rows_in_the_order_of_the_table() -> None:
    """Repeated rows keep their places among the others: the tree is that of the rows one by one."""
    is_order_relevant = False
    for seed in range(20):
        X = np.random.default_rng(seed).integers(0, 2, size=(40, 4))
        problem = BinaryProblem.from_rows(X, X[:, :3].sum(axis=1) % 2)
        assert problem.n_examples < len(X)
        tree = iti_tree(problem, n_orders=1)
        assert tree == upper._induce(problem, problem.example_of_row, inf)
        is_order_relevant |= tree != upper._induce(problem, np.sort(problem.example_of_row), inf)
    assert is_order_relevant


@given(problems(), st.integers(0, 2**32))
def test_without_equal_rows_merging_makes_no_difference(problem: BinaryProblem, seed: int) -> None:
    """On distinct rows both choices give the same tree, for all orders."""
    distinct = BinaryProblem.from_rows(problem.examples.unpack(), problem.labels)
    given_tree, merged_tree = (iti_tree(distinct, rows=rows, random_state=seed) for rows in ROWS)
    assert given_tree == merged_tree


def test_large_tables_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more rows than MAX_ROWS, ITI processes each example once."""
    X = np.repeat(np.eye(4, dtype=int), 5, axis=0)
    problem = BinaryProblem.from_rows(X, np.repeat([0, 1, 0, 1], 5))
    monkeypatch.setattr(upper, "MAX_ROWS", 19)
    sizes: list[int] = []

    def record(problem: BinaryProblem, order: NDArray[np.int64], seconds: float) -> None:
        sizes.append(len(order))

    monkeypatch.setattr(upper, "_induce", record)
    iti_tree(problem)
    monkeypatch.setattr(upper, "MAX_ROWS", 20)
    iti_tree(problem)
    assert sizes == [4, 20]


def test_iti_stops_within_an_order_of_equal_rows() -> None:
    """The time limit holds while rows arrive that are all known already."""
    X = np.arange(60_000)[:, None] >> np.arange(6) & 1
    problem = BinaryProblem.from_rows(X, X.sum(axis=1) % 2)
    assert problem.n_examples == 64
    assert iti_tree(problem, seconds=0.01) is None


def test_unknown_choices_of_rows_are_rejected() -> None:
    """The error names the option and its values."""
    with pytest.raises(InputError, match="rows='all' is unknown; use one of given, merged"):
        iti_tree(formula("mux6"), rows="all")  # type: ignore[arg-type]


@given(problems())
def test_sibling_leaves_have_different_classes(problem: BinaryProblem) -> None:
    """A subtree that has become pure is collapsed to a leaf."""
    tree = induce(problem)
    label = tree.label[1:].reshape(-1, 2)
    assert not ((label[:, 0] == label[:, 1]) & (label[:, 0] >= 0)).any()


@given(problems(max_rows=10, max_features=4))
def test_iti_tree_is_an_upper_bound(problem: BinaryProblem) -> None:
    """No induced tree is smaller than the brute-force minimum."""
    minimum = minimum_inner_nodes(problem.examples.unpack().tolist(), problem.labels.tolist())
    tree = iti_tree(problem)
    assert tree is not None
    assert tree.n_nodes >= 2 * minimum + 1


@given(problems())
def test_more_orders_never_give_larger_trees(problem: BinaryProblem) -> None:
    """A larger number of orders starts with the same orders, so the tree only gets smaller."""
    sizes = [tree.n_nodes for n_orders in (1, 2, 5) if (tree := iti_tree(problem, n_orders=n_orders))]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", ["formula:monks-1", "formula:corral", "sklearn:wine"])
def test_iti_on_whole_data_sets(name: str) -> None:
    """On data sets large enough for nodes that keep counts, the tree is pure and every test has maximum gain."""
    problem = load_problem(name)
    tree = induce(problem, seed=0)
    assert problem.is_pure(tree)
    assert all(max(gains) <= gains[test] + 1e-8 for test, gains in gains_of_nodes(problem, tree, "given"))


@pytest.mark.parametrize("n_features", [2, 3, 6])
def test_iti_solves_parity(n_features: int) -> None:
    """If no feature has any gain until all are tested, every path tests all features."""
    X = np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1
    tree = iti_tree(BinaryProblem.from_rows(X, X.sum(axis=1) % 2))
    assert tree is not None
    assert tree.n_leaves == 2**n_features


@pytest.mark.parametrize("first", [0, 1])
def test_iti_keeps_the_earlier_of_tied_tests(first: int) -> None:
    """In xor the two tests tie from the third example on: the one that separated the first two examples stays."""
    X = np.zeros((4, 2), dtype=int)
    X[1, first] = X[2, 1 - first] = 1
    X[3] = 1
    tree = induce(BinaryProblem.from_rows(X, X.sum(axis=1) % 2))
    assert tree.feature[0] == first


def test_iti_tree_of_one_class_is_a_leaf() -> None:
    """A problem with one class needs no test."""
    tree = iti_tree(BinaryProblem.from_rows([[0, 1], [1, 1]], ["a", "a"]))
    assert tree == Tree.from_nested("a")


def test_iti_tree_is_deterministic() -> None:
    """The same problem and seed give the same tree."""
    trees = {iti_tree(load_problem("formula:monks-2"), random_state=7) for _ in range(3)}
    assert len(trees) == 1


def call_in_small_thread(function: Callable[[], Tree | None]) -> Tree | None:
    """Call a function in a thread with a stack of 256 kB."""
    results: list[Tree | None] = []
    default_size = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: results.append(function()))
        thread.start()
    finally:
        threading.stack_size(default_size)
    thread.join()
    return results[0]


@pytest.mark.slow
def test_a_chain_does_not_overflow_the_stack() -> None:
    """A chain of 5000 nodes is grown, and a test is pulled up through all of it, on a small stack.

    One example differs from 5000 others in a feature each: every test separates just one of them. The last example
    introduces the test that becomes the best at the root and occurs nowhere in the chain.
    """
    n = 5000
    X = np.zeros((n + 2, n + 1), dtype=np.bool_)
    X[range(n), range(n)] = True
    X[n + 1, n] = True
    problem = BinaryProblem.from_rows(X, np.arange(n + 2) >= n)
    problem.examples  # noqa: B018 - computed once, outside the small stack
    tree = call_in_small_thread(lambda: induce(problem))
    assert tree is not None
    assert problem.is_pure(tree)
    assert tree.depth == n + 1
    assert tree.feature[0] == n


def test_iti_returns_no_tree_without_time() -> None:
    """If the time is too short for one order, there is no tree rather than an unfinished one."""
    problem = BinaryProblem.from_rows([[0, 1], [1, 1], [1, 0]], [0, 1, 0])
    assert iti_tree(problem, seconds=0) is None
    assert iti_tree(load_problem("formula:monks-2"), seconds=1e-5) is None


def test_iti_keeps_the_tree_of_a_finished_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the time limit is reached between two orders, the tree of the first is returned."""
    problem = load_problem("formula:monks-2")
    readings = iter([0.0, 0.0, 1e9])
    monkeypatch.setattr(upper, "monotonic", lambda: next(readings))
    assert iti_tree(problem, seconds=1e6) == induce(problem)


def test_iti_needs_at_least_one_order() -> None:
    """The error names the option and its value."""
    problem = BinaryProblem.from_rows([[0], [1]], [0, 1])
    with pytest.raises(InputError, match="n_orders=0"):
        iti_tree(problem, n_orders=0)


@pytest.mark.parametrize("rows", [[], [0], [0, 0], [0, 1, 2], [-1, 0, 1]])
def test_iti_kernel_rejects_rows_that_are_not_the_examples(rows: list[int]) -> None:
    """Rows that omit or invent an example raise ValueError."""
    words = np.array([[0], [1]], dtype=np.uint64)
    labels = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="rows must"):
        _native.iti_tree(words, 1, labels, 2, np.array(rows, dtype=np.int64), inf)


def test_iti_kernel_rejects_contradictory_examples() -> None:
    """Without a pure tree the kernel raises ValueError."""
    words = np.array([[1], [1]], dtype=np.uint64)
    labels = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="contradictory"):
        _native.iti_tree(words, 1, labels, 2, np.arange(2), inf)
