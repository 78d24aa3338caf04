"""The forest agrees with brute force: all minimum trees, no others, in order."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from helpers.oracles.brute_force import walk
from helpers.oracles.forest import canonical, constrained_trees, size_of
from helpers.random_problems import noise, parity, random_problem, rows_of
from helpers.small_forests import SmallForest, small_forest

from puretree import Forest, InfeasibleError, InputError, SolverError, Tree, UnfinishedError, minimum_trees
from puretree._support.clock import Clock
from puretree.bounds.upper import greedy_tree
from puretree.datasets import load
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.engines import Guarantees, MaxSat, Search, solve
from puretree.engines.incumbent import Incumbent
from puretree.engines.search import OpenSearch
from puretree.forest import grow_graph
from puretree.forest.graph import count_trees
from puretree.outcome import Status
from puretree.problem import Constraints, Prepared


def grown(small: SmallForest, seed: int, **options: Any) -> Forest:
    """Compute the forest of a small table from the raw rows."""
    prepared = small.forest.prepared
    y = [prepared.labels.classes[code] for code in prepared.labels.codes]
    binarize = ("thresholds", "onehot", "bits")[seed % 3]
    return minimum_trees(prepared.table, y, binarize=binarize, on_conflict="majority", **options)


def kept_rows(prepared: Prepared) -> tuple[list[list[int]], list[Any]]:
    """Return the binary features of the rows that are kept, and their labels."""
    kept = prepared.problem.kept_rows
    rows = prepared.binarizer.transform(prepared.table)[kept].astype(int).tolist()
    return rows, [prepared.problem.classes[code] for code in prepared.labels.codes[kept]]


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(25))
def test_the_forest_is_that_of_brute_force(seed: int, extra: int) -> None:
    """On 75 tables: the same trees in the same order, each pure on the rows and of a size that is claimed."""
    small = small_forest(seed, extra)
    forest = grown(small, seed, extra=extra)
    listed = [tree.to_nested() for tree in forest]
    assert listed == small.trees
    assert len(set(listed)) == forest.count
    rows, labels = kept_rows(forest.prepared)
    for nested in listed:
        assert [walk(nested, row) for row in rows] == labels
        assert 0 <= 2 * size_of(nested) + 1 - forest.n_nodes <= 2 * extra
    assert forest.outcome.status == "optimal"
    assert forest.outcome.n_nodes == forest.n_nodes == 2 * size_of(listed[0]) + 1


CONSTRAINTS: dict[str, dict[str, Any]] = {
    "max_depth": {"max_depth": 2},
    "deeper": {"max_depth": 3},
    "root": {"root": 1},
    "min_samples_leaf": {"min_samples_leaf": 2},
    "all": {"max_depth": 3, "root": 0, "min_samples_leaf": 2},
}


@pytest.mark.parametrize("name", CONSTRAINTS)
@pytest.mark.parametrize("extra", range(3))
def test_constraints_leave_the_trees_that_satisfy_them(name: str, extra: int) -> None:
    """On 6 to 20 tables: all trees of the minimum size under the constraint, and up to two tests more; or none."""
    n_infeasible = 0
    options = CONSTRAINTS[name]
    for seed in range(20 - 7 * extra):  # there may be a hundred times as many for each test more
        small = small_forest(seed)
        expected = brute_force(small, options, extra)
        if not expected:
            n_infeasible += 1
            with pytest.raises(InfeasibleError, match="there is no pure tree with"):
                grown(small, seed, extra=extra, **options)
            continue
        forest = grown(small, seed, extra=extra, **options)
        assert [tree.to_nested() for tree in forest] == expected, seed
    assert n_infeasible < 20 - 7 * extra
    assert n_infeasible > 0 or name in ("deeper", "root")


def brute_force(small: SmallForest, options: dict[str, Any], extra: int) -> list[object]:
    """List the trees that satisfy the constraints, in canonical order."""
    prepared = small.forest.prepared
    rows, labels = kept_rows(prepared)
    if "root" in options:
        predicates = prepared.binarizer.features_
        about = [f for f, predicate in enumerate(predicates) if predicate.column.index == options["root"]]
        options = options | {"root": about}
    return sorted(constrained_trees(rows, labels, extra, **options), key=canonical)


def test_near_minimum_trees_of_random_problems() -> None:
    """Forests with 1 and 2 more tests contain trees of every size, over the problem's features."""
    for n_rows in (8, 12, 16, 20):
        problem = noise(n_rows, 5)
        rows, labels = rows_of(problem), problem.labels.tolist()
        for extra in range(3):
            _, graph = grow_graph(problem, extra=extra)
            expected = constrained_trees(rows, labels, extra)
            sizes = sorted({size_of(tree) for tree in expected})
            assert graph.size[graph.roots].tolist() == sizes


@pytest.mark.parametrize(("name", "count", "n_nodes"), [("monks-1", 2368, 29), ("mux6", 2, 15)])
def test_the_paper_s_counts(name: str, count: int, n_nodes: int) -> None:
    """The paper's numbers of solutions, on all rows of problems defined by a formula."""
    dataset = load(f"formula:{name}")
    forest = minimum_trees(dataset.table, dataset.target, binarize="bits")
    assert (forest.count, forest.n_nodes) == (count, n_nodes)


@pytest.mark.data
def test_irish_has_six_minimum_trees(paper_folder: Path) -> None:
    """The paper's number of solutions for irish: 6 trees of 9 nodes."""
    dataset = load_paper("irish", paper_folder)
    forest = minimum_trees(dataset.table, dataset.target, binarize=paper_binarizer("irish"), on_conflict="majority")
    assert (forest.count, forest.n_nodes) == (6, 9)
    assert len({tree.to_nested() for tree in forest}) == 6


def test_one_class_is_one_tree() -> None:
    """One class gives a forest of a single leaf, whatever extra is."""
    for extra in range(3):
        forest = minimum_trees([[1, "a"], [2, "b"]], ["yes", "yes"], extra=extra)
        assert (forest.count, forest.n_nodes) == (1, 1)
        assert forest[0].to_nested() == "yes"


def test_max_leaf_nodes_limits_extra() -> None:
    """No tree is larger than max_leaf_nodes allows, whatever extra is."""
    for seed in range(10):
        small = small_forest(seed, 2)
        leaves = (small.forest.n_nodes + 1) // 2
        forest = grown(small, seed, extra=2, max_leaf_nodes=leaves + 1)
        assert [tree.to_nested() for tree in forest] == [t for t in small.trees if size_of(t) <= leaves]
        if leaves > 1:
            with pytest.raises(InfeasibleError, match=f"with at most {leaves - 1} leaves"):
                grown(small, seed, max_leaf_nodes=leaves - 1)


def noisy_table(n_rows: int) -> tuple[list[list[Any]], list[str]]:
    """Return a table of noise with a categorical column."""
    rng = np.random.default_rng(0)
    numbers, colours = rng.normal(size=(n_rows, 5)), rng.choice(["red", "blue"], n_rows)
    rows = [[*row, str(colour)] for row, colour in zip(numbers, colours, strict=True)]
    return rows, rng.choice(["stop", "go"], n_rows).tolist()


def test_the_time_limit_before_the_proof() -> None:
    """The error has the bounds, and carries the best tree over the raw columns."""
    X, y = noisy_table(150)
    with pytest.raises(UnfinishedError, match=r"the minimum is not proved: .* allow more time") as caught:
        minimum_trees(X, y, time_limit=0.5)
    outcome = caught.value.outcome
    assert outcome.status == "time_limit"
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes
    assert outcome.tree.predict(X).tolist() == y
    assert "≤" in str(outcome.tree)


def test_the_time_limit_after_the_proof() -> None:
    """The time limit is reached before all trees are found: the error carries the proved tree."""
    wine = load("sklearn:wine")
    with pytest.raises(UnfinishedError, match="minimum is 11 nodes, but the time limit was reached") as caught:
        minimum_trees(wine.table, wine.target, extra=2, time_limit=1)
    outcome = caught.value.outcome
    assert (outcome.status, outcome.n_nodes) == ("optimal", 11)
    assert (outcome.tree.predict(wine.table) == wine.target).all()


def test_the_memory_limit_after_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """The forest does not fit into memory: the error carries the proved tree and names remedies."""
    monkeypatch.setattr("puretree._support.resources.LEAST_BYTES", 2**18)
    rows = rows_of(parity(7))
    y = ["odd" if sum(row) % 2 else "even" for row in rows]
    with pytest.raises(
        UnfinishedError, match=r"255 nodes, but .* do not fit into memory; raise the memory limit"
    ) as caught:
        minimum_trees(rows, y, memory_limit=1)
    outcome = caught.value.outcome
    assert (outcome.status, outcome.n_nodes) == ("optimal", 255)
    assert outcome.tree.predict(rows).tolist() == y


@pytest.mark.parametrize("extra", [-1, 1.0, True, None])
def test_an_invalid_extra_raises_an_error(extra: Any) -> None:
    """Anything else raises an error by name."""
    with pytest.raises(InputError, match=r"extra=.* is not a number of inner nodes"):
        grow_graph(parity(2), extra=extra)


def test_costs_have_no_forest() -> None:
    """A forest contains the trees with the fewest nodes."""
    with pytest.raises(InputError, match="the fewest nodes, not those of least 'cost'"):
        grow_graph(parity(2), Constraints(minimise="cost"), clock=Clock(1))


def test_the_proof_of_the_engine_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """All trees of another engine's proof: its outcome and history are kept, and the search proves nothing again."""

    def no_proof(*arguments: Any) -> Any:
        raise AssertionError("the search must not prove the minimum again")

    problem, engine = parity(3), MaxSat()
    expected, graph = grow_graph(problem)
    monkeypatch.setattr(OpenSearch, "run", no_proof)
    outcome, from_maxsat = grow_graph(problem, engine=engine)
    assert (outcome.engine, outcome.status, outcome.n_nodes) == ("maxsat", "optimal", expected.n_nodes)
    alone = solve(problem, engine)
    assert [(b.lower, b.upper) for b in outcome.history] == [(b.lower, b.upper) for b in alone.history]
    assert count_trees(from_maxsat) == count_trees(graph)


@dataclass(frozen=True)
class FalseProof:
    """An engine that reports its tree as minimum, whatever its size."""

    tree: Tree
    name: ClassVar[str] = "false-proof"
    source: ClassVar[str] = "a test"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[()]] = ()

    def search(self, incumbent: Incumbent) -> Status:
        """Report the tree as proved minimum."""
        incumbent.offer(self.tree)
        incumbent.prove()
        return "optimal"


def test_a_false_proof_of_another_engine_is_detected() -> None:
    """On random problems, a minimum that is too large raises an error; a correct one gives the forest."""
    n_false = 0
    for seed in range(60):
        problem = random_problem(seed)
        tree, minimum = greedy_tree(problem), solve(problem, Search())
        assert minimum.tree is not None
        grow_graph(problem, engine=FalseProof(minimum.tree))
        if tree.n_nodes > minimum.tree.n_nodes:
            n_false += 1
            with pytest.raises(SolverError, match=f"'false-proof' reported a minimum of {tree.n_nodes} nodes"):
                grow_graph(problem, engine=FalseProof(tree))
    assert n_false > 5
