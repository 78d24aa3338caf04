"""Extraction against brute force and the forest, its three endings, and the unmerged problem."""

from typing import Any

import numpy as np
import pytest
from helpers.extracting import extract, in_process, nested
from helpers.oracles.forest import constrained_trees
from helpers.small_forests import small_forest

from puretree import BinaryProblem, InputError, MaxSat, PuretreeError, minimum_trees, prepare
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.engines import solve
from puretree.engines.maxsat import OpenFormula
from puretree.extraction import Extractor, tree_oracle
from puretree.extraction.extract import unmerge, unmerge_root
from puretree.extraction.tree_oracle import TreeOracle
from puretree.problem import Constraints, Prepared
from puretree.sat import LocalOracle

OPTIONS = [("none",), ("mdsol",), ("none", 2), ("mdsol", 1)]  # diversity and layout_depth
MANY = 10**6


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 8, 11, 15, 17])
def test_all_trees_can_be_extracted(seed: int, options: Any) -> None:
    """With a large k, every minimum tree is extracted once: those of brute force and of the forest."""
    small = small_forest(seed)
    extraction = extract(small.forest.prepared, in_process(*options), MANY)
    assert extraction.stopped == "exhausted"
    assert len(extraction.trees) == len(set(extraction.trees)) == small.forest.count
    assert set(nested(extraction)) == set(small.trees)
    assert set(extraction.trees) == set(small.forest)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_examples_can_be_added_lazily(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting with one example of each class, the same trees are extracted."""
    monkeypatch.setattr(tree_oracle, "MANY_EXAMPLES", 0)
    small = small_forest(17)
    extraction = extract(small.forest.prepared, in_process(*options), MANY)
    assert (set(nested(extraction)), extraction.stopped) == (set(small.trees), "exhausted")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_extraction_stops_after_k_trees(options: Any) -> None:
    """The requested number of trees is extracted, also with an isolated solver, and also if k is the total."""
    small = small_forest(17)
    for k in (1, 5, small.forest.count):
        extractor = Extractor(*options) if k == 5 else in_process(*options)
        extraction = extract(small.forest.prepared, extractor, k)
        assert (len(extraction.trees), extraction.stopped, extraction.n_unproved) == (k, "enough", 0)
        assert all(tree in small.forest for tree in extraction.trees)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_time_limit_keeps_the_trees_so_far(options: Any) -> None:
    """Without any time, a known first tree is returned; without a first tree, none."""
    prepared = small_forest(17).forest.prepared
    extraction = extract(prepared, in_process(*options), 5, clock=Clock(0))
    assert (len(extraction.trees), extraction.stopped) == (1, "limit")
    n_nodes = extraction.trees[0].n_nodes
    empty = in_process(*options).extract_trees(prepared.problem, n_nodes, 5, clock=Clock(0))
    assert (empty.trees, empty.stopped) == ((), "limit")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_keyboard_interrupt_keeps_the_trees_and_closes_the_solver(
    options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trees extracted before Ctrl-C are returned, and the solver is closed."""
    n_calls, closed = [0], []

    class Interrupted(LocalOracle):
        def solve(self, *arguments: Any) -> bool | None:
            n_calls[0] += 1
            if n_calls[0] == 8:
                raise KeyboardInterrupt
            return super().solve(*arguments)

        def close(self) -> None:
            closed.append(self)
            super().close()

    monkeypatch.setattr("puretree.extraction.extract.make_oracle", lambda *_, **__: Interrupted())
    extraction = extract(small_forest(17).forest.prepared, in_process(*options), MANY)
    assert extraction.stopped == "limit"
    assert 2 <= len(set(extraction.trees)) == len(extraction.trees) <= 8
    assert len(closed) == 1


def test_a_formula_too_large_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the formula exceeds the memory limit, only the known tree is returned."""
    monkeypatch.setattr(tree_oracle, "MOST_BYTES", 0)
    extraction = extract(small_forest(17).forest.prepared, in_process("none"), 5)
    assert (len(extraction.trees), extraction.stopped) == (1, "limit")


def test_a_duplicate_tree_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that the solver returns twice raises an error, from a check that is independent of the solver."""
    monkeypatch.setattr(TreeOracle, "forbid", lambda self, tree: None)
    with pytest.raises(PuretreeError, match="invalid or duplicate"):
        extract(small_forest(17).forest.prepared, in_process("none"), MANY)


def test_a_tree_of_the_wrong_size_is_detected() -> None:
    """A tree of another size than n_nodes raises an error, also if it is the caller's first tree."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    first = in_process("none").extract_trees(problem, 7, 1).trees[0]
    with pytest.raises(PuretreeError, match="invalid or duplicate"):
        in_process("none").extract_trees(problem, 9, 1, first=first)


def test_equal_columns_make_different_trees() -> None:
    """Two equal columns and a complementary one make three trees, as in the forest."""
    prepared = prepare([[0, 0, 1], [0, 0, 1], [1, 1, 0]], ["a", "a", "b"])
    extraction = extract(prepared, in_process("none"), MANY)
    assert sorted(nested(extraction)) == [(0, "a", "b"), (1, "a", "b"), (2, "b", "a")]


def trees_by_brute_force(prepared: Prepared, **constraints: Any) -> set[object]:
    """Return all trees that satisfy the constraints, by brute force over the original features."""
    rows = prepared.binarizer.transform(prepared.table).astype(int).tolist()
    labels = [prepared.labels.classes[code] for code in prepared.labels.codes]
    return set(constrained_trees(rows, labels, **constraints))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_constraints_are_satisfied(options: Any) -> None:
    """With a depth or a root, exactly the trees that satisfy it are extracted; a column equal to the root does not."""
    table = [[0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0]]
    y = [0, 1, 1, 0, 1]
    prepared = prepare(table, y)
    shallow = extract(prepared, in_process(*options), MANY, Constraints(max_depth=2))
    assert set(nested(shallow)) == trees_by_brute_force(prepared, max_depth=2)
    for root in ("x0", "x2", "x3"):
        with_root = prepare(table, y, root=root)
        features = [i for i, predicate in enumerate(with_root.binarizer.features_) if predicate.column.name == root]
        extraction = extract(with_root, in_process(*options), MANY, Constraints(root=with_root.roots))
        assert set(nested(extraction)) == trees_by_brute_force(with_root, root=features)
        assert set(extraction.trees) == set(minimum_trees(table, y, root=root))


def test_a_formula_with_merged_features_is_rejected() -> None:
    """Trees over merged features are not those of the table: the formula of a proof must have the original ones."""
    prepared = prepare([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], [0, 1, 1, 0])
    with OpenFormula() as formula:
        outcome = prepared.decode(solve(prepared.problem, MaxSat(isolated=False), formula=formula))
        assert formula.search is not None
        with pytest.raises(InputError, match="merged features"):
            in_process().extract(prepared, outcome, 3, formula=formula)


def test_one_class_has_one_tree() -> None:
    """With a single class, the only tree is a leaf."""
    extraction = extract(prepare([[0], [1]], ["a", "a"]), in_process("mdsol"), 3)
    assert (nested(extraction), extraction.stopped) == (["a"], "exhausted")


def test_trees_have_the_predicates_of_the_table() -> None:
    """Extracted trees predict raw rows and have counts."""
    prepared = prepare([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
    trees = extract(prepared, in_process("none"), MANY).trees
    assert [tree.predict([["red", 0.5]]).tolist() for tree in trees] == [["stop"], ["stop"]]
    assert all(tree.counts is not None and tree.counts[0].sum() == 3 for tree in trees)


def test_unsupported_options_are_rejected() -> None:
    """The message names the option, and valid values where there are few."""
    prepared = small_forest(17).forest.prepared
    with pytest.raises(InputError, match="diversity='much' is unknown; use one of none, mdsol"):
        Extractor("much")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="layout_depth=0"):
        Extractor(layout_depth=0)
    with pytest.raises(InputError, match="pace='slow' is unknown; use one of prove, share"):
        Extractor(pace="slow")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="abacus"):
        Extractor(solver="abacus")
    with pytest.raises(InputError, match="k=0"):
        extract(prepared, in_process(), 0)
    with pytest.raises(InputError, match="min_samples_leaf=2"):
        in_process().extract_trees(prepared.problem, 7, 3, constraints=Constraints(min_samples_leaf=2))
    with pytest.raises(InputError, match="'cost'"):
        in_process().extract_trees(prepared.problem, 7, 3, constraints=Constraints(minimise="cost"))
    with pytest.raises(InputError, match="not proved"):
        in_process().extract(prepared, small_forest(17).forest.outcome, 3)  # a proof without a tree


@pytest.mark.parametrize(("name", "n_trees"), [("mux6", 2), ("balloons3", 16)])
def test_extraction_and_the_forest_agree_on_formulas(name: str, n_trees: int) -> None:
    """The extracted trees are those of the forest; for mux6 their number is that of the paper."""
    dataset = load(f"formula:{name}")
    prepared = prepare(dataset.table, dataset.target, binarize="bits")
    extraction = extract(prepared, in_process("none"), MANY)
    assert (len(extraction.trees), extraction.stopped) == (n_trees, "exhausted")
    assert set(extraction.trees) == set(minimum_trees(dataset.table, dataset.target, binarize="bits"))


@pytest.mark.slow
def test_monks_1_has_2368_trees() -> None:
    """Extraction finds as many trees as the paper reports, and proves that there are no more."""
    dataset = load("formula:monks-1")
    extraction = extract(prepare(dataset.table, dataset.target, binarize="bits"), in_process("none"), 3000)
    assert (len(set(extraction.trees)), extraction.stopped) == (2368, "exhausted")


@pytest.mark.data
@pytest.mark.parametrize(("name", "n_trees"), [("mux6", 2), ("irish", 6)])
def test_counts_equal_those_of_the_paper(name: str, n_trees: int, paper_folder: Any) -> None:
    """On all rows of the paper's tables, binarised as in the paper, the number of trees is the reported one."""
    dataset = load_paper(name, paper_folder)
    prepared = prepare(dataset.table, dataset.target, binarize=paper_binarizer(name), on_conflict="majority")
    extraction = extract(prepared, in_process("none"), 3000)
    assert (len(extraction.trees), extraction.stopped) == (n_trees, "exhausted")


@pytest.mark.parametrize("seed", range(8))
def test_unmerge_has_every_original_feature_that_varies(seed: int) -> None:
    """The examples have the feature values of the table's rows, and the same labels."""
    prepared = small_forest(seed).forest.prepared
    problem = unmerge(prepared.problem)
    values = prepared.binarizer.transform(prepared.table)[prepared.problem.kept_rows].astype(bool)
    varying = np.flatnonzero(values.any(axis=0) & ~values.all(axis=0))
    assert problem.merge.original_of_feature.tolist() == varying.tolist()
    rows = problem.examples.unpack()[problem.example_of_row[problem.kept_rows]]
    assert (rows == values[:, varying]).all()
    assert (problem.labels == prepared.problem.labels).all()


def test_unmerge_excludes_forbidden_and_constant_features() -> None:
    """Features that are not allowed or do not vary are not features of the unmerged problem."""
    problem = BinaryProblem.from_rows([[0, 1, 1, 0], [1, 0, 1, 1]], ["a", "b"], allowed=[1, 2, 3])
    assert unmerge(problem).merge.original_of_feature.tolist() == [1, 3]


def test_unmerge_root_returns_original_features() -> None:
    """All original features of the merged root are allowed, unless some are selected."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], [0, 1, 1, 0])
    constraints = Constraints(root=[0])
    assert unmerge_root(problem, constraints, np.zeros(3, dtype=bool)).root == {0, 2}
    assert unmerge_root(problem, constraints, np.array([False, False, True])).root == {2}
    assert unmerge_root(problem, Constraints(), np.array([True, False, False])).root is None
