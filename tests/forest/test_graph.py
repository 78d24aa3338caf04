"""The AND/OR graph: validation, original features, and counting."""

import pickle
from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import BruteForceForest
from helpers.random_problems import rows_of
from helpers.small_forests import forest_of, graph_of, small_forest, wide_forest

from puretree import Forest, InputError, UnfinishedError, prepare
from puretree._support.clock import Clock, TimeLimitReached
from puretree.forest import Graph
from puretree.forest import graph as graph_module
from puretree.problem import Prepared

# Two leaves and one test.
VALID = {"label": [0, 1, -1], "size": [0, 0, 1], "edge_start": [0, 0, 0, 1], "feature": [3], "no": [0], "yes": [1]}


def make(**changes: Any) -> Graph:
    """Make the graph of a single test, with some arrays changed."""
    arrays = {**VALID, "roots": [2], **changes}
    return Graph(**{name: np.array(values, dtype=np.int32) for name, values in arrays.items()})


def test_a_valid_graph_is_accepted() -> None:
    """The smallest graph with a test can be made, and its repr shows its size."""
    assert repr(make()) == "<Graph: 3 nodes, 1 edges>"
    assert make().features.tolist() == [3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"roots": []}, "at least one root"),
        ({"size": [0, 0]}, "for each node"),
        ({"edge_start": [0, 0, 0, 2]}, "number of edges"),
        ({"no": []}, "two children"),
        ({"label": [0, -1, -1]}, "a leaf has a label"),
        ({"size": [0, 0, 2]}, "sizes of the children"),
        ({"yes": [2]}, "smaller indices"),
        ({"no": [-1]}, "smaller indices"),
        ({"roots": [3]}, "distinct nodes"),
        ({"roots": [2, 2]}, "distinct nodes"),
    ],
)
def test_an_invalid_graph_is_rejected(changes: dict[str, list[int]], message: str) -> None:
    """Arrays that do not form a graph of trees raise an error before anything is computed on them."""
    with pytest.raises(InputError, match=message):
        make(**changes)


def test_levels_contain_every_edge_once_and_children_first() -> None:
    """Nodes of one size make a level; each edge is in the level of its parent, next to the parent's other edges."""
    graph = small_forest(3, 2).forest.graph
    edges = np.concatenate([level.edges for level in graph.levels])
    assert sorted(edges.tolist()) == list(range(graph.n_edges))
    for level in graph.levels:
        assert len(np.unique(graph.size[level.nodes])) == 1
        for node, start in zip(level.nodes, level.starts, strict=True):
            n_edges = int(graph.edge_start[node + 1] - graph.edge_start[node])
            assert level.edges[start : start + n_edges].tolist() == list(
                range(graph.edge_start[node], graph.edge_start[node + 1])
            )


def test_each_original_feature_makes_its_own_tree() -> None:
    """Two equal columns and a complementary one make three trees, one with its branches swapped."""
    table = [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    forest = forest_of(prepare(table, ["a", "a", "b"]))
    assert [tree.to_nested() for tree in forest] == [(0, "a", "b"), (1, "a", "b"), (2, "b", "a")]
    assert [str(tree.rules()[0]) for tree in forest] == [
        "IF x0 = 1 THEN b (1)",
        "IF x1 = 1 THEN b (1)",
        "IF x2 = 1 THEN a (2)",
    ]


def test_edges_are_in_canonical_order() -> None:
    """The edges of a node ascend by original feature, whichever merged feature they come from."""
    table = [[0, 0, 0, 1], [0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 0]]
    forest = forest_of(prepare(table, [0, 1, 1, 0]))
    roots = [tree.to_nested()[0] for tree in forest]
    assert roots == sorted(roots)
    assert set(roots) == {0, 1, 2, 3}


def test_the_root_constraint_excludes_equal_columns() -> None:
    """Columns equal to the required root column are tested further down, but not at the root."""
    table = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    forest = forest_with_root(table, [0, 1, 1, 0], root="x1")
    assert {tree.to_nested()[0] for tree in forest} == {1}
    equal_below = forest_with_root(table, [0, 1, 1, 0], root="x2")
    assert {tree.to_nested()[0] for tree in equal_below} == {2}
    assert equal_below.count == 4  # either of the two equal columns in each branch


def forest_with_root(table: list[list[int]], y: list[int], root: str) -> Forest:
    """Make a forest whose root tests a column; the merged graph has only such edges at its root."""
    prepared = prepare(table, y, root=root)
    unconstrained = forest_of(prepare(table, y))
    graph = graph_of(BruteForceForest(rows_of(prepared.problem), prepared.problem.labels.tolist()))
    assert prepared.roots is not None
    (node,) = graph.roots
    kept = np.ones(graph.n_edges, dtype=bool)
    begin, end = graph.edge_start[node], graph.edge_start[node + 1]
    kept[begin:end] = np.isin(graph.feature[begin:end], list(prepared.roots))
    start = np.concatenate([[0], np.cumsum(kept)])[graph.edge_start]
    forest = Forest(
        prepared,
        Graph(graph.label, graph.size, start, graph.feature[kept], graph.no[kept], graph.yes[kept], graph.roots),
        unconstrained.outcome,
    )
    assert forest.count < unconstrained.count
    return forest


@pytest.mark.parametrize(("n_copies", "depth"), [(1, 3), (2, 2), (3, 5), (4, 5), (2, 6), (7, 6)])
def test_counts_beyond_int64_are_exact(n_copies: int, depth: int) -> None:
    """With c equal features for each of the 2^d − 1 inner nodes there are exactly c^(2^d − 1) trees."""
    forest = wide_forest(n_copies, depth)
    n_inner = 2**depth - 1
    assert forest.count == n_copies**n_inner
    assert forest.n_nodes == 2 * n_inner + 1
    assert forest.rank(forest[-1]) == n_copies**n_inner - 1
    for usage in forest.features():
        nodes_of_bit = 2 ** (usage.feature // n_copies)
        assert usage.n_trees == forest.count - (n_copies - 1) ** nodes_of_bit * n_copies ** (n_inner - nodes_of_bit)
    assert [layout.n_trees for layout in forest.layouts()] == [forest.count]


def test_a_large_forest_has_a_repr_and_is_truthy() -> None:
    """Where len() overflows, count works, and the forest is truthy and can be printed and sampled."""
    forest = wide_forest(7, 6)
    assert forest
    assert repr(forest) == "<Forest: about 1.74e53 trees of 127 nodes>"
    with pytest.raises(OverflowError):
        len(forest)
    assert len(forest.sample(3, random_state=0)) == 3


@pytest.mark.parametrize("seed", range(10))
def test_int64_and_python_integers_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast pass for small counts and the general pass return the same counts."""
    graph = small_forest(seed, 1).forest.graph
    in_int64 = graph_module.count_trees(graph)
    monkeypatch.setattr(graph_module, "MAX_INT64_COUNT", 0.0)
    exact = graph_module.count_trees(graph)
    assert in_int64 == exact


def merged_graph(prepared: Prepared, extra: int = 0) -> Graph:
    """Return the graph of a table over merged features, by brute force."""
    return graph_of(BruteForceForest(rows_of(prepared.problem), prepared.problem.labels.tolist(), extra))


@pytest.mark.parametrize("seed", range(10))
def test_small_steps_do_not_change_the_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a look at the clock after every node, the graph, the counts and the usage are the same."""
    expected = small_forest(seed, 1).forest
    monkeypatch.setattr(graph_module, "EDGES_PER_STEP", 1)
    forest = Forest(expected.prepared, merged_graph(expected.prepared, 1), expected.outcome)
    for name in ("label", "size", "edge_start", "feature", "no", "yes", "roots"):
        assert getattr(forest.graph, name).tolist() == getattr(expected.graph, name).tolist()
    assert forest.counts == expected.counts
    assert forest.features() == expected.features()


def test_every_step_looks_at_the_clock() -> None:
    """Without time, whatever is computed on the graph stops at once: some trees are returned, or an error is raised."""
    forest = wide_forest(7, 6)
    for compute in (forest.features, forest.layouts):
        with pytest.raises(UnfinishedError, match="time limit reached while counting"):
            compute(time_limit=0)
    with pytest.raises(TimeLimitReached):
        graph_module.count_trees(forest.graph, clock=Clock(0))
    small = small_forest(3).forest
    with pytest.raises(TimeLimitReached):
        Forest(small.prepared, merged_graph(small.prepared), small.outcome, Clock(0))
    with pytest.raises(TimeLimitReached):
        graph_module.unmerge_graph(
            merged_graph(small.prepared), small.prepared.problem.merge, small.prepared.policy.is_root, Clock(0)
        )
    with pytest.raises(TimeLimitReached):
        forest.cheapest(Clock(0))
    assert len(forest.sample(5, 0, time_limit=0)) == 1


def test_a_forest_can_be_pickled() -> None:
    """A forest that was used has the same trees after a round trip."""
    forest = wide_forest(3, 2)
    loaded = pickle.loads(pickle.dumps((forest, forest[1])))[0]
    assert [loaded.rank(tree) for tree in forest] == list(range(forest.count))
